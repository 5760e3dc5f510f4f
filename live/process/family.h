/*
 * family.h - the children of a process: those that it had before it ran a
 * command, and those that came from the command.
 *
 * Orphans of a command become children of the process that runs the command
 * (PR_SET_CHILD_SUBREAPER).  So when that has no children any more, nothing of
 * the command is left, whatever group, session or cgroup it went to.
 *
 * A parent's death and the change of its children's parent are one step of the
 * kernel's, and new children come last in the list.  So if no child is waited
 * for while the list is read, every process that lives at its end is in it, or
 * is the child of one that was found alive.
 */
#ifndef LIVE_FAMILY_H
#define LIVE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct live_family {
    int list;      /* file: the children; -1: /proc does not tell */
    pid_t *before; /* children that are not to be touched */
    size_t count;
};

/* The children that are left after a sweep. */
struct live_rest {
    size_t alive;
    size_t reaped; /* that had ended: whom they left behind may be missed */
    pid_t who;     /* one that could not be signalled, and why; 0: none */
    int why;
};

/* Notes the children that this process has now.  -1 with errno. */
int live_family_note(struct live_family *family);

/* In a child of that process: the children of `parent` from now on, which may
 * be itself; how far a list has been read is shared with it until then.  -1
 * with errno. */
int live_family_inherit(struct live_family *family, pid_t parent);

/* All children of another process.  -1 with errno. */
int live_family_of(struct live_family *family, pid_t parent);

/* Sends SIGKILL to every child of `parent`, whose children the family is of:
 * this process, its own parent, or its own child; and to the group that it
 * leads, except those noted and those spared; reaps those that ended, if they
 * are its own.  Adds to `rest` those that have not ended yet, or of whom that
 * is not known. */
void live_family_sweep(const struct live_family *family, pid_t parent,
                       const pid_t *spared, size_t count,
                       struct live_rest *rest);

/* Reaps children of this process that ended, with the same exceptions, and
 * kills nobody. */
void live_family_reap(const struct live_family *family, const pid_t *spared,
                      size_t count);

void live_family_forget(struct live_family *family);

#endif
