/*
 * central_clock.c - mutual exclusion by everybody's permission in the order of
 * one clock, which is at site 0.
 *
 * A site that wants to enter asks the clock for the time, and stamps its
 * request with that.  The rest is as with Ricart and Agrawala: a site that
 * wants nothing, or has a later stamp, replies at once; the others when they
 * leave.  A site that waits for its stamp cannot know yet, and holds requests
 * until it has it.  2n messages an entry, 2(n-1) for the site of the clock.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.
 *
 * From: lecture 16 names it ("central physical clock") and no more: requests
 * are ordered by the time that one clock tells.  What is done with that order
 * is our choice.  The clock tells times that only grow: here it counts how
 * often it was asked, which gives the order in which the questions reach it,
 * as any finer clock would.
 */
#include "protocols/mutex/central_clock/central_clock.h"

#include "core/network.h"

#define TURN central_clock
#include "core/turn.inc"

enum { CLOCK = 0 };
enum {
    ASK = CENTRAL_CLOCK_ASK,
    STAMP = CENTRAL_CLOCK_STAMP,
    REQUEST = CENTRAL_CLOCK_REQUEST,
    REPLY = CENTRAL_CLOCK_REPLY,
};

/* CC-5: all replies: it enters. */
static inline void enter_if_all_replied(struct turn *t)
{
    if (fc_set_empty(&t->s->missing))
        become(t, MUTEX_INSIDE);
}

/* CC-3: requests that were held, and turn out to be first, get their reply. */
static inline void judge_held(struct turn *t)
{
    struct central_clock *s = t->s;
    struct fc_set first = {0};

    for (uint32_t i = 0; i < t->me->nodes; i++) {
        if (s->held[i] && s->held[i] < s->number) {
            fc_set_remove(&s->deferred, i);
            fc_set_add(&first, i);
        }
        s->held[i] = 0;
    }
    send_set(t, &first, (msg){.kind = REPLY});
}

/* CC-3: it has its stamp, and sends a request with it to everybody. */
static inline void request(struct turn *t, uint64_t number)
{
    t->s->number = number;
    become(t, MUTEX_WAITS);
    fc_set_others(&t->s->missing, t->me->nodes, t->me->index);
    send_all(t, (msg){.kind = REQUEST, .number = number});
    enter_if_all_replied(t); /* alone in the world */
    judge_held(t);
}

/* CC-1: ask the clock; the site that has it takes the time at once. */
static inline void on_want(struct turn *t)
{
    if (t->s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    if (t->me->index == CLOCK) {
        request(t, ++t->s->clock);
        return;
    }
    become(t, MUTEX_SLEEPS);
    send_to(t, CLOCK, (msg){.kind = ASK});
}

/* CC-5: a reply to all that were deferred. */
static inline void on_leave(struct turn *t)
{
    if (t->s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    t->s->number = 0;
    send_set(t, &t->s->deferred, (msg){.kind = REPLY});
    fc_set_clear(&t->s->deferred);
}

/* CC-2: a stamp that is greater than all before. */
static inline void on_ask(struct turn *t)
{
    answer(t, (msg){.kind = STAMP, .number = ++t->s->clock});
}

static inline void on_stamp(struct turn *t)
{
    if (t->s->role == MUTEX_SLEEPS)
        request(t, t->m->number);
    else
        drop(t);
}

/* CC-4: a site that is idle, or waits with a later stamp, replies; one that is
 * inside, or has an earlier stamp, defers it until it leaves; one that waits
 * for its stamp holds it until it has it.
 *
 * Why a site without its stamp may not reply: (1) it asks the clock, which
 * stamps 1; (2) another asks, gets 2, and requests; (3) stamp 1 is still in
 * flight.  A reply would let the other in beside it. */
static inline void on_request(struct turn *t)
{
    struct central_clock *s = t->s;
    uint16_t from = t->event->port;
    bool sleeps = s->role == MUTEX_SLEEPS;

    if (s->role == MUTEX_IDLE || (!sleeps && t->m->number < s->number)) {
        answer(t, (msg){.kind = REPLY});
        return;
    }
    fc_set_add(&s->deferred, from);
    if (sleeps)
        s->held[from] = t->m->number;
}

static inline void on_reply(struct turn *t)
{
    if (t->s->role != MUTEX_WAITS ||
        !fc_set_has(&t->s->missing, t->event->port)) {
        drop(t);
        return;
    }
    fc_set_remove(&t->s->missing, t->event->port);
    enter_if_all_replied(t);
}

static inline void on_message(struct turn *t)
{
    if (t->m->kind == ASK)
        on_ask(t);
    else if (t->m->kind == STAMP)
        on_stamp(t);
    else if (t->m->kind == REQUEST)
        on_request(t);
    else
        on_reply(t);
}

FC_STEP(central_clock)
{
    if (t->event->kind == FC_MESSAGE)
        on_message(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
}

FC_VIEW(central_clock)
{
    *view = mutex_seen(s->role, s->number, me->index);
}

static inline const char *held_sane(const struct central_clock *s,
                                    uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++)
        if (s->held[i] &&
            (s->role != MUTEX_SLEEPS || !fc_set_has(&s->deferred, i)))
            return "requests are held only by a site without its stamp";
    return NULL;
}

FC_INVARIANT(central_clock)
{
    bool stamped = s->role == MUTEX_WAITS || s->role == MUTEX_INSIDE;
    struct fc_set others;

    fc_set_others(&others, me->nodes, me->index);
    if (s->role != MUTEX_SLEEPS &&
        !mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, has no stamp yet, waits, or is inside";
    if (!fc_set_within(&s->missing, &others) ||
        !fc_set_within(&s->deferred, &others))
        return "replies are missing from others, and deferred to others";
    if ((s->role == MUTEX_WAITS) == fc_set_empty(&s->missing))
        return "a site waits exactly as long as replies are missing";
    if (s->role == MUTEX_IDLE && !fc_set_empty(&s->deferred))
        return "an idle site has deferred nothing";
    if (!stamped && s->number)
        return "a site has a stamp only while it waits or is inside";
    if (me->index == CLOCK && (s->role == MUTEX_SLEEPS || s->number > s->clock))
        return "the site of the clock has its stamp at once, from its clock";
    return held_sane(s, me->nodes);
}

FC_STATE_FIELDS(central_clock) = {
    FIELD(NUMBER, number),    FIELD(NUMBER, clock),
    FIELD(NODES, missing),    FIELD(NODES, deferred),
    FIELD_EACH(NUMBER, held), FIELD_WORD(role, MUTEX_ROLES),
};

FC_API void central_clock_relabel(struct central_clock *s, const uint16_t *to,
                                  uint32_t nodes)
{
    uint64_t held[FC_NODES_MAX];

    fc_set_relabel(&s->missing, to, nodes);
    fc_set_relabel(&s->deferred, to, nodes);
    for (uint32_t i = 0; i < nodes; i++)
        held[to[i]] = s->held[i];
    for (uint32_t i = 0; i < nodes; i++)
        s->held[i] = held[i];
}

FC_STAMP_MESSAGES(central_clock, CENTRAL_CLOCK_KINDS,
                  1u << STAMP | 1u << REQUEST, 0, 0)
FC_STAMP_RELABELS(central_clock)

MUTEX_QUEUE(central_clock, fc_set_count(&s->deferred));

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [ASK] = {"ask", "time?", FC_ASKS},
    [STAMP] = {"stamp", "time", FC_GRANTS},
    [REQUEST] = {"request", "REQ", FC_ASKS},
    [REPLY] = {"reply", "ok", FC_GRANTS},
};

/* Exactly that for every site except the one with the clock, which asks
 * nobody. */
FC_COSTS(central_clock)
{
    out[0] =
        (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST, 2.0 * w->nodes, "2n"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

FC_PREDICATE(central_clock, debts)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->nodes; j++) {
            bool misses =
                fc_set_has(&FC_STATE(central_clock, all, i)->missing, j);
            bool defers =
                fc_set_has(&FC_STATE(central_clock, all, j)->deferred, i);

            if (fc_count_stamps(all, i, j, REQUEST) + defers +
                    fc_count_stamps(all, j, i, REPLY) !=
                misses)
                return false;
        }
    return true;
}

/* The stamp that a site has or is about to get; 0: none. */
static uint64_t stamp_of(const struct fc_network *all, uint32_t site)
{
    for (uint32_t i = 0; i < all->flying_count; i++)
        if (all->flying[i].to == site &&
            FC_FLYING(central_clock, all, i)->kind == STAMP)
            return FC_FLYING(central_clock, all, i)->number;
    return FC_STATE(central_clock, all, site)->number;
}

FC_PREDICATE(central_clock, stamps)
{
    for (uint32_t i = 0; i < all->nodes; i++) {
        bool sleeps = FC_STATE(central_clock, all, i)->role == MUTEX_SLEEPS;
        uint64_t stamp = stamp_of(all, i);

        if (fc_count_stamps(all, i, CLOCK, ASK) +
                fc_count_stamps(all, CLOCK, i, STAMP) !=
            sleeps)
            return false;
        if (stamp > FC_STATE(central_clock, all, CLOCK)->clock)
            return false;
        for (uint32_t j = 0; stamp && j < i; j++)
            if (stamp_of(all, j) == stamp)
                return false;
    }
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"debts",
     "a site misses a reply exactly if its request is under way, is held or "
     "deferred, or the reply is under way",
     central_clock_debts, NULL},
    {"stamps",
     "a site without its stamp has asked for it once; no two stamps are equal, "
     "and none is ahead of the clock",
     central_clock_stamps, NULL},
};

const struct fc_protocol central_clock_protocol = {
    .name = "central-clock",
    .title = "one clock for all, at the first site",
    .idea = "Stamp the request by a central clock, ask everybody; a site with "
            "an earlier stamp replies when it leaves.",
    .assumes = "reliable links in any order, no crashes, no bounds; one site "
               "has the clock",
    .survives = "any delay and order; no crash",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "lecture 16: central physical clock",
    FC_ENTRY(central_clock, kinds),
    FC_PREDICATES(predicates),
    .awaits_all = true,
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    FC_COSTS_OF(central_clock),
};

#endif
