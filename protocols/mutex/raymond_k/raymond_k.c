/*
 * raymond_k.c - k at once, by the permission of all but k-1 (Raymond 1989).
 *
 * As Ricart and Agrawala: a number greater than all seen, a request to
 * everybody, and a site that is before it replies when it leaves.  But a site
 * enters when all but k-1 of the others have replied: those that have not may
 * be inside.  Their replies come later, perhaps after it has left and asked
 * again; so each site counts how many replies each other owes it, and one that
 * owes several sends them as one.  At most 2(n-1) messages an entry on average.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.
 *
 * From: K. Raymond, Information Processing Letters 30(4), 1989.
 */
#include "protocols/mutex/raymond_k/raymond_k.h"

#include "core/network.h"

#define TURN raymond_k
#include "core/turn.inc"

enum { REQUEST = RAYMOND_K_REQUEST, REPLY = RAYMOND_K_REPLY };

static inline void enter_if_few_owe(struct turn *t)
{
    if (t->s->role == MUTEX_WAITS && t->s->owing < t->p->k)
        become(t, MUTEX_INSIDE);
}

/* RK-1: everybody owes it one reply more, and gets a request. */
static inline void on_want(struct turn *t)
{
    struct raymond_k *s = t->s;

    if (s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    become(t, MUTEX_WAITS);
    s->number = ++s->highest;
    s->owing = t->me->nodes - 1;
    for (uint32_t i = 0; i < t->me->nodes; i++)
        s->missing[i] += i != t->me->index;
    send_all(t, (msg){.kind = REQUEST, .number = s->number});
    enter_if_few_owe(t); /* as many as there are may enter */
}

/* RK-4: to each site that it owes some, all of them in one reply. */
static inline void reply_on(struct turn *t)
{
    for (uint16_t i = 0; i < t->me->nodes; i++) {
        if (t->s->deferred[i] == 0)
            continue;
        if (outbox_full(t)) {
            go_on(t);
            return;
        }
        send_to(t, i, (msg){.kind = REPLY, .round = t->s->deferred[i]});
        t->s->deferred[i] = 0;
    }
}

static inline void on_leave(struct turn *t)
{
    if (t->s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    t->s->number = 0;
    reply_on(t);
}

/* RK-2: if it is inside or waits, and its own request is earlier, it owes the
 * asker one reply more; otherwise it replies. */
static inline void on_request(struct turn *t)
{
    uint64_t number = t->m->number;
    uint16_t from = t->event->port;
    bool first = mutex_before(t->s->number, t->me->index, number, from);

    if (number > t->s->highest)
        t->s->highest = number;
    if (t->s->role != MUTEX_IDLE && first)
        t->s->deferred[from]++;
    else
        answer(t, (msg){.kind = REPLY, .round = 1});
}

/* RK-3: it enters when at most k-1 others still owe it something.  Some replies
 * may come when it is inside, or has left: they count all the same. */
static inline void on_reply(struct turn *t)
{
    uint32_t *missing = &t->s->missing[t->event->port];
    uint32_t count = t->m->round;

    if (count == 0 || count > *missing) {
        drop(t);
        return;
    }
    *missing -= count;
    if (*missing > 0)
        return;
    t->s->owing--;
    enter_if_few_owe(t);
}

FC_STEP(raymond_k)
{
    if (t->event->kind == FC_MESSAGE)
        t->m->kind == REQUEST ? on_request(t) : on_reply(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
    else if (t->event->kind == FC_GO_ON)
        reply_on(t);
}

/* No token: of several sites inside, none is the last to have entered. */
FC_VIEW(raymond_k)
{
    *view = (struct mutex_view){.role = s->role};
}

FC_INVARIANT(raymond_k)
{
    uint32_t owing = 0;

    for (uint32_t i = 0; i < me->nodes; i++)
        owing += s->missing[i] > 0;
    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (s->missing[me->index] || s->deferred[me->index])
        return "a site owes itself nothing";
    if (s->owing != owing)
        return "it has counted the sites that owe it replies";
    if (s->role != MUTEX_IDLE && (s->role == MUTEX_WAITS) != (owing >= p->k))
        return "a site waits exactly as long as k others owe it replies";
    if ((s->role == MUTEX_IDLE) != (s->number == 0))
        return "a site has a number exactly while it wants to be inside";
    if (s->number > s->highest)
        return "no request is above the highest number seen";
    return NULL;
}

FC_STATE_FIELDS(raymond_k) = {
    FIELD(NUMBER, number),       FIELD(NUMBER, highest),
    FIELD_EACH(NUMBER, missing), FIELD_EACH(NUMBER, deferred),
    FIELD(NUMBER, owing),        FIELD_WORD(role, MUTEX_ROLES),
};

FC_STAMP_MESSAGES(raymond_k, RAYMOND_K_KINDS, 1u << REQUEST, 1u << REPLY, 0)

/* Replies that it owes; one site may wait for several. */
static inline uint32_t owed(const struct raymond_k *s)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < FC_NODES_MAX; i++)
        count += s->deferred[i];
    return count;
}

MUTEX_QUEUE(raymond_k, owed(s));

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [REQUEST] = {"request", "REQ", FC_ASKS},
    [REPLY] = {"reply", "ok", FC_GRANTS},
};

static const struct fc_param params[] = {
    {"k", FC_PARAM_NUMBER, AT(k), "2", "1..256",
     "how many may be inside together"},
};

static uint32_t capacity(const void *params_in)
{
    const struct raymond_k_params *p = params_in;

    return p->k;
}

/* Each request leads to at most one reply, which may come late. */
FC_COSTS(raymond_k)
{
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST,
                               2.0 * (w->nodes - 1), "2(n-1)"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

/* Replies that a site has sent to another, and that are in flight. */
static uint32_t replies(const struct fc_network *all, uint32_t from,
                        uint32_t to)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->flying_count; i++)
        if (all->flying[i].from == from && all->flying[i].to == to &&
            FC_FLYING(raymond_k, all, i)->kind == REPLY)
            count += FC_FLYING(raymond_k, all, i)->round;
    return count;
}

FC_PREDICATE(raymond_k, debts)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->nodes; j++)
            if (fc_count_stamps(all, i, j, REQUEST) +
                    FC_STATE(raymond_k, all, j)->deferred[i] +
                    replies(all, j, i) !=
                FC_STATE(raymond_k, all, i)->missing[j])
                return false;
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"debts",
     "as many replies as a site misses of another are deferred there, or under "
     "way, or its requests are",
     raymond_k_debts, NULL},
};

const struct fc_protocol raymond_k_protocol = {
    .name = "raymond-k",
    .title = "Raymond 1989: k at once",
    .idea = "As Ricart and Agrawala, but enter when all but k-1 have replied.",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay and order; k-1 crashes",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "K. Raymond, Information Processing Letters 30(4), 1989",
    FC_ENTRY(raymond_k, kinds),
    FC_PREDICATES(predicates),
    FC_PARAMS(params),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    FC_TERMS(raymond_k, .capacity = capacity),
    FC_COSTS_OF(raymond_k),
};

#endif
