/*
 * door_report.c - the status of the node, in JSON.
 */
#include <stdio.h>

#include "live/door/door_parts.h"

#include "live/common/clock.h"

/* ---- Status -------------------------------------------------------------- */

/* A text as JSON takes it: a name of other bytes than UTF-8 shows them as \xNN,
 * and so it has one all the same. */
static json_t *text_of(const char *name)
{
    json_t *text = json_string(name);
    char shown[4 * LIVE_LOCK_NAME_MAX + 1];
    size_t used = 0;

    if (text)
        return text;
    for (; *name && used + 4 < sizeof shown; name++)
        used += (size_t)snprintf(shown + used, sizeof shown - used,
                                 *name & 0x80 ? "\\x%02x" : "%c",
                                 (unsigned char)*name);
    return json_string(shown);
}

static json_t *describe_client(const struct live_door *door, uint32_t number,
                               uint64_t now)
{
    static const char *const states[] = {"fresh", "waits", "holds", "dies"};
    const struct live_desk_client *c = &door->node->desk.clients[number];
    const struct client *who = door->clients[number];
    json_t *o =
        json_pack("{s:s, s:i, s:i, s:s, s:b}", "state", states[c->state], "pid",
                  (int)who->pid, "group", (int)who->group, "stopped_by",
                  live_cgroup_is(&who->cgroup) ? "cgroup"
                  : who->group                 ? "group"
                                               : "itself",
                  "shared", (int)c->shared);

    json_object_set_new(o, "stuck", json_boolean(who->stuck));
    LIVE_NUMBERS(o, {"uid", who->uid});
    if (c->token)
        LIVE_NUMBERS(LIVE_NAMES(o, {"token", c->token}),
                     {"held_us", now - c->granted_at},
                     {"left_us", c->deadline > now ? c->deadline - now : 0});
    else
        LIVE_NUMBERS(o, {"waits_us", now - c->asked_at});
    return o;
}

static json_t *describe_lock(const struct live_door *door, uint32_t number,
                             uint64_t now)
{
    const struct live_desk *desk = &door->node->desk;
    const struct live_desk_lock *lock = &desk->locks[number];
    const struct live_lock_view *one = &lock->seen;
    const struct live_mode *mode = door->node->mode;
    json_t *o = json_object(), *holders = json_array(), *waiters = json_array();

    json_object_set_new(o, "name", text_of(door->names[number]));
    json_object_set_new(o, "held", json_boolean(one->phase == FC_INSIDE));
    json_object_set_new(o, "shared", json_boolean(one->shared));
    LIVE_NAMES(o, {"token", one->token});
    for (uint16_t i = lock->first; i != LIVE_NOBODY; i = desk->clients[i].next)
        json_array_append_new(
            desk->clients[i].state == LIVE_CLIENT_QUEUED ? waiters : holders,
            describe_client(door, i, now));
    json_object_set_new(o, "holders", holders);
    json_object_set_new(o, "waiters", waiters);
    if (mode->kind->held_at)
        json_object_set_new(
            o, "held_at",
            live_mode_list(door->config,
                           mode->kind->held_at(mode, lock->id, now)));
    json_object_set_new(o, "lacks", live_mode_list(door->config, one->lacks));
    json_object_set_new(o, "deferred",
                        live_mode_list(door->config, one->wanted));
    return o;
}

static void describe_door(const struct live_door *door, uint64_t now, json_t *o)
{
    const struct live_desk *desk = &door->node->desk;
    const struct live_desk_counts *n = &desk->counts;
    const struct live_door_counts *d = &door->counts;
    json_t *locks = json_array();

    for (uint32_t i = 0; i < desk->locks_used; i++)
        if (desk->locks[i].used)
            json_array_append_new(locks, describe_lock(door, i, now));
    json_object_set_new(o, "locks", locks);
    json_object_set_new(
        o, "clients",
        LIVE_NUMBERS(NULL, {"connected", door->clients_count},
                     {"grants", n->grants}, {"releases", n->releases},
                     {"lost", n->lost}, {"refused", n->refused + d->refused},
                     {"timeouts", n->timeouts}, {"odd", d->odd},
                     {"stuck", d->stuck}, {"turned_away", d->turned_away},
                     {"unread", d->unread}));
}

char *report_text(const struct live_door *door)
{
    json_t *o = json_object();
    uint64_t now = live_now();
    char *text;

    door->owner.describe(door->owner.whom, now, o);
    describe_door(door, now, o);
    text = json_dumps(o, JSON_INDENT(2));
    json_decref(o);
    return text;
}
