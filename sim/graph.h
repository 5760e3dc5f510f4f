/*
 * graph.h - trees: who is linked to whom, and by which number.
 *
 * Rings and complete networks need no such table.
 */
#ifndef SIM_GRAPH_H
#define SIM_GRAPH_H

#include "sim/sim.h"

enum { SIM_PORTS_MAX = 64 }; /* links of one node in a tree */

struct sim_graph {
    uint32_t *first;     /* of each node's links, and one more */
    uint32_t *neighbour; /* by link */
    uint32_t *back;      /* by link: its number at the other end */
};

/* The tree of a run: its kind is that of the setup; a random one is drawn from
 * the seed.  -1: no memory. */
int sim_graph_begin(struct sim_graph *g, const struct sim_setup *setup,
                    uint64_t seed, struct sim_memory *memory);

static inline uint32_t sim_graph_ports(const struct sim_graph *g, uint32_t node)
{
    return g->first[node + 1] - g->first[node];
}

#endif
