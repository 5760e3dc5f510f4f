/*
 * wake.c - see wake.h.
 */
#include "live/system/wake.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "net/why.h"

enum { ROUNDS_MAX = 8, HANDLES = 3 };

static void on_idle(uv_idle_t *idle)
{
    (void)idle; /* it only keeps the loop from sleeping */
}

static void on_timer(uv_poll_t *timer, int status, int events)
{
    struct live_wake *w = timer->data;
    uint64_t times;

    (void)status;
    (void)events;
    while (read(w->timer_fd, &times, sizeof times) > 0)
        ;
}

/* After all that one round of the loop has read. */
static void on_check(uv_check_t *check)
{
    struct live_wake *w = check->data;
    uint64_t now = live_now();

    if (now < w->at)
        return;
    if (w->heard && w->rounds < ROUNDS_MAX) {
        w->heard = false;
        w->rounds++;
        (void)uv_idle_start(&w->idle, on_idle);
        return;
    }
    (void)uv_idle_stop(&w->idle);
    w->rounds = 0;
    w->heard = false;
    w->at = UINT64_MAX;
    w->due(w->whom, now);
}

bool live_wake_open(struct live_wake *w, uv_loop_t *loop, live_due *due,
                    void *whom, struct net_why *error)
{
    *w = (struct live_wake){.due = due, .whom = whom, .at = UINT64_MAX};
    w->timer_fd = live_timer();
    if (w->timer_fd < 0)
        return net_fail(error, "cannot make a timer: %s", strerror(errno));
    w->timer.data = w->check.data = w->idle.data = w;
    (void)uv_poll_init(loop, &w->timer, w->timer_fd);
    (void)uv_check_init(loop, &w->check);
    (void)uv_idle_init(loop, &w->idle);
    (void)uv_poll_start(&w->timer, UV_READABLE, on_timer);
    (void)uv_check_start(&w->check, on_check);
    w->closing = HANDLES;
    return true;
}

void live_wake_at(struct live_wake *w, uint64_t at)
{
    if (at == w->at)
        return;
    w->at = at;
    (void)live_timer_set(w->timer_fd, at);
}

void live_wake_heard(struct live_wake *w)
{
    w->heard = true;
}

static void on_closed(uv_handle_t *handle)
{
    struct live_wake *w = handle->data;

    if (--w->closing > 0)
        return;
    close(w->timer_fd);
    w->closed(w->whom);
}

void live_wake_close(struct live_wake *w, live_woken_last *closed)
{
    w->closed = closed;
    w->at = UINT64_MAX;
    uv_close((uv_handle_t *)&w->timer, on_closed);
    uv_close((uv_handle_t *)&w->check, on_closed);
    uv_close((uv_handle_t *)&w->idle, on_closed);
}
