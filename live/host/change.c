/*
 * change.c - see change.h.
 */
#include "live/host/change.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

#include "live/clock.h"
#include "live/log.h"
#include "live/node/notify.h"

static void wait_until(uint64_t at)
{
    struct timespec when = {.tv_sec = (time_t)(at / 1000000),
                            .tv_nsec = (long)(at % 1000000) * 1000};

    while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &when, NULL) == EINTR)
        ;
}

void live_change_await(const struct live_config *config,
                       const struct live_record *record)
{
    struct live_record_change change = live_record_change(record);
    uint64_t at = live_now() + change.wait;

    if (!change.changed)
        return;
    if (change.generation)
        live_log("takes its record over from generation %u to %u",
                 change.generation, config->generation);
    else
        live_log("takes over a record of an earlier version of this program, "
                 "into generation %u; if that had a longer lease, let all "
                 "nodes be stopped for as long first",
                 config->generation);
    if (!change.wait)
        return;
    live_log("waits %" PRIu64 " ms: leases were longer before",
             change.wait / 1000 + 1);
    (void)live_notify_say("EXTEND_TIMEOUT_USEC=%" PRIu64 "\nSTATUS=waits until "
                          "the leases of generation %u are over",
                          change.wait + UINT64_C(30000000), change.generation);
    wait_until(at + 1);
}
