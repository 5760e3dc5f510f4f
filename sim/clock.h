/*
 * clock.h - how long a step lasts and how long a message is under way.
 *
 * A node acts at the ends of its steps.  Between two actions its steps are
 * equally long; when it acts, the length may be drawn anew (drift).  Lengths
 * and delays are uniform within the bounds.  Without bounds (async) they have
 * a heavy tail: longer than x with probability about 1/x, up to SIM_TAIL_MAX.
 */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include "sim/names.h"
#include "sim/random.h"

/* Tails are cut here, so that even async runs have a horizon. */
enum { SIM_TAIL_BITS = 16, SIM_TAIL_MAX = 2 << SIM_TAIL_BITS };

struct sim_clocks {
    const struct sim_setup *setup;
    const struct sim_names *names;
    uint64_t step_key, phase_key, delay_key;
    bool drifts;
};

static inline void sim_clocks_begin(struct sim_clocks *c,
                                    const struct sim_setup *setup,
                                    const struct sim_names *names,
                                    uint64_t seed)
{
    *c = (struct sim_clocks){
        .setup = setup,
        .names = names,
        .step_key = sim_key(seed, SIM_STREAM_STEP),
        .phase_key = sim_key(seed, SIM_STREAM_PHASE),
        .delay_key = sim_key(seed, SIM_STREAM_DELAY),
        .drifts = setup->time == SIM_ASYNC || (setup->time == SIM_ARCHIMEDEAN &&
                                               setup->clock == SIM_CLOCK_DRIFT),
    };
}

/* At least 1, and at least 2^g with probability 2^-g. */
static inline uint64_t sim_heavy_tail(uint64_t draw)
{
    uint64_t high = draw | UINT64_C(1) << SIM_TAIL_BITS;
    uint32_t octave = (uint32_t)__builtin_ctzll(high);

    return (UINT64_C(1) << octave) +
           sim_below(sim_mix(draw), UINT64_C(1) << octave);
}

static inline uint64_t sim_uniform(uint64_t draw, uint64_t least,
                                   uint64_t greatest)
{
    return least + sim_below(draw, greatest - least + 1);
}

/* The length of node's steps from its counter-th action on. */
static inline uint64_t sim_step_ticks(const struct sim_clocks *c, uint32_t node,
                                      uint32_t counter)
{
    const struct sim_setup *s = c->setup;
    const struct fc_bounds *b = &s->world.bounds;
    uint64_t draw, ticks;

    if (s->time == SIM_SYNC)
        return 1;
    draw = sim_draw(c->step_key, node, counter);
    if (s->time == SIM_ASYNC)
        return sim_heavy_tail(draw);
    if (s->clock == SIM_CLOCK_LIST)
        return s->steps[node];
    if (s->clock == SIM_CLOCK_ADVERSARY) {
        /* The report's adversary: u_i = 2^(N-i+1), the winner slowest. */
        fc_name above = sim_name(c->names, node) - s->world.least;

        ticks = above < 64 ? b->rmax >> above : 0;
        return ticks < b->rmin ? b->rmin : ticks;
    }
    return sim_uniform(draw, b->rmin, b->rmax);
}

/* The tick of the node's first action: the end of a step under way at 0. */
static inline uint64_t sim_phase(const struct sim_clocks *c, uint32_t node,
                                 uint64_t step_ticks)
{
    const struct sim_setup *s = c->setup;

    if (s->time == SIM_SYNC ||
        (s->time == SIM_ARCHIMEDEAN && s->clock >= SIM_CLOCK_ADVERSARY))
        return 0;
    return sim_below(sim_draw(c->phase_key, node, 0), step_ticks);
}

/* How long the counter-th message of node is under way. */
static inline uint64_t sim_delay_ticks(const struct sim_clocks *c,
                                       uint32_t node, uint32_t counter)
{
    const struct sim_setup *s = c->setup;
    const struct fc_bounds *b = &s->world.bounds;
    uint64_t draw;

    if (s->time == SIM_SYNC || b->dmax == 0)
        return 0;
    draw = sim_draw(c->delay_key, node, counter);
    if (s->time == SIM_ASYNC)
        return sim_heavy_tail(draw) - 1;
    if (s->clock == SIM_CLOCK_ADVERSARY)
        return draw >> 63 ? b->dmax : b->dmin;
    return sim_uniform(draw, b->dmin, b->dmax);
}

#endif
