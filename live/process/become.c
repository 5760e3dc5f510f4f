/*
 * become.c - see become.h.
 */
#include "live/process/become.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "live/clock.h"

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

static _Noreturn void give_up(const struct live_becoming *how, int why)
{
    (void)!write(how->failed, &why, sizeof why);
    _exit(why == ENOENT ? 127 : 126);
}

_Noreturn void live_become(const struct live_becoming *how)
{
    struct live_start start;
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
    /* Last: whoever was held up until here has lost the lock meanwhile. */
    if (live_now() >= start.deadline)
        give_up(how, ETIME);
    (void)execvp(how->argv[0], how->argv);
    give_up(how, errno);
}
