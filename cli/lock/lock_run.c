/*
 * lock_run.c - see lock.h.
 *
 * One loop: first the clock, which tells a process that was stopped or starved
 * how late it is; then signals, then letters of the node.
 */
#include "cli/lock/lock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/common/clock.h"

enum {
    PATIENCE = 1000000, /* microseconds for a node that is late itself */
    RETRY = 100000,     /* between tries to find it again */
};

/* ---- The clock ----------------------------------------------------------- */

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Asks the command to end. */
static void send_term(struct lock_run *r)
{
    lock_send(r, SIGTERM);
    lock_send(r, SIGCONT); /* a stopped process would not notice */
}

/* With --after the command is killed before its lock ends, by the deadline or
 * because the node takes it away. */
static uint64_t killed_at(const struct lock_run *r, uint64_t deadline)
{
    uint64_t reserve = lock_reserve(r), end = deadline;

    if (r->w->after && r->leave_by && r->leave_by < end)
        end = r->leave_by;
    return end > reserve ? end - reserve : 0;
}

static const char *why_now(const struct lock_run *r, uint64_t end)
{
    if (r->leave_by && end + lock_reserve(r) >= r->leave_by)
        return r->why;
    return r->connected ? "its node did not renew its lease in time"
                        : "its node has died";
}

/* While the command runs; when to look again. */
static uint64_t look_at_deadline(struct lock_run *r, uint64_t now)
{
    uint64_t end = live_client_deadline(&r->client), margin, next;

    live_watcher_wake(&r->command.watcher, now);
    if (end == 0) { /* taken away: a letter tells why, but first things first */
        lock_send(r, SIGKILL);
        lock_ask_why(r, LOCK_LETTER_MS);
    }
    if (r->over)
        return UINT64_MAX;
    end = killed_at(r, end);
    if (now >= end) {
        lock_lose(r, why_now(r, end));
        return UINT64_MAX;
    }
    margin = live_watcher_margin(&r->command.watcher, now);
    if (margin >= end - now) {
        lock_lose_busy(r, margin);
        return UINT64_MAX;
    }
    lock_say_busy(r, margin);
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

static void ask(struct lock_run *r);

/* A node that goes and comes back is waited for like a lock. */
static void try_again(struct lock_run *r, uint64_t now)
{
    struct net_why error;

    r->retry_at = now + RETRY;
    if (cli_try_connect(&r->w->place, 0, &r->client, &error) == 0)
        ask(r);
    else
        r->full = errno == EAGAIN;
}

/* While it is waited for. */
static uint64_t look_at_wait(struct lock_run *r, uint64_t now)
{
    uint64_t end = r->wait_until;

    /* The node should be first to say it, and has a moment to take us. */
    if ((r->connected || r->full) && end < UINT64_MAX - PATIENCE)
        end += PATIENCE;
    if (now >= end) {
        lock_stop(r, LOCK_LATE, "not held in time: %s",
                  r->connected
                      ? "the node does not answer; it is stopped, or too busy"
                  : r->full ? "the node takes no more clients; it is stopped, "
                              "or too busy"
                            : "its node is gone");
        return UINT64_MAX;
    }
    if (r->connected)
        return end;
    if (now >= r->retry_at)
        try_again(r, now);
    return sooner(end, r->retry_at);
}

static void look_at_clock(struct lock_run *r)
{
    uint64_t now = live_now(), times, next;

    (void)!read(r->timer, &times, sizeof times);
    next = r->holds ? look_at_deadline(r, now) : look_at_wait(r, now);
    (void)live_timer_set(r->timer, next);
}

/* ---- Letters ------------------------------------------------------------- */

/* A node that is gone, or about to go, says nothing more. */
static void on_gone(struct lock_run *r, const char *why)
{
    r->connected = false;
    if (r->holds) /* the deadline does not move any more */
        return;
    live_client_close(&r->client);
    r->retry_at = live_now() + RETRY;
    if (!r->lonely && live_now() < r->wait_until)
        cli_note("waits: %s; tries again", why);
    r->lonely = true;
}

/* Whether the node still listens. */
static bool is_there(const struct lock_run *r)
{
    char byte;

    return recv(r->client.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           errno == EAGAIN;
}

/* A letter could not be sent or used: is the node gone? */
static void on_failure(struct lock_run *r, const char *why)
{
    if (is_there(r) && !r->holds)
        lock_stop(r, CLI_SYSTEM, "%s", why);
    else
        on_gone(r, "its node is gone");
}

static void ask(struct lock_run *r)
{
    struct net_why error;
    uint64_t now = live_now();
    uint64_t left = now < r->wait_until ? r->wait_until - now : 0;

    r->connected = true;
    r->full = false;
    r->client.hold = r->w->hold ? r->w->hold + r->w->grace : 0;
    r->client.grace = r->w->term_before;
    r->client.cgroup = &r->command.cgroup;
    r->client.mark = r->command.mark;
    r->client.pass = &r->command.page;
    if (live_client_ask(&r->client, r->w->name, r->w->shared, r->command.pidfd,
                        r->wait_until == UINT64_MAX ? UINT64_MAX : left,
                        &error))
        on_failure(r, error.text);
}

static void on_granted(struct lock_run *r)
{
    uint64_t end = live_client_deadline(&r->client), now = live_now();
    struct net_why error;

    if (now >= end) {
        lock_lose(r, "its deadline was over when the grant arrived");
        return;
    }
    if (r->w->term_before + lock_reserve(r) >= end - now) {
        lock_stop(r, CLI_SYSTEM,
                  "--term-before is longer than the node's lease lasts, which "
                  "is %g s from now; take less",
                  (double)(end - now) / 1e6);
        return;
    }
    if (!live_command_start(&r->command, &r->client, &error)) {
        if (!live_client_holds(&r->client)) {
            lock_lose(r, "its deadline was over before the command could "
                         "start");
            return;
        }
        lock_stop(r, CLI_SYSTEM, "the command was not started: %s", error.text);
        return;
    }
    r->holds = true;
    r->term_at = r->w->hold ? now + r->w->hold : UINT64_MAX;
}

/* A node of version 0.4.0 wants to see the command as a child of its client,
 * and says so in these words.  Without a guard between it is one. */
static bool wants_a_child(const struct lock_run *r, const char *reason)
{
    static const char words[] = "the command is not a child of yours";

    return r->command.guard.pid && !strncmp(reason, words, sizeof words - 1);
}

static void on_refused(struct lock_run *r, const struct live_letter *letter)
{
    if (letter->wait == LIVE_REFUSED_NOW && wants_a_child(r, letter->reason)) {
        live_guard_end(&r->command.guard, LIVE_GUARD_END_MS);
        ask(r);
        return;
    }
    if (letter->wait == LIVE_REFUSED_LEFT ||
        (letter->wait == LIVE_REFUSED_STOPS && r->lonely))
        on_gone(r, letter->reason);
    else if (letter->wait == LIVE_REFUSED_LATE)
        lock_stop(r, LOCK_LATE, "not held in time: %s", letter->reason);
    else
        lock_stop(r, CLI_SYSTEM, "%s", letter->reason);
}

void lock_on_letter(struct lock_run *r)
{
    struct net_why error;
    struct live_letter letter = {0};

    if (live_client_next(&r->client, &letter, &error)) {
        on_failure(r, error.text);
        return;
    }
    switch (letter.kind) {
    case LIVE_GRANTED:
        on_granted(r);
        break;
    case LIVE_WAITING:
        r->lonely = false;
        cli_note("waits: %s", letter.reason);
        break;
    case LIVE_REFUSED:
        on_refused(r, &letter);
        break;
    case LIVE_LOST:
        lock_lose(r, letter.reason);
        break;
    case LIVE_ENDING: /* the node has sent SIGTERM */
        r->told = true;
        r->leave_by = live_now() + letter.wait;
        memcpy(r->why, letter.reason, sizeof r->why);
        break;
    default:
        break;
    }
}

/* ---- All of it ----------------------------------------------------------- */

static void watch(struct lock_run *r)
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
            lock_on_signal(r);
        if (wait[2].revents && !r->over && r->connected)
            lock_on_letter(r);
    }
}

/* A process that holds a lock and asks for it again waits for itself. */
static void warn_of_oneself(const struct lock_wishes *w)
{
    const char *held = getenv("FULCRUM_LOCK");

    if (held && !strcmp(held, w->name))
        cli_note("this already runs under the lock %s: unless both are shared, "
                 "it waits for itself",
                 w->name);
}

/* A node that takes no more clients is tried again, as one that is gone is. */
static int find_node(struct lock_run *r)
{
    struct net_why error;
    int code = cli_try_connect(&r->w->place, 0, &r->client, &error);

    r->full = code && errno == EAGAIN;
    r->connected = !code;
    if (code && !r->full)
        return cli_complain(code, "%s", error.text);
    if (r->full && r->w->wait > PATIENCE)
        cli_note("waits: %s; tries again", error.text);
    r->retry_at = live_now() + RETRY;
    return 0;
}

/* Once, to people alone, unless it is asked for. */
static void say_how_it_is_stopped(const struct lock_run *r)
{
    if (live_cgroup_is(&r->command.cgroup)) {
        if (r->w->verbose)
            cli_note("the command has a cgroup of its own: the kernel kills "
                     "all in it at once");
    } else if (r->w->verbose || isatty(STDERR_FILENO)) {
        cli_note("no cgroup can be created for the command: its processes are "
                 "found one by one when it must be stopped, and set-user-ID "
                 "programs gain no rights");
    }
}

int lock_run(const struct lock_wishes *wishes)
{
    struct lock_run r = {.w = wishes, .wait_until = UINT64_MAX};
    struct live_habits habits;
    const struct live_after after = {
        .line = wishes->after, .lock = wishes->name, .habits = &habits};
    struct net_why error;
    int code = find_node(&r);

    if (code)
        return code;
    if (wishes->wait < UINT64_MAX / 2)
        r.wait_until = live_now() + wishes->wait;
    warn_of_oneself(wishes);
    live_habits_note(&habits);
    r.signals = lock_open_signals();
    r.timer = live_timer();
    if (r.signals < 0 || r.timer < 0)
        return cli_fail("cannot make a timer or receive signals: %s",
                        strerror(errno));
    if (!live_command_prepare(&r.command, &r.client, wishes->command, &after,
                              &error))
        return cli_fail("%s", error.text);
    if (r.connected) {
        say_how_it_is_stopped(&r);
        ask(&r);
    }
    watch(&r);
    lock_let_go(&r);
    live_command_close(&r.command);
    live_client_close(&r.client);
    return r.code;
}
