/*
 * series.h - many rehearsals of one cluster, a seed each, on all cores.
 */
#ifndef LIVE_SERIES_H
#define LIVE_SERIES_H

#include <stdatomic.h>

#include "live/rehearse/rehearse.h"

struct live_series {
    struct live_rehearsal setup; /* its seed is the first */
    uint64_t runs;
    uint32_t threads;
    atomic_bool *stop; /* set by others to end early; or NULL */
    /* Called some ten times a second, by the thread that called; or NULL. */
    void (*tell)(void *whom, uint64_t done, uint64_t events, double seconds);
    void *whom;
};

struct live_series_sum {
    uint64_t runs;               /* that were completed */
    uint64_t violations;         /* among them; more are not looked for */
    uint64_t seed;               /* the least one with a violation */
    struct live_rehearsed first; /* that one */
    struct live_rehearsed all;   /* added up: `at` is the time of all */
    double cpu_seconds;
    bool stopped;
};

/* The least seed with a violation does not depend on the number of threads.
 * -1: there is no memory, or no thread. */
int live_series(const struct live_series *series, struct live_series_sum *sum);

#endif
