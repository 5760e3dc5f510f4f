/*
 * random.h - a random stream per node, computed and not kept.
 *
 * The c-th draw of node v in stream S of a run is a hash of (seed, S, v, c).
 * So a node's draws do not depend on what other nodes, threads or runs do, and
 * any draw can be repeated without the ones before it.
 */
#ifndef NET_RANDOM_H
#define NET_RANDOM_H

#include <stdint.h>

enum net_stream {
    NET_STREAM_STEP,  /* lengths of steps */
    NET_STREAM_PHASE, /* where in a step a node begins */
    NET_STREAM_DELAY, /* of the messages a node sends */
    NET_STREAM_CHOICE,
    NET_STREAM_NAMES,
    NET_STREAM_WAKE,
    NET_STREAM_GRAPH,
    NET_STREAM_FAULT,
    NET_STREAM_WORK, /* what applications do */
};

/* A bijection of 64-bit numbers without visible pattern (the finaliser of
 * SplitMix64). */
static inline uint64_t net_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint64_t net_key(uint64_t seed, enum net_stream stream)
{
    return net_mix(net_mix(seed) + (uint64_t)stream);
}

static inline uint64_t net_draw(uint64_t key, uint32_t node, uint32_t counter)
{
    return net_mix(key ^ net_mix((uint64_t)node << 32 | counter));
}

/* A draw brought into 0..range-1: the high half of its product with the
 * range.  The bias is below range/2^64. */
static inline uint64_t net_below(uint64_t draw, uint64_t range)
{
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t)((wide)draw * range >> 64);
}

#endif
