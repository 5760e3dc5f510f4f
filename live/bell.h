/*
 * bell.h - how a thread wakes the loop.
 *
 * The loop may have real-time priority, and the thread has not.  So the last
 * thing that the thread does is to write to a file that the loop waits for.
 * uv_async_send() is no such thing: (1) it wakes the loop, (2) which takes the
 * processor from the thread, and (3) waits, without sleeping, for the thread to
 * return from the call.  That takes a second, until the system lets others run.
 */
#ifndef LIVE_BELL_H
#define LIVE_BELL_H

#include <errno.h>
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

#endif
