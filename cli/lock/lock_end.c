/*
 * lock_end.c - see lock.h: the end of a run, good or bad, and the signals that
 * lead to it.
 */
#include "cli/lock/lock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

void lock_finish(struct lock_run *r, int code)
{
    if (!r->over)
        r->code = code;
    r->over = true;
}

static double ms(uint64_t us)
{
    return (double)us / 1e3;
}

static void complain_spent(struct lock_run *r)
{
    lock_stop(r, LOCK_SPENT,
              "the command was stopped: it held the lock for %g s, as long as "
              "--hold allows",
              (double)r->w->hold / 1e6);
}

static const char *why_alive(const struct live_rest *rest)
{
    return rest->why ? strerror(rest->why) : "it does not die";
}

static pid_t who_lives(const struct lock_run *r, const struct live_rest *rest)
{
    return rest->who ? rest->who : r->command.group;
}

/* The command must not run any longer. */
void lock_lose(struct lock_run *r, const char *why)
{
    const struct live_watcher *watcher = &r->command.watcher;
    bool held = live_client_holds(&r->client);
    struct live_rest rest;
    char late[96] = "";

    r->lost = !held;
    if (watcher->count)
        snprintf(late, sizeof late,
                 " (late wake-ups of this process: %llu, by up to %g ms)",
                 (unsigned long long)watcher->count, ms(watcher->worst));
    if (!live_command_end(&r->command, getpid(), LIVE_END_MS, &rest))
        lock_stop(r, r->w->lost,
                  "the lock is lost, but the command still runs and cannot be "
                  "stopped: process %d: %s: %s%s",
                  (int)who_lives(r, &rest), why_alive(&rest), why, late);
    else if (live_client_spent(&r->client) || r->spent)
        complain_spent(r);
    else
        lock_stop(r, r->w->lost,
                  "the lock is %s, and the command was stopped: %s%s",
                  held ? "given up" : "lost", why, late);
}

void lock_lose_busy(struct lock_run *r, uint64_t margin)
{
    char why[NET_WHY_SIZE];

    snprintf(
        why, sizeof why,
        "this machine is too busy to stop the command in time: it could be "
        "%g ms late, and 'kill' allows %g ms; take a longer 'kill'",
        ms(margin), ms(r->client.page->kill));
    lock_lose(r, why);
}

void lock_say_busy(struct lock_run *r, uint64_t margin)
{
    if (margin && !r->busy)
        cli_note("this machine is busy: the command would be stopped up to %g "
                 "ms late, and 'kill' allows %g ms; take a longer 'kill'",
                 ms(margin), ms(r->client.page->kill));
    r->busy |= margin > 0;
}

static bool is_told_to_end(struct lock_run *r)
{
    struct signalfd_siginfo signal;

    while (read(r->signals, &signal, sizeof signal) == (ssize_t)sizeof signal)
        if (signal.ssi_signo == SIGINT || signal.ssi_signo == SIGTERM ||
            signal.ssi_signo == SIGHUP || signal.ssi_signo == SIGQUIT)
            return true;
    return false;
}

/* Whatever is left of the command is killed.  While it is not dead, the lock is
 * better held.  False: it is not. */
static bool end_all(struct lock_run *r)
{
    struct live_rest rest;
    bool said = false;

    while (!live_command_end(&r->command, getpid(), LIVE_END_MS, &rest)) {
        if (r->lost || !live_client_holds(&r->client) || is_told_to_end(r))
            return false;
        if (!said)
            cli_note("process %d of the command cannot be stopped: %s; the "
                     "lock is held until it ends",
                     (int)who_lives(r, &rest), why_alive(&rest));
        said = true;
    }
    return true;
}

/* The lock goes back when all is dead, also what --after has left behind. */
void lock_let_go(struct lock_run *r)
{
    struct net_why error;
    bool dead = end_all(r);

    if (r->w->after && r->holds) {
        lock_after(r);
        dead = end_all(r) && dead;
    }
    if (dead && r->connected && !r->lost)
        (void)live_client_release(&r->client, &error);
}

/* ---- Signals ------------------------------------------------------------- */

/* The daemon may have killed the command, or told it to end: then its letter
 * tells why. */
void lock_ask_why(struct lock_run *r, int ms)
{
    struct pollfd wait = {r->client.socket, POLLIN, 0};

    if (r->connected && poll(&wait, 1, ms) > 0)
        lock_on_letter(r);
}

static void on_end(struct lock_run *r, int status)
{
    int why = live_command_error(&r->command);
    uint64_t margin = atomic_load(&r->command.between->watch.gave_up);
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;

    if (margin) {
        lock_lose_busy(r, margin);
        return;
    }
    lock_ask_why(r, 0);
    if (killed && !r->over)
        lock_ask_why(r, LOCK_LETTER_MS);
    if (r->over)
        return;
    if (why == ETIME)
        lock_lose(r, "its deadline was over before the command could start");
    else if (r->spent && live_client_holds(&r->client))
        complain_spent(r);
    else if (r->told && !killed)
        lock_stop(r, r->w->lost,
                  "the lock was about to be lost, and the command ended when "
                  "it was told to: %s",
                  r->why[0] ? r->why : "its node did not renew its lease");
    else if (why) /* in the way of "flock -c": a whole line as one word */
        lock_stop(r, WEXITSTATUS(status), "cannot run '%s': %s%s",
                  r->w->command[0], strerror(why),
                  why == ENOENT && strpbrk(r->w->command[0], " ;|&")
                      ? "; for a line of shell write sh -c 'LINE'"
                      : "");
    else if (WIFEXITED(status))
        lock_finish(r, WEXITSTATUS(status));
    else if (live_client_holds(&r->client) || !r->holds)
        lock_finish(r, 128 + WTERMSIG(status));
    else /* the guard or the daemon was quicker than this process */
        lock_lose(r, "its deadline is over");
}

/* Without a guard nobody would stop the command if this process were stopped
 * and its node dead. */
static void replace_guard(struct lock_run *r)
{
    char why[NET_WHY_SIZE + 64];
    struct net_why error;

    live_guard_end(&r->command.guard, 0);
    if (!live_client_holds(&r->client)) /* it has done its work */
        return;
    if (live_guard_set(&r->command, &r->client, &error)) {
        cli_note("the guard of the command was killed; there is a new one");
        return;
    }
    snprintf(why, sizeof why, "its guard was killed: %s", error.text);
    lock_lose(r, why);
}

static void on_child(struct lock_run *r)
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
    if (live_guard_go_on(&r->command.guard))
        cli_note("the guard of the command was stopped; it goes on");
    if (live_guard_is_dead(&r->command.guard) &&
        !atomic_load(&r->command.between->watch.gave_up))
        replace_guard(r);
    live_command_reap(&r->command);
}

void lock_send(struct lock_run *r, int number)
{
    if (live_command_signal(&r->command, number) == 0 || errno != EPERM ||
        r->denied)
        return;
    r->denied = true;
    cli_note("the command cannot be signalled, and so cannot be stopped: %s",
             strerror(EPERM));
}

void lock_on_signal(struct lock_run *r)
{
    struct signalfd_siginfo signal;

    if (read(r->signals, &signal, sizeof signal) != (ssize_t)sizeof signal)
        return;
    if (signal.ssi_signo == SIGCHLD)
        on_child(r);
    else if (r->holds)
        lock_send(r, (int)signal.ssi_signo);
    else if (signal.ssi_signo == SIGTSTP)
        (void)live_command_rest();
    else if (signal.ssi_signo != SIGCONT)
        lock_finish(r, 128 + (int)signal.ssi_signo);
}

/* Signals that are read from a file, not handled. */
int lock_open_signals(void)
{
    static const int heard[] = {SIGCHLD, SIGCONT, SIGTSTP, SIGINT, SIGTERM,
                                SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof heard / sizeof heard[0]; i++)
        sigaddset(&set, heard[i]);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGCHLD, SIG_DFL); /* if it is ignored, no death is reported */
    (void)signal(SIGTTOU, SIG_IGN); /* to take the terminal back */
    (void)signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
