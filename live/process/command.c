/*
 * command.c - see command.h.
 */
#include "live/process/command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/clock.h"
#include "live/fail.h"
#include "live/node/machine.h"
#include "live/process/proc.h"

enum { READ, WRITE };

enum {
    LOOK_AGAIN_MS = 1, /* whether the killed are dead */
    CLEAN_PASSES = 2,  /* that find nobody: the client may reap while the guard
                        * reads its children */
};

/* ---- Becoming it --------------------------------------------------------- */

/* What starts it, in one piece through a pipe. */
struct start {
    uint64_t token;
    uint64_t deadline; /* it does not start after that */
};

struct becoming {
    char *const *argv;
    const char *lock; /* its name */
    const struct live_habits *habits;
    bool may_gain; /* rights, by a set-user-ID program */
    int start;     /* a struct start is read here */
    int failed;    /* an errno is written here if it cannot be started */
};

void live_habits_note(struct live_habits *habits)
{
    (void)sigprocmask(SIG_BLOCK, NULL, &habits->mask);
    sigemptyset(&habits->ignored);
    for (int i = 1; i < NSIG; i++) {
        struct sigaction now;

        if (sigaction(i, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
            sigaddset(&habits->ignored, i);
    }
}

static void take_up(const struct live_habits *habits)
{
    for (int i = 1; i < NSIG; i++)
        if (i != SIGKILL && i != SIGSTOP)
            (void)signal(i, sigismember(&habits->ignored, i) == 1 ? SIG_IGN
                                                                  : SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &habits->mask, NULL);
}

static void set_number(const char *name, uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, number);
    (void)setenv(name, text, 1);
}

static _Noreturn void give_up(const struct becoming *how, int why)
{
    (void)!write(how->failed, &why, sizeof why);
    _exit(why == ENOENT ? 127 : 126);
}

/* The process that waits for its lock, and then becomes the command, or
 * exits. */
static _Noreturn void become(const struct becoming *how)
{
    struct start start;
    ssize_t size;

    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    do
        size = read(how->start, &start, sizeof start);
    while (size < 0 && errno == EINTR);
    if (size != (ssize_t)sizeof start)
        _exit(0);
    /* A command that changed its user could not be stopped. */
    if (!how->may_gain && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        give_up(how, errno);
    (void)setenv("FULCRUM_LOCK", how->lock, 1);
    set_number("FULCRUM_TOKEN", start.token);
    set_number("FULCRUM_DEADLINE", start.deadline);
    take_up(how->habits);
    /* Last: a process that was held up until here has lost the lock
     * meanwhile. */
    if (live_now() >= start.deadline)
        give_up(how, ETIME);
    (void)execvp(how->argv[0], how->argv);
    give_up(how, errno);
}

/* ---- Making it ----------------------------------------------------------- */

/* Whether this process may signal anybody. */
static bool can_kill_others(void)
{
    struct __user_cap_header_struct header = {.version =
                                                  _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

    return syscall(SYS_capget, &header, data) == 0 &&
           (data[CAP_TO_INDEX(CAP_KILL)].effective & CAP_TO_MASK(CAP_KILL));
}

static int refuse(const char *what, char error[LIVE_ERROR_SIZE])
{
    return live_fail(error, "cannot make a process: %s%s", what,
                     strerror(errno));
}

int live_command_prepare(struct live_command *command, char *const argv[],
                         const char *lock, const struct live_habits *habits,
                         char error[LIVE_ERROR_SIZE])
{
    int start[2] = {-1, -1}, failed[2] = {-1, -1};
    void *shared;
    pid_t child;

    *command =
        (struct live_command){.cgroup = LIVE_NO_CGROUP, .guard.presence = -1};
    if (live_family_note(&command->family))
        return refuse("", error);
    shared = mmap(NULL, sizeof *command->watch, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return refuse("", error);
    command->watch = shared;
    /* Orphans of the command become our children, so that we can wait for the
     * death of all. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (pipe2(start, O_CLOEXEC) || pipe2(failed, O_CLOEXEC) ||
        (child = live_cgroup_fork(&command->cgroup)) < 0)
        return refuse("", error);
    if (child == 0) {
        struct becoming how = {
            .argv = argv,
            .lock = lock,
            .habits = habits,
            /* a cgroup is killed whatever its user */
            .may_gain = live_cgroup_is(&command->cgroup) || can_kill_others(),
            .start = start[READ],
            .failed = failed[WRITE],
        };

        close(start[WRITE]);
        close(failed[READ]);
        become(&how);
    }
    (void)setpgid(child, child); /* parent or child, whichever is first */
    close(start[READ]);
    close(failed[WRITE]);
    command->group = child;
    command->start = start[WRITE];
    command->failed = failed[READ];
    command->pidfd = live_pidfd_open(child);
    if (command->pidfd < 0)
        return refuse("pidfd: ", error);
    return 0;
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

    if (waitid(P_PID, (id_t)command->group, &event, WSTOPPED | WNOHANG) ||
        event.si_pid != command->group)
        return 0;
    return event.si_status;
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

int live_command_start(struct live_command *command,
                       const struct live_client *client,
                       char error[LIVE_ERROR_SIZE])
{
    struct start start = {client->token, 0};

    live_urgent();
    live_watcher_begin(&command->watcher, command->watch, LIVE_BY_CLIENT,
                       client->page->kill, live_now());
    if (live_guard_set(command, client, error))
        return -1;
    give_terminal(command);
    start.deadline = live_client_deadline(client);
    (void)!write(command->start, &start, sizeof start);
    close(command->start);
    command->start = -1;
    live_urgent_alone();
    live_watcher_rested(&command->watcher, live_now());
    return 0;
}

int live_command_signal(const struct live_command *command, int signal)
{
    return live_pidfd_signal_group(command->pidfd, command->group, signal);
}

bool live_command_ended(const struct live_command *command, int *status)
{
    siginfo_t end = {0};

    if (waitid(P_PID, (id_t)command->group, &end,
               WEXITED | WNOHANG | WNOWAIT) ||
        end.si_pid != command->group)
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
    (void)waitpid(command->group, NULL, WNOHANG);
    live_guard_end(&command->guard, LIVE_GUARD_END_MS);
    if (command->start >= 0)
        close(command->start);
    close(command->failed);
    close(command->pidfd);
    live_cgroup_close(&command->cgroup);
    live_family_forget(&command->family);
    (void)munmap(command->watch, sizeof *command->watch);
    take_terminal(command);
}
