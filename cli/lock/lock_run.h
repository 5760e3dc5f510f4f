/*
 * lock_run.h - one run of 'fulcrum lock': asks, waits, runs the command, and
 * stops it when the lock cannot be held any longer.
 */
#ifndef CLI_LOCK_RUN_H
#define CLI_LOCK_RUN_H

#include "cli/live.h"

/* Besides the exit status of the command itself. */
enum {
    LOCK_SPENT = 123, /* stopped: held for as long as --hold allows */
    LOCK_LATE = 124,  /* not held within --wait */
    LOCK_LOST = 125,  /* stopped: the lock could not be held any longer */
};

struct lock_wishes {
    struct cli_place place; /* first: see live.h */
    const char *name;
    char **command;
    uint64_t wait, hold, grace; /* microseconds; hold 0: any time */
    uint64_t term_before;       /* the deadline; 0: no SIGTERM */
    uint32_t lost;              /* what to exit with instead of LOCK_LOST */
    bool shared, once;          /* once: wait is 0 */
};

/* Returns what to exit with, after a sentence if that is not the command's. */
int lock_run(const struct lock_wishes *wishes);

#endif
