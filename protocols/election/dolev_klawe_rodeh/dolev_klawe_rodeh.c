/*
 * dolev_klawe_rodeh.c - election on a ring, three names in a row meet (Dolev,
 * Klawe and Rodeh 1982, algorithm A).
 *
 * Every active node stands for a name.  M1 takes the name to the next active
 * node, M2 takes it one further; so each knows three names in a row, and from
 * then on stands for the middle one if that is the greatest, or becomes
 * passive.  A node that gets its own M1 back is the last.  At most
 * 2N*floor(log2 k) + N messages for k initiators, and N more announce the
 * leader.
 *
 * Assumes a unidirectional FIFO ring, distinct names, reliable links; no
 * timing at all.
 *
 * From: D. Dolev, M. Klawe and M. Rodeh, An O(n log n) unidirectional
 * distributed algorithm for extrema finding in a circle, J. Algorithms 3
 * (1982).  This is the basic algorithm of that paper; its faster successors
 * are not built (README.md).  Sleepers are ours.
 */
#include "protocols/election/dolev_klawe_rodeh/dolev_klawe_rodeh.h"

#include "core/network.h"

#include "protocols/election/phases.h"

#define TURN      dolev_klawe_rodeh
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = DOLEV_KLAWE_RODEH_ASLEEP,
    PASSIVE = DOLEV_KLAWE_RODEH_PASSIVE,
    ACTIVE = DOLEV_KLAWE_RODEH_ACTIVE,
    LAST = DOLEV_KLAWE_RODEH_LAST,
    LEADER = DOLEV_KLAWE_RODEH_LEADER,
    M1 = DOLEV_KLAWE_RODEH_M1,
    M2 = DOLEV_KLAWE_RODEH_M2,
    ELECTED = DOLEV_KLAWE_RODEH_ELECTED,
};

/* DK-1: at first every node stands for itself.  One that has passed something
 * on, or was told, no longer starts. */
static inline void on_start(struct turn *t)
{
    if (t->s->status != ASLEEP || t->s->told)
        return;
    obeyed(t);
    become(t, ACTIVE);
    t->s->max = t->me->name;
    counts(t, ELECTION_PHASE);
    send_on(t, fc_word(M1, t->s->max));
}

/* DK-5: the name that is left is the leader's. */
static inline void learn(struct turn *t, fc_name winner, uint8_t otherwise)
{
    become(t, winner == t->me->name ? LEADER : otherwise);
    t->s->told = 1;
    t->s->max = winner;
    t->s->left = FC_NOBODY;
}

static inline void on_m1(struct turn *t, fc_name q)
{
    if (q == t->s->max) {
        /* DK-2: back already: there is no other active node, and no greater
         * name. */
        learn(t, q, LAST);
        if (t->p->announce)
            send_on(t, fc_word(ELECTED, q));
        return;
    }
    /* DK-3: the name of the active node before me: remembered, and shown to
     * the next. */
    t->s->left = q;
    send_on(t, fc_word(M2, q));
}

/* DK-4: the name before that.  The middle one of three survives if it is the
 * greatest, and moves here. */
static inline void on_m2(struct turn *t, fc_name q)
{
    drop(t);
    if (t->s->left > q && t->s->left > t->s->max) {
        t->s->max = t->s->left;
        counts(t, ELECTION_PHASE);
        send_on(t, fc_word(M1, t->s->max));
    } else {
        become(t, PASSIVE);
    }
    t->s->left = FC_NOBODY;
}

static inline void on_name(struct turn *t)
{
    if (t->s->told) {
        drop(t); /* DK-5 */
        return;
    }
    if (t->s->status == ASLEEP)
        become(t, PASSIVE);
    if (t->s->status == PASSIVE)
        pass_on(t); /* DK-4: passive processors pass M1 and M2 on as they are */
    else if (fc_word_kind(*t->m) == M1)
        on_m1(t, fc_word_name(*t->m));
    else
        on_m2(t, fc_word_name(*t->m));
}

/* DK-5: noted and passed on; the one that sent it absorbs it. */
static inline void on_elected(struct turn *t)
{
    if (t->s->told)
        return;
    learn(t, fc_word_name(*t->m), PASSIVE);
    pass_on(t);
}

FC_STEP(dolev_klawe_rodeh)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE)
        fc_word_kind(*t->m) == ELECTED ? on_elected(t) : on_name(t);
}

FC_VIEW(dolev_klawe_rodeh)
{
    static const uint8_t roles[] = {
        [ASLEEP] = ELECTION_ASLEEP,    [PASSIVE] = ELECTION_LOST,
        [ACTIVE] = ELECTION_CANDIDATE, [LAST] = ELECTION_DONE,
        [LEADER] = ELECTION_LEADER,
    };

    election_view_of(view, roles[s->status], s->told, s->max);
}

FC_INVARIANT(dolev_klawe_rodeh)
{
    if (s->status > LEADER || s->told > 1)
        return "status and flags are in range";
    if (s->left != FC_NOBODY && s->status != ACTIVE)
        return "only an active node remembers another's name";
    if (s->status == ACTIVE && s->max < me->name)
        return "an active node stands for no name below its own";
    if (s->told ? s->status == ASLEEP || s->status == ACTIVE
                : s->status >= LAST)
        return "a node that knows the leader is passive, or was the last";
    if (s->told && (s->status == LEADER) != (s->max == me->name))
        return "exactly the leader names itself as leader";
    return NULL;
}

FC_STATE_FIELDS(dolev_klawe_rodeh) = {
    FIELD(NAME, max),
    FIELD(NAME, left),
    FIELD_WORD(status, "asleep", "passive", "active", "last", "leader"),
    FIELD(YES, told),
};

FC_WORD_MESSAGES(dolev_klawe_rodeh, DOLEV_KLAWE_RODEH_KINDS,
                 1u << M1 | 1u << M2 | 1u << ELECTED)

FC_QUANTITIES(dolev_klawe_rodeh) = {ELECTION_PHASES};

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [M1] = {"M1", "M1", FC_CLAIMS},
    [M2] = {"M2", "M2", FC_ASKS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"announce", FC_PARAM_CHOICE, AT(announce), "yes", "no|yes",
     "the last active node tells everybody, N messages more"},
};

FC_COSTS(dolev_klawe_rodeh)
{
    const struct dolev_klawe_rodeh_params *p = params_in;

    return phases_claims(w, p->announce, 1, "2N*floor(log2 k) + N + N",
                         "2N*floor(log2 k) + N", out);
}

/* ---- The whole network --------------------------------------------------- */

/* An active node has sent one message more than it has read; one that is
 * passive as many. */
FC_PREDICATE(dolev_klawe_rodeh, balance)
{
    uint32_t active = 0;

    for (uint32_t i = 0; i < all->nodes; i++)
        active += FC_STATE(dolev_klawe_rodeh, all, i)->status == ACTIVE;
    return fc_count_words(all, M1) + fc_count_words(all, M2) == active;
}

FC_PREDICATE(dolev_klawe_rodeh, alone)
{
    bool over = false;

    for (uint32_t i = 0; i < all->nodes; i++)
        over |= FC_STATE(dolev_klawe_rodeh, all, i)->told;
    return !over || fc_count_words(all, M1) + fc_count_words(all, M2) == 0;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"balance", "as many names are under way as nodes are active",
     dolev_klawe_rodeh_balance, NULL},
    {"alone", "once a node knows the leader no other name is under way",
     dolev_klawe_rodeh_alone, NULL},
};

const struct fc_protocol dolev_klawe_rodeh_protocol = {
    .name = "dolev-klawe-rodeh",
    .title = "Dolev, Klawe and Rodeh 1982: algorithm A, greatest initiator",
    .idea = "Three names in a row meet at every active node; it stands for the "
            "middle one if that is the greatest, or becomes passive.",
    .assumes = "distinct names, FIFO links, one direction; N unknown; any "
               "timing",
    .source = "D. Dolev, M. Klawe, M. Rodeh, J. Algorithms 3 (1982)",
    FC_ENTRY(dolev_klawe_rodeh, kinds),
    FC_PREDICATES(predicates),
    .needs = FC_NEEDS_FIFO,
    FC_TERMS(dolev_klawe_rodeh, .winner = ELECTION_GREATEST_INITIATOR),
    FC_PARAMS(params),
    .horizon = phases_of_two_horizon,
    FC_COSTS_OF(dolev_klawe_rodeh),
};

#endif
