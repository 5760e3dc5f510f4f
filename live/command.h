/*
 * command.h - a command in a process group of its own, in a cgroup of its own
 * where that is possible, and a guard beside it.
 *
 * The command is made before the lock is asked for, and waits: so the daemon
 * can name the group when it must kill it.  The guard is a process that sees
 * the same page with the deadline, and kills when the client and the daemon are
 * both stopped.
 */
#ifndef LIVE_COMMAND_H
#define LIVE_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "live/client.h"

struct live_command {
    pid_t group; /* of the command: its process */
    int pidfd;   /* of that process */
    pid_t guard; /* or 0 */
    struct live_cgroup cgroup;
    int start;       /* a token written here starts it */
    int failed;      /* an errno is read here if it could not be started */
    int guarded;     /* the guard reads here: a byte ends it in peace */
    bool foreground; /* it was given the terminal */
};

/* Makes the process, which waits; `mask` is what it shall block.  -1 with a
 * sentence. */
int live_command_prepare(struct live_command *command, char *const argv[],
                         const sigset_t *mask, char error[LIVE_ERROR_SIZE]);

/* Sets the guard and starts the command, with the token in FULCRUM_TOKEN.
 * Gives it the terminal if that is ours.  Without a guard if there can be
 * none. */
void live_command_start(struct live_command *command,
                        const struct live_client *client);

/* Whether it has ended by itself; its wait status then. */
bool live_command_ended(const struct live_command *command, int *status);

/* Kills all of the cgroup, or else the group and whoever left it, and returns
 * when they are dead.  Without a cgroup every child of this process but the
 * guard is taken for one that left. */
void live_command_kill(struct live_command *command);

/* The errno of a start that failed, or 0. */
int live_command_error(const struct live_command *command);

/* After the kill: ends the guard, takes the terminal back. */
void live_command_close(struct live_command *command);

#endif
