/*
 * peterson.c - election on a ring, temporary names, the greatest of three
 * survives (Peterson 1982, the first of its two algorithms).
 *
 * Comparing a name with those on both sides takes links in both directions.
 * Where there is one direction, the names move instead: every active node
 * learns the names of the two active ones before it, takes over the nearer one
 * if that is greater than the other and than its own, and otherwise only
 * relays.  At least half of the names die in a phase, and a phase costs two
 * messages on each link: at most 2N*floor(log2 k) + N messages for k
 * initiators, and N more announce the leader.
 *
 * Assumes a unidirectional FIFO ring, distinct names, reliable links; no
 * timing at all.  Messages do not say to which half of which phase they
 * belong: their order does.
 *
 * From: G.L. Peterson, An O(n log n) unidirectional algorithm for the circular
 * extrema problem, TOPLAS 4 (1982).  Sleepers, and the test for the end, are
 * ours; README.md.
 */
#include "protocols/election/peterson/peterson.h"

#include "core/network.h"

#include "protocols/election/phases.h"

#define TURN      peterson
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = PETERSON_ASLEEP,
    RELAY = PETERSON_RELAY,
    FIRST = PETERSON_FIRST,
    SECOND = PETERSON_SECOND,
    ALONE = PETERSON_ALONE,
    LEADER = PETERSON_LEADER,
    TID = PETERSON_TID,
    ELECTED = PETERSON_ELECTED,
};

/* PE-1: the first phase begins with its own name.  A node that has relayed, or
 * was told, no longer starts. */
static inline void on_start(struct turn *t)
{
    if (t->s->status != ASLEEP || t->s->told)
        return;
    obeyed(t);
    become(t, FIRST);
    t->s->tid = t->me->name;
    counts(t, ELECTION_PHASE);
    send_on(t, fc_word(TID, t->s->tid));
}

/* PE-5: the name that is left is the leader's. */
static inline void learn(struct turn *t, fc_name winner, uint8_t otherwise)
{
    become(t, winner == t->me->name ? LEADER : otherwise);
    t->s->told = 1;
    t->s->tid = winner;
    t->s->ntid = FC_NOBODY;
}

/* PE-2: the name of the active one before me.  The greater of the two goes on,
 * for the next one to judge mine by. */
static inline void on_first(struct turn *t, fc_name q)
{
    t->s->ntid = q;
    t->s->status = SECOND;
    send_on(t, fc_word(TID, t->s->tid > q ? t->s->tid : q));
}

/* PE-3: what it knows of those before it.  Its name survives, here, if it is
 * not less than mine nor than that. */
static inline void on_second(struct turn *t, fc_name q)
{
    drop(t);
    if (t->s->ntid >= t->s->tid && t->s->ntid >= q) {
        t->s->tid = t->s->ntid;
        t->s->status = FIRST;
        counts(t, ELECTION_PHASE);
        send_on(t, fc_word(TID, t->s->tid));
    } else {
        become(t, RELAY);
    }
    t->s->ntid = FC_NOBODY;
}

/* PE-2: my temporary name is back, so nobody else is active.  As printed: my
 * own name has passed everybody, whatever I am now. */
static inline bool is_over(const struct turn *t, fc_name q)
{
    if (t->p->test == PETERSON_TEST_NAME)
        return q == t->me->name;
    return t->s->status == FIRST && q == t->s->tid;
}

static inline void on_tid(struct turn *t)
{
    fc_name q = fc_word_name(*t->m);

    if (t->s->told) {
        drop(t); /* PE-5 */
        return;
    }
    if (t->s->status == ASLEEP)
        become(t, RELAY); /* PE-4 */
    if (is_over(t, q)) {
        learn(t, q, ALONE);
        if (t->p->announce)
            send_on(t, fc_word(ELECTED, q));
    } else if (t->s->status == RELAY) {
        pass_on(t); /* PE-4 */
    } else if (t->s->status == SECOND) {
        on_second(t, q);
    } else {
        on_first(t, q);
    }
}

/* PE-5: noted and passed on; the one that sent it absorbs it. */
static inline void on_elected(struct turn *t)
{
    if (t->s->told)
        return;
    learn(t, fc_word_name(*t->m), RELAY);
    pass_on(t);
}

FC_STEP(peterson)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE)
        fc_word_kind(*t->m) == TID ? on_tid(t) : on_elected(t);
}

FC_VIEW(peterson)
{
    static const uint8_t roles[] = {
        [ASLEEP] = ELECTION_ASLEEP,   [RELAY] = ELECTION_LOST,
        [FIRST] = ELECTION_CANDIDATE, [SECOND] = ELECTION_CANDIDATE,
        [ALONE] = ELECTION_DONE,      [LEADER] = ELECTION_LEADER,
    };

    election_view_of(view, roles[s->status], s->told, s->tid);
}

FC_INVARIANT(peterson)
{
    bool active = s->status == FIRST || s->status == SECOND;

    if (s->status > LEADER || s->told > 1)
        return "status and flags are in range";
    if ((s->ntid != FC_NOBODY) != (s->status == SECOND))
        return "a node keeps another's name exactly in the second half";
    if (active && s->tid < me->name)
        return "an active node stands for no name below its own";
    if (s->told ? active || s->status == ASLEEP : s->status >= ALONE)
        return "a node that knows the leader is out of the race, or was the "
               "last in it";
    if (s->told && (s->status == LEADER) != (s->tid == me->name))
        return "exactly the leader names itself as leader";
    return NULL;
}

FC_STATE_FIELDS(peterson) = {
    FIELD(NAME, tid),
    FIELD(NAME, ntid),
    FIELD_WORD(status, "asleep", "relay", "first", "second", "alone", "leader"),
    FIELD(YES, told),
};

FC_WORD_MESSAGES(peterson, PETERSON_KINDS, 1u << TID | 1u << ELECTED)

FC_QUANTITIES(peterson) = {ELECTION_PHASES};

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [TID] = {"tid", "tid", FC_CLAIMS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"announce", FC_PARAM_CHOICE, AT(announce), "yes", "no|yes",
     "the node that finds out tells everybody, N messages more"},
    {"test", FC_PARAM_CHOICE, AT(test), "alone", "alone|name",
     "which node finds out: the last active one, or (as printed) the one "
     "named"},
};

FC_COSTS(peterson)
{
    const struct peterson_params *p = params_in;

    return phases_claims(w, p->announce, 1, "2N*floor(log2 k) + N + N",
                         "2N*floor(log2 k) + N", out);
}

/* ---- The whole network --------------------------------------------------- */

static bool has_test_alone(const void *params_in)
{
    const struct peterson_params *p = params_in;

    return p->test == PETERSON_TEST_ALONE;
}

/* An active node has sent one message more than it has read; one that is out
 * of the race as many. */
FC_PREDICATE(peterson, balance)
{
    uint32_t active = 0;

    for (uint32_t i = 0; i < all->nodes; i++) {
        uint8_t status = FC_STATE(peterson, all, i)->status;

        active += status == FIRST || status == SECOND;
    }
    return fc_count_words(all, TID) == active;
}

FC_PREDICATE(peterson, alone)
{
    bool over = false;

    for (uint32_t i = 0; i < all->nodes; i++)
        over |= FC_STATE(peterson, all, i)->told;
    return !over || fc_count_words(all, TID) == 0;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"balance", "as many names are under way as nodes are active",
     peterson_balance, has_test_alone},
    {"alone", "once a node knows the leader no other name is under way",
     peterson_alone, has_test_alone},
};

const struct fc_protocol peterson_protocol = {
    .name = "peterson",
    .title = "Peterson 1982: temporary names, greatest initiator",
    .idea = "A name moves on to the next active node if it is greater than "
            "those on both sides; half of them die in each phase.",
    .assumes = "distinct names, FIFO links, one direction; N unknown; any "
               "timing",
    .source = "G.L. Peterson, TOPLAS 4 (1982)",
    FC_ENTRY(peterson, kinds),
    FC_PREDICATES(predicates),
    .needs = FC_NEEDS_FIFO,
    FC_TERMS(peterson, .winner = ELECTION_GREATEST_INITIATOR),
    FC_PARAMS(params),
    .horizon = phases_of_two_horizon,
    FC_COSTS_OF(peterson),
};

#endif
