/*
 * work.h - what applications do with a resource: how often they want it, how
 * long they keep it, how long they think in between.
 */
#ifndef NET_WORK_H
#define NET_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* How long something takes, in own steps. */
enum net_spread {
    NET_ALWAYS,
    NET_UNIFORM,
    NET_EXPONENTIAL,
    NET_DRIFT, /* evenly from one length to another, and back */
    NET_JUMP,  /* from one to the other at once, and back */
};
struct net_duration {
    enum net_spread spread;
    uint64_t least, greatest; /* NET_UNIFORM; `least` is also the constant and
                               * the mean of NET_EXPONENTIAL; the lengths of
                               * NET_DRIFT and NET_JUMP, in any order */
    uint64_t period;          /* ticks from one to the other; of these two */
};

/* Whether it depends on a random number. */
static inline bool net_duration_is_drawn(const struct net_duration *d)
{
    return d->spread == NET_UNIFORM || d->spread == NET_EXPONENTIAL;
}

/* Everything zero: each site enters once, for one step. */
struct net_work {
    uint32_t entries; /* per site that takes part; 0: one */
    uint32_t burst;   /* local clients that come together; 0: one */
    struct net_duration section, think;
    uint64_t shared; /* the chance that a request is shared, in 2^32nds */
};

/* A duration that begins at tick `now`, from a random number: at least one
 * step. */
uint64_t net_duration_draw(const struct net_duration *d, uint64_t draw,
                           uint64_t now);

/* No draw is longer. */
uint64_t net_duration_longest(const struct net_duration *d);

/* Reads "15", "uniform:1:10", "exp:200", "drift:5:90:1000" or
 * "jump:5:90:1000". */
bool net_duration_read(const char *text, struct net_duration *out);

#endif
