/*
 * carvalho_roucairol.c - mutual exclusion by permissions that are kept
 * (Carvalho and Roucairol 1983).
 *
 * As Ricart and Agrawala, but a permission once given is good until it is asked
 * back: a site asks only those whose permission it does not have.  Of two sites
 * at most one has the other's.  A site that wants to enter, and is asked by one
 * with an earlier request, gives that permission up and asks for it again in
 * the same step.  0 to 2(n-1) messages an entry: none for a site that enters
 * again before any other.
 *
 * Sites that ask to read share the resource by the rule of Spirakis and
 * Tampakas (1989, section 3.1): "Readers never give a negative answer to a
 * request of another reader."  Here that is not enough, since an answer is
 * kept: two readers that answered each other would both write without asking.
 * So a permission between readers is lent, until its site leaves; readers=give
 * is the rule to the letter.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.
 *
 * From: O. Carvalho, G. Roucairol, CACM 26(2), 1983.  At the beginning nobody
 * has a permission: the first entry of each site costs 2(n-1), or less if
 * others came before.
 */
#include "protocols/mutex/carvalho_roucairol/carvalho_roucairol.h"

#include "core/network.h"

#define TURN carvalho_roucairol
#include "core/turn.inc"

enum {
    REQUEST = CARVALHO_ROUCAIROL_REQUEST,
    REPLY = CARVALHO_ROUCAIROL_REPLY,
    READ = CARVALHO_ROUCAIROL_READ,
    LOAN = CARVALHO_ROUCAIROL_LOAN,
};

static inline bool has_all(const struct carvalho_roucairol *s,
                           const struct fc_member *me)
{
    return fc_set_count(&s->permitted) + 1 >= me->nodes;
}

/* CV-3: with all permissions it enters, and keeps them. */
static inline void enter_if_permitted(struct turn *t)
{
    if (has_all(t->s, t->me))
        become(t, MUTEX_INSIDE);
}

/* a without b. */
static inline struct fc_set without(struct fc_set a, const struct fc_set *b)
{
    for (uint32_t i = 0; i < FC_SET_WORDS; i++)
        a.word[i] &= ~b->word[i];
    return a;
}

/* Its request, to read or to write. */
static inline msg request_of(const struct carvalho_roucairol *s)
{
    return (msg){.kind = s->shared ? READ : REQUEST, .number = s->number};
}

/* As it is asked, unless it is fixed which sites write: the first ones. */
static inline bool reads(const struct turn *t)
{
    if (t->p->writers.word)
        return t->me->index >= t->p->writers.number;
    return t->event->command == MUTEX_WANT_SHARED;
}

/* CV-1: a request to all whose permission it lacks.  If it has all, it is
 * inside without a message. */
static inline void on_want(struct turn *t)
{
    struct fc_set asked;

    if (t->s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    t->s->number = ++t->s->highest;
    t->s->shared = reads(t);
    become(t, MUTEX_WAITS);
    fc_set_others(&asked, t->me->nodes, t->me->index);
    asked = without(asked, &t->s->permitted);
    send_set(t, &asked, request_of(t->s));
    enter_if_permitted(t);
}

/* CV-4: a reply to all that were deferred; their permissions are gone, and
 * those that were lent. */
static inline void on_leave(struct turn *t)
{
    struct carvalho_roucairol *s = t->s;

    if (s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    s->number = 0;
    s->shared = 0;
    s->permitted = without(s->permitted, &s->deferred);
    s->permitted = without(s->permitted, &s->lent);
    fc_set_clear(&s->lent);
    send_set(t, &s->deferred, (msg){.kind = REPLY});
    fc_set_clear(&s->deferred);
}

/* CV-5: a reader answers a reader at once, for this entry.  The other's
 * permission is then for this entry, too, even if it is under way: (1) we ask
 * to read; (2) an idle site replies, wants to read, and asks us; (3) its
 * request overtakes its reply, and we lend; (4) we read the reply, enter,
 * leave, and with it would write without asking, beside that site. */
static inline void lend(struct turn *t)
{
    fc_set_add(&t->s->lent, t->event->port);
    answer(t, (msg){.kind = LOAN});
}

/* CV-2: a site that is inside defers, whatever the numbers: it may have entered
 * without any other hearing of its request.  One that waits with the earlier
 * request defers, too.  All others reply: the asker has their permission
 * instead of them having the asker's. */
static inline void on_request(struct turn *t)
{
    struct carvalho_roucairol *s = t->s;
    uint64_t number = t->m->number;
    uint16_t from = t->event->port;
    bool waits = s->role == MUTEX_WAITS;
    bool had_its = fc_set_has(&s->permitted, from);

    bool both_read = s->shared && t->m->kind == READ;

    if (number > s->highest)
        s->highest = number;
    if (both_read && t->p->readers == CARVALHO_ROUCAIROL_LENDS) {
        lend(t);
        return;
    }
    if (!both_read &&
        (s->role == MUTEX_INSIDE ||
         (waits && mutex_before(s->number, t->me->index, number, from)))) {
        fc_set_add(&s->deferred, from);
        return;
    }
    fc_set_remove(&s->permitted, from);
    fc_set_remove(&s->lent, from);
    answer(t, (msg){.kind = REPLY});
    /* Only a permission from before its own request can be lost now; it has
     * not asked for that one, and does. */
    if (waits && had_its)
        answer(t, request_of(s));
}

static inline void on_reply(struct turn *t)
{
    if (t->s->role != MUTEX_WAITS ||
        fc_set_has(&t->s->permitted, t->event->port)) {
        drop(t);
        return;
    }
    fc_set_add(&t->s->permitted, t->event->port);
    if (t->m->kind == LOAN)
        fc_set_add(&t->s->lent, t->event->port);
    enter_if_permitted(t);
}

FC_STEP(carvalho_roucairol)
{
    if (t->event->kind == FC_MESSAGE)
        t->m->kind == REQUEST || t->m->kind == READ ? on_request(t)
                                                    : on_reply(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
}

/* No token: numbers do not grow from entry to entry, because a site that enters
 * without asking takes one that nobody hears of. */
FC_VIEW(carvalho_roucairol)
{
    *view = (struct mutex_view){.role = s->role, .shared = s->shared};
}

FC_INVARIANT(carvalho_roucairol)
{
    struct fc_set others;

    fc_set_others(&others, me->nodes, me->index);
    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (!fc_set_within(&s->permitted, &others) ||
        !fc_set_within(&s->deferred, &others))
        return "permissions are of others, and deferred to others";
    if (!fc_set_within(&s->lent, &others))
        return "permissions are lent by others";
    if (s->role == MUTEX_IDLE && (s->shared || !fc_set_empty(&s->lent)))
        return "an idle site does not read, and nothing is lent to it";
    if (s->role != MUTEX_IDLE && (s->role == MUTEX_INSIDE) != has_all(s, me) &&
        !(s->shared && p->readers == CARVALHO_ROUCAIROL_GIVES))
        return "a site that wants in is inside exactly with all permissions";
    if ((s->role == MUTEX_IDLE) != (s->number == 0))
        return "a site has a number exactly while it wants to be inside";
    if (s->role == MUTEX_IDLE && !fc_set_empty(&s->deferred))
        return "an idle site has deferred nothing";
    if (s->number > s->highest)
        return "no request is above the highest number seen";
    return NULL;
}

FC_STATE_FIELDS(carvalho_roucairol) = {
    FIELD(NUMBER, number),   FIELD(NUMBER, highest),
    FIELD(NODES, permitted), FIELD(NODES, lent),
    FIELD(NODES, deferred),  FIELD_WORD(role, MUTEX_ROLES),
    FIELD(YES, shared),
};

FC_STAMP_MESSAGES(carvalho_roucairol, CARVALHO_ROUCAIROL_KINDS,
                  1u << REQUEST | 1u << READ, 0, 0)

MUTEX_QUEUE(carvalho_roucairol, fc_set_count(&s->deferred));

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [REQUEST] = {"request", "REQ", FC_ASKS},
    [REPLY] = {"reply", "ok", FC_GRANTS},
    [READ] = {"read-request", "READ", FC_ASKS},
    [LOAN] = {"loan", "loan", FC_GRANTS},
};

static const struct fc_param params[] = {
    {"readers", FC_PARAM_CHOICE, AT(readers), "lend", "lend|give",
     "a reader's permission to a reader is for one entry, or is kept like any "
     "other"},
    {"writers", FC_PARAM_EITHER, AT(writers), "any", "any|0..256",
     "how many sites write, the first ones, while the others read; any: each "
     "request says"},
};

FC_COSTS(carvalho_roucairol)
{
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST,
                               2.0 * (w->nodes - 1), "2(n-1)"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

static bool has_reply_of(const struct fc_network *all, uint32_t i, uint32_t j)
{
    return fc_set_has(&FC_STATE(carvalho_roucairol, all, i)->permitted, j);
}

static bool keeps_reply_of(const struct fc_network *all, uint32_t i, uint32_t j)
{
    return has_reply_of(all, i, j) &&
           !fc_set_has(&FC_STATE(carvalho_roucairol, all, i)->lent, j);
}

FC_PREDICATE(carvalho_roucairol, permission)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < i; j++)
            if (keeps_reply_of(all, i, j) + keeps_reply_of(all, j, i) +
                    fc_count_stamps(all, i, j, REPLY) +
                    fc_count_stamps(all, j, i, REPLY) >
                1)
                return false;
    return true;
}

/* As with Ricart and Agrawala, of those that were asked. */
FC_PREDICATE(carvalho_roucairol, debts)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->nodes; j++) {
            bool misses =
                FC_STATE(carvalho_roucairol, all, i)->role == MUTEX_WAITS &&
                i != j && !has_reply_of(all, i, j);
            bool defers =
                fc_set_has(&FC_STATE(carvalho_roucairol, all, j)->deferred, i);

            if (fc_count_stamps(all, i, j, REQUEST) +
                    fc_count_stamps(all, i, j, READ) + defers +
                    fc_count_stamps(all, j, i, REPLY) +
                    fc_count_stamps(all, j, i, LOAN) !=
                misses)
                return false;
        }
    return true;
}

/* To the letter of the rule neither is true once two have read together. */
FC_UNUSED static bool lends(const void *params_in)
{
    const struct carvalho_roucairol_params *p = params_in;

    return p->readers == CARVALHO_ROUCAIROL_LENDS;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"permission",
     "of two sites at most one keeps the other's permission, or it is under "
     "way",
     carvalho_roucairol_permission, lends},
    {"debts",
     "a site that waits lacks a permission exactly if its request is under "
     "way, is deferred, or the reply is under way",
     carvalho_roucairol_debts, lends},
};

const struct fc_protocol carvalho_roucairol_protocol = {
    .name = "carvalho-roucairol",
    .title = "Carvalho, Roucairol 1983",
    .idea = "As Ricart and Agrawala, but a permission is good until it is "
            "asked back.",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay and order; no crash",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "O. Carvalho, G. Roucairol, CACM 26(2), 1983",
    FC_ENTRY(carvalho_roucairol, kinds),
    FC_PREDICATES(predicates),
    FC_TERMS(carvalho_roucairol, .shares = MUTEX_SHARES_ON_REQUEST),
    FC_PARAMS(params),
    .awaits_all = true,
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    FC_COSTS_OF(carvalho_roucairol),
};

#endif
