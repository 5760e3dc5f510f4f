/*
 * door_status.c - the status of the node, for clients that ask.
 *
 * A client that asks too often or does not read must not cost another a lock.
 * Making the text takes time from the loop: it is made once for all that wait
 * for it, and never takes more than a small part of the time.  A file on its
 * way to a client counts until it is read, and the system allows a user as many
 * as a process may have open (unix(7), ETOOMANYREFS): a client that has not
 * read a report gets no other, and no more than a part of what is allowed is
 * used, since a grant takes a file as well.
 */
#include "live/door/door_parts.h"

#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/common/clock.h"

enum {
    MILLISECOND = 1000,
    ROUND = 10 * MILLISECOND, /* reports are given no more often, */
    SHARE = 20,               /* nor for more than a part of the time, */
    AT_ONCE = 32,             /* nor to more clients */
    UNREAD_PART = 4,          /* of the files that may be open */
};

#define TOO_MANY_UNREAD                                                        \
    "too many reports of this node are unread; end the programs that ask for " \
    "its status and do not read it"

/* ---- Its text, in JSON --------------------------------------------------- */

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

static char *report_text(const struct live_door *door)
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

/* ---- When a client gets it ----------------------------------------------- */

/* Whether the client has read all that was sent to it. */
static bool has_read(const struct client *client)
{
    int unread;

    return ioctl(client->fd, SIOCOUTQ, &unread) != 0 || unread == 0;
}

/* Reports that clients have not read. */
static uint32_t count_unread(struct live_door *door)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < LIVE_CLIENTS; i++) {
        struct client *c = door->clients[i];

        if (!c || !c->report_sent)
            continue;
        c->report_sent = !has_read(c);
        sum += c->report_sent;
    }
    return sum;
}

/* A file in memory, at its beginning: the client's own, which it may read
 * whenever it likes.  -1 if the system refuses. */
static int file_of(const char *text)
{
    size_t size = strlen(text);
    int fd = memfd_create("fulcrum-status", MFD_CLOEXEC);

    if (fd < 0)
        return -1;
    if (write(fd, text, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    close(fd);
    return -1;
}

static void give(struct client *client, const char *text)
{
    struct live_letter letter = {.kind = LIVE_REPORT};
    int file = text ? file_of(text) : -1;

    client->report_sent = door_client_say(client, &letter, file);
    if (file >= 0)
        close(file);
}

/* A letter alone takes no file. */
static void refuse(struct client *client)
{
    struct live_letter letter = {.kind = LIVE_REFUSED,
                                 .reason = TOO_MANY_UNREAD};

    (void)door_client_say(client, &letter, -1);
}

/* One round: reports for clients that wait for one and have read the last,
 * beginning after the clients of the round before.  False: none waits any
 * more. */
static bool give_round(struct live_door *door)
{
    uint32_t room = (uint32_t)door->files_max / UNREAD_PART, given = 0;
    uint32_t unread = count_unread(door), first = door->status.from;
    char *text = NULL;
    bool some_wait = false;

    for (uint32_t i = 0; i < LIVE_CLIENTS; i++) {
        struct client *c = door->clients[(first + i) % LIVE_CLIENTS];

        if (!c || c->gone || !c->report_due)
            continue;
        if (c->report_sent || given == AT_ONCE) {
            some_wait = true;
            continue;
        }
        door->status.from = (c->number + 1) % LIVE_CLIENTS;
        c->report_due = false;
        given++;
        if (unread < room) {
            text = text ? text : report_text(door);
            give(c, text);
        }
        unread += c->report_sent;
        if (!c->report_sent)
            refuse(c);
    }
    free(text);
    return some_wait;
}

static void look(struct live_door *door);

static void on_timer(uv_timer_t *timer)
{
    look(timer->data);
}

static void look_later(struct live_door *door, uint64_t now)
{
    (void)uv_timer_start(
        &door->status.timer, on_timer,
        (door->status.next_at - now + MILLISECOND - 1) / MILLISECOND, 0);
}

static void look(struct live_door *door)
{
    uint64_t began = live_now(), rest;
    bool again = give_round(door);
    uint64_t now = live_now();

    rest = SHARE * (now - began);
    door->status.next_at = now + (rest > ROUND ? rest : ROUND);
    if (again)
        look_later(door, now);
}

void door_status_asked(struct client *client)
{
    struct live_door *door = client->door;
    uint64_t now = live_now();

    client->report_due = true;
    if (uv_is_active((uv_handle_t *)&door->status.timer))
        return;
    if (now >= door->status.next_at)
        look(door);
    else
        look_later(door, now);
}

void door_status_open(struct live_door *door)
{
    door->status.timer.data = door;
    (void)uv_timer_init(door->loop, &door->status.timer);
    door->closing++;
}

void door_status_close(struct live_door *door)
{
    uv_close((uv_handle_t *)&door->status.timer, door_closed);
}
