/*
 * work.h - what applications do with a resource: how often they want it, how
 * long they keep it, how long they think in between.
 */
#ifndef SIM_WORK_H
#define SIM_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* How long something takes, in own steps. */
enum sim_spread {
    SIM_ALWAYS,
    SIM_UNIFORM,
    SIM_EXPONENTIAL,
    SIM_DRIFT, /* evenly from one length to another, and back */
    SIM_JUMP,  /* from one to the other at once, and back */
};
struct sim_duration {
    enum sim_spread spread;
    uint64_t least, greatest; /* SIM_UNIFORM; `least` is also the constant and
                               * the mean of SIM_EXPONENTIAL; the lengths of
                               * SIM_DRIFT and SIM_JUMP, in any order */
    uint64_t period;          /* ticks from one to the other; of these two */
};

/* Whether it depends on a random number. */
static inline bool sim_duration_is_drawn(const struct sim_duration *d)
{
    return d->spread == SIM_UNIFORM || d->spread == SIM_EXPONENTIAL;
}

/* Everything zero: each site enters once, for one step. */
struct sim_work {
    uint32_t entries; /* per site that takes part; 0: one */
    uint32_t burst;   /* local clients that come together; 0: one */
    struct sim_duration section, think;
    uint64_t shared; /* the chance that a request is shared, in 2^32nds */
};

/* A duration that begins at tick `now`, from a random number: at least one
 * step. */
uint64_t sim_duration_draw(const struct sim_duration *d, uint64_t draw,
                           uint64_t now);

/* No draw is longer. */
uint64_t sim_duration_longest(const struct sim_duration *d);

/* Reads "15", "uniform:1:10", "exp:200", "drift:5:90:1000" or
 * "jump:5:90:1000". */
bool sim_duration_read(const char *text, struct sim_duration *out);

#endif
