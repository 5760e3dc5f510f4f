/*
 * bell.h - a thread beside the loop, and how it wakes the loop.
 *
 * The loop may have real-time priority, and the thread has not.  So the last
 * thing that the thread does is to write to a file that the loop waits for.
 * uv_async_send() is not like that: (1) it wakes the loop, (2) which takes the
 * processor from the thread, and (3) waits, without sleeping, for the thread to
 * return from the call.  That takes a second, until the system lets others run.
 */
#ifndef LIVE_BELL_H
#define LIVE_BELL_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <uv.h>

struct live_bell {
    uv_poll_t poll; /* its data is the owner's; closed by uv_close() */
    int fd;
};

/* 0; or -1, and nothing is open. */
static inline int live_bell_open(struct live_bell *bell, uv_loop_t *loop,
                                 uv_poll_cb rung, void *owner)
{
    bell->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (bell->fd < 0)
        return -1;
    if (uv_poll_init(loop, &bell->poll, bell->fd) != 0) {
        close(bell->fd);
        return -1;
    }
    bell->poll.data = owner;
    (void)uv_poll_start(&bell->poll, UV_READABLE, rung);
    return 0;
}

/* By any thread. */
static inline void live_bell_ring(const struct live_bell *bell)
{
    const uint64_t once = 1;

    while (write(bell->fd, &once, sizeof once) < 0 && errno == EINTR)
        ;
}

/* By the loop, when it has heard it. */
static inline void live_bell_hush(const struct live_bell *bell)
{
    uint64_t times;

    while (read(bell->fd, &times, sizeof times) > 0)
        ;
}

/* When poll is closed, and no thread knows it any more. */
static inline void live_bell_close(const struct live_bell *bell)
{
    close(bell->fd);
}

/* Starts a thread with a small stack, and without signals, which are for the
 * loop.  `urgent`: with real-time priority, which may not be allowed.  False:
 * no thread can be had. */
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
