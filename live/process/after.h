/*
 * after.h - a shell command that runs when the command of a lock is dead,
 * however it died: it clears away what that has left outside of its process,
 * such as an address of the machine.
 *
 * The client runs it while the lock is still held, in the process group of the
 * command: what kills the command at its deadline kills this as well.  If
 * the lock is lost by then it runs all the same, in a group of its own.  If the
 * client is gone or stopped, a process of the guard's runs it.
 */
#ifndef LIVE_AFTER_H
#define LIVE_AFTER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct live_habits;

/* Which process runs it. */
enum live_after_by {
    LIVE_AFTER_OPEN, /* nobody yet */
    LIVE_AFTER_HELD, /* the client, while the lock is held */
    LIVE_AFTER_LATE, /* the client, whatever becomes of the lock */
    LIVE_AFTER_BY_GUARD,
    LIVE_AFTER_DONE,
};

struct live_after {
    const char *line; /* for sh -c; NULL: there is nothing to be done */
    const char *lock; /* its name */
    uint64_t token;
    const struct live_habits *habits;
};

/* A new process, in this group, or in one of its own: 0.  `status` is what wait
 * said of the command, or -1.  -1 with errno. */
pid_t live_after_start(const struct live_after *after, pid_t group, int status);

/* Takes it over from the process that has it, if that is `from`. */
static inline bool live_after_claim(_Atomic uint32_t *by, uint32_t from,
                                    uint32_t to)
{
    return atomic_compare_exchange_strong(by, &from, to);
}

#endif
