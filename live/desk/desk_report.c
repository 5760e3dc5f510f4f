/*
 * desk_report.c - what the desk says of itself: why somebody waits, and the
 * status of the node as a file in JSON.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/desk/desk_parts.h"

#include "live/clock.h"

void report_reason(const struct live_desk *desk, const struct lock *lock,
                   char reason[LIVE_REASON_MAX])
{
    if (desk->held_up[0])
        snprintf(reason, LIVE_REASON_MAX, "%s", desk->held_up);
    else
        desk->mode->kind->reason(desk->mode, lock->id, reason);
}

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

static json_t *describe_client(const struct client *c, uint64_t now)
{
    static const char *const states[] = {"fresh", "waits", "holds", "dies"};
    json_t *o =
        json_pack("{s:s, s:i, s:i, s:s, s:b}", "state", states[c->state], "pid",
                  (int)c->pid, "group", (int)c->group, "stopped_by",
                  live_cgroup_is(&c->cgroup) ? "cgroup"
                  : c->group                 ? "group"
                                             : "itself",
                  "shared", (int)c->shared);

    json_object_set_new(o, "stuck", json_boolean(c->stuck));
    LIVE_NUMBERS(o, {"uid", c->uid});
    if (c->token) {
        uint64_t end =
            atomic_load_explicit(&c->page->deadline, memory_order_relaxed);

        LIVE_NUMBERS(o, {"token", c->token}, {"held_us", now - c->granted_at},
                     {"left_us", end > now ? end - now : 0});
    } else {
        LIVE_NUMBERS(o, {"waits_us", now - c->asked_at});
    }
    return o;
}

static json_t *describe_lock(const struct live_desk *desk,
                             const struct lock *lock, uint64_t now)
{
    struct live_lock_view one = desk->mode->kind->look(desk->mode, lock->id);
    json_t *o = json_object(), *holders = json_array(), *waiters = json_array();
    const struct client *c;

    json_object_set_new(o, "name", text_of(lock->name));
    json_object_set_new(o, "held", json_boolean(one.phase == FC_INSIDE));
    json_object_set_new(o, "shared", json_boolean(one.shared));
    LIVE_NUMBERS(o, {"token", one.token});
    TAILQ_FOREACH (c, &lock->clients, in_lock)
        json_array_append_new(c->state == CLIENT_QUEUED ? waiters : holders,
                              describe_client(c, now));
    json_object_set_new(o, "holders", holders);
    json_object_set_new(o, "waiters", waiters);
    json_object_set_new(o, "lacks", live_mode_list(desk->config, one.lacks));
    json_object_set_new(o, "deferred",
                        live_mode_list(desk->config, one.wanted));
    return o;
}

static void describe_desk(const struct live_desk *desk, json_t *o)
{
    const struct live_desk_counts *n = &desk->counts;
    json_t *locks = json_array();
    uint64_t now = live_now();

    for (uint32_t i = 0; i < LIVE_LOCKS_MAX; i++)
        if (desk->locks[i].used)
            json_array_append_new(locks,
                                  describe_lock(desk, &desk->locks[i], now));
    json_object_set_new(o, "locks", locks);
    json_object_set_new(
        o, "clients",
        LIVE_NUMBERS(NULL, {"connected", desk->clients_count},
                     {"grants", n->grants}, {"releases", n->releases},
                     {"lost", n->lost}, {"refused", n->refused},
                     {"timeouts", n->timeouts}, {"odd", n->odd},
                     {"stuck", n->stuck}, {"turned_away", n->turned_away},
                     {"unread", n->unread}));
}

/* A file in memory, at its beginning; -1 if the system refuses. */
int report_file(const struct live_desk *desk)
{
    int fd = memfd_create("fulcrum-status", MFD_CLOEXEC);
    json_t *o;

    if (fd < 0)
        return -1;
    o = json_object();
    desk->describe(desk->whom, o);
    describe_desk(desk, o);
    if (!o || json_dumpfd(o, fd, JSON_INDENT(2)) || lseek(fd, 0, SEEK_SET)) {
        close(fd);
        fd = -1;
    }
    json_decref(o);
    return fd;
}
