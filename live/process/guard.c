/*
 * guard.c - the guard of a command; see command.h.
 *
 * Client and guard talk in letters, over a pair of sockets that also tells the
 * guard when the client is gone:
 *
 *     of the guard   LIVE_ASK       token: the command's process; the files of
 *                                   its cgroup; or wait: an errno
 *     of the client  LIVE_GRANTED   as it came, with the page
 *     of the guard   LIVE_RELEASED  it watches; or wait: an errno
 *
 * A guard that takes the place of another says the last of these alone.
 */
#include "live/process/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "live/process/hunt.h"
#include "live/process/proc.h"
#include "live/system/machine.h"
#include "net/why.h"

enum { CLIENT, GUARD }; /* ends of the pair */

enum {
    READY_US = 1000000, /* from its birth, or the grant, until it watches */
    AGAIN_MS = 20,      /* between looks at what does not die */
};

/* ---- The guard itself ---------------------------------------------------- */

struct guarding {
    const struct live_page *page; /* of the grant */
    struct live_command *command;
    struct live_watcher watcher;
    pid_t of; /* the client */
    int talk, timer, signals;
    struct live_prey prey; /* what it has hunted */
    bool parent;           /* of the command: its orphans become ours */
    bool watching;         /* there was a grant */
    bool left;             /* by the client, whose end of the pair is closed */
};

/* The client's own, as far as they could keep others waiting.  Of the standard
 * ones it keeps that for errors: the command has them all. */
static void let_go_of_standard_files(void)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing < 0)
        return;
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(nothing, STDOUT_FILENO);
    close(nothing);
}

static void let_go_of_files(const struct live_client *client,
                            const struct live_command *command)
{
    close(client->socket);
    close(command->guard.talk);
    if (command->start >= 0)
        close(command->start);
}

/* Its files are closed before its children get another parent. */
static bool client_is_there(const struct guarding *g)
{
    return !g->left && getppid() == g->of;
}

/* The pair, and everything else that the guard needs to have of its own. */
static void begin(struct guarding *g, struct live_command *command,
                  const struct live_client *client, pid_t of, int talk)
{
    sigset_t all;

    *g = (struct guarding){.page = client->page,
                           .command = command,
                           .of = of,
                           .talk = talk,
                           .timer = -1};
    (void)setpgid(0, 0);
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    let_go_of_files(client, command);
    command->guard = LIVE_NO_GUARD;
    command->guard.pid = getpid();
    sigemptyset(&all);
    sigaddset(&all, SIGCHLD);
    g->signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void say(const struct guarding *g, enum live_letter_kind kind, int why)
{
    struct live_letter letter = {.kind = (uint8_t)kind,
                                 .token = (uint64_t)g->command->group,
                                 .wait = (uint64_t)why};
    const struct live_cgroup *cgroup = &g->command->cgroup;
    const int files[2] = {cgroup->kill, cgroup->events};
    bool passes = kind == LIVE_ASK && live_cgroup_is(cgroup);

    (void)live_letter_send(g->talk, &letter, files, passes ? 2 : 0, 0);
}

/* ---- Killing ------------------------------------------------------------- */

static void complain(const struct live_command *command,
                     const struct live_rest *rest)
{
    (void)dprintf(STDERR_FILENO,
                  "fulcrum lock: the guard could not stop the command: "
                  "process %d: %s\n",
                  (int)(rest->who ? rest->who : command->group),
                  rest->why ? strerror(rest->why) : "it does not die");
}

/* What has lost all its parents is in no list of children. */
static bool hunted_down(struct guarding *g)
{
    const struct live_command *c = g->command;
    const struct live_quarry quarry = {.leader = c->group,
                                       .born = c->born,
                                       .mark = c->mark,
                                       .user = geteuid(),
                                       .anybody = geteuid() == 0};

    return live_hunt(&quarry, &g->prey) == 0;
}

/* Once.  Its own children, if it is the parent: then that is all.  The client's
 * otherwise, as long as the client is there. */
static bool end_once(struct guarding *g, struct live_rest *rest)
{
    pid_t parent = g->parent ? getpid() : client_is_there(g) ? g->of : 0;
    bool ended;

    if (parent == 0) /* while processes of the command lead to the others */
        (void)hunted_down(g);
    ended = live_command_end(g->command, parent, LIVE_END_MS, rest);
    return ended && (g->parent || client_is_there(g) || hunted_down(g));
}

/* In a new process, which nobody takes for a part of the command when its
 * parent, the guard, has ended.  A client that runs comes first; what it had
 * begun before the deadline was killed with the command. */
static _Noreturn void be_supervisor(const struct guarding *g, pid_t guard,
                                    bool is_there, int status)
{
    _Atomic uint32_t *by = &g->command->between->after;
    pid_t child;

    (void)setsid();
    while (getppid() == guard)
        (void)poll(NULL, 0, 1);
    if (is_there)
        (void)poll(NULL, 0, (int)(g->page->kill / 2000));
    if (!live_after_claim(by, LIVE_AFTER_OPEN, LIVE_AFTER_BY_GUARD) &&
        !live_after_claim(by, LIVE_AFTER_HELD, LIVE_AFTER_BY_GUARD))
        _exit(0);
    child = live_after_start(&g->command->after, 0, status);
    if (child > 0 && waitpid(child, NULL, 0) == child)
        atomic_store(by, LIVE_AFTER_DONE);
    _exit(0);
}

static void clear_away(const struct guarding *g)
{
    bool is_there = client_is_there(g);
    int status = -1;
    pid_t self = getpid();

    if (!g->watching || !g->command->after.line)
        return;
    if (!live_command_ended(g->command, &status))
        status = -1;
    if (fork() == 0)
        be_supervisor(g, self, is_there, status);
}

/* As long as the client is there it goes on where this ends. */
static _Noreturn void kill_all(struct guarding *g)
{
    struct live_rest rest;
    bool said = false, ended;

    while (!(ended = end_once(g, &rest)) && !client_is_there(g)) {
        if (!said)
            complain(g->command, &rest);
        said = true;
        (void)poll(NULL, 0, AGAIN_MS);
    }
    if (!ended && !said)
        complain(g->command, &rest);
    clear_away(g);
    if (!client_is_there(g)) /* nobody else needs its number */
        (void)waitpid(g->command->group, NULL, WNOHANG);
    live_cgroup_close(&g->command->cgroup);
    _exit(1);
}

/* ---- Watching ------------------------------------------------------------ */

/* Looks at the clock; when to do so next. */
static uint64_t look(struct guarding *g)
{
    uint64_t end = live_page_deadline(g->page), now = live_now(), margin;

    live_watcher_wake(&g->watcher, now);
    margin = live_watcher_margin(&g->watcher, now);
    if (now < end && margin >= end - now)
        atomic_store(&g->command->between->watch.gave_up, margin);
    if (now >= end || margin >= end - now)
        kill_all(g);
    end -= margin;
    return end < g->watcher.next ? end : g->watcher.next;
}

/* As the parent: the client is told what only a parent is. */
static void on_child(struct guarding *g)
{
    struct live_between *b = g->command->between;
    const pid_t spared[] = {g->command->group};
    struct signalfd_siginfo signal;
    int status, stop;

    while (read(g->signals, &signal, sizeof signal) == (ssize_t)sizeof signal)
        ;
    if (!g->parent)
        return;
    live_family_reap(&g->command->family, spared, 1);
    stop = live_command_stopped(g->command);
    if (stop)
        atomic_store(&b->stopped, stop);
    if (live_command_ended(g->command, &status)) {
        atomic_store(&b->status, status);
        atomic_store(&b->ended, true);
    }
    if (client_is_there(g))
        (void)kill(g->of, SIGCHLD);
}

void live_guard_rest(struct live_watcher *watcher)
{
    live_code *const killing[] = {(live_code *)live_cgroup_kill,
                                  (live_code *)live_watcher_wake,
                                  (live_code *)live_pidfd_signal_group};

    live_urgent_alone(killing, sizeof killing / sizeof killing[0]);
    live_watcher_rested(watcher, live_now());
}

/* From the grant on. */
static void take_up_watch(struct guarding *g)
{
    int why;

    live_urgent();
    g->timer = live_timer();
    why = g->timer < 0 || g->signals < 0 ? errno : 0;
    live_watcher_begin(&g->watcher, &g->command->between->watch, LIVE_BY_GUARD,
                       g->page->kill, live_now());
    say(g, LIVE_RELEASED, why);
    if (why)
        _exit(2);
    g->watching = true;
    live_unwanted_victim();
    live_guard_rest(&g->watcher);
}

static void on_talk(struct guarding *g)
{
    struct live_letter letter = {0};
    struct live_enclosed e;
    ssize_t size = live_letter_receive(g->talk, &letter, &e, MSG_DONTWAIT);
    void *page = MAP_FAILED;

    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) {
        g->left = true;
        kill_all(g);
    }
    if (size < 0)
        return;
    if (letter.kind == LIVE_GRANTED && !g->watching)
        page =
            mmap(NULL, sizeof *g->page, PROT_READ, MAP_SHARED, e.files[0], 0);
    live_enclosed_drop(&e);
    if (page == MAP_FAILED)
        return; /* the client hears nothing, and takes another guard */
    g->page = page;
    g->command->after.token = letter.token;
    take_up_watch(g);
}

static _Noreturn void watch(struct guarding *g)
{
    for (;;) {
        struct pollfd wait[] = {{g->watching ? g->timer : -1, POLLIN, 0},
                                {g->talk, POLLIN, 0},
                                {g->signals, POLLIN, 0}};
        uint64_t times;

        if (g->watching && live_timer_set(g->timer, look(g)))
            kill_all(g);
        if (poll(wait, 3, -1) < 0)
            continue;
        if (wait[0].revents)
            (void)!read(g->timer, &times, sizeof times);
        if (wait[2].revents)
            on_child(g);
        if (wait[1].revents)
            on_talk(g);
    }
}

/* ---- Two ways to become one ---------------------------------------------- */

/* In the new process: the command's parent. */
static _Noreturn void be_parent(struct live_command *command,
                                const struct live_client *client,
                                const struct live_becoming *how, pid_t of,
                                int talk)
{
    struct guarding g;
    int why = 0;

    begin(&g, command, client, of, talk);
    g.parent = true;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) ||
        live_family_inherit(&command->family, getpid()))
        why = errno;
    command->group = why ? -1 : live_cgroup_fork(&command->cgroup);
    if (command->group == 0) {
        close(talk); /* its end is the guard's end */
        live_become(how, live_cgroup_is(&command->cgroup));
    }
    if (!why && command->group < 0)
        why = errno;
    if (!why) {
        (void)setpgid(command->group, command->group); /* if it has not yet */
        command->pidfd = live_pidfd_open(command->group);
        why = command->pidfd < 0 ? errno : 0;
    }
    close(how->start);
    close(how->failed); /* its end must be seen */
    let_go_of_standard_files();
    say(&g, LIVE_ASK, why);
    if (why)
        _exit(2);
    watch(&g);
}

/* In the new process: beside the command, whose processes are the client's. */
static _Noreturn void be_beside(struct live_command *command,
                                const struct live_client *client, pid_t of,
                                int talk)
{
    struct guarding g;

    begin(&g, command, client, of, talk);
    let_go_of_standard_files();
    command->born = live_proc_started(command->group);
    if (live_family_inherit(&command->family, of)) {
        say(&g, LIVE_RELEASED, errno);
        _exit(2);
    }
    take_up_watch(&g);
    watch(&g);
}

/* ---- Its client ---------------------------------------------------------- */

/* A letter of the guard: 0, or an errno; ETIME: it said nothing.  The command
 * may run meanwhile, and no other process could look at the clock. */
static int hear(int talk, uint64_t deadline, struct live_letter *letter,
                struct live_enclosed *e)
{
    struct pollfd wait = {talk, POLLIN, 0};
    uint64_t now = live_now(), left = deadline > now ? deadline - now : 0;
    ssize_t size;

    if (poll(&wait, 1, (int)((left < READY_US ? left : READY_US) / 1000)) != 1)
        return ETIME;
    size = live_letter_receive(talk, letter, e, 0);
    if (size == (ssize_t)sizeof *letter)
        return (int)letter->wait;
    if (size >= 0)
        live_enclosed_drop(e);
    return size < 0 ? errno : EPIPE;
}

static bool refuse(struct net_why *error, int why)
{
    return net_fail(error, "no guard can be set beside the command: %s",
                    strerror(why));
}

/* A new process with its end of a pair; in itself 0. -1 with errno. */
static pid_t fork_guard(struct live_command *command, int *talk)
{
    int pair[2];
    pid_t child;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return -1;
    command->guard.talk = pair[CLIENT];
    child = fork();
    if (child == 0) {
        *talk = pair[GUARD];
        return 0;
    }
    close(pair[GUARD]);
    command->guard.pid = child > 0 ? child : 0;
    return child;
}

/* Fails with the guard ended. */
static bool give_up(struct live_command *command, int why,
                    struct net_why *error)
{
    live_guard_end(&command->guard, 0);
    return refuse(error, why);
}

bool live_guard_begin(struct live_command *command,
                      const struct live_client *client,
                      const struct live_becoming *how, struct net_why *error)
{
    struct live_letter letter = {0};
    struct live_enclosed e = {{-1, -1, -1}, 0, false};
    pid_t self = getpid(), child;
    int talk = -1, why;

    child = fork_guard(command, &talk);
    if (child == 0)
        be_parent(command, client, how, self, talk);
    why =
        child < 0 ? errno : hear(command->guard.talk, UINT64_MAX, &letter, &e);
    if (!why && live_family_of(&command->guard.children, child))
        why = errno;
    if (why)
        return give_up(command, why, error);
    command->group = (pid_t)letter.token;
    command->cgroup = (struct live_cgroup){e.files[0], e.files[1]};
    return true;
}

/* A guard that is a parent already. */
static int pass_grant(struct live_command *command,
                      const struct live_client *client, int page)
{
    struct live_letter letter = {.kind = LIVE_GRANTED, .token = client->token};
    struct live_enclosed e;

    if (page < 0 ||
        live_letter_send(command->guard.talk, &letter, &page, 1, MSG_DONTWAIT))
        return EPIPE;
    return hear(command->guard.talk, live_client_deadline(client), &letter, &e);
}

bool live_guard_watch(struct live_command *command,
                      const struct live_client *client, int page,
                      struct net_why *error)
{
    (void)live_guard_go_on(&command->guard);
    if (command->guard.pid && pass_grant(command, client, page) == 0)
        return true;
    live_guard_end(&command->guard, 0);
    return live_guard_set(command, client, error);
}

bool live_guard_set(struct live_command *command,
                    const struct live_client *client, struct net_why *error)
{
    struct live_letter letter = {0};
    struct live_enclosed e;
    pid_t self = getpid(), child;
    int talk = -1, why;

    child = fork_guard(command, &talk);
    if (child == 0)
        be_beside(command, client, self, talk);
    why = child < 0 ? errno
                    : hear(command->guard.talk, live_client_deadline(client),
                           &letter, &e);
    return !why || give_up(command, why, error);
}

bool live_guard_is_dead(const struct live_guard *guard)
{
    siginfo_t event = {0};

    return guard->pid &&
           waitid(P_PID, (id_t)guard->pid, &event,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
           event.si_pid == guard->pid;
}

bool live_guard_go_on(const struct live_guard *guard)
{
    siginfo_t event = {0};

    return guard->pid &&
           waitid(P_PID, (id_t)guard->pid, &event, WSTOPPED | WNOHANG) == 0 &&
           event.si_pid == guard->pid && kill(guard->pid, SIGCONT) == 0;
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
    if (guard->talk >= 0)
        close(guard->talk);
    live_family_forget(&guard->children);
    *guard = LIVE_NO_GUARD;
}
