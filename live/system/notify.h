/*
 * notify.h - tells a service manager how the node is: the protocol of
 * sd_notify(3), a datagram of lines to the socket that NOTIFY_SOCKET names.
 * Without one nothing is told.
 */
#ifndef LIVE_NOTIFY_H
#define LIVE_NOTIFY_H

#include <stdbool.h>
#include <uv.h>

struct live_notify {
    uv_timer_t watchdog; /* signs of life from the loop, if they are wished */
    bool opened;
};

/* Begins to give signs of life if WATCHDOG_USEC asks this process for them:
 * two in each such time.  They come from the loop, so that one that hangs is
 * noticed; the loop does not go on for their sake. */
void live_notify_open(struct live_notify *notify, uv_loop_t *loop);

/* Says lines such as "READY=1".  False if nobody wants to hear it. */
bool live_notify_say(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Whether and how often signs of life are wished: microseconds, or 0. */
uint64_t live_notify_interval(void);

void live_notify_close(struct live_notify *notify);

#endif
