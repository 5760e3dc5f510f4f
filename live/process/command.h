/*
 * command.h - a command with two parents (rule K8), in a process group of its
 * own, and in a cgroup of its own where that is possible.
 *
 *     client          watches the page of the grant, and the guard
 *       guard         watches the page, and the client
 *         command     and all that it starts
 *
 * Client and guard are both subreapers: the kernel makes an orphan the child of
 * the nearest one above it.  So whatever the command starts, in groups and
 * sessions of its own, forked twice or not, is below the guard as long as that
 * lives; and a process that has no children left, after it has killed them
 * again and again, has killed all of it.  That is why either is enough:
 *
 * - The client is killed or stopped: everything is below the guard.
 * - The guard is killed: the kernel makes all its children the client's in the
 *   same step, before anybody can see that it is dead.
 * - The guard is stopped: the client lets it go on.  Its children are listed
 *   by /proc, and can be killed, meanwhile.
 *
 * A process cannot get a new ancestor.  So a guard that takes the place of one
 * that was killed is beside the command, whose processes are the client's
 * children from then on.  It kills these while the client is there, stopped or
 * not.  If the client is killed, too, they go to a process above, and no list
 * of children has them: then this guard, like the daemon when it is alone,
 * looks through all processes of the machine (live/process/hunt.h).
 *
 * The process of the command is created before the lock is asked for, and
 * waits: so the daemon can be given a pidfd of it, to kill it when it must.  It
 * is dead when its group, its cgroup and all children are; its leader is reaped
 * last, so that the number of the group is not reused while the lock is held.
 */
#ifndef LIVE_COMMAND_H
#define LIVE_COMMAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "live/client/client.h"
#include "live/process/after.h"
#include "live/process/become.h"
#include "live/process/cgroup.h"
#include "live/process/family.h"
#include "live/process/watch.h"

enum { LIVE_END_MS = 1000 }; /* that killing may take before it is told */

/* What client and guard see both. */
struct live_between {
    struct live_watch watch;
    /* Of the command, from the guard that is its parent. */
    _Atomic bool ended;
    _Atomic int status;     /* then */
    _Atomic int stopped;    /* by this signal; 0: not, or that was heard */
    _Atomic uint32_t after; /* enum live_after_by */
};

struct live_guard {
    pid_t pid;                   /* 0: there is none */
    int talk;                    /* the guard sees its end when we are gone */
    struct live_family children; /* its own; none: they are ours */
};

#define LIVE_NO_GUARD                                                          \
    ((struct live_guard){.talk = -1, .children = {.list = -1}})

struct live_command {
    pid_t group; /* of the command: its process */
    int pidfd;   /* of that */
    struct live_cgroup cgroup;
    struct live_family family; /* children that are not of the command */
    struct live_guard guard;
    struct live_after after;
    struct live_between *between;
    struct live_watcher watcher;
    uint64_t mark;   /* in its environment, which all of it inherit */
    uint64_t born;   /* live_proc_started() of its process, for a guard */
    int page;        /* file of the grant's page, for the guard; or -1 */
    int start;       /* a byte written here starts it */
    int failed;      /* an errno is read here if it could not be started */
    bool foreground; /* it was given the terminal */
};

/* Makes the guard, and by it the process, which waits for the lock of that
 * name.  `client` is connected or not; what comes after it has no token yet.
 * False with a sentence. */
bool live_command_prepare(struct live_command *command,
                          const struct live_client *client, char *const argv[],
                          const struct live_after *after,
                          struct net_why *error);

/* Starts the command when the guard watches the grant, with its environment.
 * Gives it the terminal if that is ours.  False with a sentence if there can be
 * no guard: then it is not started. */
bool live_command_start(struct live_command *command,
                        const struct live_client *client,
                        struct net_why *error);

/* Whether it has ended on its own; its wait status then.  It is not reaped. */
bool live_command_ended(const struct live_command *command, int *status);

/* The signal that has stopped it, if there is news of that; or 0. */
int live_command_stopped(const struct live_command *command);

/* Stops this process and its group as ^Z would, and returns when they are
 * continued.  False: there is no shell that could do that, and so the kernel
 * did not stop them.  SIGTSTP and SIGCONT are blocked. */
bool live_command_rest(void);

/* After the command was stopped by that signal: takes the terminal back, rests,
 * gives the terminal to the command again, and continues it. */
void live_command_suspend(struct live_command *command, int signal);

/* Orphans of it that have ended, which nobody else can wait for. */
void live_command_reap(const struct live_command *command);

/* To all of its group; -1 with errno. */
int live_command_signal(const struct live_command *command, int signal);

/* Kills all of it, again and again until it is dead; false: it is not after
 * `ms`, and `rest` tells of whom.  `parent` is the process that runs it: this
 * one or its own parent; 0: it is gone, and so are its children. */
bool live_command_end(struct live_command *command, pid_t parent, int ms,
                      struct live_rest *rest);

/* The errno of a start that failed, or 0.  ETIME: it was too late. */
int live_command_error(const struct live_command *command);

/* After the end and the release: reaps it, ends the guard, takes the terminal
 * back. */
void live_command_close(struct live_command *command);

/* ---- guard.c ------------------------------------------------------------- */

/* Forks a guard that is the parent of the command and its subreaper.  Fills in
 * group and cgroup.  False with a sentence. */
bool live_guard_begin(struct live_command *command,
                      const struct live_client *client,
                      const struct live_becoming *how, struct net_why *error);

/* Passes the grant on to it.  Returns when it watches; if it does not answer,
 * another takes its place.  False with a sentence: then there is none. */
bool live_guard_watch(struct live_command *command,
                      const struct live_client *client, int page,
                      struct net_why *error);

/* In place of a guard that is dead, and whose children are ours by now.  False
 * with a sentence: then there is none. */
bool live_guard_set(struct live_command *command,
                    const struct live_client *client, struct net_why *error);

/* Client and guard, when they watch: their children are not urgent, and the
 * code to look at the clock and to kill is in memory. */
void live_guard_rest(struct live_watcher *watcher);

/* Whether it is dead. */
bool live_guard_is_dead(const struct live_guard *guard);

/* Whether it was stopped, and now goes on. */
bool live_guard_go_on(const struct live_guard *guard);

/* Kills it, and waits for its death up to that time; processes that ended then
 * are reaped with the orphans of the command.  All its children become ours. */
enum { LIVE_GUARD_END_MS = 200 };
void live_guard_end(struct live_guard *guard, int ms);

#endif
