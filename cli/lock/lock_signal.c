/*
 * lock_signal.c - see lock.h: signals that come, and what they tell of
 * the command and its guard.
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

enum { LETTER_MS = 50 }; /* for a letter that explains a death */

/* The daemon may have killed the command: then its letter tells why. */
void lock_ask_why(struct lock_run *r)
{
    struct pollfd wait = {r->client.socket, POLLIN, 0};

    if (r->connected && poll(&wait, 1, LETTER_MS) > 0)
        lock_on_letter(r);
}

static void on_end(struct lock_run *r, int status)
{
    int why = live_command_error(&r->command);
    uint64_t margin = atomic_load(&r->command.watch->gave_up);
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;

    if (margin) {
        lock_lose_busy(r, margin);
        return;
    }
    if (killed)
        lock_ask_why(r);
    if (r->over)
        return;
    if (why == ETIME)
        lock_lose(r, "its deadline was over before the command could start");
    else if (r->spent && live_client_holds(&r->client))
        lock_complain_spent(r);
    else if (r->told && !killed)
        lock_stop(r, r->w->lost,
                  "the lock was about to be lost, and the command ended when "
                  "it was told to: its node did not renew its lease");
    else if (why)
        lock_stop(r, WEXITSTATUS(status), "cannot run the command: %s",
                  strerror(why));
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
    char error[LIVE_ERROR_SIZE], why[LIVE_ERROR_SIZE + 64];

    live_guard_end(&r->command.guard);
    if (!live_client_holds(&r->client)) /* it has done its work */
        return;
    if (live_guard_set(&r->command, &r->client, error) == 0) {
        cli_note("the guard beside the command was stopped or killed; there is "
                 "a new one");
        return;
    }
    snprintf(why, sizeof why, "its guard was killed: %s", error);
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
    if (live_guard_is_idle(&r->command.guard) &&
        !atomic_load(&r->command.watch->gave_up))
        replace_guard(r);
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
