/*
 * desk_trail.c - who held what when, a line each in the log; of a fast stream
 * of grants only some, and a sum.
 */
#include <inttypes.h>
#include <stdio.h>

#include "live/desk/desk_parts.h"

#include "live/clock.h"
#include "live/log.h"

enum { LINES = 20, SECOND = 1000000 }; /* of either kind, in each second */

void trail_sum(struct live_desk *desk, uint64_t now)
{
    struct trail *t = &desk->trail;

    if (now < t->until)
        return;
    if (t->grants > LINES || t->releases > LINES)
        live_log("and %" PRIu64 " more grants, %" PRIu64 " more releases",
                 t->grants > LINES ? t->grants - LINES : 0,
                 t->releases > LINES ? t->releases - LINES : 0);
    *t = (struct trail){.until = now + SECOND};
}

void trail_granted(const struct client *client)
{
    struct live_desk *desk = client->desk;
    char group[48] = "";

    trail_sum(desk, client->granted_at);
    if (desk->trail.grants++ >= LINES)
        return;
    if (client->group)
        snprintf(group, sizeof group, ", its command is %d",
                 (int)client->group);
    live_log("lock %s: token %" PRIu64 "%s granted to process %d of user %u%s",
             client->lock->name, client->token,
             client->shared ? ", shared," : "", (int)client->pid,
             (unsigned)client->uid, group);
}

void trail_released(const struct client *client)
{
    struct live_desk *desk = client->desk;
    uint64_t now = live_now();

    trail_sum(desk, now);
    if (desk->trail.releases++ >= LINES)
        return;
    live_log("lock %s: token %" PRIu64 " released by process %d of user %u "
             "after %" PRIu64 " ms",
             client->lock->name, client->token, (int)client->pid,
             (unsigned)client->uid, (now - client->granted_at) / 1000);
}

void trail_lost(const struct client *client, const char *why)
{
    live_log("lock %s: token %" PRIu64 " of process %d of user %u is lost "
             "after %" PRIu64 " ms: %s",
             client->lock->name, client->token, (int)client->pid,
             (unsigned)client->uid, (live_now() - client->granted_at) / 1000,
             why);
}
