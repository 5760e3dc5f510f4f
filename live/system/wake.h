/*
 * wake.h - a wake-up at a time of this clock, in a loop of libuv.
 *
 * What has arrived by then is handled before, as far as a few rounds of the
 * loop bring it (K1): so that a node that was paused does not mistake messages
 * that wait in its socket for silence.
 */
#ifndef LIVE_WAKE_H
#define LIVE_WAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "live/config/config.h"

typedef void live_due(void *whom, uint64_t now);
typedef void live_woken_last(void *whom);

struct live_wake {
    live_due *due;
    live_woken_last *closed;
    void *whom;
    uint64_t at;     /* UINT64_MAX: never */
    bool heard;      /* something arrived in this round of the loop */
    uint32_t rounds; /* that the due wake-up has let pass */
    uint32_t closing;
    int timer_fd;
    uv_poll_t timer;
    uv_check_t check;
    uv_idle_t idle;
};

/* False with a sentence: then nothing is open. */
bool live_wake_open(struct live_wake *wake, uv_loop_t *loop, live_due *due,
                    void *whom, struct net_why *error);

/* One wake-up; a later call replaces it. */
void live_wake_at(struct live_wake *wake, uint64_t at);

/* Called by the reader of the socket. */
void live_wake_heard(struct live_wake *wake);

/* `closed` is called by the loop when the memory may be freed. */
void live_wake_close(struct live_wake *wake, live_woken_last *closed);

#endif
