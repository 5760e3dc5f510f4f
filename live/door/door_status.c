/*
 * door_status.c - the status of the node, for those who ask.
 *
 * Who asks too often or does not read must not cost anybody a lock.  Making the
 * text takes time from the loop: it is made once for all who wait for it, and
 * never takes more than a small part of the time.  A file on its way to a
 * client counts until it is read, and the system allows a user as many as a
 * process may have open (unix(7), ETOOMANYREFS): a client that has not read a
 * report gets no other, and no more than a part of what is allowed is used,
 * since a grant takes a file as well.
 */
#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/door/door_parts.h"

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

    client->report_sent = client_say(client, &letter, file);
    if (file >= 0)
        close(file);
}

/* A letter alone takes no file. */
static void refuse(struct client *client)
{
    struct live_letter letter = {.kind = LIVE_REFUSED,
                                 .reason = TOO_MANY_UNREAD};

    (void)client_say(client, &letter, -1);
}

/* One round: reports for clients that wait for one and have read the last,
 * beginning after those of the round before.  False: none waits any more. */
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

void status_asked(struct client *client)
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

void status_open(struct live_door *door)
{
    door->status.timer.data = door;
    (void)uv_timer_init(door->loop, &door->status.timer);
    door->closing++;
}

void status_close(struct live_door *door)
{
    uv_close((uv_handle_t *)&door->status.timer, door_closed);
}
