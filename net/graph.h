/*
 * graph.h - trees: which nodes are linked, and by which numbers.
 *
 * Rings and complete networks need no such table.
 */
#ifndef NET_GRAPH_H
#define NET_GRAPH_H

#include "net/memory.h"
#include "net/net.h"

enum { NET_PORTS_MAX = 64 }; /* links of one node in a tree */

struct net_graph {
    uint32_t *first;     /* of each node's links, and one more */
    uint32_t *neighbour; /* by link */
    uint32_t *back;      /* by link: its number at the other end */
};

/* The tree of a run, of the kind that the setup names; a random one is drawn
 * from the seed.  -1: no memory. */
int net_graph_begin(struct net_graph *g, const struct net *net, uint64_t seed,
                    struct net_memory *memory);

/* NULL, or the rule that it breaks as a tree of `nodes` nodes. */
const char *net_graph_sane(const struct net_graph *g, uint32_t nodes);

static inline uint32_t net_graph_ports(const struct net_graph *g, uint32_t node)
{
    return g->first[node + 1] - g->first[node];
}

#endif
