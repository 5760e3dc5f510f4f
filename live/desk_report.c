/*
 * desk_report.c - what the desk says of itself: why somebody waits, and the
 * status of the node as a file in JSON.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/desk_parts.h"

#include "live/clock.h"

static bool has(uint16_t set, uint32_t node)
{
    return (uint32_t)set >> node & 1u;
}

/* The names of a set of nodes: "a, b". */
static const char *names(const struct live_desk *desk, uint16_t set,
                         char text[LIVE_REASON_MAX])
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t x = 0; x < desk->config->nodes_count; x++)
        if (has(set, x) && used < LIVE_REASON_MAX)
            used +=
                (size_t)snprintf(text + used, LIVE_REASON_MAX - used, "%s%s",
                                 used ? ", " : "", desk->config->nodes[x].name);
    return text;
}

/* Who was heard of within the silence; itself always. */
static uint16_t heard(const struct live_desk *desk, uint64_t now)
{
    const struct view_lock *s = live_engine_state(desk->engine);
    uint16_t set = (uint16_t)(1u << desk->self);

    for (uint32_t x = 0; x < desk->config->nodes_count; x++) {
        uint64_t at = s->peer[x].heard_at;

        if (at && now - at <= live_engine_params(desk->engine)->silence)
            set |= (uint16_t)(1u << x);
    }
    return set;
}

void report_reason(const struct live_desk *desk, const struct lock *lock,
                   char reason[LIVE_REASON_MAX])
{
    const struct view_lock *s = live_engine_state(desk->engine);
    const struct view_lock_one *one = live_engine_lock(desk->engine, lock->id);
    uint32_t nodes = desk->config->nodes_count, count;
    uint64_t now = live_now();
    uint16_t set = heard(desk, now);
    char text[LIVE_REASON_MAX];

    count = (uint32_t)__builtin_popcount(set);
    if (one && one->role == MUTEX_INSIDE)
        snprintf(reason, LIVE_REASON_MAX,
                 "another client of this node has the lock");
    else if (count < nodes / 2 + 1)
        snprintf(reason, LIVE_REASON_MAX,
                 "no majority: this node hears %u of %u nodes (%.90s), and "
                 "needs %u; see that the others run and that packets reach "
                 "them",
                 count, nodes, names(desk, set, text), nodes / 2 + 1);
    else if (now - s->start < live_engine_params(desk->engine)->quiet)
        snprintf(reason, LIVE_REASON_MAX,
                 "this node has just started, and takes part in a moment");
    else if (!s->view || s->view != s->record.maxv)
        snprintf(reason, LIVE_REASON_MAX,
                 "no view with this node yet: the others are agreeing on one");
    else if (now >= s->lease_end)
        snprintf(reason, LIVE_REASON_MAX,
                 "the node has no lease: a majority does not answer in time");
    else if (!s->clean && now < s->quiet_end)
        snprintf(reason, LIVE_REASON_MAX,
                 "those who were left out of the view may still hold it");
    else
        snprintf(reason, LIVE_REASON_MAX,
                 "somebody has it, or was first, at one of: %.200s",
                 names(desk,
                       (uint16_t)(s->members & ~(1u << desk->self) &
                                  ~(one ? one->ok : 0u)),
                       text));
}

/* ---- Status -------------------------------------------------------------- */

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

    if (c->token) {
        uint64_t end =
            atomic_load_explicit(&c->page->deadline, memory_order_relaxed);

        json_object_set_new(o, "token", json_integer((json_int_t)c->token));
        json_object_set_new(
            o, "left_us",
            json_integer(end > now ? (json_int_t)(end - now) : 0));
    } else {
        json_object_set_new(o, "waits_us",
                            json_integer((json_int_t)(now - c->asked_at)));
    }
    return o;
}

static json_t *describe_set(const struct live_desk *desk, uint16_t set)
{
    json_t *list = json_array();

    for (uint32_t x = 0; x < desk->config->nodes_count; x++)
        if (has(set, x))
            json_array_append_new(list,
                                  json_string(desk->config->nodes[x].name));
    return list;
}

static json_t *describe_lock(const struct live_desk *desk,
                             const struct lock *lock, uint64_t now)
{
    const struct view_lock *s = live_engine_state(desk->engine);
    const struct view_lock_one *one = live_engine_lock(desk->engine, lock->id);
    json_t *o = json_object(), *holders = json_array(), *waiters = json_array();
    const struct client *c;
    bool inside = one && one->role == MUTEX_INSIDE;
    uint64_t token = one && inside ? one->token : 0;
    uint16_t lacks = 0;

    if (one && !inside)
        lacks = (uint16_t)(s->members & ~one->ok & ~(1u << desk->self));
    json_object_set_new(o, "name", json_string(lock->name));
    json_object_set_new(o, "held", json_boolean(inside));
    json_object_set_new(o, "shared", json_boolean(one && one->shared));
    json_object_set_new(o, "token", json_integer((json_int_t)token));
    TAILQ_FOREACH(c, &lock->clients, in_lock)
    json_array_append_new(c->state == CLIENT_QUEUED ? waiters : holders,
                          describe_client(c, now));
    json_object_set_new(o, "holders", holders);
    json_object_set_new(o, "waiters", waiters);
    json_object_set_new(o, "lacks", describe_set(desk, lacks));
    json_object_set_new(o, "deferred",
                        describe_set(desk, one ? one->deferred : 0));
    return o;
}

static void describe_desk(const struct live_desk *desk, json_t *o)
{
    const struct live_desk_counts *n = &desk->counts;
    json_t *locks = json_array();
    uint64_t now = live_now();

    for (uint32_t i = 0; i < VIEW_LOCK_LOCKS; i++)
        if (desk->locks[i].used)
            json_array_append_new(locks,
                                  describe_lock(desk, &desk->locks[i], now));
    json_object_set_new(o, "locks", locks);
    json_object_set_new(o, "heard", describe_set(desk, heard(desk, now)));
    json_object_set_new(
        o, "clients",
        json_pack("{s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "connected",
                  (int)desk->clients_count, "grants", (json_int_t)n->grants,
                  "releases", (json_int_t)n->releases, "lost",
                  (json_int_t)n->lost, "refused", (json_int_t)n->refused,
                  "timeouts", (json_int_t)n->timeouts, "odd",
                  (json_int_t)n->odd));
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
