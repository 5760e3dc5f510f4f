/*
 * command.h - a command in a process group of its own, in a cgroup of its own
 * where that is possible, and a guard beside it.
 *
 * The process is created before the lock is asked for, and waits: so the daemon
 * can be given a pidfd of it, to kill it when it must.  It is dead when its
 * group, its cgroup and all children are; its leader is reaped last, so that
 * the number of the group is not reused while the lock is held.
 */
#ifndef LIVE_COMMAND_H
#define LIVE_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "live/client/client.h"
#include "live/process/family.h"
#include "live/process/watch.h"

enum { LIVE_END_MS = 1000 }; /* that killing may take before it is told */

/* How the caller of this process had its signals: so the command gets them. */
struct live_habits {
    sigset_t mask, ignored;
};

void live_habits_note(struct live_habits *habits);

/* A process beside the command that sees the same page with the deadline, and
 * kills when the client and the daemon are both stopped, or the client is
 * gone. */
struct live_guard {
    pid_t pid;    /* 0: there is none */
    int presence; /* open as long as its client lives */
};

struct live_command {
    pid_t group; /* of the command: its process */
    int pidfd;   /* of that */
    struct live_cgroup cgroup;
    struct live_family family; /* children that are not of the command */
    struct live_guard guard;
    struct live_watch *watch; /* shared with the guard */
    struct live_watcher watcher;
    int start;       /* what is written here starts it */
    int failed;      /* an errno is read here if it could not be started */
    bool foreground; /* it was given the terminal */
};

/* Makes the process, which waits for the lock of that name.  -1 with a
 * sentence. */
int live_command_prepare(struct live_command *command, char *const argv[],
                         const char *lock, const struct live_habits *habits,
                         char error[LIVE_ERROR_SIZE]);

/* Sets the guard and starts the command, with its environment.  Gives it the
 * terminal if that is ours.  -1 with a sentence if there can be no guard: then
 * it is not started. */
int live_command_start(struct live_command *command,
                       const struct live_client *client,
                       char error[LIVE_ERROR_SIZE]);

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

/* Returns when it watches, or -1 with a sentence: then there is none. */
int live_guard_set(struct live_command *command,
                   const struct live_client *client,
                   char error[LIVE_ERROR_SIZE]);

/* Whether it does not watch any more: it is dead or stopped. */
bool live_guard_is_idle(const struct live_guard *guard);

/* Waits for its death for so long at most; who ended then is reaped with the
 * orphans of the command. */
enum { LIVE_GUARD_END_MS = 200 };
void live_guard_end(struct live_guard *guard, int ms);

#endif
