/*
 * family.h - the children of a process: those that it had before it ran a
 * command, and those that it has because of that.
 *
 * Orphans of a command become children of the process that runs the command
 * (PR_SET_CHILD_SUBREAPER).  So when that has no children any more, nothing of
 * the command is left, whatever group, session or cgroup it went to.
 */
#ifndef LIVE_FAMILY_H
#define LIVE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct live_family {
    pid_t *before; /* children that are not to be touched */
    size_t count;
    bool seen; /* /proc tells */
};

/* What is left after a sweep. */
struct live_rest {
    size_t alive;
    pid_t who; /* one that could not be signalled, and why; 0: there is none */
    int why;
};

/* Notes the children that this process has now.  -1 with errno. */
int live_family_note(struct live_family *family);

/* Sends SIGKILL to every child of `parent`, which is this process or its own
 * parent, except those noted and those spared; reaps those that ended, if they
 * are its own.  Adds to `rest` those that have not ended yet. */
void live_family_sweep(const struct live_family *family, pid_t parent,
                       const pid_t *spared, size_t count,
                       struct live_rest *rest);

void live_family_forget(struct live_family *family);

#endif
