/*
 * machine.c - see machine.h.
 */
#include "live/system/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <unistd.h>

#include "live/system/log.h"

enum {
    BEST = -20, /* of ordinary priorities */
    NICE_STEPS = 20,
    CODE_MOST = 1 << 21, /* memory that is touched in advance, at most */
    STACK = 1 << 16,
};

void live_machine_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Not real-time: a node that is flooded with packets would leave no processor
 * to anybody else, not even to the commands that it guards.  A guard, which
 * only sleeps and kills, has that. */
void live_machine_priority(void)
{
    if (setpriority(PRIO_PROCESS, 0, BEST) == 0)
        return;
    live_log("cannot raise its priority: %s; on a busy machine grant it "
             "CAP_SYS_NICE, or use a longer 'lease' and 'kill'",
             strerror(errno));
}

/* ---- Memory -------------------------------------------------------------- */

/* Where a function is, as bytes. */
static const volatile char *place_of(live_code *function)
{
    const volatile char *place;

    _Static_assert(sizeof place == sizeof function, "both are addresses");
    memcpy(&place, &function, sizeof place);
    return place;
}

static void touch(const volatile char *low, const volatile char *high)
{
    const long page = sysconf(_SC_PAGESIZE);

    for (; high - low < CODE_MOST && low < high; low += page)
        (void)*low;
}

/* All between functions of files that lie together in the program. */
static void touch_between(live_code *const of[], size_t count)
{
    const volatile char *low = place_of(of[0]), *high = low;

    for (size_t i = 1; i < count; i++) {
        const volatile char *place = place_of(of[i]);

        low = place < low ? place : low;
        high = place > high ? place : high;
    }
    touch(low, high);
}

/* The part of the C library in which a function of it is: its code.  1: that
 * was it. */
static int touch_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    const volatile char *sought = place_of((live_code *)kill);

    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + part->p_vaddr;
        const volatile char *low;

        memcpy(&low, &from, sizeof low);
        if (part->p_type != PT_LOAD || sought < low ||
            sought >= low + part->p_memsz)
            continue;
        touch(low, low + part->p_memsz);
        return 1;
    }
    return 0;
}

static void touch_stack(void)
{
    volatile char room[STACK];

    for (size_t i = 0; i < sizeof room; i += 1024)
        room[i] = 0;
}

/* A page is locked when it is first used: most of the program is of no use to a
 * node, and what its loop needs is used all the time, or touched here.  Memory
 * to come is locked only if that can never fail. */
void live_machine_memory(live_code *const of[], size_t count)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    bool unlimited = setrlimit(RLIMIT_MEMLOCK, &limit) == 0 ||
                     (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
                      limit.rlim_cur == RLIM_INFINITY);
    int flags = unlimited ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT;

    if (mlockall(flags | MCL_ONFAULT))
        (void)mlockall(flags);
    touch_between(of, count);
    touch_stack();
}

/* ---- A process that must not be late ------------------------------------- */

/* As low as RLIMIT_NICE says, if root's word does not count. */
static void be_less_nice(void)
{
    struct rlimit limit;
    int best;

    if (setpriority(PRIO_PROCESS, 0, BEST) == 0 ||
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

void live_urgent_alone(live_code *const of[], size_t count)
{
    struct sched_param how;
    int policy = sched_getscheduler(0);

    if (policy >= 0 && !sched_getparam(0, &how))
        (void)sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &how);
    /* To have all of the program and its libraries in memory takes longer than
     * everything else that a lock costs.  What comes later is little, and must
     * not fail for a limit. */
    if (mlockall(MCL_CURRENT | MCL_ONFAULT))
        (void)mlockall(MCL_CURRENT);
    touch_between(of, count);
    (void)dl_iterate_phdr(touch_library, NULL);
    touch_stack();
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

/* ---- The clock ----------------------------------------------------------- */

enum {
    TICK = 10000,   /* microseconds that a hundredth of a second should be */
    TICK_PPM = 100, /* for each microsecond of it */
    ONCE_PPM = 500, /* adjtime(), as long as something is left to correct */
    PLL_SHIFT = 2,  /* of the kernel's loop: each second it corrects so much */
    CONSTANT_MAX = 10, /* of the rest, and less by its time constant */
};

/* What the kernel's own loop corrects in this second, in microseconds. */
static uint64_t of_loop(const struct timex *state)
{
    uint64_t rest = (uint64_t)labs(state->offset);
    long constant = state->constant;

    if (!(state->status & STA_PLL))
        return 0;
    if (constant < 0 || constant > CONSTANT_MAX)
        constant = constant < 0 ? 0 : CONSTANT_MAX;
    if (state->status & STA_NANO)
        rest /= 1000;
    return rest >> (PLL_SHIFT + constant);
}

uint32_t live_slew(void)
{
    struct timex state = {.modes = 0};
    struct timex once = {.modes = ADJ_OFFSET_SS_READ};
    uint64_t ppm;

    if (adjtimex(&state) < 0)
        return UINT32_MAX;
    ppm = (uint64_t)labs(state.tick - TICK) * TICK_PPM +
          (uint64_t)labs(state.freq) / 65536 + of_loop(&state);
    if (adjtimex(&once) >= 0 && once.offset != 0)
        ppm += ONCE_PPM;
    return ppm < UINT32_MAX ? (uint32_t)ppm : UINT32_MAX - 1;
}
