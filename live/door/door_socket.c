/*
 * door_socket.c - connections of local clients.  What they send is checked
 * here: one letter of one size, in its turn; anything else ends the connection.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/door/door_parts.h"

#include "live/common/clock.h"
#include "live/system/log.h"

enum {
    AT_A_TIME = 16,        /* clients that are let in before others work */
    FILES_APART = 32,      /* for the node itself */
    FILES_MOST = 1 << 20,  /* if there is no limit */
    PAUSE_MS = 100,        /* if nobody can be let in */
    TELL_EVERY = 10000000, /* that clients are turned away */
};

#define TOO_MANY "too many clients of this node at a time; try later"

static void tell(struct client *client, struct live_desk_in in)
{
    in.now = live_now();
    in.client = client->number;
    client->door->owner.heard(client->door->owner.whom, &in);
}

/* The name by which status speaks of the lock. */
static void note_name(const struct client *client)
{
    struct live_door *door = client->door;
    const struct live_desk_client *c =
        &door->node->desk.clients[client->number];

    if (c->state != LIVE_CLIENT_FRESH)
        memcpy(door->names[c->lock], client->name, sizeof client->name);
}

/* K8: more than a lease is of no use to anybody, and would hold up a stop. */
static uint64_t grace_of(const struct client *client,
                         const struct live_letter *letter)
{
    const struct live_config *config = client->door->config;
    uint64_t grace = 1000 * (uint64_t)letter->grace_ms;

    if (grace == 0)
        return config->kill;
    return grace < config->lease ? grace : config->lease;
}

static void ask(struct client *client, const struct live_letter *letter,
                int files[LIVE_FILES_MAX])
{
    char reason[LIVE_REASON_MAX];

    if (door_client_prepare(client, letter, files, reason)) {
        client->door->counts.refused++;
        door_client_refuse(client, LIVE_REFUSED_NOW, reason);
        return;
    }
    client->asked = true;
    tell(client, (struct live_desk_in){.event = LIVE_ASKED,
                                       .lock = live_lock_number(client->name),
                                       .shared = client->shared,
                                       .process = client->group != 0,
                                       .wait = letter->wait,
                                       .hold = letter->hold,
                                       .grace = grace_of(client, letter)});
    note_name(client);
}

/* An operator's: of those who could stop the node as well. */
static void order(struct client *client, const struct live_letter *letter,
                  int file)
{
    const struct live_door_owner *owner = &client->door->owner;
    const struct live_order wanted = {
        .kind = (enum live_order_kind)letter->shared,
        .name = letter->name,
        .more = letter->reason,
        .file = file,
        .forced = letter->hold == 1,
        .trial = letter->hold == 2,
        .wait = letter->wait,
        .uid = client->uid,
    };
    struct live_letter said = {.kind = LIVE_REFUSED,
                               .wait = LIVE_REFUSED_NOW,
                               .reason = "only root and the user of the node "
                                         "may do that"};
    enum live_ordered done = LIVE_ORDER_REFUSED;

    if (owner->obey && (client->uid == 0 || client->uid == geteuid()))
        done = owner->obey(owner->whom, &wanted, said.reason);
    if (done == LIVE_ORDER_DONE)
        said.kind = LIVE_DONE;
    else if (done == LIVE_ORDER_EARLY)
        said.wait = LIVE_REFUSED_LATE;
    (void)door_client_say(client, &said, -1);
}

/* False if it is not its turn.  Files that it takes over are -1 afterwards. */
static bool handle(struct client *client, const struct live_letter *letter,
                   int files[LIVE_FILES_MAX])
{
    switch (letter->kind) {
    case LIVE_ASK:
        if (client->asked)
            return false;
        ask(client, letter, files);
        return true;
    case LIVE_RELEASE:
        tell(client, (struct live_desk_in){.event = LIVE_GAVE});
        return true;
    case LIVE_STATUS:
        door_status_asked(client);
        return true;
    case LIVE_ORDER:
        if (client->asked)
            return false;
        order(client, letter, files[0]);
        return true;
    default:
        return false;
    }
}

/* The connection is over; its file stays open until door_client_end().  Closing
 * a handle takes the number of its file out of the loop once more: if the
 * number were free by then, a new client could have it, and would never be
 * heard. */
static void hang_up(struct client *client)
{
    if (client->gone)
        return;
    client->gone = true;
    (void)uv_poll_stop(&client->poll);
    (void)shutdown(client->fd, SHUT_RDWR);
}

/* The files that the node needs itself: pages of grants, reports, /proc.  A
 * file gets the lowest free number, which shows how many are open. */
static bool is_last(const struct live_door *door, int fd)
{
    return fd >= door->files_max;
}

static void tell_too_many(struct live_door *door)
{
    uint64_t now = live_now();

    door->counts.turned_away++;
    if (now < door->tell_at)
        return;
    door->tell_at = now + TELL_EVERY;
    live_log("clients are turned away, %" PRIu64 " so far: %u are here; "
             "at most %d, and %d files, are allowed",
             door->counts.turned_away, door->clients_count,
             (int)LIVE_CLIENTS_MAX, door->files_max);
}

/* An ask comes with no file, with one, or with three. */
static bool is_odd(const struct live_enclosed *e)
{
    return e->count == 2 || e->count > LIVE_FILES_MAX;
}

/* Why an ask cannot be taken with these files; or NULL. */
static const char *fault_of(const struct client *client,
                            const struct live_enclosed *e)
{
    const struct live_door *door = client->door;

    if (is_odd(e))
        return "an ask comes with no file, with one, or with three";
    if (e->lacks || client->extra || is_last(door, e->files[0]) ||
        is_last(door, e->files[1]) || is_last(door, e->files[2]))
        return TOO_MANY;
    return NULL;
}

/* False: the connection is to be ended. */
static bool answer(struct client *client, const struct live_letter *letter,
                   size_t size, struct live_enclosed *e)
{
    const char *fault = fault_of(client, e);

    if (!live_letter_of_client(letter, size)) {
        client->door->counts.odd++;
        return false;
    }
    if (letter->kind != LIVE_ASK && letter->kind != LIVE_ORDER) {
        live_enclosed_drop(e);
    } else if (letter->kind == LIVE_ASK && fault && !client->asked) {
        client->door->counts.refused++;
        door_client_refuse(client, LIVE_REFUSED_NOW, fault);
        if (!is_odd(e))
            tell_too_many(client->door);
        return !client->extra;
    }
    if (handle(client, letter, e->files))
        return true;
    client->door->counts.odd++;
    return false;
}

static void on_letter(uv_poll_t *poll, int status, int events)
{
    struct client *client = poll->data;
    struct live_letter letter = {0};
    struct live_enclosed e;
    ssize_t size;
    bool fine;

    (void)status;
    (void)events;
    size = live_letter_receive(client->fd, &letter, &e, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    fine = size > 0 && answer(client, &letter, (size_t)size, &e);
    live_enclosed_drop(&e);
    if (fine)
        return;
    hang_up(client);
    tell(client, (struct live_desk_in){.event = LIVE_VANISHED});
}

static void on_client_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void door_client_end(struct client *client)
{
    hang_up(client);
    client->door->clients[client->number] = NULL;
    client->door->clients_count--;
    uv_close((uv_handle_t *)&client->poll, on_client_closed);
    close(client->fd);
}

/* ---- Too many ------------------------------------------------------------ */

static void turn_away(struct live_door *door, int fd)
{
    struct live_letter letter = {.kind = LIVE_REFUSED, .reason = TOO_MANY};

    (void)live_letter_send(fd, &letter, NULL, 0, MSG_DONTWAIT);
    close(fd);
    tell_too_many(door);
}

/* LIVE_CLIENTS: none is left. */
static uint32_t free_number(const struct live_door *door)
{
    uint32_t i = 0;

    while (i < LIVE_CLIENTS && door->clients[i])
        i++;
    return i;
}

static void welcome(struct live_door *door, int fd)
{
    struct ucred who = {0};
    socklen_t size = sizeof who;
    struct client *client = NULL;
    uint32_t number = free_number(door);

    if (number < LIVE_CLIENTS && !is_last(door, fd - LIVE_CLIENTS_EXTRA))
        client = calloc(1, sizeof *client);
    if (!client || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) ||
        uv_poll_init(door->loop, &client->poll, fd)) {
        free(client);
        turn_away(door, fd);
        return;
    }
    client->door = door;
    client->number = number;
    client->fd = fd;
    client->pid = who.pid;
    client->uid = who.uid;
    client->extra =
        door->clients_count >= LIVE_CLIENTS_MAX || is_last(door, fd);
    client->pidfd = client->noted = -1;
    client->cgroup = LIVE_NO_CGROUP;
    client->poll.data = client;
    door->clients[number] = client;
    door->clients_count++;
    (void)uv_poll_start(&client->poll, UV_READABLE | UV_DISCONNECT, on_letter);
}

static void on_connection(uv_poll_t *poll, int status, int events);

static void on_pause_over(uv_timer_t *timer)
{
    struct live_door *door = timer->data;

    (void)uv_poll_start(&door->listener, UV_READABLE, on_connection);
}

/* Somebody waits, and cannot be let in: to ask at once again would leave no
 * time for anything else. */
static void pause_listening(struct live_door *door, int why)
{
    (void)uv_poll_stop(&door->listener);
    (void)uv_timer_start(&door->pause, on_pause_over, PAUSE_MS, 0);
    if (live_now() >= door->tell_at)
        live_log("cannot take a client: %s", strerror(why));
    if (live_now() >= door->tell_at)
        door->tell_at = live_now() + TELL_EVERY;
}

static void on_connection(uv_poll_t *poll, int status, int events)
{
    struct live_door *door = poll->data;
    int fd;

    (void)status;
    (void)events;
    for (int i = 0; i < AT_A_TIME; i++) {
        fd = accept4(door->listener_fd, NULL, NULL,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
                errno == ENOBUFS)
                pause_listening(door, errno);
            return;
        }
        welcome(door, fd);
    }
}

/* ---- Beginning and end --------------------------------------------------- */

/* As many files as may be open, less some for the node. */
static int count_files(void)
{
    struct rlimit limit;
    rlim_t most;

    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > FILES_MOST)
        return FILES_MOST;
    most = limit.rlim_cur;
    return (int)(most > (rlim_t)4 * FILES_APART ? most - FILES_APART
                                                : most - most / 4);
}

bool door_socket_open(struct live_door *door, const struct live_user *user,
                      struct net_why *error)
{
    door->listener_fd = door_listen_open(door, user, error);
    if (door->listener_fd < 0)
        return false;
    door->files_max = count_files();
    door->listener.data = door->pause.data = door;
    (void)uv_poll_init(door->loop, &door->listener, door->listener_fd);
    (void)uv_poll_start(&door->listener, UV_READABLE, on_connection);
    (void)uv_timer_init(door->loop, &door->pause);
    door->closing += 2;
    door_status_open(door);
    return true;
}

void door_socket_close(struct live_door *door)
{
    (void)uv_poll_stop(&door->listener);
    door_listen_close(door);
    uv_close((uv_handle_t *)&door->listener, door_closed);
    uv_close((uv_handle_t *)&door->pause, door_closed);
    door_status_close(door);
}
