/*
 * node_set.h - a set of nodes of a cluster: by id, a bit each.
 */
#ifndef LIVE_NODE_SET_H
#define LIVE_NODE_SET_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t live_node_set;

static inline live_node_set live_only(uint32_t node)
{
    return (live_node_set)1 << node;
}

/* Nodes 0 to count-1. */
static inline live_node_set live_first(uint32_t count)
{
    return count ? ~(live_node_set)0 >> (64 - count) : 0;
}

static inline bool live_has(live_node_set set, uint32_t node)
{
    return set >> node & 1;
}

static inline uint32_t live_size(live_node_set set)
{
    return (uint32_t)__builtin_popcountll(set);
}

/* Of a set that is not empty. */
static inline uint32_t live_least(live_node_set set)
{
    return (uint32_t)__builtin_ctzll(set);
}

#endif
