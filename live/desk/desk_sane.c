/*
 * desk_sane.c - what is true of a desk after every step.
 */
#include "live/desk/desk.h"

/* Of the clients of one lock, in their order; NULL: all is well. */
static const char *sane_lock(const struct live_desk *desk, uint16_t number,
                             uint32_t *members)
{
    const struct live_desk_lock *lock = &desk->locks[number];
    uint32_t holders = 0, writers = 0, last = LIVE_NOBODY;
    bool waits = false;

    for (uint16_t i = lock->first; i != LIVE_NOBODY;
         i = desk->clients[i].next) {
        const struct live_desk_client *c = &desk->clients[i];

        if (++*members > LIVE_CLIENTS)
            return "a line of clients ends";
        last = i;
        if (c->lock != number || c->state == LIVE_CLIENT_FRESH)
            return "a client in the line of a lock has asked for that lock";
        if (c->state == LIVE_CLIENT_QUEUED) {
            waits = true;
            continue;
        }
        if (waits)
            return "nobody holds a lock before a client that came earlier";
        holders++;
        writers += !c->shared;
        if (lock->seen.phase != FC_INSIDE || c->token != lock->seen.token ||
            c->token != lock->granted)
            return "a client holds a lock under the token that the node has";
        if (c->deadline > c->limit)
            return "no deadline is beyond the limit of its client";
    }
    if (last != lock->last && lock->first != LIVE_NOBODY)
        return "the line of a lock ends with its last client";
    if (writers && holders > 1)
        return "a writer holds a lock alone";
    return NULL;
}

const char *live_desk_sane(const struct live_desk *desk)
{
    uint32_t members = 0, known = 0;

    for (uint16_t i = 0; i < desk->locks_used; i++) {
        const char *broken =
            desk->locks[i].used ? sane_lock(desk, i, &members) : NULL;

        if (broken)
            return broken;
    }
    for (uint32_t i = 0; i < desk->clients_used; i++)
        known += desk->clients[i].state != LIVE_CLIENT_FRESH;
    if (known != members)
        return "every client that has asked is in the line of one lock";
    return NULL;
}
