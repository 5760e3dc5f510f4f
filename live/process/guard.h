/*
 * guard.h - a process beside a command that sees the same page with the
 * deadline, and kills when the client and the daemon are both stopped, or the
 * client is gone.
 */
#ifndef LIVE_GUARD_H
#define LIVE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#include "live/client/client.h"

struct live_command;

struct live_guard {
    pid_t pid;    /* 0: there is none */
    int presence; /* open as long as its client lives */
};

/* Returns when it watches, or -1 with a sentence: then there is none. */
int live_guard_set(struct live_command *command,
                   const struct live_client *client,
                   char error[LIVE_ERROR_SIZE]);

/* Whether it does not watch any more: it is dead or stopped. */
bool live_guard_is_idle(const struct live_guard *guard);

/* Without waiting for long, even if it is stopped. */
void live_guard_end(struct live_guard *guard);

#endif
