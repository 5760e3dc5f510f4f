/*
 * door_client.c - one client: what it is told, the page with its
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

#include "live/door/door_parts.h"

#include "live/common/clock.h"
#include "live/system/log.h"

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

/* -1 with a reason: then door_client_rest() clears away what was made. */
int door_client_prepare(struct client *client, const struct live_letter *ask,
                        int files[LIVE_FILES_MAX], char reason[LIVE_REASON_MAX])
{
    client->shared = ask->shared;
    snprintf(client->name, sizeof client->name, "%.*s", LIVE_LOCK_NAME_MAX,
             ask->name);
    if (ask->time_ns != client->door->time_ns || ask->time_ns == UINT64_MAX) {
        snprintf(reason, LIVE_REASON_MAX,
                 "you are not in the time namespace of the node, and a "
                 "deadline means something else there; run both in one");
        return -1;
    }
    return door_process_take(client, ask->token, files, reason);
}

/* Says something; false if it cannot be delivered: the client is gone, or does
 * not read. */
bool door_client_say(struct client *client, const struct live_letter *letter,
                     int descriptor)
{
    return !client->gone &&
           live_letter_send(client->fd, letter, &descriptor, descriptor >= 0,
                            MSG_DONTWAIT) == 0;
}

void door_client_refuse(struct client *client, enum live_refusal how,
                        const char *reason)
{
    struct live_letter letter = {.kind = LIVE_REFUSED, .wait = how};

    snprintf(letter.reason, sizeof letter.reason, "%s", reason);
    (void)door_client_say(client, &letter, -1);
    door_client_rest(client);
}

/* It could not be told that it holds the lock, and does nothing under it. */
static void undelivered(struct client *client, int why)
{
    char reason[LIVE_REASON_MAX];

    client->door->counts.unread++;
    if (client->gone || why == EAGAIN) {
        door_fails(client, LIVE_UNREAD, "");
        return;
    }
    snprintf(reason, sizeof reason, "the node cannot pass on a deadline: %s%s",
             strerror(why),
             why == ETOOMANYREFS
                 ? "; programs of its user have been sent too many files that "
                   "they do not read"
                 : "");
    live_log("lock %s: token %" PRIu64 " of process %d is taken back: %s",
             client->name, client->token, (int)client->pid, reason);
    door_fails(client, LIVE_UNABLE, reason);
}

void door_client_grant(struct client *client, const struct live_effect *grant)
{
    struct live_letter letter = {.kind = LIVE_GRANTED, .token = grant->token};
    char reason[LIVE_REASON_MAX];
    int file = make_page(client, reason);

    if (file < 0) {
        door_fails(client, LIVE_UNABLE, reason);
        return;
    }
    client->token = grant->token;
    client->page->limit = grant->limit;
    client->page->kill = client->door->config->kill;
    door_client_move(client, grant->deadline);
    client->granted_at = live_now();
    if (client->group && client->door->holders)
        client->noted = live_holders_note(
            client->door->holders, client->group, client->uid,
            live_cgroup_is(&client->cgroup), client->quarry.mark);
    door_trail_granted(client);
    letter.now = live_now();
    if (!door_client_say(client, &letter, file))
        undelivered(client, errno);
    close(file);
}

/* Forward only, and not beyond the limit. */
void door_client_move(struct client *client, uint64_t deadline)
{
    uint64_t before;

    if (!client->page || client->killed_at)
        return;
    before =
        atomic_load_explicit(&client->page->deadline, memory_order_relaxed);
    if (deadline > client->page->limit)
        deadline = client->page->limit;
    if (deadline > before) /* pairs with the acquire in client.c */
        atomic_store_explicit(&client->page->deadline, deadline,
                              memory_order_release);
}

/* The letter is there before the command ends: so the client knows why. */
void door_client_tell(struct client *client, const struct live_effect *tell,
                      const char *why)
{
    struct live_letter letter = {.kind = LIVE_ENDING};
    uint64_t now = live_now();

    letter.wait = tell->deadline > now ? tell->deadline - now : 0;
    snprintf(letter.reason, sizeof letter.reason, "%s", why);
    (void)door_client_say(client, &letter, -1);
    if (tell->how)
        return;
    door_process_tell(client);
    door_trail_told(client, letter.wait, why);
}

static void withdraw(struct live_page *page)
{
    atomic_store_explicit(&page->deadline, 0, memory_order_release);
}

/* No process that has the page may go on believing in it (rule K10): a child
 * that the client has forked, or a thread of the client. */
static void forget_page(struct client *client)
{
    struct live_page *page = client->page;

    if (!page)
        return;
    withdraw(page);
    (void)munmap(page, sizeof *page);
    client->page = NULL;
}

/* Stops a holder; it keeps its lock until it is dead, or the lease is over.
 * Its page says so at once: a client that works in its own process has nothing
 * else to go by, and the deadline that it was promised may be far ahead. */
void door_client_kill(struct client *client, const char *why)
{
    struct live_letter letter = {.kind = LIVE_LOST};

    if (client->page)
        withdraw(client->page);
    door_process_kill(client);
    client->killed_at = live_now();
    client->door->dying++;
    door_trail_lost(client, why);
    snprintf(letter.reason, sizeof letter.reason, "%s", why);
    (void)door_client_say(client, &letter, -1);
}

void door_client_rest(struct client *client)
{
    client->asked = false;
    client->door->dying -= client->killed_at != 0;
    client->token = client->killed_at = 0;
    if (client->noted >= 0)
        live_holders_forget(client->door->holders, client->noted);
    client->noted = -1;
    door_process_forget(client);
    forget_page(client);
}

/* ---- The log ------------------------------------------------------------- */

/* Holder, lock and time, a line each; of a fast stream of grants only some, and
 * a sum. */
enum { LINES = 20, SECOND = 1000000 }; /* of either kind, in each second */

void door_trail_sum(struct live_door *door, uint64_t now)
{
    struct trail *t = &door->trail;

    if (now < t->until)
        return;
    if (t->grants > LINES || t->releases > LINES)
        live_log("and %" PRIu64 " more grants, %" PRIu64 " more releases",
                 t->grants > LINES ? t->grants - LINES : 0,
                 t->releases > LINES ? t->releases - LINES : 0);
    *t = (struct trail){.until = now + SECOND};
}

void door_trail_granted(const struct client *client)
{
    struct live_door *door = client->door;
    char group[48] = "";

    door_trail_sum(door, client->granted_at);
    if (door->trail.grants++ >= LINES)
        return;
    if (client->group)
        snprintf(group, sizeof group, ", its command is %d",
                 (int)client->group);
    live_log("lock %s: token %" PRIu64 "%s granted to process %d of user %u%s",
             client->name, client->token, client->shared ? ", shared," : "",
             (int)client->pid, (unsigned)client->uid, group);
}

void door_trail_released(const struct client *client)
{
    struct live_door *door = client->door;
    uint64_t now = live_now();

    door_trail_sum(door, now);
    if (door->trail.releases++ >= LINES)
        return;
    live_log("lock %s: token %" PRIu64 " released by process %d of user %u "
             "after %" PRIu64 " ms",
             client->name, client->token, (int)client->pid,
             (unsigned)client->uid, (now - client->granted_at) / 1000);
}

void door_trail_told(const struct client *client, uint64_t left,
                     const char *why)
{
    live_log("lock %s: token %" PRIu64 " of process %d of user %u: told to end "
             "within %" PRIu64 " ms: %s",
             client->name, client->token, (int)client->pid,
             (unsigned)client->uid, left / 1000, why);
}

void door_trail_lost(const struct client *client, const char *why)
{
    live_log("lock %s: token %" PRIu64 " of process %d of user %u is lost "
             "after %" PRIu64 " ms: %s",
             client->name, client->token, (int)client->pid,
             (unsigned)client->uid, (live_now() - client->granted_at) / 1000,
             why);
}
