/*
 * become.h - the process that waits for its lock, and then becomes the command.
 */
#ifndef LIVE_BECOME_H
#define LIVE_BECOME_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* How the caller of this process had its signals: so the command gets them. */
struct live_habits {
    sigset_t mask, ignored;
};

void live_habits_note(struct live_habits *habits);

/* What starts it, in one piece through a pipe. */
struct live_start {
    uint64_t token;
    uint64_t deadline; /* it does not start after that */
};

struct live_becoming {
    char *const *argv;
    const char *lock; /* its name */
    const struct live_habits *habits;
    bool may_gain; /* rights, by a set-user-ID program */
    int start;     /* a struct live_start is read here */
    int failed;    /* an errno is written here if it cannot be started */
};

/* Waits and becomes it, or exits. */
_Noreturn void live_become(const struct live_becoming *how);

#endif
