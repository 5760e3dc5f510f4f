/*
 * guard.c - the guard beside a command; see command.h.
 */
#include "live/process/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/clock.h"
#include "live/fail.h"
#include "live/node/machine.h"
#include "live/process/proc.h"

enum { READ, WRITE };

enum { READY_US = 1000000 }; /* from its birth until it watches */

/* ---- The guard itself ---------------------------------------------------- */

/* The client's own, as far as they could keep others waiting. */
static void let_go_of_files(const struct live_client *client,
                            const struct live_command *command)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing >= 0) {
        (void)dup2(nothing, STDIN_FILENO);
        (void)dup2(nothing, STDOUT_FILENO);
        close(nothing);
    }
    close(client->socket);
    if (command->start >= 0)
        close(command->start);
}

/* Children of the client have another parent once it has died. */
static _Noreturn void kill_all(struct live_command *command, pid_t client)
{
    struct live_rest rest;
    pid_t parent = getppid() == client ? client : 0;

    if (!live_command_end(command, parent, LIVE_END_MS, &rest))
        (void)dprintf(STDERR_FILENO,
                      "fulcrum lock: the guard could not stop the command: "
                      "process %d: %s\n",
                      (int)(rest.who ? rest.who : command->group),
                      rest.why ? strerror(rest.why) : "it does not die");
    live_cgroup_close(&command->cgroup);
    _exit(1);
}

struct watch {
    const struct live_page *page;
    struct live_command *command;
    struct live_watcher watcher;
    pid_t parent;
    int timer, presence;
};

/* Looks at the clock; when to do so next. */
static uint64_t look(struct watch *w)
{
    uint64_t end = live_page_deadline(w->page), now = live_now(), margin;

    live_watcher_wake(&w->watcher, now);
    margin = live_watcher_margin(&w->watcher, now);
    if (now < end && margin >= end - now)
        atomic_store(&w->command->watch->gave_up, margin);
    if (now >= end || margin >= end - now)
        kill_all(w->command, w->parent);
    end -= margin;
    return end < w->watcher.next ? end : w->watcher.next;
}

static _Noreturn void watch(struct watch *w)
{
    for (;;) {
        struct pollfd wait[] = {{w->timer, POLLIN, 0},
                                {w->presence, POLLIN, 0}};
        uint64_t times;

        if (live_timer_set(w->timer, look(w)))
            kill_all(w->command, w->parent);
        if (poll(wait, 2, -1) < 0)
            continue;
        if (wait[1].revents)
            kill_all(w->command, w->parent);
        (void)!read(w->timer, &times, sizeof times);
    }
}

/* In the new process. */
static _Noreturn void be_guard(struct live_command *command,
                               const struct live_client *client, pid_t parent,
                               int presence, int ready)
{
    struct watch w = {.page = client->page,
                      .command = command,
                      .parent = parent,
                      .presence = presence};
    sigset_t all;
    int why;

    (void)setpgid(0, 0);
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    live_urgent();
    let_go_of_files(client, command);
    command->guard.pid = getpid();
    w.timer = live_timer();
    why = w.timer < 0 || live_family_inherit(&command->family, parent) ? errno
                                                                       : 0;
    live_watcher_begin(&w.watcher, command->watch, LIVE_BY_GUARD,
                       client->page->kill, live_now());
    (void)!write(ready, &why, sizeof why);
    close(ready);
    if (why)
        _exit(2);
    live_unwanted_victim();
    live_urgent_alone();
    live_watcher_rested(&w.watcher, live_now());
    watch(&w);
}

/* ---- Its client ---------------------------------------------------------- */

/* 0, or an errno; ETIME: it said nothing.  If it takes the place of another the
 * command runs meanwhile, and nobody else may be there to look at the clock. */
static int hear(int ready, uint64_t deadline)
{
    struct pollfd wait = {ready, POLLIN, 0};
    uint64_t now = live_now(), left = deadline > now ? deadline - now : 0;
    int why;

    if (poll(&wait, 1, (int)((left < READY_US ? left : READY_US) / 1000)) != 1)
        return ETIME;
    return read(ready, &why, sizeof why) == (ssize_t)sizeof why ? why : EPIPE;
}

static int refuse(char error[LIVE_ERROR_SIZE], int why)
{
    return live_fail(error, "no guard can be set beside the command: %s",
                     strerror(why));
}

int live_guard_set(struct live_command *command,
                   const struct live_client *client,
                   char error[LIVE_ERROR_SIZE])
{
    int presence[2], ready[2], why;
    pid_t parent = getpid(), child;

    if (pipe2(presence, O_CLOEXEC))
        return refuse(error, errno);
    if (pipe2(ready, O_CLOEXEC)) {
        why = errno;
        close(presence[READ]);
        close(presence[WRITE]);
        return refuse(error, why);
    }
    child = fork();
    if (child == 0) {
        close(presence[WRITE]);
        close(ready[READ]);
        be_guard(command, client, parent, presence[READ], ready[WRITE]);
    }
    why = child < 0 ? errno : 0;
    close(presence[READ]);
    close(ready[WRITE]);
    command->guard =
        (struct live_guard){child > 0 ? child : 0, presence[WRITE]};
    if (!why)
        why = hear(ready[READ], live_client_deadline(client));
    close(ready[READ]);
    if (!why)
        return 0;
    live_guard_end(&command->guard, 0);
    return refuse(error, why);
}

bool live_guard_is_idle(const struct live_guard *guard)
{
    siginfo_t event = {0};

    return guard->pid &&
           waitid(P_PID, (id_t)guard->pid, &event,
                  WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           event.si_pid == guard->pid;
}

void live_guard_end(struct live_guard *guard, int ms)
{
    struct pollfd wait = {-1, POLLIN, 0};

    if (guard->pid) {
        wait.fd = live_pidfd_open(guard->pid);
        (void)kill(guard->pid, SIGKILL);
        (void)poll(&wait, 1, ms);
        (void)waitpid(guard->pid, NULL, WNOHANG);
        if (wait.fd >= 0)
            close(wait.fd);
    }
    if (guard->presence >= 0)
        close(guard->presence);
    *guard = (struct live_guard){.presence = -1};
}
