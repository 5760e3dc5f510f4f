/*
 * urgent.c - see urgent.h.
 */
#include "live/node/urgent.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NICE_BEST = -20, NICE_STEPS = 20 };

/* As low as RLIMIT_NICE says, if root's word does not count. */
static void be_less_nice(void)
{
    struct rlimit limit;
    int best;

    if (setpriority(PRIO_PROCESS, 0, NICE_BEST) == 0 ||
        getrlimit(RLIMIT_NICE, &limit) || limit.rlim_cur > 2 * NICE_STEPS)
        return;
    best = NICE_STEPS - (int)limit.rlim_cur;
    if (best < getpriority(PRIO_PROCESS, 0))
        (void)setpriority(PRIO_PROCESS, 0, best);
}

void live_urgent(void)
{
    struct sched_param first = {.sched_priority = 1};
    int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;

    if (policy == SCHED_FIFO || policy == SCHED_RR)
        return;
    if (sched_setscheduler(0, SCHED_FIFO, &first))
        be_less_nice();
}

void live_urgent_alone(void)
{
    struct sched_param how;
    int policy = sched_getscheduler(0);

    if (policy >= 0 && !sched_getparam(0, &how))
        (void)sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &how);
    /* What comes later is little, and must not fail for a limit. */
    (void)mlockall(MCL_CURRENT);
}

void live_unwanted_victim(void)
{
    static const char never[] = "-1000\n";
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (file < 0)
        return;
    (void)!write(file, never, strlen(never));
    close(file);
}
