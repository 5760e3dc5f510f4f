/*
 * command.c - see command.h.
 */
#include "live/process/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "live/process/proc.h"
#include "live/system/machine.h"
#include "net/why.h"

enum { READ, WRITE };

enum {
    LOOK_AGAIN_MS = 1, /* whether the killed are dead */
    CLEAN_PASSES = 2,  /* that find nobody: the client may reap while the guard
                        * reads its children */
};

/* ---- Making it ----------------------------------------------------------- */

static bool refuse(const char *what, struct net_why *error)
{
    return net_fail(error, "cannot make a process: %s%s", what,
                    strerror(errno));
}

/* What a process of the command can be known by, wherever it goes. */
static uint64_t make_mark(void)
{
    uint64_t mark = 0;

    while (mark == 0)
        if (getrandom(&mark, sizeof mark, 0) != (ssize_t)sizeof mark)
            mark = live_now() << 16 | (uint64_t)(getpid() & 0xffff);
    return mark;
}

bool live_command_prepare(struct live_command *command,
                          const struct live_client *client, char *const argv[],
                          const struct live_after *after, struct net_why *error)
{
    int start[2] = {-1, -1}, failed[2] = {-1, -1};
    struct live_becoming how = {
        .argv = argv, .lock = after->lock, .habits = after->habits};
    void *shared;
    bool begun;

    *command = (struct live_command){.cgroup = LIVE_NO_CGROUP,
                                     .guard = LIVE_NO_GUARD,
                                     .after = *after,
                                     .page = -1};
    if (live_family_note(&command->family))
        return refuse("", error);
    shared = mmap(NULL, sizeof *command->between, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return refuse("", error);
    command->between = shared;
    /* Above the guard: what it leaves behind becomes ours. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (pipe2(start, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
        return refuse("", error);
    command->start = start[WRITE];
    command->failed = failed[READ];
    how.start = start[READ];
    how.failed = failed[WRITE];
    how.mark = command->mark = make_mark();
    begun = live_guard_begin(command, client, &how, error);
    close(start[READ]);
    close(failed[WRITE]);
    if (!begun)
        return false;
    command->pidfd = live_pidfd_open(command->group);
    if (command->pidfd < 0)
        return refuse("pidfd: ", error);
    return true;
}

/* ---- The terminal -------------------------------------------------------- */

static bool has_terminal(pid_t group)
{
    return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == group;
}

static void give_terminal(struct live_command *command)
{
    command->foreground =
        has_terminal(getpgrp()) && !tcsetpgrp(STDIN_FILENO, command->group);
}

static void take_terminal(struct live_command *command)
{
    if (command->foreground && has_terminal(command->group))
        (void)tcsetpgrp(STDIN_FILENO, getpgrp());
    command->foreground = false;
}

int live_command_stopped(const struct live_command *command)
{
    siginfo_t event = {0};

    if (waitid(P_PID, (id_t)command->group, &event, WSTOPPED | WNOHANG))
        return atomic_exchange(&command->between->stopped, 0);
    return event.si_pid == command->group ? event.si_status : 0;
}

/* Whether SIGCONT, which is blocked, has come. */
static bool was_continued(void)
{
    struct timespec now = {0};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCONT);
    return sigtimedwait(&set, NULL, &now) == SIGCONT;
}

bool live_command_rest(void)
{
    sigset_t set;

    (void)was_continued(); /* by an earlier one */
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    (void)kill(0, SIGTSTP);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    return was_continued();
}

void live_command_suspend(struct live_command *command, int signal)
{
    take_terminal(command);
    /* A command that wants the terminal, which nobody could give it, gets
     * SIGHUP, as stopped orphans do from the kernel. */
    if (!live_command_rest() && (signal == SIGTTIN || signal == SIGTTOU))
        (void)live_command_signal(command, SIGHUP);
    live_watcher_rested(&command->watcher, live_now());
    give_terminal(command);
    (void)live_command_signal(command, SIGCONT);
}

/* ---- Start and end ------------------------------------------------------- */

bool live_command_start(struct live_command *command,
                        const struct live_client *client, struct net_why *error)
{
    struct live_start start = {client->token, 0};

    bool watched;

    command->after.token = client->token;
    live_urgent();
    live_watcher_begin(&command->watcher, &command->between->watch,
                       LIVE_BY_CLIENT, client->page->kill, live_now());
    watched = live_guard_watch(command, client, command->page, error);
    if (command->page >= 0)
        close(command->page);
    command->page = -1;
    if (!watched)
        return false;
    give_terminal(command);
    start.deadline = live_client_deadline(client);
    (void)!write(command->start, &start, sizeof start);
    close(command->start);
    command->start = -1;
    live_guard_rest(&command->watcher);
    return true;
}

int live_command_signal(const struct live_command *command, int signal)
{
    return live_pidfd_signal_group(command->pidfd, command->group, signal);
}

bool live_command_ended(const struct live_command *command, int *status)
{
    siginfo_t end = {0};

    if (waitid(P_PID, (id_t)command->group, &end,
               WEXITED | WNOHANG | WNOWAIT)) { /* it is the guard's child */
        *status = atomic_load(&command->between->status);
        return atomic_load(&command->between->ended);
    }
    if (end.si_pid != command->group)
        return false;
    *status = end.si_code == CLD_EXITED ? end.si_status << 8 : end.si_status;
    return true;
}

void live_command_reap(const struct live_command *command)
{
    const pid_t spared[] = {command->group, command->guard.pid};

    live_family_reap(&command->family, spared, 2);
}

/* Kills what there is; whether nothing was found. */
static bool kill_once(struct live_command *command, pid_t parent,
                      struct live_rest *rest)
{
    const pid_t spared[] = {command->group, command->guard.pid};
    /* Before its children are looked for: they become ours when it dies. */
    bool dead = live_pidfd_is_dead(command->pidfd);

    *rest = (struct live_rest){0};
    live_cgroup_kill(&command->cgroup);
    if (live_command_signal(command, SIGKILL) && errno == EPERM) {
        rest->who = command->group;
        rest->why = EPERM;
    }
    /* First of the guard: whom it leaves behind meanwhile becomes ours. */
    live_family_sweep(&command->guard.children, command->guard.pid, spared, 2,
                      rest);
    live_family_sweep(&command->family, parent, spared, 2, rest);
    return dead && rest->alive == 0 && rest->reaped == 0 &&
           (!live_cgroup_is(&command->cgroup) ||
            live_cgroup_is_empty(&command->cgroup));
}

bool live_command_end(struct live_command *command, pid_t parent, int ms,
                      struct live_rest *rest)
{
    uint64_t until = live_now() + 1000 * (uint64_t)ms;
    int clean = 0;

    for (;;) {
        clean = kill_once(command, parent, rest) ? clean + 1 : 0;
        if (clean == CLEAN_PASSES)
            return true;
        if (live_now() >= until)
            return false;
        if (!clean && !rest->reaped)
            (void)poll(NULL, 0, LOOK_AGAIN_MS);
    }
}

int live_command_error(const struct live_command *command)
{
    int why = 0;

    return read(command->failed, &why, sizeof why) == (ssize_t)sizeof why ? why
                                                                          : 0;
}

void live_command_close(struct live_command *command)
{
    live_guard_end(&command->guard, LIVE_GUARD_END_MS);
    (void)waitpid(command->group, NULL, WNOHANG); /* our child by now */
    if (command->start >= 0)
        close(command->start);
    if (command->page >= 0)
        close(command->page);
    close(command->failed);
    close(command->pidfd);
    live_cgroup_close(&command->cgroup);
    live_family_forget(&command->family);
    (void)munmap(command->between, sizeof *command->between);
    take_terminal(command);
}
