/*
 * ricart_agrawala.c - mutual exclusion by everybody's permission (Ricart and
 * Agrawala 1981).
 *
 * A site that wants to enter takes a number greater than all it has seen and
 * asks everybody.  A site that does not want to enter replies at once; so does
 * one that wants to, with a request that comes later in the order of (number,
 * site); the others reply when they leave.  With all replies it enters.  2(n-1)
 * messages an entry, always.
 *
 * Sites that ask to read share the resource by the rule of Spirakis and
 * Tampakas (1989, section 3.1): "Readers never give a negative answer to a
 * request of another reader.  The writer follows the original protocol."
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.
 *
 * From: G. Ricart, A. Agrawala, CACM 24(1), 1981.
 */
#include "protocols/mutex/ricart_agrawala/ricart_agrawala.h"

#include "core/network.h"

#define TURN ricart_agrawala
#include "core/turn.inc"

enum {
    REQUEST = RICART_AGRAWALA_REQUEST,
    REPLY = RICART_AGRAWALA_REPLY,
    READ = RICART_AGRAWALA_READ,
};

static inline void enter_if_all_replied(struct turn *t)
{
    if (fc_set_empty(&t->s->missing))
        become(t, MUTEX_INSIDE);
}

/* RA-1: "selects a sequence number ... sends this request to all other nodes"
 */
static inline void on_want(struct turn *t)
{
    if (t->s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    t->s->number = ++t->s->highest;
    t->s->shared = t->event->command == MUTEX_WANT_SHARED;
    become(t, MUTEX_WAITS);
    fc_set_others(&t->s->missing, t->me->nodes, t->me->index);
    send_all(t, (msg){.kind = t->s->shared ? READ : REQUEST,
                      .number = t->s->number});
    enter_if_all_replied(t); /* alone in the world */
}

/* RA-2: "a REPLY is sent at once, or deferred": deferred by a node that is
 * inside, or waits with a request that comes first.  RA-5: but by no reader to
 * a reader. */
static inline void on_request(struct turn *t)
{
    uint64_t number = t->m->number;
    uint16_t from = t->event->port;
    bool first = mutex_before(t->s->number, t->me->index, number, from);
    bool both_read = t->s->shared && t->m->kind == READ;

    if (number > t->s->highest)
        t->s->highest = number;
    if (t->s->role != MUTEX_IDLE && first && !both_read)
        fc_set_add(&t->s->deferred, from);
    else
        answer(t, (msg){.kind = REPLY});
}

/* RA-3: all have replied: it enters. */
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

/* RA-4: "when it leaves, it sends all the REPLYs that it has deferred" */
static inline void on_leave(struct turn *t)
{
    if (t->s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    t->s->number = 0;
    t->s->shared = 0;
    send_set(t, &t->s->deferred, (msg){.kind = REPLY});
    fc_set_clear(&t->s->deferred);
}

FC_STEP(ricart_agrawala)
{
    if (t->event->kind == FC_MESSAGE)
        t->m->kind == REPLY ? on_reply(t) : on_request(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
}

FC_VIEW(ricart_agrawala)
{
    *view = mutex_seen(s->role, s->number, me->index);
    view->shared = s->shared;
}

FC_INVARIANT(ricart_agrawala)
{
    struct fc_set others;

    fc_set_others(&others, me->nodes, me->index);
    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (!fc_set_within(&s->missing, &others) ||
        !fc_set_within(&s->deferred, &others))
        return "replies are missing from others, and deferred to others";
    if ((s->role == MUTEX_WAITS) == fc_set_empty(&s->missing))
        return "a site waits exactly as long as replies are missing";
    if ((s->role == MUTEX_IDLE) != (s->number == 0))
        return "a site has a number exactly while it wants to be inside";
    if (s->role == MUTEX_IDLE && !fc_set_empty(&s->deferred))
        return "an idle site has deferred nothing";
    if (s->role == MUTEX_IDLE && s->shared)
        return "an idle site does not read";
    if (s->number > s->highest)
        return "no request is above the highest number seen";
    return NULL;
}

FC_STATE_FIELDS(ricart_agrawala) = {
    FIELD(NUMBER, number),         FIELD(NUMBER, highest),
    FIELD(NODES, missing),         FIELD(NODES, deferred),
    FIELD_WORD(role, MUTEX_ROLES), FIELD(YES, shared),
};

FC_STAMP_MESSAGES(ricart_agrawala, RICART_AGRAWALA_KINDS,
                  1u << REQUEST | 1u << READ, 0, 0)

MUTEX_QUEUE(ricart_agrawala, fc_set_count(&s->deferred));

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [REQUEST] = {"request", "REQ", FC_ASKS},
    [REPLY] = {"reply", "ok", FC_GRANTS},
    [READ] = {"read-request", "READ", FC_ASKS},
};

FC_COSTS(ricart_agrawala)
{
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_EXACTLY,
                               2.0 * (w->nodes - 1), "2(n-1)"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

/* Of each request, from the moment it is sent until its reply is read: it is
 * under way, or deferred, or answered. */
FC_PREDICATE(ricart_agrawala, debts)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->nodes; j++) {
            bool misses =
                fc_set_has(&FC_STATE(ricart_agrawala, all, i)->missing, j);
            bool defers =
                fc_set_has(&FC_STATE(ricart_agrawala, all, j)->deferred, i);

            if (fc_count_stamps(all, i, j, REQUEST) +
                    fc_count_stamps(all, i, j, READ) + defers +
                    fc_count_stamps(all, j, i, REPLY) !=
                misses)
                return false;
        }
    return true;
}

FC_PREDICATE(ricart_agrawala, order)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->nodes; j++) {
            const struct ricart_agrawala *a = FC_STATE(ricart_agrawala, all, i);
            const struct ricart_agrawala *b = FC_STATE(ricart_agrawala, all, j);

            if (i != j && a->number && b->number && !(a->shared && b->shared) &&
                !fc_set_has(&a->missing, j) &&
                !mutex_before(a->number, i, b->number, j))
                return false;
        }
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"debts",
     "a site misses a reply exactly if its request is under way, is deferred, "
     "or the reply is under way",
     ricart_agrawala_debts, NULL},
    {"order",
     "of two sites that want in and do not both read, one that has the "
     "other's reply comes first",
     ricart_agrawala_order, NULL},
};

const struct fc_protocol ricart_agrawala_protocol = {
    .name = "ricart-agrawala",
    .title = "Ricart, Agrawala 1981",
    .idea = "ask everybody; a site that is before you replies when it leaves",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay and order; no crash",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "G. Ricart, A. Agrawala, CACM 24(1), 1981",
    FC_ENTRY(ricart_agrawala, kinds),
    FC_PREDICATES(predicates),
    FC_TERMS(ricart_agrawala, .shares = MUTEX_SHARES_ON_REQUEST),
    .awaits_all = true,
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    FC_COSTS_OF(ricart_agrawala),
};

#endif
