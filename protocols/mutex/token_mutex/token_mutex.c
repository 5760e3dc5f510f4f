/*
 * token_mutex.c - mutual exclusion by a token that goes round a logical ring
 * (Le Lann 1977).
 *
 * The site that has the token may enter; when it leaves, or does not want to
 * enter, it passes the token on.  The token goes round for ever: if all want it
 * always that is one message an entry, and if nobody does the messages are
 * wasted.
 *
 * With idle=rests, which is ours, the token stays where it was last wanted.  A
 * site that wants it sends a call the same way round, up to the one that has
 * the token or waits for it; the token then goes as far as the farthest that
 * called.  For a single caller that is n messages in all, or none if the token
 * is there already.
 *
 * Assumes a ring whose sites know their place in it; reliable links, in order
 * if the token rests; sites that do not crash; no bound on anything.
 *
 * From: G. Le Lann, IFIP Congress 1977.  Site 0 has the token at first.  Ours:
 * the token counts entries, which is a fencing token.
 */
#include "protocols/mutex/token_mutex/token_mutex.h"

#include "core/network.h"

#define TURN token_mutex
#include "core/turn.inc"

enum { CALL = TOKEN_MUTEX_CALL, TOKEN = TOKEN_MUTEX_TOKEN };

static inline bool is_here(const struct token_mutex *s,
                           const struct token_mutex_params *p,
                           const struct fc_member *me)
{
    return s->moved != mutex_holds_first(p->holders, me->index);
}

static inline bool may_rest(const struct turn *t)
{
    return t->p->idle == TOKEN_MUTEX_RESTS;
}

/* TM-3: pass it on.  TM-8: if it may rest, the hops to go are those that were
 * left, or those to the farthest caller, whichever is more.  None: it rests. */
static inline void pass_token(struct turn *t)
{
    struct token_mutex *s = t->s;
    uint32_t left = s->left > s->sought ? s->left : s->sought;

    if (!may_rest(t))
        left = t->me->nodes;
    s->left = s->sought = 0;
    if (left == 0)
        return;
    send_on(t, (msg){.kind = TOKEN, .number = s->number, .round = left});
    s->number = 0;
    s->seen = 1;
    s->moved = !s->moved;
}

static inline void enter(struct turn *t)
{
    t->s->number++;
    become(t, MUTEX_INSIDE);
}

/* TM-1, TM-5: if the token is here, enter; otherwise call for it.  A token that
 * goes round comes without a call, once it is on its way. */
static inline void on_want(struct turn *t)
{
    if (t->s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    if (is_here(t->s, t->p, t->me)) {
        enter(t);
        return;
    }
    become(t, MUTEX_WAITS);
    if (may_rest(t) || !t->s->seen)
        send_on(t, (msg){.kind = CALL, .round = t->me->index});
}

static inline void on_leave(struct turn *t)
{
    if (t->s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    pass_token(t);
}

/* TM-4: a site that has the token unused sends it on its way; one that has seen
 * it before drops the call, because the token is on its way.  TM-6: a site that
 * waits or is inside remembers the distance of the caller in hops.  All others
 * pass the call on.  It cannot miss the token where links keep the order: both
 * go the same way, and neither overtakes the other. */
static inline void on_call(struct turn *t)
{
    struct token_mutex *s = t->s;
    uint32_t caller = t->m->round, me = t->me->index;
    uint32_t away = caller >= me ? caller - me : t->me->nodes - me + caller;

    if (away == 0 || (!may_rest(t) && s->seen)) {
        drop(t);
        return;
    }
    if (s->role == MUTEX_IDLE && !is_here(s, t->p, t->me)) {
        send_on(t, (msg){.kind = CALL, .round = caller});
        return;
    }
    if (away > s->sought)
        s->sought = away;
    if (s->role == MUTEX_IDLE)
        pass_token(t);
}

/* TM-2, TM-7: one hop less to go.  A site that waits enters, all others pass
 * the token on, or let it rest if it may and no hop is left. */
static inline void on_token(struct turn *t)
{
    struct token_mutex *s = t->s;

    if (is_here(s, t->p, t->me)) {
        drop(t);
        return;
    }
    s->moved = !s->moved;
    s->seen = 1;
    s->number = t->m->number;
    s->left = t->m->round ? t->m->round - 1 : 0;
    if (s->role == MUTEX_WAITS)
        enter(t);
    else
        pass_token(t);
}

/* With its memory it lost the token, if it had it. */
static inline void on_boot(struct turn *t)
{
    if (is_here(t->s, t->p, t->me) && t->s->number == 0)
        t->s->moved = !t->s->moved;
}

FC_STEP(token_mutex)
{
    if (t->event->kind == FC_BOOT)
        on_boot(t);
    else if (t->event->kind == FC_MESSAGE)
        t->m->kind == CALL ? on_call(t) : on_token(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
}

FC_VIEW(token_mutex)
{
    *view = mutex_seen(s->role, s->number, 0);
}

FC_INVARIANT(token_mutex)
{
    bool here = is_here(s, p, me), idle = s->role == MUTEX_IDLE;

    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (s->moved > 1 || s->seen > 1)
        return "the token has moved or not, and was seen or not";
    if (!idle && here != (s->role == MUTEX_INSIDE))
        return "a site that wants in is inside exactly if the token is here";
    if (!here && (s->number || s->left))
        return "a site knows of the token only while it is here";
    if (idle && (s->left || s->sought))
        return "an idle site keeps no hops to go, and no caller";
    if (s->left >= me->nodes || s->sought >= me->nodes)
        return "no site is farther away than once round";
    if (here && s->seen && idle && p->idle == TOKEN_MUTEX_CIRCULATES)
        return "a token that goes round rests only before its first hop";
    return NULL;
}

FC_FIELD_VALUE(token_mutex, here)
{
    return is_here(s, p, me);
}

FC_STATE_FIELDS(token_mutex) = {
    FIELD(NUMBER, number),
    FIELD(NUMBER, left),
    FIELD(NUMBER, sought),
    FIELD_WORD(role, MUTEX_ROLES),
    FIELD_AS("token", YES, moved, token_mutex_here),
    FIELD(YES, seen),
};

FC_STAMP_MESSAGES(token_mutex, TOKEN_MUTEX_KINDS, 1u << TOKEN,
                  1u << CALL | 1u << TOKEN, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [CALL] = {"call", "call", FC_ASKS},
    [TOKEN] = {"token", "token", FC_TOKEN},
};

static const struct fc_param params[] = {
    {"idle", FC_PARAM_CHOICE, AT(idle), "circulates", "circulates|rests",
     "a token that nobody wants: goes round for ever, or rests until called"},
    MUTEX_HOLDERS_PARAM(AT(holders)),
};

static bool restless(const void *params_in)
{
    const struct token_mutex_params *p = params_in;

    return p->idle == TOKEN_MUTEX_CIRCULATES;
}

/* A call and the token together go round once for an entry, or less far if
 * others want it as well. */
FC_COSTS(token_mutex)
{
    if (restless(params_in))
        return 0;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_MEAN_AT_MOST,
                               (double)w->nodes, "n"};
    return 1;
}

static uint32_t needs_with(const void *params_in)
{
    const struct token_mutex_params *p = params_in;

    return p->idle == TOKEN_MUTEX_RESTS ? FC_NEEDS_FIFO : 0;
}

/* ---- The whole network --------------------------------------------------- */

FC_PREDICATE(token_mutex, one_token)
{
    uint32_t count = fc_count_all_stamps(all, TOKEN);

    for (uint32_t i = 0; i < all->nodes; i++)
        count += is_here(FC_STATE(token_mutex, all, i), all->params,
                         &(struct fc_member){i, all->nodes});
    return count == 1;
}

MUTEX_HAS_ONE_HOLDER(token_mutex)

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"one-token", "there is one token, at a site or under way",
     token_mutex_one_token, has_one_holder},
};

const struct fc_protocol token_mutex_protocol = {
    .name = "token-mutex",
    .title = "Le Lann 1977: token on a logical ring",
    .idea =
        "a token goes round; the site that has it may enter, then passes it on",
    .assumes = "a ring whose sites know their place; reliable links, FIFO if "
               "the token rests; no crashes, no bounds",
    .survives = "any delay; no crash",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES,
    .source = "G. Le Lann, IFIP Congress 1977",
    FC_ENTRY(token_mutex, kinds),
    FC_NUMBERS([TOKEN] = "entries so far, hops to go"),
    FC_PREDICATES(predicates),
    .awaits_all = true,
    .needs = FC_NEEDS_FIFO,
    .needs_with = needs_with,
    FC_PARAMS(params),
    .horizon = mutex_horizon,
    .restless = restless,
    FC_COSTS_OF(token_mutex),
};

#endif
