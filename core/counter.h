/*
 * counter.h - a clock that never wraps, made of a counter of 32 bits that does:
 * for drivers on boards.
 *
 * Events tell a node's clock in 64 bits, from 1 on, and rules compare its
 * times: a clock that goes back to 0 makes a lease that is over look as if it
 * had 2^32 steps to go, and its holder stays inside beside the next one.
 *
 * All zero bytes is a clock that was not read yet.  It must be read at least
 * once in half a wrap (2^31 steps: 24 days of milliseconds, 35 minutes of
 * microseconds), and by one context alone, the main loop or an interrupt.  It
 * begins at 1 at each start, whatever the counter shows then; that is allowed,
 * since no time is kept over a start.  The counter itself must run on while the
 * board sleeps.
 */
#ifndef FC_COUNTER_H
#define FC_COUNTER_H

#include <stdint.h>

struct fc_counter {
    uint64_t now; /* 0: not read yet */
    uint32_t last;
    uint32_t unused;
};

/* Takes a reading of the counter; returns the time.  A reading that is older
 * than the last one changes nothing. */
static inline uint64_t fc_counter_read(struct fc_counter *c, uint32_t reading)
{
    uint32_t past = reading - c->last;

    if (c->now == 0) {
        c->now = 1;
        c->last = reading;
    } else if (past <= INT32_MAX) {
        c->now += past;
        c->last = reading;
    }
    return c->now;
}

#endif
