/*
 * site.h - tells a node what it may know of its place, by the type of its
 * protocol's site: an anonymous node cannot even be given a name.
 */
#ifndef SIM_SITE_H
#define SIM_SITE_H

#include "sim/graph.h"
#include "sim/names.h"

/* All that a driver knows of one node's place. */
struct sim_place {
    const struct sim_setup *setup;
    const struct sim_names *names;
    const struct sim_graph *graph;
    uint32_t node;
};

static inline void sim_fill_named(struct fc_named *me,
                                  const struct sim_place *at)
{
    me->name = sim_name(at->names, at->node);
}

static inline void sim_fill_anonymous(struct fc_anonymous *me,
                                      const struct sim_place *at)
{
    me->nodes = at->setup->world.nodes;
}

static inline void sim_fill_member(struct fc_member *me,
                                   const struct sim_place *at)
{
    me->index = at->node;
    me->nodes = at->setup->world.nodes;
}

static inline void sim_fill_joint(struct fc_joint *me,
                                  const struct sim_place *at)
{
    me->name = sim_name(at->names, at->node);
    me->ports = sim_graph_ports(at->graph, at->node);
}

/* The root is node 0 (see graph.c). */
static inline void sim_fill_rooted(struct fc_rooted *me,
                                   const struct sim_place *at)
{
    me->root = at->node == 0;
    me->ports = sim_graph_ports(at->graph, at->node);
}

#define sim_fill_site(me, at)                                                  \
    _Generic((me), struct fc_named *                                           \
             : sim_fill_named, struct fc_anonymous *                           \
             : sim_fill_anonymous, struct fc_member *                          \
             : sim_fill_member, struct fc_joint *                              \
             : sim_fill_joint, struct fc_rooted *                              \
             : sim_fill_rooted)(me, at)

#endif
