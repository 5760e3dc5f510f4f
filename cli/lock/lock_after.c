/*
 * lock_after.c - see lock.h: what --after runs when the command is dead, and
 * before the lock can be anybody else's where that is possible.
 */
#include "cli/lock/lock.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/common/clock.h"

uint64_t lock_reserve(const struct lock_run *r)
{
    return r->w->after ? r->client.page->kill / 2 : 0;
}

/* The signals are not looked at: a child may have ended, and a request to end
 * this process waits until it has cleared away. */
static void pass_over_signals(const struct lock_run *r)
{
    struct signalfd_siginfo signal;

    while (read(r->signals, &signal, sizeof signal) == (ssize_t)sizeof signal)
        ;
}

static int ms_until(uint64_t at)
{
    uint64_t now = live_now();

    return at <= now            ? 0
           : at - now > 1000000 ? 1000
                                : (int)((at - now) / 1000) + 1;
}

/* Until it has ended, or, if it must not outlive the lock, is killed with the
 * rest of the command.  False: it was killed. */
static bool wait_for(struct lock_run *r, pid_t child, bool held, int *status)
{
    struct live_rest rest;

    while (waitpid(child, status, WNOHANG) == 0) {
        struct pollfd wait = {r->signals, POLLIN, 0};

        if (held && !live_client_holds(&r->client)) {
            (void)live_command_end(&r->command, getpid(), LIVE_END_MS, &rest);
            (void)waitpid(child, status, WNOHANG);
            return false;
        }
        (void)poll(&wait, 1,
                   held ? ms_until(live_client_deadline(&r->client)) : -1);
        pass_over_signals(r);
    }
    return !held || live_client_holds(&r->client);
}

static bool run(struct lock_run *r, bool held)
{
    int status = -1, of_command = -1;
    pid_t child;

    if (!live_command_ended(&r->command, &of_command))
        of_command = -1;
    child = live_after_start(&r->command.after, held ? r->command.group : 0,
                             of_command);
    if (child < 0) {
        cli_note("--after was not run: no process can be made");
        return true;
    }
    if (!wait_for(r, child, held, &status))
        return false;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        cli_note("--after ended with status %d", WIFEXITED(status)
                                                     ? WEXITSTATUS(status)
                                                     : 128 + WTERMSIG(status));
    return true;
}

/* The lock may be another's by now, or is about to be.  The guard has nothing
 * to do any more, and would take this for a part of the command. */
static void run_late(struct lock_run *r)
{
    cli_note(
        "the lock was lost before --after had run to its end: meanwhile it "
        "may be another's");
    live_guard_end(&r->command.guard, LIVE_GUARD_END_MS);
    (void)run(r, false);
}

void lock_after(struct lock_run *r)
{
    _Atomic uint32_t *by = &r->command.between->after;
    bool held = !r->lost && live_client_holds(&r->client);

    if (held && live_after_claim(by, LIVE_AFTER_OPEN, LIVE_AFTER_HELD) &&
        run(r, true) && live_after_claim(by, LIVE_AFTER_HELD, LIVE_AFTER_DONE))
        return;
    r->lost = true;
    if (live_after_claim(by, held ? LIVE_AFTER_HELD : LIVE_AFTER_OPEN,
                         LIVE_AFTER_LATE)) {
        run_late(r);
        return;
    }
    /* What the guard has begun is killed with the rest of the command, unless
     * it has come to its end. */
    if (atomic_load(by) == LIVE_AFTER_DONE)
        cli_note("the lock was lost, and the guard has run --after");
    else
        run_late(r);
}
