/*
 * route.h - where links lead: the one place that says to which node a message
 * goes, and by which of its links it comes in there.
 */
#ifndef NET_ROUTE_H
#define NET_ROUTE_H

#include "net/graph.h"

/* The far end of a link. */
struct net_route {
    uint32_t to;
    uint16_t comes_by; /* the link's number there */
};

/* Where a message that leaves `from` by `port` goes.  The graph is read for
 * FC_TREE only.  An engine passes its topology as a constant, and nothing
 * remains of the switch. */
__attribute__((always_inline)) static inline struct net_route
net_route(enum fc_topology topology, const struct net_graph *graph,
          uint32_t nodes, uint32_t from, uint16_t port)
{
    uint32_t next = from + 1 == nodes ? 0 : from + 1, link;

    switch (topology) {
    case FC_COMPLETE:
        return (struct net_route){port, (uint16_t)from};
    case FC_TREE:
        link = graph->first[from] + port;
        return (struct net_route){graph->neighbour[link],
                                  (uint16_t)graph->back[link]};
    case FC_RING_BOTH:
        if (port == FC_PREVIOUS)
            return (struct net_route){from ? from - 1 : nodes - 1, FC_NEXT};
        break;
    case FC_RING:
        break;
    }
    return (struct net_route){next, FC_PREVIOUS};
}

/* A node's links are 0 to this, exclusive; in a complete network its own index
 * is not one of them. */
static inline uint32_t net_ports(enum fc_topology topology,
                                 const struct net_graph *graph, uint32_t nodes,
                                 uint32_t node)
{
    switch (topology) {
    case FC_COMPLETE:
        return nodes;
    case FC_TREE:
        return net_graph_ports(graph, node);
    case FC_RING_BOTH:
        return 2;
    case FC_RING:
        break;
    }
    return 1;
}

/* The number of links, each in one direction. */
static inline uint64_t net_links(enum fc_topology topology, uint64_t nodes)
{
    switch (topology) {
    case FC_COMPLETE:
        return nodes * (nodes - 1);
    case FC_TREE:
        return 2 * (nodes - 1);
    case FC_RING_BOTH:
        return 2 * nodes;
    case FC_RING:
        break;
    }
    return nodes;
}

/* The link by which `from` sends to its `port`, counted from 0: links of the
 * first node come first, each node's in the order of their numbers. */
static inline uint64_t net_link(enum fc_topology topology,
                                const struct net_graph *graph, uint32_t nodes,
                                uint32_t from, uint16_t port)
{
    switch (topology) {
    case FC_COMPLETE: /* there is none to itself */
        return (uint64_t)from * (nodes - 1) + port - (port > from);
    case FC_TREE:
        return (uint64_t)graph->first[from] + port;
    case FC_RING_BOTH:
        return 2 * (uint64_t)from + port;
    case FC_RING:
        break;
    }
    return from;
}

#endif
