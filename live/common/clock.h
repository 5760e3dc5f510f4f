/*
 * clock.h - the clock: microseconds that nobody can set, and that count while
 * the machine sleeps.  Clients and daemon of a machine read the same.
 */
#ifndef LIVE_CLOCK_H
#define LIVE_CLOCK_H

#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>

static inline uint64_t live_now(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* A timer of this clock; -1 with errno. */
static inline int live_timer(void)
{
    return timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
}

/* Sets it to a time, which may be over; UINT64_MAX: never. */
static inline int live_timer_set(int timer, uint64_t at)
{
    struct itimerspec when = {{0, 0}, {0, 0}};

    if (at == 0)
        at = 1;
    if (at != UINT64_MAX) {
        when.it_value.tv_sec = (time_t)(at / 1000000);
        when.it_value.tv_nsec = (long)(at % 1000000) * 1000;
    }
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
}

#endif
