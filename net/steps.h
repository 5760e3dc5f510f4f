/*
 * steps.h - the arithmetic of a node's steps: when they end, when what the node
 * waits for is due, and what its own clock shows.
 */
#ifndef NET_STEPS_H
#define NET_STEPS_H

#include "core/ticks.h"
#include "net/clock.h"

struct net_steps {
    uint64_t anchor; /* the end of some step... */
    uint64_t ticks;  /* ...and the length of those that follow it */
};

/* An own clock counts own steps. */
struct net_own_clock {
    uint64_t steps, tick; /* so many at the end of one, at this tick */
};

static inline struct net_steps net_steps_begin(const struct net_clocks *c,
                                               uint32_t node)
{
    uint64_t ticks = net_step_ticks(c, node, 0);

    return (struct net_steps){net_phase(c, node, ticks), ticks};
}

/* The first end of a step at or after a tick. */
static inline uint64_t net_step_end(const struct net_steps *s, uint64_t tick)
{
    uint64_t behind;

    if (tick <= s->anchor)
        return s->anchor;
    if (s->ticks == 1)
        return tick;
    behind = (tick - s->anchor) % s->ticks;
    return behind ? tick + s->ticks - behind : tick;
}

/* The tick that is this number of steps after `now`, the end of one. */
static inline uint64_t net_steps_after(const struct net_steps *s, uint64_t now,
                                       uint64_t steps)
{
    return fc_add(now, fc_times(steps, s->ticks));
}

/* The steps that follow `now` have another length than `old`: when is what is
 * due later due then? */
static inline uint64_t net_due_redrawn(const struct net_steps *s, uint64_t due,
                                       uint64_t now, uint64_t old)
{
    return net_steps_after(s, now, (due - now + old - 1) / old);
}

/* The node acts at `now` at the earliest, this number of ticks late: when is
 * what was due?  Where nodes read clocks, those run on, and it is overdue. */
static inline uint64_t net_due_late(uint64_t due, uint64_t now, uint64_t late,
                                    bool clocked)
{
    if (!clocked)
        return fc_add(due, late); /* never stays never */
    return due < now ? now : due;
}

static inline uint64_t net_clock_at(const struct net_own_clock *c,
                                    const struct net_steps *s, uint64_t tick)
{
    return c->steps + (tick - c->tick) / s->ticks;
}

/* The tick at which it shows this; if it has shown it, that of its start. */
static inline uint64_t net_clock_shows(const struct net_own_clock *c,
                                       const struct net_steps *s,
                                       uint64_t shown)
{
    return c->tick + (shown > c->steps ? shown - c->steps : 0) * s->ticks;
}

/* Before the length of steps changes. */
static inline void net_clock_fold(struct net_own_clock *c,
                                  const struct net_steps *s, uint64_t now)
{
    uint64_t steps = (now - c->tick) / s->ticks;

    c->steps += steps;
    c->tick += steps * s->ticks;
}

#endif
