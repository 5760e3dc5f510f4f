/*
 * become.c - see become.h.
 */
#include "live/process/become.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/common/clock.h"

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

void live_habits_take_up(const struct live_habits *habits)
{
    for (int i = 1; i < NSIG; i++)
        if (i != SIGKILL && i != SIGSTOP)
            (void)signal(i, sigismember(&habits->ignored, i) == 1 ? SIG_IGN
                                                                  : SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &habits->mask, NULL);
}

/* Whether this process may signal anybody. */
static bool can_kill_others(void)
{
    struct __user_cap_header_struct header = {.version =
                                                  _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

    return syscall(SYS_capget, &header, data) == 0 &&
           (data[CAP_TO_INDEX(CAP_KILL)].effective & CAP_TO_MASK(CAP_KILL));
}

static void set_number(const char *name, uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, number);
    (void)setenv(name, text, 1);
}

void live_mark_write(uint64_t mark, char text[LIVE_MARK_TEXT])
{
    snprintf(text, LIVE_MARK_TEXT, "%016" PRIx64, mark);
}

/* A command under a lock, below a command under another, is of both. */
static void add_mark(uint64_t mark)
{
    const char *outer = getenv(LIVE_MARK);
    char own[LIVE_MARK_TEXT], *all;

    live_mark_write(mark, own);
    if (outer && asprintf(&all, "%s:%s", outer, own) > 0) {
        (void)setenv(LIVE_MARK, all, 1);
        free(all);
    } else {
        (void)setenv(LIVE_MARK, own, 1);
    }
}

static _Noreturn void give_up(const struct live_becoming *how, int why)
{
    (void)!write(how->failed, &why, sizeof why);
    _exit(why == ENOENT ? 127 : 126);
}

_Noreturn void live_become(const struct live_becoming *how, bool sheltered)
{
    struct live_start start;
    ssize_t size;

    (void)setpgid(0, 0);
    do
        size = read(how->start, &start, sizeof start);
    while (size < 0 && errno == EINTR);
    if (size != (ssize_t)sizeof start)
        _exit(0);
    /* A command that changed its user could not be stopped. */
    if (!sheltered && !can_kill_others() &&
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        give_up(how, errno);
    (void)setenv("FULCRUM_LOCK", how->lock, 1);
    set_number("FULCRUM_TOKEN", start.token);
    set_number("FULCRUM_DEADLINE", start.deadline);
    add_mark(how->mark);
    live_habits_take_up(how->habits);
    /* Last: a process that was held up until here has lost the lock
     * meanwhile. */
    if (live_now() >= start.deadline)
        give_up(how, ETIME);
    (void)execvp(how->argv[0], how->argv);
    give_up(how, errno);
}
