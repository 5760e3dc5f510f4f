/*
 * desk_line.c - see desk_parts.h.
 *
 * A lock that something happened to is compared with what the protocol says of
 * it, and the one thing that follows is done: a grant, a command to the
 * protocol, or the end of a holder.
 */
#include "live/desk/desk_parts.h"

static uint32_t number_of(const struct turn *t,
                          const struct live_desk_client *c)
{
    return (uint32_t)(c - t->desk->clients);
}

struct live_effect *desk_say(struct turn *t, enum live_effect_kind kind,
                             const struct live_desk_client *c)
{
    struct live_effect *e = live_effect_add(t->out, kind);

    e->whom = number_of(t, c);
    e->lock = t->desk->locks[c->lock].id;
    e->token = c->token;
    return e;
}

/* ---- Clients of a lock --------------------------------------------------- */

static struct live_desk_client *next_of(struct live_desk *desk, uint16_t number)
{
    return number == LIVE_NOBODY ? NULL : &desk->clients[number];
}

void desk_join(struct turn *t, struct live_desk_client *c, uint16_t lock)
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
void desk_rest(struct turn *t, struct live_desk_client *c)
{
    struct live_desk *desk = t->desk;

    part(t, c);
    *c = (struct live_desk_client){.state = LIVE_CLIENT_FRESH};
    while (desk->clients_used &&
           desk->clients[desk->clients_used - 1].state == LIVE_CLIENT_FRESH)
        desk->clients_used--;
}

void desk_refuse(struct turn *t, struct live_desk_client *c,
                 enum live_refusal how, const char *why)
{
    struct live_effect *e = desk_say(t, LIVE_DO_REFUSE, c);

    e->how = (uint8_t)how;
    e->why = why;
    t->desk->counts.refused++;
    desk_rest(t, c);
}

/* Stops a holder; it keeps its lock until it is dead, or the lease is over. */
void desk_stop(struct turn *t, struct live_desk_client *c, const char *why)
{
    if (c->state != LIVE_CLIENT_HOLDS)
        return;
    desk_say(t, LIVE_DO_KILL, c)->why = why;
    c->state = LIVE_CLIENT_DYING;
    c->deadline = 0;
    c->killed_at = t->now;
    t->desk->counts.lost++;
}

void desk_recall(struct turn *t, struct live_desk_client *c, uint64_t by,
                 const char *why)
{
    struct live_effect *e;

    if (c->state != LIVE_CLIENT_HOLDS || (c->leave_by && by >= c->leave_by))
        return;
    if (t->now >= by) {
        desk_stop(t, c, why);
        return;
    }
    e = desk_say(t, LIVE_DO_TELL, c);
    e->how = c->leave_by != 0;
    e->deadline = c->leave_by = by;
    e->why = why;
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

/* ---- What follows from the state of a lock ------------------------------- */

struct tally {
    struct live_desk_client *next; /* the first that waits */
    uint32_t holders, writers;
    uint32_t leaving; /* holders that are killed, or told to end */
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
            sum.leaving += c->state == LIVE_CLIENT_DYING || c->leave_by;
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
            desk_stop(t, c, "the node lost its lease, or was left out");
        if (ours && (c->state == LIVE_CLIENT_HOLDS || !is_dead(t, c)))
            continue;
        (void)desk_say(t, LIVE_DO_REST, c);
        desk_rest(t, c);
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
    if (lacks(t->desk, LIVE_DESK_WITHOUT_FIRST_K))
        deadline = t->desk->end;
    c->state = LIVE_CLIENT_HOLDS;
    c->token = lock->granted = lock->seen.token;
    c->granted_at = t->now;
    c->limit = c->hold ? later(t->now, c->hold) : UINT64_MAX;
    c->deadline = deadline < c->limit ? deadline : c->limit;
    e = desk_say(t, LIVE_DO_GRANT, c);
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
               !who.leaving && !one->wanted) {
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

void desk_settle(struct turn *t, struct live_desk_lock *lock)
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

struct live_desk_client *desk_next(struct turn *t,
                                   const struct live_desk_lock *lock)
{
    return count(t, lock).next;
}
