/*
 * site.h - tells a node what it may know of its place, by the type of its
 * protocol's site: an anonymous node cannot even be given a name.
 */
#ifndef NET_SITE_H
#define NET_SITE_H

#include "net/graph.h"
#include "net/names.h"

/* All that a driver knows of one node's place. */
struct net_place {
    const struct net *net;
    const struct net_names *names;
    const struct net_graph *graph;
    uint32_t node;
};

static inline void net_fill_named(struct fc_named *me,
                                  const struct net_place *at)
{
    me->name = net_name(at->names, at->node);
}

static inline void net_fill_anonymous(struct fc_anonymous *me,
                                      const struct net_place *at)
{
    me->nodes = at->net->world.nodes;
}

static inline void net_fill_member(struct fc_member *me,
                                   const struct net_place *at)
{
    me->index = at->node;
    me->nodes = at->net->world.nodes;
}

static inline void net_fill_joint(struct fc_joint *me,
                                  const struct net_place *at)
{
    me->name = net_name(at->names, at->node);
    me->ports = net_graph_ports(at->graph, at->node);
}

/* The root is node 0 (see graph.c). */
static inline void net_fill_rooted(struct fc_rooted *me,
                                   const struct net_place *at)
{
    me->root = at->node == 0;
    me->ports = net_graph_ports(at->graph, at->node);
}

/* The leader is node 0.  A node of a ring has one link, to the next. */
static inline void net_fill_marked(struct fc_marked *me,
                                   const struct net_place *at)
{
    bool ring = at->net->protocol->topology == FC_RING;

    me->marked = at->node == 0;
    me->ports = ring ? 1 : net_graph_ports(at->graph, at->node);
}

#define net_fill_site(me, at)                                                  \
    _Generic((me), struct fc_named *                                           \
             : net_fill_named, struct fc_anonymous *                           \
             : net_fill_anonymous, struct fc_member *                          \
             : net_fill_member, struct fc_joint *                              \
             : net_fill_joint, struct fc_rooted *                              \
             : net_fill_rooted, struct fc_marked *                             \
             : net_fill_marked)(me, at)

#endif
