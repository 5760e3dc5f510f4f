/*
 * seconds.h - the time of one of the system's clocks, to tell how long
 * something took.
 */
#ifndef NET_SECONDS_H
#define NET_SECONDS_H

#include <time.h>

static inline double net_seconds_of(clockid_t clock)
{
    struct timespec t = {0};

    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* By the clock that nobody can set. */
static inline double net_seconds(void)
{
    return net_seconds_of(CLOCK_MONOTONIC);
}

#endif
