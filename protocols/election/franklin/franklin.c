/*
 * franklin.c - election on a ring in both directions, names greater than both
 * neighbours survive (Franklin 1982).
 *
 * In each round every active node sends its name both ways, to the nearest
 * active node on either side.  It stays active if its name is greater than the
 * two that come.  Of two neighbours one at most survives, so half of them are
 * out after each round; and a node that meets its own name is alone.  A round
 * costs two messages on each link: at most 2N*floor(log2 k) + 2N for k
 * initiators, and N more announce the leader.
 *
 * Assumes a ring with links in both directions, distinct names, reliable links;
 * any order of messages, no timing at all.  Messages do not say to which round
 * they belong, and need not: on each side at most two wait at a node, one for
 * this round and one for the next, because a neighbour that is a round ahead
 * needs my name to go on.  The page has the argument.
 *
 * From: R. Franklin, On an improved algorithm for decentralized extrema finding
 * in circular configurations of processors, CACM 25 (1982).  Sleepers are
 * ours; README.md.
 */
#include "protocols/election/franklin/franklin.h"

#include "core/network.h"

#include "protocols/election/phases.h"

#define TURN      franklin
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = FRANKLIN_ASLEEP,
    RELAY = FRANKLIN_RELAY,
    ACTIVE = FRANKLIN_ACTIVE,
    LEADER = FRANKLIN_LEADER,
    NAME = FRANKLIN_NAME,
    ELECTED = FRANKLIN_ELECTED,
};

static inline uint16_t opposite(uint16_t port)
{
    return port == FC_NEXT ? FC_PREVIOUS : FC_NEXT;
}

/* A node that hands on takes from one side what it gives to the other. */
static inline void hand_on(struct turn *t)
{
    send_to(t, opposite(t->event->port), *t->m);
}

static inline void send_both(struct turn *t)
{
    counts(t, ELECTION_PHASE);
    send_to(t, FC_NEXT, fc_word(NAME, t->me->name));
    send_to(t, FC_PREVIOUS, fc_word(NAME, t->me->name));
}

/* FR-1: active, its name goes both ways.  A node that has relayed, or was told,
 * no longer starts. */
static inline void on_start(struct turn *t)
{
    if (t->s->status != ASLEEP)
        return;
    obeyed(t);
    become(t, ACTIVE);
    send_both(t);
}

/* FR-3: both names of the round are here.  `port` brought the first, and
 * perhaps (FR-4) already the one of the next round. */
static inline void end_round(struct turn *t, uint16_t port)
{
    fc_name *got = t->s->got, ahead = t->s->ahead;
    fc_name greater = got[0] > got[1] ? got[0] : got[1];

    drop(t);
    got[0] = got[1] = t->s->ahead = FC_NOBODY;
    if (greater < t->me->name) {
        send_both(t);
        got[port] = ahead;
    } else if (greater == t->me->name) {
        become(t, LEADER);
        t->s->leader = t->me->name;
        if (t->p->announce)
            send_to(t, FC_NEXT, fc_word(ELECTED, t->me->name));
    } else {
        become(t, RELAY);
        if (ahead != FC_NOBODY)
            send_to(t, opposite(port), fc_word(NAME, ahead));
    }
}

static inline void on_name(struct turn *t)
{
    fc_name q = fc_word_name(*t->m);
    uint16_t port = t->event->port;

    if (t->s->status == ASLEEP)
        become(t, RELAY); /* FR-5 */
    if (t->s->status == RELAY) {
        hand_on(t); /* FR-5 */
    } else if (t->s->status == LEADER) {
        drop(t);
    } else if (t->s->got[port] != FC_NOBODY) {
        t->s->ahead = q; /* FR-4: a name for the next round is kept */
    } else {
        t->s->got[port] = q; /* FR-2: one name from each side */
        if (t->s->got[opposite(port)] != FC_NOBODY)
            end_round(t, opposite(port));
    }
}

/* FR-6: noted and passed on; the leader absorbs its own. */
static inline void on_elected(struct turn *t)
{
    fc_name q = fc_word_name(*t->m);

    if (t->s->leader != FC_NOBODY || q == t->me->name)
        return;
    *t->s = (struct franklin){.leader = q, .status = RELAY};
    hand_on(t);
    seen(t);
}

FC_STEP(franklin)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE && t->event->port <= FC_PREVIOUS)
        fc_word_kind(*t->m) == NAME ? on_name(t) : on_elected(t);
}

FC_VIEW(franklin)
{
    static const uint8_t roles[] = {
        [ASLEEP] = ELECTION_ASLEEP,
        [RELAY] = ELECTION_LOST,
        [ACTIVE] = ELECTION_CANDIDATE,
        [LEADER] = ELECTION_LEADER,
    };

    election_view_of(view, roles[s->status], s->leader != FC_NOBODY, s->leader);
}

FC_INVARIANT(franklin)
{
    bool next = s->got[FC_NEXT] != FC_NOBODY;
    bool previous = s->got[FC_PREVIOUS] != FC_NOBODY;

    if (s->status > LEADER)
        return "the status is in range";
    if ((next || previous) && (s->status != ACTIVE || next == previous))
        return "an active node waits for a name, and no other keeps one";
    if (s->ahead != FC_NOBODY && !next && !previous)
        return "a name of the next round is behind one of this round";
    if (s->leader != FC_NOBODY && s->status != RELAY && s->status != LEADER)
        return "a node that knows the leader is out of the race, or leads";
    if ((s->leader == me->name) != (s->status == LEADER))
        return "exactly the leader names itself as leader";
    return NULL;
}

FC_STATE_FIELDS(franklin) = {
    FIELD_LIST(NAME, got),
    FIELD(NAME, ahead),
    FIELD(NAME, leader),
    FIELD_WORD(status, "asleep", "relay", "active", "leader"),
};

FC_WORD_MESSAGES(franklin, FRANKLIN_KINDS, 1u << NAME | 1u << ELECTED)

FC_QUANTITIES(franklin) = {ELECTION_PHASES};

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [NAME] = {"name", "name", FC_CLAIMS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"announce", FC_PARAM_CHOICE, AT(announce), "yes", "no|yes",
     "the leader tells everybody, N messages more"},
};

/* A round is over when its messages have gone from one active node to the next,
 * N hops at most; then one tour to find out and one to announce. */
static uint64_t horizon(const void *params_in, const struct fc_world *w)
{
    (void)params_in;
    return phases_horizon((uint64_t)phases_of(w->nodes) + 2, w);
}

FC_COSTS(franklin)
{
    const struct franklin_params *p = params_in;

    return phases_claims(w, p->announce, 2, "2N*floor(log2 k) + 2N + N",
                         "2N*floor(log2 k) + 2N", out);
}

/* ---- The whole network --------------------------------------------------- */

/* An active node has sent two names in each round and awaits two. */
FC_PREDICATE(franklin, balance)
{
    uint32_t awaited = 0;

    for (uint32_t i = 0; i < all->nodes; i++) {
        const struct franklin *s = FC_STATE(franklin, all, i);

        if (s->status == ACTIVE)
            awaited += 2u - (s->got[0] != FC_NOBODY) -
                       (s->got[1] != FC_NOBODY) - (s->ahead != FC_NOBODY);
    }
    return fc_count_words(all, NAME) == awaited;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"balance", "as many names are under way as active nodes await",
     franklin_balance, NULL},
};

const struct fc_protocol franklin_protocol = {
    .name = "franklin",
    .title = "Franklin 1982: both directions, greatest initiator",
    .idea = "A node stays in the race if its name is greater than those of the "
            "nearest ones still in it on both sides.",
    .assumes = "distinct names, links in both directions, any order of "
               "messages; N unknown; any timing",
    .source = "R. Franklin, CACM 25 (1982)",
    FC_ENTRY(franklin, kinds),
    FC_PREDICATES(predicates),
    FC_TERMS(franklin, .winner = ELECTION_GREATEST_INITIATOR),
    FC_PARAMS(params),
    .horizon = horizon,
    FC_COSTS_OF(franklin),
};

#endif
