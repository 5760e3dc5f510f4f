/*
 * lock_run.c - see lock_run.h.
 *
 * One loop: first the clock, for whoever was stopped or starved finds out by
 * it; then signals, then letters of the node.
 */
#include "cli/lock_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "live/clock.h"
#include "live/command.h"

static const char verb[] = "lock";

enum {
    PATIENCE = 1000000, /* microseconds for a node that is late itself */
    RETRY = 100000,     /* between tries to find it again */
    LETTER_MS = 50,     /* for a letter that explains a death */
};

/* All of one run. */
struct run {
    const struct lock_wishes *w;
    struct live_client client;
    struct live_command command;
    int signals, timer;
    bool connected;
    bool holds; /* the command runs */
    bool lost;  /* and what it held is not ours any more */
    bool over;
    int code;            /* to exit with, once it is over */
    uint64_t wait_until; /* UINT64_MAX: for ever */
    uint64_t retry_at;   /* without a node */
    uint64_t term_at;    /* of --hold; UINT64_MAX: never, or sent already */
    bool spent;          /* that was sent */
    bool told;           /* that of --term-before was sent */
    bool busy;           /* it was said that this machine is */
};

static void finish(struct run *r, int code)
{
    if (!r->over)
        r->code = code;
    r->over = true;
}

static double ms(uint64_t us)
{
    return (double)us / 1e3;
}

/* ---- The end ------------------------------------------------------------- */

static void complain_spent(struct run *r)
{
    finish(r, cli_complain((enum cli_exit)LOCK_SPENT, verb,
                           "the command was stopped: it held the lock for "
                           "%g s, as long as --hold allows",
                           (double)r->w->hold / 1e6));
}

static const char *why_alive(const struct live_rest *rest)
{
    return rest->why ? strerror(rest->why) : "it does not die";
}

static pid_t who_lives(const struct run *r, const struct live_rest *rest)
{
    return rest->who ? rest->who : r->command.group;
}

/* The command must not run any longer. */
static void lose(struct run *r, const char *why)
{
    const struct live_watcher *watcher = &r->command.watcher;
    bool held = live_client_holds(&r->client);
    struct live_rest rest;
    char late[96] = "";

    r->lost = !held;
    if (watcher->count)
        snprintf(late, sizeof late,
                 " (this process was woken late %llu times, by up to %g ms)",
                 (unsigned long long)watcher->count, ms(watcher->worst));
    if (!live_command_end(&r->command, getpid(), LIVE_END_MS, &rest))
        finish(r, cli_complain((enum cli_exit)r->w->lost, verb,
                               "the lock is lost, but the command still runs "
                               "and cannot be stopped: process %d: %s: %s%s",
                               (int)who_lives(r, &rest), why_alive(&rest), why,
                               late));
    else if (live_client_spent(&r->client))
        complain_spent(r);
    else
        finish(r, cli_complain((enum cli_exit)r->w->lost, verb,
                               "the lock is %s, and the command was stopped: "
                               "%s%s",
                               held ? "given up" : "lost", why, late));
}

static void lose_busy(struct run *r, uint64_t margin)
{
    char why[LIVE_ERROR_SIZE];

    snprintf(
        why, sizeof why,
        "this machine is too busy to stop the command in time: it could be "
        "%g ms late, and 'kill' allows %g ms; take a longer 'kill'",
        ms(margin), ms(r->client.page->kill));
    lose(r, why);
}

static bool is_told_to_end(struct run *r)
{
    struct signalfd_siginfo signal;

    while (read(r->signals, &signal, sizeof signal) == (ssize_t)sizeof signal)
        if (signal.ssi_signo == SIGINT || signal.ssi_signo == SIGTERM ||
            signal.ssi_signo == SIGHUP || signal.ssi_signo == SIGQUIT)
            return true;
    return false;
}

/* Whatever is left of the command is killed, and the lock goes back when it is
 * dead.  While it is not, the lock is better held. */
static void let_go(struct run *r)
{
    char error[LIVE_ERROR_SIZE];
    struct live_rest rest;
    bool said = false;

    while (!live_command_end(&r->command, getpid(), LIVE_END_MS, &rest)) {
        if (r->lost || !live_client_holds(&r->client) || is_told_to_end(r))
            return;
        if (!said)
            fprintf(stderr,
                    "fulcrum lock: process %d of the command cannot be "
                    "stopped: %s; the lock is held until it ends\n",
                    (int)who_lives(r, &rest), why_alive(&rest));
        said = true;
    }
    if (r->connected && !r->lost)
        (void)live_client_release(&r->client, error);
}

/* ---- The clock ----------------------------------------------------------- */

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Asks the command to end. */
static void send_term(struct run *r)
{
    (void)live_command_signal(&r->command, SIGTERM);
    /* who is stopped hears nothing */
    (void)live_command_signal(&r->command, SIGCONT);
}

static void say_busy(struct run *r, uint64_t margin)
{
    if (margin && !r->busy)
        fprintf(stderr,
                "fulcrum lock: this machine is busy: the command would be "
                "stopped up to %g ms late, and 'kill' allows %g ms; take a "
                "longer 'kill'\n",
                ms(margin), ms(r->client.page->kill));
    r->busy |= margin > 0;
}

/* While the command runs; when to look again. */
static uint64_t look_at_deadline(struct run *r, uint64_t now)
{
    uint64_t end = live_client_deadline(&r->client), margin, next;

    live_watcher_wake(&r->command.watcher, now);
    if (now >= end) {
        lose(r, r->connected ? "its node did not renew its lease in time"
                             : "its node has died");
        return UINT64_MAX;
    }
    margin = live_watcher_margin(&r->command.watcher, now);
    if (margin >= end - now) {
        lose_busy(r, margin);
        return UINT64_MAX;
    }
    say_busy(r, margin);
    end -= margin;
    next = sooner(end, r->command.watcher.next);
    if (now >= r->term_at) {
        r->spent = true;
        r->term_at = UINT64_MAX;
        send_term(r);
    }
    if (r->w->term_before && !r->told) {
        r->told = r->w->term_before >= end - now;
        if (r->told)
            send_term(r);
        else
            next = sooner(next, end - r->w->term_before);
    }
    return sooner(next, r->term_at);
}

static void ask(struct run *r);

/* A node that goes and comes back is waited for like a lock. */
static void try_again(struct run *r, uint64_t now)
{
    char error[LIVE_ERROR_SIZE];

    r->retry_at = now + RETRY;
    if (cli_try_connect(&r->w->place, &r->client, error) == 0)
        ask(r);
}

/* While it is waited for. */
static uint64_t look_at_wait(struct run *r, uint64_t now)
{
    uint64_t end = r->wait_until;

    /* the node should be first to say it */
    if (r->connected && end < UINT64_MAX - PATIENCE)
        end += PATIENCE;
    if (now >= end) {
        finish(r, cli_complain((enum cli_exit)LOCK_LATE, verb,
                               "not held in time: %s",
                               r->connected ? "the node does not answer; it is "
                                              "stopped, or too busy"
                                            : "its node is gone"));
        return UINT64_MAX;
    }
    if (r->connected)
        return end;
    if (now >= r->retry_at)
        try_again(r, now);
    return sooner(end, r->retry_at);
}

static void look_at_clock(struct run *r)
{
    uint64_t now = live_now(), times, next;

    (void)!read(r->timer, &times, sizeof times);
    next = r->holds ? look_at_deadline(r, now) : look_at_wait(r, now);
    (void)live_timer_set(r->timer, next);
}

/* ---- Letters ------------------------------------------------------------- */

static void on_gone(struct run *r)
{
    r->connected = false;
    if (r->holds) /* the deadline does not move any more */
        return;
    live_client_close(&r->client);
    r->retry_at = live_now() + RETRY;
    if (live_now() < r->wait_until)
        fprintf(stderr, "fulcrum lock: waits: its node is gone; tries again\n");
}

/* Whether the node still listens. */
static bool is_there(const struct run *r)
{
    char byte;

    return recv(r->client.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           errno == EAGAIN;
}

/* A letter could not be sent or used: is that for want of a node? */
static void on_failure(struct run *r, const char *error)
{
    if (is_there(r) && !r->holds)
        finish(r, cli_complain(CLI_SYSTEM, verb, "%s", error));
    else
        on_gone(r);
}

static void ask(struct run *r)
{
    char error[LIVE_ERROR_SIZE];
    uint64_t now = live_now();
    uint64_t left = now < r->wait_until ? r->wait_until - now : 0;

    r->connected = true;
    r->client.hold = r->w->hold ? r->w->hold + r->w->grace : 0;
    r->client.cgroup = &r->command.cgroup;
    if (live_client_ask(&r->client, r->w->name, r->w->shared, r->command.pidfd,
                        r->wait_until == UINT64_MAX ? UINT64_MAX : left, error))
        on_failure(r, error);
}

static void on_granted(struct run *r)
{
    uint64_t end = live_client_deadline(&r->client), now = live_now();
    char error[LIVE_ERROR_SIZE];

    if (now >= end) {
        lose(r, "its deadline was over when the grant arrived");
        return;
    }
    if (r->w->term_before >= end - now) {
        finish(r, cli_complain(CLI_SYSTEM, verb,
                               "--term-before is longer than the node's lease "
                               "lasts, which is %g s from now; take less",
                               (double)(end - now) / 1e6));
        return;
    }
    if (live_command_start(&r->command, &r->client, error)) {
        finish(r, cli_complain(CLI_SYSTEM, verb,
                               "the command was not started: %s", error));
        return;
    }
    r->holds = true;
    r->term_at = r->w->hold ? now + r->w->hold : UINT64_MAX;
}

static void on_refused(struct run *r, const struct live_letter *letter)
{
    if (letter->wait == LIVE_REFUSED_STOPS)
        on_gone(r);
    else if (letter->wait == LIVE_REFUSED_LATE)
        finish(r, cli_complain((enum cli_exit)LOCK_LATE, verb,
                               "not held in time: %s", letter->reason));
    else
        finish(r, cli_complain(CLI_SYSTEM, verb, "%s", letter->reason));
}

static void on_letter(struct run *r)
{
    char error[LIVE_ERROR_SIZE];
    struct live_letter letter = {0};

    if (live_client_next(&r->client, &letter, error)) {
        on_failure(r, error);
        return;
    }
    switch (letter.kind) {
    case LIVE_GRANTED:
        on_granted(r);
        break;
    case LIVE_WAITING:
        fprintf(stderr, "fulcrum lock: waits: %s\n", letter.reason);
        break;
    case LIVE_REFUSED:
        on_refused(r, &letter);
        break;
    case LIVE_LOST:
        lose(r, letter.reason);
        break;
    default:
        break;
    }
}

/* ---- Signals ------------------------------------------------------------- */

/* Who was killed may have been killed by the daemon: its letter tells. */
static void ask_who_killed(struct run *r)
{
    struct pollfd wait = {r->client.socket, POLLIN, 0};

    if (r->connected && poll(&wait, 1, LETTER_MS) > 0)
        on_letter(r);
}

static void on_end(struct run *r, int status)
{
    int why = live_command_error(&r->command);
    uint64_t margin = atomic_load(&r->command.watch->gave_up);

    if (margin) {
        lose_busy(r, margin);
        return;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        ask_who_killed(r);
    if (why == ETIME)
        lose(r, "its deadline was over before the command could start");
    else if (r->spent && live_client_holds(&r->client))
        complain_spent(r);
    else if (r->told)
        lose(r, "its node did not renew its lease for long, and the command "
                "ended when it was told so");
    else if (why)
        finish(r, cli_complain((enum cli_exit)WEXITSTATUS(status), verb,
                               "cannot run the command: %s", strerror(why)));
    else if (WIFEXITED(status))
        finish(r, WEXITSTATUS(status));
    else if (live_client_holds(&r->client) || !r->holds)
        finish(r, 128 + WTERMSIG(status));
    else /* the guard or the daemon was quicker than this process */
        lose(r, "its deadline is over");
}

/* Without a guard nobody would stop the command if this process were stopped
 * and its node dead. */
static void replace_guard(struct run *r)
{
    char error[LIVE_ERROR_SIZE], why[LIVE_ERROR_SIZE + 64];

    live_guard_end(&r->command.guard);
    if (!live_client_holds(&r->client)) /* it has done its work */
        return;
    if (live_guard_set(&r->command, &r->client, error) == 0) {
        fprintf(stderr,
                "fulcrum lock: the guard beside the command was stopped "
                "or killed; there is a new one\n");
        return;
    }
    snprintf(why, sizeof why, "its guard was killed: %s", error);
    lose(r, why);
}

static void on_child(struct run *r)
{
    int status, stop;

    if (live_command_ended(&r->command, &status)) {
        on_end(r, status);
        return;
    }
    stop = live_command_stopped(&r->command);
    if (stop == SIGTSTP || stop == SIGTTIN || stop == SIGTTOU ||
        (stop && r->command.foreground))
        live_command_suspend(&r->command, stop);
    if (live_guard_is_idle(&r->command.guard) &&
        !atomic_load(&r->command.watch->gave_up))
        replace_guard(r);
}

static void on_signal(struct run *r)
{
    struct signalfd_siginfo signal;

    if (read(r->signals, &signal, sizeof signal) != (ssize_t)sizeof signal)
        return;
    if (signal.ssi_signo == SIGCHLD)
        on_child(r);
    else if (r->holds)
        (void)live_command_signal(&r->command, (int)signal.ssi_signo);
    else if (signal.ssi_signo != SIGCONT)
        finish(r, 128 + (int)signal.ssi_signo);
}

/* What we hear of by a file, and not by a handler. */
static int open_signals(void)
{
    static const int heard[] = {SIGCHLD, SIGCONT, SIGINT,  SIGTERM,
                                SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof heard / sizeof heard[0]; i++)
        sigaddset(&set, heard[i]);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGCHLD, SIG_DFL); /* who ignores it never hears of a death */
    (void)signal(SIGTTOU, SIG_IGN); /* to take the terminal back */
    (void)signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* ---- All of it ----------------------------------------------------------- */

static void watch(struct run *r)
{
    while (!r->over) {
        struct pollfd wait[] = {
            {r->timer, POLLIN, 0},
            {r->signals, POLLIN, 0},
            {r->connected ? r->client.socket : -1, POLLIN, 0},
        };

        look_at_clock(r);
        if (r->over || poll(wait, 3, -1) < 0)
            continue;
        if (r->holds)
            look_at_clock(r);
        if (wait[1].revents && !r->over)
            on_signal(r);
        if (wait[2].revents && !r->over && r->connected)
            on_letter(r);
    }
}

/* Who holds a lock and asks for it again waits for itself. */
static void warn_of_oneself(const struct lock_wishes *w)
{
    const char *held = getenv("FULCRUM_LOCK");

    if (held && !strcmp(held, w->name))
        fprintf(
            stderr,
            "fulcrum lock: this runs under the lock %s already: unless both "
            "are shared it waits for itself\n",
            w->name);
}

int lock_run(const struct lock_wishes *wishes)
{
    struct run r = {.w = wishes, .wait_until = UINT64_MAX};
    struct live_habits habits;
    char error[LIVE_ERROR_SIZE];
    int code = cli_connect(verb, &wishes->place, &r.client);

    if (code)
        return code;
    if (wishes->wait < UINT64_MAX / 2)
        r.wait_until = live_now() + wishes->wait;
    warn_of_oneself(wishes);
    live_habits_note(&habits);
    r.signals = open_signals();
    r.timer = live_timer();
    if (r.signals < 0 || r.timer < 0)
        return cli_complain(CLI_SYSTEM, verb, "no timer, no signals: %s",
                            strerror(errno));
    if (live_command_prepare(&r.command, wishes->command, wishes->name, &habits,
                             error))
        return cli_complain(CLI_SYSTEM, verb, "%s", error);
    ask(&r);
    watch(&r);
    let_go(&r);
    live_command_close(&r.command);
    live_client_close(&r.client);
    return r.code;
}
