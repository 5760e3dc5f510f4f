/*
 * door.c - see door.h: what the desk wants of its clients, carried out.
 */
#include "live/door/door_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "live/process/proc.h"

enum { LOOK_AGAIN = 1000 }; /* whether the killed are dead */

/* ---- Carrying out -------------------------------------------------------- */

static void explain(struct client *c, const char *why)
{
    struct live_letter letter = {.kind = LIVE_WAITING};

    snprintf(letter.reason, sizeof letter.reason, "%s", why);
    (void)door_client_say(c, &letter, -1);
}

static void released(struct client *c)
{
    struct live_letter letter = {.kind = LIVE_RELEASED};

    if (c->token && !c->killed_at)
        door_trail_released(c);
    door_client_rest(c);
    (void)door_client_say(c, &letter, -1);
}

void live_door_do(struct live_door *door, const struct live_effect *e,
                  const char *why)
{
    struct client *c = e->whom < LIVE_CLIENTS ? door->clients[e->whom] : NULL;

    if (!c)
        return;
    switch (e->kind) {
    case LIVE_DO_GRANT:
        door_client_grant(c, e);
        break;
    case LIVE_DO_MOVE:
        door_client_move(c, e->deadline);
        break;
    case LIVE_DO_TELL:
        door_client_tell(c, e, why);
        break;
    case LIVE_DO_KILL:
        door_client_kill(c, why);
        break;
    case LIVE_DO_REFUSE:
        door_client_refuse(c, (enum live_refusal)e->how, why);
        break;
    case LIVE_DO_EXPLAIN:
        explain(c, why);
        break;
    case LIVE_DO_RELEASE:
        released(c);
        break;
    default: /* LIVE_DO_REST */
        door_client_rest(c);
        if (c->gone)
            door_client_end(c);
        break;
    }
}

/* ---- What follows -------------------------------------------------------- */

void door_fails(struct client *client, enum live_desk_event how,
                const char *why)
{
    struct live_door *door = client->door;
    struct failure *f = &door->failures[door->failures_count];

    if (door->failures_count == LIVE_CLIENTS)
        return;
    door->failures_count++;
    f->client = client->number;
    f->event = how;
    snprintf(f->why, sizeof f->why, "%s", why);
}

bool live_door_next(struct live_door *door, uint64_t now,
                    struct live_desk_in *in)
{
    if (door->failures_count > 0) {
        const struct failure *f = &door->failures[--door->failures_count];

        snprintf(door->why, sizeof door->why, "%s", f->why);
        *in = (struct live_desk_in){.event = f->event,
                                    .now = now,
                                    .client = f->client,
                                    .why = door->why};
        return true;
    }
    for (uint32_t i = 0; door->dying && i < LIVE_CLIENTS; i++) {
        struct client *c = door->clients[i];

        if (!c || !c->killed_at || !c->group || !door_process_is_dead(c, now))
            continue;
        /* The desk answers with LIVE_DO_REST; until then it is not looked at
         * again. */
        door_process_forget(c);
        *in =
            (struct live_desk_in){.event = LIVE_DIED, .now = now, .client = i};
        return true;
    }
    return false;
}

uint64_t live_door_wake(const struct live_door *door, uint64_t now)
{
    return door->dying ? now + LOOK_AGAIN : UINT64_MAX;
}

void live_door_log(struct live_door *door, uint64_t now)
{
    door_trail_sum(door, now);
}

const struct live_door_counts *live_door_counts(const struct live_door *door)
{
    return &door->counts;
}

/* ---- Rules that hold when all effects are carried out -------------------- */

/* Of a client, and what the desk has of it. */
static const char *sane_client(const struct client *c,
                               const struct live_desk_client *at_desk)
{
    bool holds = at_desk->state == LIVE_CLIENT_HOLDS ||
                 at_desk->state == LIVE_CLIENT_DYING;

    if (c->asked != (at_desk->state != LIVE_CLIENT_FRESH))
        return "the desk knows the clients that have asked";
    if (c->token != (holds ? at_desk->token : 0))
        return "a client has the token that it was granted";
    if (!c->token != !c->page)
        return "a client has the page of its grant";
    if (c->killed_at && at_desk->state != LIVE_CLIENT_DYING)
        return "the desk waits for the end of a client that is killed";
    return NULL;
}

const char *live_door_sane(const struct live_door *door)
{
    static const struct live_desk_client fresh;
    uint32_t count = 0, dying = 0;

    for (uint32_t i = 0; i < LIVE_CLIENTS; i++) {
        const struct live_desk_client *at_desk =
            door->node ? &door->node->desk.clients[i] : &fresh;
        const struct client *c = door->clients[i];
        const char *broken = c ? sane_client(c, at_desk) : NULL;

        if (!c && at_desk->state != LIVE_CLIENT_FRESH)
            return "a client that the desk knows is there";
        if (broken)
            return broken;
        if (c && c->number != i)
            return "a client is at its number";
        count += c != NULL;
        dying += c && c->killed_at;
    }
    if (count != door->clients_count)
        return "every client is counted";
    return dying == door->dying ? NULL : "those are dying that were killed";
}

/* ---- Beginning and end --------------------------------------------------- */

struct live_door *
live_door_open(uv_loop_t *loop, const struct live_config *config, uint32_t self,
               const char *path, const struct live_user *user,
               const struct live_door_owner *owner, struct net_why *error)
{
    struct live_door *door = calloc(1, sizeof *door);

    if (!door) {
        net_no_memory(error, "clients");
        return NULL;
    }
    door->loop = loop;
    door->config = config;
    door->self = self;
    door->owner = *owner;
    door->listener_fd = -1;
    door->sees_processes = live_proc_is_own();
    door->time_ns = live_time_namespace();
    snprintf(door->path, sizeof door->path, "%s", path);
    if (!door_socket_open(door, user, error)) {
        free(door);
        return NULL;
    }
    return door;
}

void live_door_serve(struct live_door *door, const struct live_node *node,
                     struct live_holders *holders)
{
    door->node = node;
    door->holders = holders;
}

void door_closed(uv_handle_t *handle)
{
    struct live_door *door = handle->data;

    if (--door->closing == 0)
        free(door);
}

void live_door_close(struct live_door *door)
{
    for (uint32_t i = 0; i < LIVE_CLIENTS; i++)
        if (door->clients[i]) {
            door_client_rest(door->clients[i]);
            door_client_end(door->clients[i]);
        }
    door_socket_close(door);
}
