/*
 * chang_roberts.c - election on a ring, hopeless tokens are dropped (Chang and
 * Roberts 1979), least initiator.
 *
 * Le Lann's election, but an initiator drops every token with a larger name
 * than its own: it cannot win.  Only the least initiator's token comes back.
 * k initiators: from N+k-1 over N*H_k on average to kN - k(k-1)/2 messages,
 * and N more announce the leader.
 *
 * Assumes a unidirectional ring, distinct names, reliable links; any order of
 * messages, no timing at all.
 *
 * From: E. Chang and R. Roberts, CACM 22 (1979), in the version of lecture 22,
 * whose program is quoted at the branches.  Its improvements, and the
 * readings its prose leaves open, are switches (README.md).
 */
#include "protocols/election/chang_roberts/chang_roberts.h"

#include "core/network.h"

#define TURN      chang_roberts
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = CHANG_ROBERTS_ASLEEP,
    RELAY = CHANG_ROBERTS_RELAY,
    CANDIDATE = CHANG_ROBERTS_CANDIDATE,
    LOST = CHANG_ROBERTS_LOST,
    LEADER = CHANG_ROBERTS_LEADER,
    TOKEN = CHANG_ROBERTS_TOKEN,
    ELECTED = CHANG_ROBERTS_ELECTED,
};

/* CR-1: "state := cand; send <tok, p>" */
static inline void on_start(struct turn *t)
{
    if (t->s->status != ASLEEP || t->s->told)
        return;
    obeyed(t);
    become(t, CANDIDATE);
    t->s->least = t->me->name;
    send_on(t, fc_word(TOKEN, t->me->name));
}

static inline void pass_or_drop(struct turn *t, bool passes)
{
    passes ? pass_on(t) : drop(t);
}

/* CR-5: "while true do receive <tok, q>; send <tok, q>; if state = sleep then
 * state := lost".  Further improvement: non-initiators filter too. */
static inline void relay_token(struct turn *t, fc_name q)
{
    bool least = t->s->least == FC_NOBODY || q < t->s->least;
    bool passes =
        t->p->relays == CHANG_ROBERTS_RELAY_ALL ||
        (t->p->relays == CHANG_ROBERTS_RELAY_OWN ? q < t->me->name : least);

    if (t->s->status == ASLEEP)
        become(t, RELAY);
    if (least)
        t->s->least = q;
    pass_or_drop(t, passes);
}

/* CR-2: "if q = p then state := leader"; and the leader floods a message to
 * inform all of its identity. */
static inline void win(struct turn *t)
{
    become(t, LEADER);
    t->s->told = 1;
    t->s->least = t->me->name;
    if (t->p->announce)
        send_on(t, fc_word(ELECTED, t->me->name));
}

/* Has left the loop, and drops what comes. */
static inline bool has_stopped(const struct turn *t)
{
    return t->s->status == LOST && t->p->loser == CHANG_ROBERTS_STOPS;
}

static inline void on_token(struct turn *t)
{
    fc_name q = fc_word_name(*t->m);
    bool lost = t->s->status == LOST;
    bool own = t->p->compare == CHANG_ROBERTS_OWN;
    bool lower = q < (own ? t->me->name : t->s->least);

    if (t->s->told || has_stopped(t)) {
        drop(t); /* CR-6 */
        return;
    }
    if (t->s->status < CANDIDATE ||
        (lost && t->p->loser == CHANG_ROBERTS_FORWARDS)) {
        relay_token(t, q);
        return;
    }
    if (q == t->me->name) {
        win(t);
        return;
    }
    /* CR-3: "else if q < p then begin if state = cand then state := lost; send
     * <tok, q> end" */
    if (lower && !lost)
        become(t, LOST);
    if (q < t->s->least)
        t->s->least = q;
    /* CR-4: a larger name is dropped.  The prose has it the other way round:
     * drop the smaller. */
    pass_or_drop(t, lower == (t->p->drop == CHANG_ROBERTS_LARGER));
}

/* CR-6: noted and passed on; the leader absorbs its own. */
static inline void on_elected(struct turn *t)
{
    if (has_stopped(t)) {
        drop(t);
        return;
    }
    if (t->s->told)
        return;
    t->s->told = 1;
    t->s->least = fc_word_name(*t->m);
    pass_on(t);
    seen(t);
}

FC_STEP(chang_roberts)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE)
        fc_word_kind(*t->m) == TOKEN ? on_token(t) : on_elected(t);
}

FC_VIEW(chang_roberts)
{
    static const uint8_t roles[] = {
        [ASLEEP] = ELECTION_ASLEEP,       [RELAY] = ELECTION_LOST,
        [CANDIDATE] = ELECTION_CANDIDATE, [LOST] = ELECTION_LOST,
        [LEADER] = ELECTION_LEADER,
    };

    election_view_of(view, roles[s->status], s->told, s->least);
}

FC_INVARIANT(chang_roberts)
{
    if (s->status > LEADER || s->told > 1)
        return "status and flags are in range";
    if ((s->least == FC_NOBODY) != (s->status == ASLEEP && !s->told))
        return "exactly a sleeper that was not told knows no name";
    if (s->status == CANDIDATE && !s->told && s->least != me->name)
        return "a candidate has seen no smaller name than its own";
    if (s->status == LOST && !s->told && s->least >= me->name)
        return "a node that lost has seen a smaller name, or was told";
    if (s->status == LEADER && (!s->told || s->least != me->name))
        return "the leader knows that it leads";
    return NULL;
}

FC_STATE_FIELDS(chang_roberts) = {
    FIELD(NAME, least),
    FIELD_WORD(status, "asleep", "relay", "candidate", "lost", "leader"),
    FIELD(YES, told),
};

FC_WORD_MESSAGES(chang_roberts, CHANG_ROBERTS_KINDS,
                 1u << TOKEN | 1u << ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [TOKEN] = {"token", "tok", FC_CLAIMS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"announce", FC_PARAM_CHOICE, AT(announce), "yes", "no|yes",
     "the leader tells everybody, N messages more"},
    {"drop", FC_PARAM_CHOICE, AT(drop), "larger", "larger|smaller",
     "which names an initiator drops: as in the program, or in the prose"},
    {"compare", FC_PARAM_CHOICE, AT(compare), "own", "own|least",
     "with which name: its own, or (improvement) the least seen"},
    {"loser", FC_PARAM_CHOICE, AT(loser), "filters", "filters|forwards|stops",
     "an initiator that lost: as before, forwards all, or leaves the loop"},
    {"relays", FC_PARAM_CHOICE, AT(relays), "all", "all|own|least",
     "non-initiators pass all, or (improvement) filter by own or least seen"},
};

FC_COSTS(chang_roberts)
{
    const struct chang_roberts_params *p = params_in;
    double n = (double)w->nodes, k = (double)w->initiators;
    double u = (double)w->bounds.rmax + (double)w->bounds.dmax;
    double more = p->announce ? n : 0, harmonic = 0;

    for (uint32_t i = w->initiators; i > 0; i--)
        harmonic += 1.0 / (double)i;
    out[0] = (struct fc_claim){
        FC_COST_MESSAGES, FC_AT_MOST, k * n - k * (k - 1) / 2 + more,
        p->announce ? "kN - k(k-1)/2 + N" : "kN - k(k-1)/2"};
    out[1] =
        (struct fc_claim){FC_COST_MESSAGES, FC_ON_AVERAGE, n * harmonic + more,
                          p->announce ? "N*H_k + N" : "N*H_k"};
    out[2] =
        (struct fc_claim){FC_COST_TICKS, FC_AT_MOST, (2 * n - 1) * u + more * u,
                          p->announce ? "(2N-1)u + Nu" : "(2N-1)u"};
    return 3;
}

/* ---- The whole network --------------------------------------------------- */

static bool is_right(const void *params_in)
{
    const struct chang_roberts_params *p = params_in;

    return p->drop == CHANG_ROBERTS_LARGER && p->loser != CHANG_ROBERTS_STOPS &&
           p->relays != CHANG_ROBERTS_RELAY_OWN;
}

static uint32_t leaders(const struct fc_network *all)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->nodes; i++)
        count += FC_STATE(chang_roberts, all, i)->status == LEADER;
    return count;
}

FC_PREDICATE(chang_roberts, least_survives)
{
    uint32_t least = all->nodes;

    for (uint32_t i = 0; i < all->nodes; i++)
        if (FC_STATE(chang_roberts, all, i)->status >= CANDIDATE &&
            (least == all->nodes || all->name[i] < all->name[least]))
            least = i;
    if (least == all->nodes)
        return true;
    return fc_count_named(all, TOKEN, all->name[least]) +
               (FC_STATE(chang_roberts, all, least)->status == LEADER) ==
           1;
}

FC_PREDICATE(chang_roberts, alone)
{
    return !all->fifo || leaders(all) == 0 || fc_count_words(all, TOKEN) == 0;
}

/* The promise to the owner of a dropped token: that it will hear of a smaller
 * one. */
FC_PREDICATE(chang_roberts, hope)
{
    fc_name least = FC_NOBODY;

    for (uint32_t i = 0; i < all->flying_count; i++) {
        struct fc_word m = *FC_FLYING(chang_roberts, all, i);

        if (fc_word_kind(m) == TOKEN &&
            (least == FC_NOBODY || fc_word_name(m) < least))
            least = fc_word_name(m);
    }
    for (uint32_t i = 0; i < all->nodes; i++) {
        const struct chang_roberts *s = FC_STATE(chang_roberts, all, i);

        if (s->status == CANDIDATE && !s->told &&
            (least == FC_NOBODY || least > all->name[i]))
            return false;
    }
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"least-survives",
     "of the nodes that ran, the one with the least name leads, or its token "
     "is under way, once",
     chang_roberts_least_survives, is_right},
    {"alone", "on FIFO links no token is under way once a node leads",
     chang_roberts_alone, is_right},
    {"hope",
     "while a node is a candidate, its own token or a smaller one is under way",
     chang_roberts_hope, is_right},
};

const struct fc_protocol chang_roberts_protocol = {
    .name = "chang-roberts",
    .title = "Chang and Roberts 1979: initiators, least name",
    .idea = "An initiator drops tokens with larger names than its own, so only "
            "the least one's comes back.",
    .assumes = "distinct names, one direction, any order of messages; N "
               "unknown; any timing",
    .source = "E. Chang, R. Roberts, CACM 22 (1979); lecture 22",
    FC_ENTRY(chang_roberts, kinds),
    FC_PREDICATES(predicates),
    FC_TERMS(chang_roberts, .winner = ELECTION_LEAST_INITIATOR),
    FC_PARAMS(params),
    .horizon = election_pipeline_horizon,
    FC_COSTS_OF(chang_roberts),
};

#endif
