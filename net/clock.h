/*
 * clock.h - how long a step lasts and how long a message is under way.
 *
 * A node acts at the ends of its steps.  Between two actions its steps are
 * equally long; when it acts, the length may be drawn again (drift).  Lengths
 * and delays are uniform within the bounds.  Without bounds (async) they have
 * a heavy tail: longer than x with probability about 1/x, up to NET_TAIL_MAX.
 */
#ifndef NET_CLOCK_H
#define NET_CLOCK_H

#include "net/names.h"
#include "net/random.h"

/* Tails are cut here, so that even async runs have a horizon. */
enum { NET_TAIL_BITS = 16, NET_TAIL_MAX = 2 << NET_TAIL_BITS };

struct net_clocks {
    const struct net *net;
    const struct net_names *names;
    uint64_t step_key, phase_key, delay_key;
    bool drifts;
};

static inline void net_clocks_begin(struct net_clocks *c, const struct net *net,
                                    const struct net_names *names,
                                    uint64_t seed)
{
    *c = (struct net_clocks){
        .net = net,
        .names = names,
        .step_key = net_key(seed, NET_STREAM_STEP),
        .phase_key = net_key(seed, NET_STREAM_PHASE),
        .delay_key = net_key(seed, NET_STREAM_DELAY),
        .drifts = net->time == NET_ASYNC || (net->time == NET_ARCHIMEDEAN &&
                                             net->clock == NET_CLOCK_DRIFT),
    };
}

/* At least 1, and at least 2^g with probability 2^-g. */
static inline uint64_t net_heavy_tail(uint64_t draw)
{
    uint64_t high = draw | UINT64_C(1) << NET_TAIL_BITS;
    uint32_t octave = (uint32_t)__builtin_ctzll(high);

    return (UINT64_C(1) << octave) +
           net_below(net_mix(draw), UINT64_C(1) << octave);
}

static inline uint64_t net_uniform(uint64_t draw, uint64_t least,
                                   uint64_t greatest)
{
    return least + net_below(draw, greatest - least + 1);
}

/* The length of node's steps from its counter-th action on. */
static inline uint64_t net_step_ticks(const struct net_clocks *c, uint32_t node,
                                      uint32_t counter)
{
    const struct net *s = c->net;
    const struct fc_bounds *b = &s->world.bounds;
    uint64_t draw, ticks;

    if (s->time == NET_SYNC)
        return 1;
    draw = net_draw(c->step_key, node, counter);
    if (s->time == NET_ASYNC)
        return net_heavy_tail(draw);
    if (s->clock == NET_CLOCK_LIST)
        return s->steps[node];
    if (s->clock == NET_CLOCK_ADVERSARY) {
        /* The report's adversary: u_i = 2^(N-i+1), the winner slowest. */
        fc_name above = net_name(c->names, node) - s->world.least;

        ticks = above < 64 ? b->rmax >> above : 0;
        return ticks < b->rmin ? b->rmin : ticks;
    }
    return net_uniform(draw, b->rmin, b->rmax);
}

/* The tick of the node's first action: the end of a step under way at 0. */
static inline uint64_t net_phase(const struct net_clocks *c, uint32_t node,
                                 uint64_t step_ticks)
{
    const struct net *s = c->net;

    if (s->phases)
        return s->phases[node];
    if (s->time == NET_SYNC ||
        (s->time == NET_ARCHIMEDEAN && s->clock >= NET_CLOCK_ADVERSARY))
        return 0;
    return net_below(net_draw(c->phase_key, node, 0), step_ticks);
}

/* How long the counter-th message of node is under way. */
static inline uint64_t net_delay_ticks(const struct net_clocks *c,
                                       uint32_t node, uint32_t counter)
{
    const struct net *s = c->net;
    const struct fc_bounds *b = &s->world.bounds;
    uint64_t draw;

    if (s->time == NET_SYNC || b->dmax == 0)
        return 0;
    draw = net_draw(c->delay_key, node, counter);
    if (s->time == NET_ASYNC)
        return net_heavy_tail(draw) - 1;
    if (s->clock == NET_CLOCK_ADVERSARY)
        return draw >> 63 ? b->dmax : b->dmin;
    return net_uniform(draw, b->dmin, b->dmax);
}

#endif
