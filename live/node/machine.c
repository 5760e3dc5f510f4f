/*
 * machine.c - see machine.h.
 */
#include "live/node/machine.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "live/client/client.h"
#include "live/config/config.h"
#include "live/desk/desk.h"
#include "live/host/engine.h"
#include "live/host/record.h"
#include "live/log.h"
#include "live/process/cgroup.h"
#include "live/process/pidfd.h"

enum {
    BEST = -20,          /* of ordinary priorities */
    CODE_MOST = 1 << 20, /* what is touched in advance, at most */
    STACK = 1 << 16,
};

void live_host_files(void)
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
void live_host_priority(void)
{
    if (setpriority(PRIO_PROCESS, 0, BEST) == 0)
        return;
    live_log("has no priority above others': %s; on a busy machine let it have "
             "CAP_SYS_NICE, or take a longer 'lease' and 'kill'",
             strerror(errno));
}

/* ---- Memory -------------------------------------------------------------- */

/* Where a function is, as bytes. */
static const volatile char *place_of(void (*function)(void))
{
    const volatile char *place;

    _Static_assert(sizeof place == sizeof function, "both are addresses");
    memcpy(&place, &function, sizeof place);
    return place;
}

/* The code of live nodes lies together, and far from that of simulations: all
 * between these, which are of many of its files. */
static void touch_code(void)
{
    typedef void some(void);
    some *const of[] = {
        (some *)live_cgroup_kill,  (some *)live_client_open,
        (some *)live_config_quiet, (some *)live_desk_open,
        (some *)live_engine_open,  (some *)live_log,
        (some *)live_mode_open,    (some *)live_pidfd_signal_group,
        (some *)live_record_write, (some *)live_client_holds,
    };
    const volatile char *low = place_of(of[0]), *high = low;
    const long page = sysconf(_SC_PAGESIZE);

    for (size_t i = 1; i < sizeof of / sizeof of[0]; i++) {
        const volatile char *place = place_of(of[i]);

        low = place < low ? place : low;
        high = place > high ? place : high;
    }
    for (; high - low < CODE_MOST && low < high; low += page)
        (void)*low;
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
void live_host_memory(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    bool unlimited = setrlimit(RLIMIT_MEMLOCK, &limit) == 0 ||
                     (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
                      limit.rlim_cur == RLIM_INFINITY);
    int flags = unlimited ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT;

    if (mlockall(flags | MCL_ONFAULT))
        (void)mlockall(flags);
    touch_code();
    touch_stack();
}
