/*
 * command.c - see command.h.
 */
#include "live/command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/clock.h"
#include "live/pidfd.h"

enum { READ, WRITE };
enum { BURY_MS = 1000 }; /* that a guard waits to remove the cgroup */

/* In the new process: waits for the token, then becomes the command. */
static void become(char *const argv[], const sigset_t *mask, int start,
                   int failed)
{
    uint64_t token;
    char text[32];
    int why;

    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(start, &token, sizeof token) != (ssize_t)sizeof token)
        _exit(0);
    snprintf(text, sizeof text, "%" PRIu64, token);
    (void)setenv("FULCRUM_TOKEN", text, 1);
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    (void)execvp(argv[0], argv);
    why = errno;
    (void)!write(failed, &why, sizeof why);
    _exit(why == ENOENT ? 127 : 126);
}

int live_command_prepare(struct live_command *command, char *const argv[],
                         const sigset_t *mask, char error[LIVE_ERROR_SIZE])
{
    int start[2] = {-1, -1}, failed[2] = {-1, -1};
    pid_t child;

    *command = (struct live_command){
        .pidfd = -1, .guarded = -1, .cgroup = LIVE_NO_CGROUP};
    /* Whoever of the group loses its parent becomes our child: so that we can
     * wait for the death of all. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (pipe2(start, O_CLOEXEC) || pipe2(failed, O_CLOEXEC) ||
        (child = live_cgroup_fork(&command->cgroup)) < 0) {
        snprintf(error, LIVE_ERROR_SIZE, "cannot make a process: %s",
                 strerror(errno));
        return -1;
    }
    if (child == 0) {
        close(start[WRITE]);
        close(failed[READ]);
        become(argv, mask, start[READ], failed[WRITE]);
    }
    (void)setpgid(child, child); /* whoever of us is first */
    close(start[READ]);
    close(failed[WRITE]);
    command->group = child;
    command->pidfd = live_pidfd_open(child);
    command->start = start[WRITE];
    command->failed = failed[READ];
    return 0;
}

/* ---- The guard ----------------------------------------------------------- */

static void kill_and_exit(struct live_command *command)
{
    live_cgroup_kill(&command->cgroup);
    (void)kill(-command->group, SIGKILL);
    live_cgroup_end(&command->cgroup, BURY_MS);
    live_cgroup_close(&command->cgroup);
    _exit(1);
}

/* Sleeps until the deadline does not move any more.  If the client is gone
 * without a word, its command goes too. */
static void guard(const struct live_client *client,
                  struct live_command *command, int peace)
{
    struct sched_param first = {.sched_priority = 1};
    int timer = live_timer();
    sigset_t all;

    (void)setpgid(0, 0);
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)mlockall(MCL_CURRENT | MCL_FUTURE);
    (void)sched_setscheduler(0, SCHED_FIFO, &first);
    close(client->socket);
    for (;;) {
        uint64_t end = live_client_deadline(client), times;
        struct pollfd wait[] = {{timer, POLLIN, 0}, {peace, POLLIN, 0}};
        char byte;

        if (live_now() >= end)
            kill_and_exit(command);
        if (timer < 0 || live_timer_set(timer, end))
            _exit(2);
        if (poll(wait, 2, -1) < 0)
            continue;
        if (wait[1].revents) {
            if (read(peace, &byte, 1) == 1)
                _exit(0);
            kill_and_exit(command);
        }
        (void)!read(timer, &times, sizeof times);
    }
}

static void set_guard(struct live_command *command,
                      const struct live_client *client)
{
    int peace[2];

    if (pipe2(peace, O_CLOEXEC))
        return;
    command->guard = fork();
    if (command->guard == 0) {
        close(peace[WRITE]);
        close(command->start);
        guard(client, command, peace[READ]);
    }
    close(peace[READ]);
    command->guarded = peace[WRITE];
    if (command->guard < 0) {
        command->guard = 0;
        close(command->guarded);
        command->guarded = -1;
    }
}

/* ---- Start and end ------------------------------------------------------- */

void live_command_start(struct live_command *command,
                        const struct live_client *client)
{
    set_guard(command, client);
    if (isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp())
        command->foreground = !tcsetpgrp(STDIN_FILENO, command->group);
    (void)!write(command->start, &client->token, sizeof client->token);
    close(command->start);
    command->start = -1;
}

bool live_command_ended(const struct live_command *command, int *status)
{
    return waitpid(command->group, status, WNOHANG) == command->group;
}

/* Kills and buries our children but the guard; false if there are none.  Those
 * of the command that lost their parents are our children, too. */
static bool kill_children(const struct live_command *command)
{
    FILE *list = fopen("/proc/thread-self/children", "re");
    bool found = false;
    char *word = NULL;
    size_t room = 0;

    if (!list)
        return false;
    while (getdelim(&word, &room, ' ', list) > 0) {
        pid_t child = (pid_t)strtol(word, NULL, 10);

        if (child <= 1 || child == command->guard)
            continue;
        found = true;
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
    }
    free(word);
    (void)fclose(list);
    return found;
}

void live_command_kill(struct live_command *command)
{
    live_cgroup_kill(&command->cgroup);
    (void)kill(-command->group, SIGKILL);
    while (waitpid(-command->group, NULL, 0) > 0 || errno == EINTR)
        ;
    live_cgroup_end(&command->cgroup, -1);
    while (!live_cgroup_is(&command->cgroup) && kill_children(command))
        ;
}

int live_command_error(const struct live_command *command)
{
    int why = 0;

    return read(command->failed, &why, sizeof why) == (ssize_t)sizeof why ? why
                                                                          : 0;
}

void live_command_close(struct live_command *command)
{
    if (command->guard) {
        (void)!write(command->guarded, "", 1);
        close(command->guarded);
        while (waitpid(command->guard, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (command->start >= 0)
        close(command->start);
    close(command->failed);
    close(command->pidfd);
    live_cgroup_close(&command->cgroup);
    if (command->foreground)
        (void)tcsetpgrp(STDIN_FILENO, getpgrp());
}
