/*
 * await.h - waiting for threads, with a look up now and then: to report their
 * progress, and to pass on a request to stop.
 */
#ifndef NET_AWAIT_H
#define NET_AWAIT_H

#include <pthread.h>
#include <time.h>

enum { NET_AWAIT_NS = 100 * 1000 * 1000 };

/* Waits until the condition is signalled, but no longer than that, by a clock
 * that nobody can set: if it were the one on the wall, and set back by an hour,
 * nobody would look up for an hour. */
static inline void net_await(pthread_cond_t *changed, pthread_mutex_t *lock)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += NET_AWAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_clockwait(changed, lock, CLOCK_MONOTONIC, &until);
}

#endif
