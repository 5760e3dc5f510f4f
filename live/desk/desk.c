/*
 * desk.c - see desk.h.
 *
 * After every event each lock that it concerns is compared with what the
 * protocol says of it, and the one thing that follows is done: a grant, a
 * command to the protocol, or the end of a holder.
 */
#include "live/desk/desk.h"

#include <stdio.h>
#include <string.h>

enum {
    TELL_AFTER = 1000000, /* why it takes so long */
};

#define TOO_MANY_LOCKS "too many locks are in use at this node"

/* An event and what is at hand. */
struct turn {
    struct live_desk *desk;
    const struct live_desk_in *in;
    struct live_effects *out;
    uint64_t now;
};

/* FNV-1a. */
uint64_t live_lock_number(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    return hash ? hash : 1;
}

static bool lacks(const struct live_desk *desk, enum live_desk_without rule)
{
    return desk->params.without == rule;
}

static struct live_desk_client *client_of(struct turn *t, uint32_t number)
{
    return &t->desk->clients[number];
}

static uint32_t number_of(const struct turn *t,
                          const struct live_desk_client *c)
{
    return (uint32_t)(c - t->desk->clients);
}

static struct live_effect *say(struct turn *t, enum live_effect_kind kind,
                               const struct live_desk_client *c)
{
    struct live_effect *e = live_effect_add(t->out, kind);

    e->whom = number_of(t, c);
    e->lock = t->desk->locks[c->lock].id;
    e->token = c->token;
    return e;
}

/* When commands are stopped: K before the lock may be another's. */
static uint64_t deadline_of(const struct live_desk *desk)
{
    uint64_t kill = lacks(desk, LIVE_DESK_WITHOUT_K) ? 0 : desk->params.kill;

    return desk->end > kill ? desk->end - kill : 0;
}

static uint64_t later(uint64_t now, uint64_t time)
{
    return time > UINT64_MAX - now ? UINT64_MAX : now + time;
}

/* ---- Clients of a lock --------------------------------------------------- */

#define EACH_CLIENT(desk, c)                                                   \
    (struct live_desk_client *c = (desk)->clients,                             \
     *end_ = c + (desk)->clients_used;                                         \
     c < end_; c++)

static struct live_desk_client *next_of(struct live_desk *desk, uint16_t number)
{
    return number == LIVE_NOBODY ? NULL : &desk->clients[number];
}

static void join(struct turn *t, struct live_desk_client *c, uint16_t lock)
{
    struct live_desk_lock *l = &t->desk->locks[lock];
    uint16_t number = (uint16_t)number_of(t, c);

    c->state = LIVE_CLIENT_QUEUED;
    c->lock = lock;
    c->next = LIVE_NOBODY;
    if (l->first == LIVE_NOBODY)
        l->first = number;
    else
        t->desk->clients[l->last].next = number;
    l->last = number;
}

static void part(struct turn *t, struct live_desk_client *c)
{
    struct live_desk_lock *l = &t->desk->locks[c->lock];
    uint16_t number = (uint16_t)number_of(t, c), before = LIVE_NOBODY;

    for (uint16_t i = l->first; i != number; i = t->desk->clients[i].next)
        before = i;
    if (before == LIVE_NOBODY)
        l->first = c->next;
    else
        t->desk->clients[before].next = c->next;
    if (l->last == number)
        l->last = before;
}

/* It has nothing to do with its lock any more. */
static void rest(struct turn *t, struct live_desk_client *c)
{
    struct live_desk *desk = t->desk;

    part(t, c);
    *c = (struct live_desk_client){.state = LIVE_CLIENT_FRESH};
    while (desk->clients_used &&
           desk->clients[desk->clients_used - 1].state == LIVE_CLIENT_FRESH)
        desk->clients_used--;
}

static void refuse(struct turn *t, struct live_desk_client *c,
                   enum live_refusal how, const char *why)
{
    struct live_effect *e = say(t, LIVE_DO_REFUSE, c);

    e->how = (uint8_t)how;
    e->why = why;
    t->desk->counts.refused++;
    rest(t, c);
}

/* Stops a holder; it keeps its lock until it is dead, or the lease is over. */
static void stop(struct turn *t, struct live_desk_client *c, const char *why)
{
    if (c->state != LIVE_CLIENT_HOLDS)
        return;
    say(t, LIVE_DO_KILL, c)->why = why;
    c->state = LIVE_CLIENT_DYING;
    c->deadline = 0;
    c->killed_at = t->now;
    t->desk->counts.lost++;
}

/* A client that works in its own process has seen its page, or K has passed.
 * The death of a command is told. */
static bool is_dead(const struct turn *t, const struct live_desk_client *c)
{
    if (lacks(t->desk, LIVE_DESK_WITHOUT_DEATH))
        return true;
    return !c->process &&
           (c->gone || t->now >= later(c->killed_at, t->desk->params.kill));
}

static void move(struct turn *t, struct live_desk_client *c, uint64_t deadline)
{
    if (deadline > c->limit)
        deadline = c->limit;
    if (deadline <= c->deadline)
        return;
    c->deadline = deadline;
    say(t, LIVE_DO_MOVE, c)->deadline = deadline;
}

/* ---- What follows from the state of a lock ------------------------------- */

struct tally {
    struct live_desk_client *next; /* the first that waits */
    uint32_t holders, writers, dying;
};

static struct tally count(struct turn *t, const struct live_desk_lock *lock)
{
    struct tally sum = {0};

    for (struct live_desk_client *c = next_of(t->desk, lock->first); c;
         c = next_of(t->desk, c->next)) {
        if (c->state == LIVE_CLIENT_QUEUED) {
            sum.next = sum.next ? sum.next : c;
        } else {
            sum.holders++;
            sum.writers += !c->shared;
            sum.dying += c->state == LIVE_CLIENT_DYING;
        }
    }
    return sum;
}

/* Clients that do not hold any more, whatever the reason, let go. */
static void drop_holders(struct turn *t, struct live_desk_lock *lock)
{
    struct live_desk_client *c = next_of(t->desk, lock->first), *after;

    for (; c; c = after) {
        bool ours =
            lock->seen.phase == FC_INSIDE && lock->seen.token == c->token;

        after = next_of(t->desk, c->next);
        if (c->state == LIVE_CLIENT_QUEUED)
            continue;
        if (!ours)
            stop(t, c, "the node lost its lease, or was left out");
        if (ours && (c->state == LIVE_CLIENT_HOLDS || !is_dead(t, c)))
            continue;
        (void)say(t, LIVE_DO_REST, c);
        rest(t, c);
    }
}

static void command(struct turn *t, struct live_desk_lock *lock,
                    enum live_command what)
{
    struct live_effect *e = live_effect_add(t->out, LIVE_DO_COMMAND);

    e->how = (uint8_t)what;
    e->lock = lock->id;
    lock->commanded = true;
}

/* False if there is no time left. */
static bool let_in(struct turn *t, struct live_desk_lock *lock,
                   struct live_desk_client *c)
{
    uint64_t deadline = deadline_of(t->desk);
    struct live_effect *e;

    if (t->now >= deadline)
        return false;
    c->state = LIVE_CLIENT_HOLDS;
    c->token = lock->granted = lock->seen.token;
    c->granted_at = t->now;
    c->limit = c->hold ? later(t->now, c->hold) : UINT64_MAX;
    c->deadline = deadline < c->limit ? deadline : c->limit;
    e = say(t, LIVE_DO_GRANT, c);
    e->deadline = c->deadline;
    e->limit = c->limit;
    t->desk->counts.grants++;
    return true;
}

/* The node has the lock.  True: look again. */
static bool inside(struct turn *t, struct live_desk_lock *lock)
{
    struct tally who = count(t, lock);
    const struct live_lock_view *one = &lock->seen;
    bool again = lacks(t->desk, LIVE_DESK_WITHOUT_ONCE);

    if (who.holders == 0) {
        /* A token is used once: passing on is to leave and to ask again. */
        if (!who.next || (lock->granted == one->token && !again) ||
            (one->shared && !who.next->shared))
            command(t, lock, LIVE_LEAVE);
        else
            return let_in(t, lock, who.next);
    } else if (who.next && who.next->shared && one->shared && !who.writers &&
               !who.dying && !one->wanted) {
        return let_in(t, lock, who.next);
    }
    return false;
}

/* It has not. */
static void outside(struct turn *t, struct live_desk_lock *lock)
{
    struct tally who = count(t, lock);
    const struct live_lock_view *one = &lock->seen;
    bool waits = one->phase == FC_WAITING;

    if (waits && (!who.next || (one->shared && !who.next->shared)))
        command(t, lock, LIVE_GIVE_UP);
    else if (who.next && !waits)
        command(t, lock, who.next->shared ? LIVE_WANT_SHARED : LIVE_WANT);
}

static void settle(struct turn *t, struct live_desk_lock *lock)
{
    struct live_desk *desk = t->desk;

    if (!lock->used)
        return;
    drop_holders(t, lock);
    if (!desk->held_up[0] && !lock->commanded) {
        if (lock->seen.phase != FC_INSIDE)
            outside(t, lock);
        else
            while (inside(t, lock))
                ;
    }
    if (lock->first == LIVE_NOBODY && lock->seen.phase == FC_IDLE &&
        !lock->commanded)
        lock->used = false;
    while (desk->locks_used && !desk->locks[desk->locks_used - 1].used)
        desk->locks_used--;
}

static void settle_all(struct turn *t)
{
    for (uint32_t i = 0; i < t->desk->locks_used; i++)
        settle(t, &t->desk->locks[i]);
}

/* ---- Time ---------------------------------------------------------------- */

/* K2: holders whose deadline is over are stopped, before anything else. */
static void expire(struct turn *t)
{
    if (lacks(t->desk, LIVE_DESK_WITHOUT_EXPIRY))
        return;
    for
        EACH_CLIENT(t->desk, c)
    if (c->state == LIVE_CLIENT_HOLDS && t->now >= c->deadline)
        stop(t, c,
             c->deadline == c->limit ? "it was held for as long as it may be"
                                     : "its deadline is over");
}

/* Clients that have waited too long are refused; those that have waited for a
 * while are told why. */
static void look_at_waiting(struct turn *t)
{
    for
        EACH_CLIENT(t->desk, c)
        {
            if (c->state != LIVE_CLIENT_QUEUED)
                continue;
            if (t->now >= c->wait_until) {
                t->desk->counts.timeouts++;
                refuse(t, c, LIVE_REFUSED_LATE, NULL);
            } else if (!c->told && t->now >= later(c->asked_at, TELL_AFTER)) {
                c->told = true;
                (void)say(t, LIVE_DO_EXPLAIN, c);
            }
        }
}

/* Whatever is held may be held for longer: deadlines that are not over yet move
 * on. */
static void on_leased(struct turn *t)
{
    struct live_desk *desk = t->desk;

    desk->end = t->in->end;
    for
        EACH_CLIENT(desk, c)
        {
            const struct live_lock_view *seen = &desk->locks[c->lock].seen;

            if (c->state == LIVE_CLIENT_HOLDS && seen->phase == FC_INSIDE &&
                seen->token == c->token)
                move(t, c, deadline_of(desk));
        }
}

static uint64_t wakes(const struct live_desk *desk,
                      const struct live_desk_client *c)
{
    uint64_t tell = later(c->asked_at, TELL_AFTER);

    switch (c->state) {
    case LIVE_CLIENT_HOLDS:
        return lacks(desk, LIVE_DESK_WITHOUT_EXPIRY) ? UINT64_MAX : c->deadline;
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
    for
        EACH_CLIENT(desk, c)
        {
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
    lock = find_lock(desk, in->lock, true);
    if (lock == LIVE_NOBODY) {
        turn_away(t, LIVE_REFUSED_NOW, TOO_MANY_LOCKS);
        return;
    }
    *c = (struct live_desk_client){
        .shared = in->shared,
        .process = in->process,
        .hold = in->hold,
        .asked_at = t->now,
        .wait_until = later(t->now, in->wait < desk->params.patience
                                        ? desk->params.patience
                                        : in->wait),
    };
    if (in->client >= desk->clients_used)
        desk->clients_used = (uint16_t)(in->client + 1);
    join(t, c, lock);
    settle(t, &desk->locks[lock]);
}

static void on_gave(struct turn *t, struct live_desk_client *c)
{
    struct live_desk_lock *lock = &t->desk->locks[c->lock];

    t->desk->counts.releases += c->state == LIVE_CLIENT_HOLDS;
    (void)say(t, LIVE_DO_RELEASE, c);
    rest(t, c);
    settle(t, lock);
}

/* A holder that is gone is killed with its group, and lets go when that is
 * dead. */
static void on_vanished(struct turn *t, struct live_desk_client *c)
{
    struct live_desk_lock *lock = &t->desk->locks[c->lock];

    c->gone = true;
    stop(t, c, "its client is gone");
    if (c->state != LIVE_CLIENT_DYING) {
        (void)say(t, LIVE_DO_REST, c);
        rest(t, c);
    }
    settle(t, lock);
}

static void on_died(struct turn *t, struct live_desk_client *c)
{
    struct live_desk_lock *lock = &t->desk->locks[c->lock];

    if (c->state != LIVE_CLIENT_DYING)
        return;
    c->process = false;
    c->gone = true; /* there is nobody whose page could be looked at */
    settle(t, lock);
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
        stop(t, c, "its client does not read that it holds it");
        settle(t, lock);
        break;
    default: /* LIVE_UNABLE */
        t->desk->counts.grants -= c->state == LIVE_CLIENT_HOLDS;
        refuse(t, c, LIVE_REFUSED_NOW, t->in->why);
        settle(t, lock);
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
        next = t->in->full ? count(t, lock).next : NULL;
        if (next)
            refuse(t, next, LIVE_REFUSED_NOW, TOO_MANY_LOCKS);
        break;
    default: /* LIVE_VACATES */
        if (lacks(desk, LIVE_DESK_WITHOUT_VACATE))
            return;
        for
            EACH_CLIENT(desk, c)
        if (c->state != LIVE_CLIENT_FRESH && c->lock == found)
            stop(t, c, "a new view came about without this node");
        break;
    }
    settle(t, lock);
}

/* A client that waits for a node which is restarted need not give up. */
static void refuse_waiting(struct turn *t, const char *why)
{
    bool goes = t->desk->leaves || t->desk->draining[0];

    for
        EACH_CLIENT(t->desk, c)
    if (c->state == LIVE_CLIENT_QUEUED)
        refuse(t, c, goes ? LIVE_REFUSED_LEFT : LIVE_REFUSED_NOW, why);
}

static void stop_all(struct turn *t, const char *why)
{
    for
        EACH_CLIENT(t->desk, c)
    stop(t, c, why);
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
    if (!drains)
        stop_all(t, why);
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
