/*
 * own_clock.h - a clock for tests whose nodes are all in their own process: it
 * stands still while the process does.
 *
 * A machine may stand still for longer than a lease.  Then a node loses it, as
 * it must, and the test would see that instead of what it is about.  By this
 * clock two readings are never more than GAP_NS apart, and whoever has a loop
 * of these nodes reads it in every turn: no time passes in which the nodes
 * could not act.
 */
#ifndef OWN_CLOCK_H
#define OWN_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { GAP_NS = 5000000, SECOND_NS = 1000000000 };

static struct {
    pthread_mutex_t lock; /* a node's writer is a thread */
    int64_t read, omitted;
} own_clock = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline int64_t in_ns(const struct timespec *t)
{
    return (int64_t)t->tv_sec * SECOND_NS + t->tv_nsec;
}

static inline struct timespec of_ns(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / SECOND_NS,
                             .tv_nsec = ns % SECOND_NS};
}

int clock_gettime(clockid_t which, struct timespec *t)
{
    int64_t now;

    if (syscall(SYS_clock_gettime, which, t) != 0)
        return -1;
    if (which != CLOCK_BOOTTIME)
        return 0;
    now = in_ns(t);
    (void)pthread_mutex_lock(&own_clock.lock);
    if (own_clock.read && now - own_clock.read > GAP_NS)
        own_clock.omitted += now - own_clock.read - GAP_NS;
    own_clock.read = now;
    *t = of_ns(now - own_clock.omitted);
    (void)pthread_mutex_unlock(&own_clock.lock);
    return 0;
}

/* At a time of this clock, as far as can be known: early if the process stands
 * still meanwhile. */
int timerfd_settime(int file, int flags, const struct itimerspec *when,
                    struct itimerspec *old)
{
    struct itimerspec at = *when;
    int64_t ns = in_ns(&when->it_value);

    (void)pthread_mutex_lock(&own_clock.lock);
    if (ns && flags & TFD_TIMER_ABSTIME)
        at.it_value = of_ns(ns + own_clock.omitted);
    (void)pthread_mutex_unlock(&own_clock.lock);
    return (int)syscall(SYS_timerfd_settime, file, flags, &at, old);
}

#endif
