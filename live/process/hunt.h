/*
 * hunt.h - finds the processes that are left of a command without being one of
 * its parents, and kills them.
 *
 * A process is of the command if it
 * - is its first process, or in that process's group;
 * - is a child of the guard that started it;
 * - has the mark of this run in its environment, which is inherited; it is only
 *   readable to the same user and to root;
 * - is a child of one that is; or in a group or session that one that is leads.
 *
 * All that are found are stopped before any is killed, and looked for again
 * until nobody new shows up and all stand still, twice in a row: a process that
 * is stopped has no more children, and keeps those that it has; but a child of
 * one that was just being stopped may have a number that the look had passed.
 * So a process that escapes has cleared its environment, has left the groups
 * and sessions of the others, and has lost its parents and the guard before the
 * hunt began.
 */
#ifndef LIVE_HUNT_H
#define LIVE_HUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct live_quarry {
    pid_t leader;  /* the command's first process, alive or not; 0: that number
                    * may be another's */
    uint64_t born; /* live_proc_started() of it: nobody older is of the command;
                    * 0: not known */
    pid_t guard;   /* its parent: all its children are; 0: not known */
    uint64_t guard_born;
    uint64_t mark; /* 0: none */
    uid_t user;    /* nobody else's processes are touched, */
    bool anybody;  /* unless anybody's may be */
};

/* The processes that were found, from one hunt for a command to the next.  A
 * process that is sent SIGKILL may take its time, and once its parents are dead
 * nothing else shows whose it was.  All zero: nobody yet. */
struct live_prey {
    struct live_found *of;
    size_t count;
};

/* Whether somebody is left, or may be; nobody is touched. */
bool live_quarry_lives(const struct live_quarry *quarry);

/* The number that were alive and were sent SIGKILL; 0: none is left.  -1 if
 * that cannot be told, for want of files or memory. */
int live_hunt(const struct live_quarry *quarry, struct live_prey *prey);

void live_prey_forget(struct live_prey *prey);

#endif
