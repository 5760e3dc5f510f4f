/*
 * lock_end.c - see lock.h: the end of a run, good or bad.
 */
#include "cli/lock/lock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
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

void lock_complain_spent(struct lock_run *r)
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
    else if (live_client_spent(&r->client))
        lock_complain_spent(r);
    else
        lock_stop(r, r->w->lost,
                  "the lock is %s, and the command was stopped: %s%s",
                  held ? "given up" : "lost", why, late);
}

void lock_lose_busy(struct lock_run *r, uint64_t margin)
{
    char why[LIVE_ERROR_SIZE];

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

/* Whatever is left of the command is killed, and the lock goes back when it is
 * dead.  While it is not, the lock is better held. */
void lock_let_go(struct lock_run *r)
{
    char error[LIVE_ERROR_SIZE];
    struct live_rest rest;
    bool said = false;

    while (!live_command_end(&r->command, getpid(), LIVE_END_MS, &rest)) {
        if (r->lost || !live_client_holds(&r->client) || is_told_to_end(r))
            return;
        if (!said)
            cli_note("process %d of the command cannot be stopped: %s; the "
                     "lock is held until it ends",
                     (int)who_lives(r, &rest), why_alive(&rest));
        said = true;
    }
    if (r->connected && !r->lost)
        (void)live_client_release(&r->client, error);
}
