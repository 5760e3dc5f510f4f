/*
 * desk_client.c - one client of the desk: what it is told, the page with its
 * deadline, and what the log says of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/desk/desk_parts.h"

#include "live/clock.h"
#include "live/log.h"

/* A page that the client can map, but only to read; its file, or -1. */
static int make_page(struct client *client, char reason[LIVE_REASON_MAX])
{
    const size_t size = sizeof(struct live_page);
    int fd = memfd_create("fulcrum-deadline", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *page = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
        page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED &&
        fcntl(fd, F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE) == 0) {
        client->page = page;
        return fd;
    }
    snprintf(reason, LIVE_REASON_MAX, "the node cannot make a page: %s",
             strerror(errno));
    if (page != MAP_FAILED)
        (void)munmap(page, size);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* -1 with a reason: then client_rest() clears away what was made. */
int client_prepare(struct client *client, const struct live_letter *ask,
                   int files[LIVE_FILES_MAX], char reason[LIVE_REASON_MAX])
{
    uint64_t now = live_now();

    client->shared = ask->shared;
    client->hold = ask->hold;
    client->told = false;
    client->asked_at = now;
    client->wait_until =
        ask->wait > UINT64_MAX - now ? UINT64_MAX : now + ask->wait;
    if (ask->time_ns != client->desk->time_ns || ask->time_ns == UINT64_MAX) {
        snprintf(reason, LIVE_REASON_MAX,
                 "you are not in the time namespace of the node, and a "
                 "deadline means something else there; run both in one");
        return -1;
    }
    return process_take(client, files, reason);
}

/* Says something; false if it cannot be delivered: the client is gone, or does
 * not read. */
bool client_say(struct client *client, const struct live_letter *letter,
                int descriptor)
{
    return !client->gone &&
           live_letter_send(client->fd, letter, &descriptor, descriptor >= 0,
                            MSG_DONTWAIT) == 0;
}

void client_refuse(struct client *client, enum live_refusal how,
                   const char *reason)
{
    struct live_letter letter = {.kind = LIVE_REFUSED, .wait = how};

    snprintf(letter.reason, sizeof letter.reason, "%s", reason);
    client->desk->counts.refused++;
    (void)client_say(client, &letter, -1);
    client_rest(client);
}

/* When the client must have let go, whatever the lease. */
static uint64_t limit_of(const struct client *client)
{
    uint64_t now = live_now();

    return client->hold && client->hold < UINT64_MAX - now ? now + client->hold
                                                           : UINT64_MAX;
}

/* False if there is no time left, or the client was refused. */
bool client_grant(struct client *client, uint64_t token, uint64_t deadline)
{
    struct live_letter letter = {.kind = LIVE_GRANTED, .token = token};
    char reason[LIVE_REASON_MAX];
    int file;

    if (live_now() >= deadline)
        return false;
    file = make_page(client, reason);
    if (file < 0) {
        client_refuse(client, false, reason);
        client->desk->again = true;
        return false;
    }
    client->state = CLIENT_HOLDS;
    client->token = token;
    client->granted_at = live_now();
    client->page->limit = limit_of(client);
    client->page->kill = client->desk->config->kill;
    client_move(client, deadline);
    client->desk->counts.grants++;
    client->granted_at = live_now();
    if (client->group && client->desk->holders)
        client->noted = live_holders_note(client->desk->holders, client->group);
    trail_granted(client);
    letter.now = live_now();
    if (!client_say(client, &letter, file)) {
        client->desk->counts.unread++;
        client_kill(client, "its client does not read that it holds it");
    }
    close(file);
    return true;
}

/* Forward only, and not beyond the limit. */
void client_move(struct client *client, uint64_t deadline)
{
    uint64_t before =
        atomic_load_explicit(&client->page->deadline, memory_order_relaxed);

    if (deadline > client->page->limit)
        deadline = client->page->limit;
    if (deadline > before) /* pairs with the acquire in client.c */
        atomic_store_explicit(&client->page->deadline, deadline,
                              memory_order_release);
}

/* Stops a holder; it keeps its lock until it is dead, or the lease is over.
 * Its page says so at once: a client that works in its own process has nothing
 * else to go by, and the deadline that it was promised may be far ahead. */
void client_kill(struct client *client, const char *why)
{
    struct live_letter letter = {.kind = LIVE_LOST};

    if (client->state != CLIENT_HOLDS)
        return;
    atomic_store_explicit(&client->page->deadline, 0, memory_order_release);
    process_kill(client);
    client->state = CLIENT_DYING;
    client->killed_at = live_now();
    client->desk->counts.lost++;
    trail_lost(client, why);
    snprintf(letter.reason, sizeof letter.reason, "%s", why);
    (void)client_say(client, &letter, -1);
}

/* A client that works in its own process has seen its page, or K has passed. */
bool client_is_dead(struct client *client, uint64_t now)
{
    if (client->group)
        return process_is_dead(client, now);
    return client->gone ||
           now >= client->killed_at + client->desk->config->kill;
}

void client_rest(struct client *client)
{
    if (client->lock)
        TAILQ_REMOVE(&client->lock->clients, client, in_lock);
    client->lock = NULL;
    client->state = CLIENT_FRESH;
    client->token = 0;
    if (client->noted >= 0)
        live_holders_forget(client->desk->holders, client->noted);
    client->noted = -1;
    process_forget(client);
    if (client->page)
        (void)munmap(client->page, sizeof *client->page);
    client->page = NULL;
}

/* ---- The log ------------------------------------------------------------- */

/* Who held what when, a line each; of a fast stream of grants only some, and a
 * sum. */
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
