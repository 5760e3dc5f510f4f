/*
 * naimi_trehel.c - mutual exclusion by a token that is sought along a path
 * which every request turns round (Naimi and Trehel 1987, 1996).
 *
 * Every site has a father, the site it takes for the last to ask; the last to
 * ask has none.  A request goes from father to father up to that one, and every
 * site on the way takes the asker for its father: the path is turned round, and
 * the asker is now the last.  The site that was last before it sends it the
 * token when it leaves, or at once if it does not want it.  So the fathers form
 * a tree, and the sites that wait form a queue in which each knows its next.
 * About ln n messages an entry on average, at most n.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.
 *
 * From: M. Naimi, M. Trehel, ICDCS 1987; with A. Arnold, J. Parallel Distrib.
 * Comput. 34, 1996.  Site 0 has the token at first.  Ours: the token counts
 * entries, which is a fencing token.
 */
#include "protocols/mutex/naimi_trehel/naimi_trehel.h"

#include "core/network.h"

#define TURN naimi_trehel
#include "core/turn.inc"

enum { REQUEST = NAIMI_TREHEL_REQUEST, TOKEN = NAIMI_TREHEL_TOKEN };

static inline bool is_here(const struct naimi_trehel *s,
                           const struct fc_member *me)
{
    return s->moved != (me->index == 0);
}

/* "father = nil" */
static inline bool is_last(const struct naimi_trehel *s,
                           const struct fc_member *me)
{
    return s->father == me->index;
}

static inline void send_token(struct turn *t, uint32_t to)
{
    send_to(t, (uint16_t)to, (msg){.kind = TOKEN, .number = t->s->number});
    t->s->number = 0;
    t->s->moved = !t->s->moved;
}

static inline void enter(struct turn *t)
{
    t->s->number++;
    become(t, MUTEX_INSIDE);
}

/* NT-1: with the token it enters.  Without, a request to the father, and it has
 * no father from now on. */
static inline void on_want(struct turn *t)
{
    struct naimi_trehel *s = t->s;
    uint16_t me = (uint16_t)t->me->index;

    if (s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    if (is_here(s, t->me)) {
        enter(t);
        return;
    }
    become(t, MUTEX_WAITS);
    if (is_last(s, t->me))
        return; /* the token is lost, and nobody knows more */
    send_to(t, s->father, (msg){.kind = REQUEST, .site = me});
    s->father = me;
}

/* NT-4: the token goes to the next, if there is one. */
static inline void on_leave(struct turn *t)
{
    uint16_t next = t->s->next;

    if (t->s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    t->s->next = 0;
    if (next)
        send_token(t, next - 1u);
}

/* NT-2: a site with a father sends the request on there.  One without, which
 * was the last to ask, notes the asker as its next if it waits or is inside,
 * and otherwise sends it the token.  In every case the asker is its father from
 * now on. */
static inline void on_request(struct turn *t)
{
    struct naimi_trehel *s = t->s;
    uint16_t asker = t->m->site;

    if (!is_last(s, t->me))
        send_to(t, s->father, (msg){.kind = REQUEST, .site = asker});
    else if (s->role != MUTEX_IDLE)
        s->next = (uint16_t)(asker + 1);
    else if (is_here(s, t->me))
        send_token(t, asker);
    else
        drop(t); /* the token is lost */
    s->father = asker;
}

/* NT-3: it enters. */
static inline void on_token(struct turn *t)
{
    if (is_here(t->s, t->me) || t->s->role != MUTEX_WAITS) {
        drop(t);
        return;
    }
    t->s->moved = !t->s->moved;
    t->s->number = t->m->number;
    enter(t);
}

/* With its memory it lost the token, if it had it. */
static inline void on_boot(struct turn *t)
{
    if (is_here(t->s, t->me) && t->s->number == 0)
        t->s->moved = !t->s->moved;
}

FC_STEP(naimi_trehel)
{
    if (t->event->kind == FC_BOOT)
        on_boot(t);
    else if (t->event->kind == FC_MESSAGE)
        t->m->kind == REQUEST ? on_request(t) : on_token(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
}

FC_VIEW(naimi_trehel)
{
    *view = mutex_seen(s->role, s->number, me->index);
}

FC_INVARIANT(naimi_trehel)
{
    bool here = is_here(s, me), idle = s->role == MUTEX_IDLE;

    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (s->moved > 1)
        return "the token has moved or not";
    if (s->father >= me->nodes || s->next > me->nodes)
        return "father and next are sites";
    if (!idle && here != (s->role == MUTEX_INSIDE))
        return "a site that wants in is inside exactly if the token is here";
    if (!here && s->number)
        return "a site counts entries only while the token is here";
    if (idle && s->next)
        return "an idle site has no next";
    if ((!idle || here) && s->next == 0 && !is_last(s, me))
        return "a site that has or wants the token, and has no next, was the "
               "last to ask";
    return NULL;
}

FC_FIELD_VALUE(naimi_trehel, here)
{
    return is_here(s, me);
}

FC_STATE_FIELDS(naimi_trehel) = {
    FIELD(NUMBER, number),
    FIELD(NODE, father),
    FIELD(MAYBE, next),
    FIELD_AS("token", YES, moved, naimi_trehel_here),
    FIELD_WORD(role, MUTEX_ROLES),
};

FC_API void naimi_trehel_relabel(struct naimi_trehel *s, const uint16_t *to,
                                 uint32_t nodes)
{
    (void)nodes;
    s->father = to[s->father];
    if (s->next)
        s->next = (uint16_t)(to[s->next - 1] + 1);
}

FC_STAMP_MESSAGES(naimi_trehel, NAIMI_TREHEL_KINDS, 1u << TOKEN, 0,
                  1u << REQUEST)
FC_STAMP_RELABELS(naimi_trehel)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [REQUEST] = {"request", "REQ", FC_ASKS},
    [TOKEN] = {"token", "token", FC_TOKEN},
};

/* ---- The whole network --------------------------------------------------- */

FC_PREDICATE(naimi_trehel, one_token)
{
    uint32_t count = fc_count_all_stamps(all, TOKEN);

    for (uint32_t i = 0; i < all->nodes; i++)
        count += is_here(FC_STATE(naimi_trehel, all, i),
                         &(struct fc_member){i, all->nodes});
    return count == 1;
}

/* Each request under way has cut the tree once, and joins it again when it
 * comes to the last. */
FC_PREDICATE(naimi_trehel, fathers)
{
    uint32_t roots = 0;

    for (uint32_t i = 0; i < all->nodes; i++) {
        uint32_t at = i, hops = 0;

        while (FC_STATE(naimi_trehel, all, at)->father != at &&
               hops++ < all->nodes)
            at = FC_STATE(naimi_trehel, all, at)->father;
        if (hops > all->nodes)
            return false;
        roots += at == i;
    }
    return roots == 1 + fc_count_all_stamps(all, REQUEST);
}

FC_PREDICATE(naimi_trehel, queue)
{
    for (uint32_t i = 0; i < all->nodes; i++) {
        uint32_t count = 0;

        for (uint32_t j = 0; j < all->nodes; j++)
            count += FC_STATE(naimi_trehel, all, j)->next == i + 1;
        for (uint32_t k = 0; k < all->flying_count; k++) {
            const struct fc_stamp *m = FC_FLYING(naimi_trehel, all, k);

            count += m->kind == TOKEN ? all->flying[k].to == i : m->site == i;
        }
        if (count != (FC_STATE(naimi_trehel, all, i)->role == MUTEX_WAITS))
            return false;
    }
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"one-token", "there is one token, at a site or under way",
     naimi_trehel_one_token, NULL},
    {"fathers",
     "the fathers form a tree, in as many parts more as requests are under way",
     naimi_trehel_fathers, NULL},
    {"queue",
     "a site waits exactly if it is the next of one site, or its request or "
     "the token for it is under way",
     naimi_trehel_queue, NULL},
};

const struct fc_protocol naimi_trehel_protocol = {
    .name = "naimi-trehel",
    .title = "Naimi, Trehel 1987: path reversal",
    .idea = "a request goes from father to father to the last that asked, and "
            "turns the path it took towards the asker",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay; crashes off the path of the token",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES,
    .source = "M. Naimi, M. Trehel, ICDCS 1987; with A. Arnold, JPDC 34, 1996",
    FC_ENTRY(naimi_trehel, kinds),
    FC_PREDICATES(predicates),
    .awaits_all = true,
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
};

#endif
