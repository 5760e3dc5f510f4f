/*
 * steps.h - the arithmetic of a node's steps: when they end, when the events
 * that it waits for are due, and the time of its own clock.
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
    uint64_t steps, tick; /* the count at the end of a step, and that tick */
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

/* The tick `steps` steps after `now`, the end of a step. */
static inline uint64_t net_steps_after(const struct net_steps *s, uint64_t now,
                                       uint64_t steps)
{
    return fc_add(now, fc_times(steps, s->ticks));
}

/* The new tick of an event that was due at `due`, when steps have another
 * length than `old` from `now` on. */
static inline uint64_t net_due_redrawn(const struct net_steps *s, uint64_t due,
                                       uint64_t now, uint64_t old)
{
    return net_steps_after(s, now, (due - now + old - 1) / old);
}

/* The new tick of an event that was due at `due`, when the node acts at `now`
 * at the earliest, `late` ticks late.  Where nodes read clocks, those run on,
 * and the event is overdue. */
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

/* The tick at which the clock shows `shown`; c->tick if it has shown that
 * already. */
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
