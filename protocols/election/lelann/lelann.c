/*
 * lelann.c - election on a ring, every token goes all the way (Le Lann 1977).
 *
 * Every initiator sends a token with its name round the ring and notes the
 * names of all tokens that pass.  When its own comes back it has seen all
 * others, because links keep their order: it leads if its name is the least.
 * k initiators cost exactly kN messages, and N more announce the leader.
 *
 * Assumes a unidirectional FIFO ring, distinct names, reliable links; no
 * timing at all.
 *
 * From: G. Le Lann, Distributed systems - towards a formal approach, IFIP
 * 1977, as told in the lecture notes in README.md.  The list
 * of names seen is kept as its minimum: nothing else of it is used.
 */
#include "protocols/election/lelann/lelann.h"

#include "core/network.h"

#define TURN      lelann
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = LELANN_ASLEEP,
    RELAY = LELANN_RELAY,
    CANDIDATE = LELANN_CANDIDATE,
    LOST = LELANN_LOST,
    LEADER = LELANN_LEADER,
    TOKEN = LELANN_TOKEN,
    ELECTED = LELANN_ELECTED,
};

/* LL-1: "any process in an election cannot initiate a new one until it has
 * received an ELECTED message".  Without `again` none is initiated after that
 * either: a new election is a new run. */
static inline bool may_start(const struct turn *t)
{
    if (t->s->status == ASLEEP && !t->s->told)
        return true;
    if (t->p->again == LELANN_NEVER || t->s->status == CANDIDATE)
        return false;
    return t->p->again == LELANN_EARLY ||
           (t->s->status == LEADER ? t->s->closed : t->s->told);
}

/* LL-1: "send <tok, p>" */
static inline void on_start(struct turn *t)
{
    if (!may_start(t))
        return;
    obeyed(t);
    t->s->told = t->s->closed = 0;
    become(t, CANDIDATE);
    t->s->least = t->me->name;
    send_on(t, fc_word(TOKEN, t->me->name));
}

/* LL-2: "if p = min(List) then leader else lost" */
static inline void on_own_token(struct turn *t)
{
    bool won = t->s->least == t->me->name;

    become(t, won ? LEADER : LOST);
    t->s->told |= won;
    if (won && t->p->announce)
        send_on(t, fc_word(ELECTED, t->me->name));
}

static inline void on_token(struct turn *t)
{
    fc_name q = fc_word_name(*t->m);

    if (t->s->status == CANDIDATE && q == t->me->name) {
        on_own_token(t);
        return;
    }
    /* LL-5: the first token of another election: the last one is over. */
    if (t->s->told && t->p->again != LELANN_NEVER &&
        t->s->status != CANDIDATE) {
        t->s->least = FC_NOBODY;
        t->s->told = t->s->closed = 0;
        become(t, RELAY);
    }
    /* LL-3: "if state = sleep then state := lost", the name into the list */
    if (t->s->status == ASLEEP)
        become(t, RELAY);
    if (!t->s->told && (t->s->least == FC_NOBODY || q < t->s->least))
        t->s->least = q;
    pass_on(t);
}

/* LL-4: noted and passed on; the leader absorbs its own. */
static inline void on_elected(struct turn *t)
{
    if (t->s->status == LEADER) {
        t->s->closed = t->p->again == LELANN_TOLD;
        return;
    }
    t->s->told = 1;
    t->s->least = fc_word_name(*t->m);
    pass_on(t);
    seen(t);
}

FC_STEP(lelann)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE)
        fc_word_kind(*t->m) == TOKEN ? on_token(t) : on_elected(t);
}

FC_VIEW(lelann)
{
    static const uint8_t roles[] = {
        [ASLEEP] = ELECTION_ASLEEP,       [RELAY] = ELECTION_LOST,
        [CANDIDATE] = ELECTION_CANDIDATE, [LOST] = ELECTION_LOST,
        [LEADER] = ELECTION_LEADER,
    };

    election_view_of(view, roles[s->status], s->told, s->least);
}

FC_INVARIANT(lelann)
{
    if (s->status > LEADER || s->told > 1 || s->closed > 1)
        return "status and flags are in range";
    if (s->closed && s->status != LEADER)
        return "only a leader has closed its election";
    if ((s->least == FC_NOBODY) != (s->status == ASLEEP && !s->told))
        return "exactly a sleeper that was not told knows no name";
    if (s->status == CANDIDATE && !s->told && s->least > me->name)
        return "a candidate's list has its own name";
    if (s->status == LOST && !s->told && s->least >= me->name)
        return "a node that lost has seen a smaller name, or was told";
    if (s->status == LEADER && (!s->told || s->least != me->name))
        return "the leader's own name is the least";
    return NULL;
}

FC_STATE_FIELDS(lelann) = {
    FIELD(NAME, least),
    FIELD_WORD(status, "asleep", "relay", "candidate", "lost", "leader"),
    FIELD(YES, told),
    FIELD(YES, closed),
};

FC_WORD_MESSAGES(lelann, LELANN_KINDS, 1u << TOKEN | 1u << ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [TOKEN] = {"token", "tok", FC_CLAIMS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"announce", FC_PARAM_CHOICE, AT(announce), "yes", "no|yes",
     "the leader tells everybody, N messages more"},
    {"again", FC_PARAM_CHOICE, AT(again), "never", "never|told|early",
     "a node starts another election: never, once elected has come, or before"},
};

FC_COSTS(lelann)
{
    const struct lelann_params *p = params_in;
    double n = (double)w->nodes, k = (double)w->initiators;
    double u = (double)w->bounds.rmax + (double)w->bounds.dmax;

    if (p->again != LELANN_NEVER)
        return 0;
    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_EXACTLY,
                               p->announce ? k * n + n : k * n,
                               p->announce ? "kN + N" : "kN"};
    out[1] = (struct fc_claim){FC_COST_TICKS, FC_AT_MOST,
                               (p->announce ? 3 * n - 1 : 2 * n - 1) * u,
                               p->announce ? "(2N-1)u + Nu" : "(2N-1)u"};
    return 2;
}

/* ---- The whole network --------------------------------------------------- */

FC_PREDICATE(lelann, tokens)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        if (fc_count_named(all, TOKEN, all->name[i]) !=
            (FC_STATE(lelann, all, i)->status == CANDIDATE))
            return false;
    return true;
}

/* Whether no node starts after an election: all tokens belong to one
 * election. */
static bool is_one_election(const void *params_in)
{
    const struct lelann_params *p = params_in;

    return p->again == LELANN_NEVER;
}

/* The hops that a token of one node makes until another reads it. */
static uint32_t hops(const struct fc_network *all, uint32_t from, uint32_t to)
{
    return to > from ? to - from : to + all->nodes - from;
}

/* "Whenever a node receives back its id, it has seen every other initiator's":
 * a token that is still under way has passed every node whose own is home. */
FC_PREDICATE(lelann, seen)
{
    for (uint32_t m = 0; m < all->flying_count; m++) {
        struct fc_word token = *FC_FLYING(lelann, all, m);
        uint32_t owner = 0;

        if (fc_word_kind(token) != TOKEN)
            continue;
        while (owner < all->nodes && all->name[owner] != fc_word_name(token))
            owner++;
        for (uint32_t i = 0; i < all->nodes && owner < all->nodes; i++)
            if (FC_STATE(lelann, all, i)->status >= LOST &&
                hops(all, owner, i) >= hops(all, owner, all->flying[m].to))
                return false;
    }
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"tokens", "the token of each candidate is under way once, and no other",
     lelann_tokens, NULL},
    {"seen",
     "a node whose own token is home has seen the token of every initiator",
     lelann_seen, is_one_election},
};

const struct fc_protocol lelann_protocol = {
    .name = "lelann",
    .title = "Le Lann 1977: every token goes round, least initiator",
    .idea = "Every initiator's token goes all the way round; the node with the "
            "least name of all tokens seen leads.",
    .assumes = "distinct names, FIFO links, one direction; N unknown; any "
               "timing",
    .source = "G. Le Lann, IFIP Congress 1977; lecture 22",
    FC_ENTRY(lelann, kinds),
    FC_PREDICATES(predicates),
    .needs = FC_NEEDS_FIFO,
    FC_TERMS(lelann, .winner = ELECTION_LEAST_INITIATOR),
    FC_PARAMS(params),
    .horizon = election_pipeline_horizon,
    FC_COSTS_OF(lelann),
};

#endif
