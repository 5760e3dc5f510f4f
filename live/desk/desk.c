/*
 * desk.c - see desk.h: events, and time.
 */
#include "live/desk/desk_parts.h"

#include <stdio.h>
#include <string.h>

enum {
    TELL_AFTER = 1000000, /* why it takes so long */
};

#define TOO_MANY_LOCKS                                                         \
    "256 locks are held or waited for at this node, as many as it can know: "  \
    "there is no room to wait for one more; release some, or ask another node"
_Static_assert(LIVE_LOCKS_MAX == 256, "as the sentence says");

/* FNV-1a. */
uint64_t live_lock_number(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    return hash ? hash : 1;
}

static struct live_desk_client *client_of(struct turn *t, uint32_t number)
{
    return &t->desk->clients[number];
}

static void settle_all(struct turn *t)
{
    for (uint32_t i = 0; i < t->desk->locks_used; i++)
        desk_settle(t, &t->desk->locks[i]);
}

/* ---- Time ---------------------------------------------------------------- */

#define LEFT_OUT "a new view came about without this node"

static const char *why_it_leaves(const struct live_desk *desk)
{
    if (desk->stopping[0])
        return desk->stopping;
    return desk->draining[0] ? desk->draining : LEFT_OUT;
}

/* K2: holders whose deadline is over are stopped, before anything else; and so
 * are those that did not end when they were told to. */
static void expire(struct turn *t)
{
    bool expires = !lacks(t->desk, LIVE_DESK_WITHOUT_EXPIRY);

    EACH_CLIENT (t->desk, c) {
        if (c->state != LIVE_CLIENT_HOLDS)
            continue;
        if (expires && t->now >= c->deadline)
            desk_stop(t, c,
                      c->deadline == c->limit
                          ? "it was held for as long as it may be"
                          : "its deadline is over");
        else if (c->leave_by && t->now >= c->leave_by)
            desk_stop(t, c, why_it_leaves(t->desk));
    }
}

/* Clients that have waited too long are refused; those that have waited for a
 * while are told why. */
static void look_at_waiting(struct turn *t)
{
    EACH_CLIENT (t->desk, c) {
        if (c->state != LIVE_CLIENT_QUEUED)
            continue;
        if (t->now >= c->wait_until) {
            t->desk->counts.timeouts++;
            desk_refuse(t, c, LIVE_REFUSED_LATE, NULL);
        } else if (!c->told && t->now >= later(c->asked_at, TELL_AFTER)) {
            c->told = true;
            (void)desk_say(t, LIVE_DO_EXPLAIN, c);
        }
    }
}

static void move(struct turn *t, struct live_desk_client *c, uint64_t deadline)
{
    if (deadline > c->limit)
        deadline = c->limit;
    if (deadline <= c->deadline)
        return;
    c->deadline = deadline;
    desk_say(t, LIVE_DO_MOVE, c)->deadline = deadline;
}

/* Whatever is held may be held for longer: deadlines that are not over yet move
 * on, and a client for whom there was no time left can be let in. */
static void on_leased(struct turn *t)
{
    struct live_desk *desk = t->desk;

    desk->end = t->in->end;
    EACH_CLIENT (desk, c) {
        const struct live_lock_view *seen = &desk->locks[c->lock].seen;

        if (c->state == LIVE_CLIENT_HOLDS && seen->phase == FC_INSIDE &&
            seen->token == c->token)
            move(t, c, deadline_of(desk));
    }
    settle_all(t);
}

static uint64_t wakes(const struct live_desk *desk,
                      const struct live_desk_client *c)
{
    uint64_t tell = later(c->asked_at, TELL_AFTER);
    uint64_t leave = c->leave_by ? c->leave_by : UINT64_MAX;

    switch (c->state) {
    case LIVE_CLIENT_HOLDS:
        return lacks(desk, LIVE_DESK_WITHOUT_EXPIRY) || leave < c->deadline
                   ? leave
                   : c->deadline;
    case LIVE_CLIENT_QUEUED:
        return !c->told && tell < c->wait_until ? tell : c->wait_until;
    case LIVE_CLIENT_DYING:
        return c->process ? UINT64_MAX : later(c->killed_at, desk->params.kill);
    default:
        return UINT64_MAX;
    }
}

static void look_ahead(struct live_desk *desk)
{
    desk->wake = UINT64_MAX;
    EACH_CLIENT (desk, c) {
        uint64_t at = wakes(desk, c);

        if (at < desk->wake)
            desk->wake = at;
    }
}

/* ---- Events -------------------------------------------------------------- */

/* Its index, or one that is free with `new`; LIVE_NOBODY: there is none. */
static uint16_t find_lock(struct live_desk *desk, uint64_t id, bool new)
{
    uint16_t empty = LIVE_NOBODY;

    for (uint16_t i = 0; i < desk->locks_used; i++) {
        if (desk->locks[i].used && desk->locks[i].id == id)
            return i;
        if (!desk->locks[i].used && empty == LIVE_NOBODY)
            empty = i;
    }
    if (!new)
        return LIVE_NOBODY;
    if (empty == LIVE_NOBODY && desk->locks_used < LIVE_LOCKS_MAX)
        empty = desk->locks_used++;
    if (empty != LIVE_NOBODY)
        desk->locks[empty] = (struct live_desk_lock){.id = id,
                                                     .used = true,
                                                     .seen.phase = FC_IDLE,
                                                     .first = LIVE_NOBODY,
                                                     .last = LIVE_NOBODY};
    return empty;
}

/* Says no to a client that is not in any line. */
static void turn_away(struct turn *t, enum live_refusal how, const char *why)
{
    struct live_effect *e = live_effect_add(t->out, LIVE_DO_REFUSE);

    e->whom = t->in->client;
    e->lock = t->in->lock;
    e->how = (uint8_t)how;
    e->why = why;
    t->desk->counts.refused++;
}

/* Whether a client is in the way of one that asks, and will stay there: it
 * holds the lock or is ahead in line, and not both are readers.  One that is
 * being stopped, or was told to end, may be gone in a moment. */
static bool stays_in_the_way(const struct live_desk_client *c,
                             const struct live_desk_lock *lock, bool shared)
{
    if (c->state == LIVE_CLIENT_DYING || c->leave_by)
        return false;
    if (!c->shared || !shared)
        return true;
    return c->state == LIVE_CLIENT_HOLDS && lock->seen.wanted;
}

/* Whether it is known here that the lock cannot be had: a try need not wait
 * for an answer of the other nodes. */
static bool is_in_vain(struct turn *t)
{
    struct live_desk *desk = t->desk;
    uint16_t lock = find_lock(desk, t->in->lock, false);

    if (desk->held_up[0] || t->now >= deadline_of(desk))
        return true;
    if (lock == LIVE_NOBODY)
        return false;
    EACH_CLIENT (desk, c)
        if (c->state != LIVE_CLIENT_FRESH && c->lock == lock &&
            stays_in_the_way(c, &desk->locks[lock], t->in->shared))
            return true;
    return false;
}

static void on_asked(struct turn *t)
{
    struct live_desk *desk = t->desk;
    const struct live_desk_in *in = t->in;
    struct live_desk_client *c = client_of(t, in->client);
    bool goes = desk->leaves || desk->draining[0];
    uint16_t lock;

    if (desk->stopping[0] || desk->draining[0]) {
        turn_away(t, goes ? LIVE_REFUSED_STOPS : LIVE_REFUSED_NOW,
                  desk->stopping[0] ? desk->stopping : desk->draining);
        return;
    }
    if (desk->params.witness) {
        turn_away(t, LIVE_REFUSED_NOW,
                  "this node is a witness, and holds no locks; ask another");
        return;
    }
    if (in->wait == 0 && is_in_vain(t)) {
        desk->counts.timeouts++;
        turn_away(t, LIVE_REFUSED_LATE, NULL);
        return;
    }
    lock = find_lock(desk, in->lock, true);
    if (lock == LIVE_NOBODY) {
        turn_away(t, LIVE_REFUSED_NOW, TOO_MANY_LOCKS);
        return;
    }
    *c = (struct live_desk_client){
        .shared = in->shared,
        .process = in->process,
        .hold = in->hold,
        .grace = in->grace,
        .asked_at = t->now,
        .wait_until = later(t->now, in->wait < desk->params.patience
                                        ? desk->params.patience
                                        : in->wait),
    };
    if (in->client >= desk->clients_used)
        desk->clients_used = (uint16_t)(in->client + 1);
    desk_join(t, c, lock);
    desk_settle(t, &desk->locks[lock]);
}

static void on_gave(struct turn *t, struct live_desk_client *c)
{
    struct live_desk_lock *lock = &t->desk->locks[c->lock];

    t->desk->counts.releases += c->state == LIVE_CLIENT_HOLDS;
    (void)desk_say(t, LIVE_DO_RELEASE, c);
    desk_rest(t, c);
    desk_settle(t, lock);
}

/* A holder that is gone is killed with its group, and lets go when that is
 * dead. */
static void on_vanished(struct turn *t, struct live_desk_client *c)
{
    struct live_desk_lock *lock = &t->desk->locks[c->lock];

    c->gone = true;
    desk_stop(t, c, "its client is gone");
    if (c->state != LIVE_CLIENT_DYING) {
        (void)desk_say(t, LIVE_DO_REST, c);
        desk_rest(t, c);
    }
    desk_settle(t, lock);
}

static void on_died(struct turn *t, struct live_desk_client *c)
{
    struct live_desk_lock *lock = &t->desk->locks[c->lock];

    if (c->state != LIVE_CLIENT_DYING)
        return;
    c->process = false;
    c->gone = true; /* there is nobody whose page could be looked at */
    desk_settle(t, lock);
}

/* Of a client that is in a line. */
static void on_client(struct turn *t)
{
    struct live_desk_client *c = client_of(t, t->in->client);
    struct live_desk_lock *lock = &t->desk->locks[c->lock];

    if (c->state == LIVE_CLIENT_FRESH) { /* it has its answer all the same */
        if (t->in->event == LIVE_GAVE || t->in->event == LIVE_VANISHED)
            live_effect_add(t->out, t->in->event == LIVE_GAVE ? LIVE_DO_RELEASE
                                                              : LIVE_DO_REST)
                ->whom = t->in->client;
        return;
    }
    switch (t->in->event) {
    case LIVE_GAVE:
        on_gave(t, c);
        break;
    case LIVE_VANISHED:
        on_vanished(t, c);
        break;
    case LIVE_DIED:
        on_died(t, c);
        break;
    case LIVE_UNREAD:
        desk_stop(t, c, "its client does not read that it holds it");
        desk_settle(t, lock);
        break;
    default: /* LIVE_UNABLE */
        t->desk->counts.grants -= c->state == LIVE_CLIENT_HOLDS;
        desk_refuse(t, c, LIVE_REFUSED_NOW, t->in->why);
        desk_settle(t, lock);
        break;
    }
}

static void on_lock(struct turn *t)
{
    struct live_desk *desk = t->desk;
    uint16_t found = find_lock(desk, t->in->lock, false);
    struct live_desk_lock *lock;
    struct live_desk_client *next;

    if (found == LIVE_NOBODY)
        return;
    lock = &desk->locks[found];
    switch (t->in->event) {
    case LIVE_CHANGED:
        lock->seen = t->in->view;
        break;
    case LIVE_OBEYED:
        lock->seen = t->in->view;
        lock->commanded = false;
        next = t->in->full ? desk_next(t, lock) : NULL;
        if (next)
            desk_refuse(t, next, LIVE_REFUSED_NOW, TOO_MANY_LOCKS);
        break;
    default: /* LIVE_VACATES */
        EACH_CLIENT (desk, c)
            if (c->state != LIVE_CLIENT_FRESH && c->lock == found)
                desk_recall(t, c, later(t->now, c->grace), LEFT_OUT);
        break;
    }
    desk_settle(t, lock);
}

/* A client that waits for a node which is restarted need not give up. */
static void refuse_waiting(struct turn *t, const char *why)
{
    bool goes = t->desk->leaves || t->desk->draining[0];

    EACH_CLIENT (t->desk, c)
        if (c->state == LIVE_CLIENT_QUEUED)
            desk_refuse(t, c, goes ? LIVE_REFUSED_LEFT : LIVE_REFUSED_NOW, why);
}

static void stop_all(struct turn *t, const char *why)
{
    EACH_CLIENT (t->desk, c)
        desk_stop(t, c, why);
}

/* A drain leaves them the time until its end; a stop no more than their
 * grace. */
static void recall_all(struct turn *t, const char *why)
{
    EACH_CLIENT (t->desk, c) {
        uint64_t by = later(t->now, c->grace), end = t->in->end;

        if (t->in->event == LIVE_DRAINS || end < by)
            by = end;
        if (by != UINT64_MAX)
            desk_recall(t, c, by, why);
    }
}

/* Reasons are kept: effects point to them. */
static void on_end(struct turn *t)
{
    struct live_desk *desk = t->desk;
    bool drains = t->in->event == LIVE_DRAINS;
    char *why = drains ? desk->draining : desk->stopping;

    desk->leaves = desk->leaves || t->in->event == LIVE_STOPS;
    snprintf(why, LIVE_REASON_MAX, "%s", t->in->why);
    refuse_waiting(t, why);
    if (t->in->event == LIVE_ENDS)
        stop_all(t, why);
    else
        recall_all(t, why);
    settle_all(t);
}

static void on_held_up(struct turn *t)
{
    struct live_desk *desk = t->desk;

    if (t->in->why) {
        snprintf(desk->held_up, sizeof desk->held_up, "%s", t->in->why);
        stop_all(t, desk->held_up);
    } else {
        desk->held_up[0] = '\0';
    }
    settle_all(t);
}

void live_desk_step(struct live_desk *desk, const struct live_desk_in *in,
                    struct live_effects *out)
{
    struct turn t = {desk, in, out, in->now};

    expire(&t);
    switch (in->event) {
    case LIVE_TIME:
        look_at_waiting(&t);
        settle_all(&t);
        break;
    case LIVE_ASKED:
        on_asked(&t);
        break;
    case LIVE_GAVE:
    case LIVE_VANISHED:
    case LIVE_DIED:
    case LIVE_UNREAD:
    case LIVE_UNABLE:
        on_client(&t);
        break;
    case LIVE_CHANGED:
    case LIVE_OBEYED:
    case LIVE_VACATES:
        on_lock(&t);
        break;
    case LIVE_LEASED:
        on_leased(&t);
        break;
    case LIVE_HELD_UP:
        on_held_up(&t);
        break;
    default:
        on_end(&t);
        break;
    }
    look_ahead(desk);
}

/* ---- Beginning, and what can be seen ------------------------------------- */

void live_desk_open(struct live_desk *desk,
                    const struct live_desk_params *params)
{
    memset(desk, 0, sizeof *desk);
    desk->params = *params;
    desk->wake = UINT64_MAX;
}

bool live_desk_idle(const struct live_desk *desk)
{
    for (uint32_t i = 0; i < desk->clients_used; i++)
        if (desk->clients[i].state >= LIVE_CLIENT_HOLDS)
            return false;
    return true;
}

/* ---- What is true after every step --------------------------------------- */

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
