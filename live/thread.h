/*
 * thread.h - a thread beside the loop: with a small stack, and without signals,
 * which are for the loop.
 */
#ifndef LIVE_THREAD_H
#define LIVE_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* `urgent`: with real-time priority, which may not be allowed.  False: there is
 * no thread to be had. */
static inline bool live_thread_start(pthread_t *thread, size_t stack,
                                     bool urgent, void *(*run)(void *),
                                     void *whom)
{
    struct sched_param first = {.sched_priority = 1};
    sigset_t all, before;
    pthread_attr_t how;
    bool good;

    if (pthread_attr_init(&how) != 0)
        return false;
    good = pthread_attr_setstacksize(&how, stack) == 0;
    if (urgent)
        good =
            good &&
            pthread_attr_setinheritsched(&how, PTHREAD_EXPLICIT_SCHED) == 0 &&
            pthread_attr_setschedpolicy(&how, SCHED_FIFO) == 0 &&
            pthread_attr_setschedparam(&how, &first) == 0;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    good = good && pthread_create(thread, &how, run, whom) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&how);
    return good;
}

#endif
