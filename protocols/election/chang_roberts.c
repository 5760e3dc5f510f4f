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
 * readings its prose leaves open, are switches (docs/protocols/
 * chang-roberts.md).
 */
#include "protocols/election/chang_roberts.h"

static inline void send(struct chang_roberts_out *out,
                        enum chang_roberts_kind kind, fc_name name)
{
    out->send[out->fx.sends++] = fc_word(kind, name);
}

/* state := cand; send <tok, p>. */
static inline void on_start(struct chang_roberts *s, const struct fc_named *me,
                            struct chang_roberts_out *out)
{
    if (s->status != CHANG_ROBERTS_ASLEEP || s->told)
        return;
    s->status = CHANG_ROBERTS_CANDIDATE;
    s->least = me->name;
    send(out, CHANG_ROBERTS_TOKEN, me->name);
    out->fx.notes |= FC_NOTE_VIEW | FC_NOTE_STARTED;
}

static inline void pass_or_drop(struct chang_roberts_out *out, bool passes,
                                fc_name q)
{
    if (passes)
        send(out, CHANG_ROBERTS_TOKEN, q);
    else
        out->fx.notes |= FC_NOTE_DIES;
}

/* while true do receive <tok, q>; send <tok, q>; if state = sleep then state
 * := lost.  Further improvement: non-initiators filter too. */
static inline void relay_token(struct chang_roberts *s,
                               const struct chang_roberts_params *p,
                               const struct fc_named *me, fc_name q,
                               struct chang_roberts_out *out)
{
    bool passes = p->relays == CHANG_ROBERTS_RELAY_ALL ||
                  (p->relays == CHANG_ROBERTS_RELAY_OWN && q < me->name) ||
                  (p->relays == CHANG_ROBERTS_RELAY_LEAST &&
                   (s->least == FC_NOBODY || q < s->least));

    if (s->status == CHANG_ROBERTS_ASLEEP) {
        s->status = CHANG_ROBERTS_RELAY;
        out->fx.notes |= FC_NOTE_VIEW;
    }
    if (s->least == FC_NOBODY || q < s->least)
        s->least = q;
    pass_or_drop(out, passes, q);
}

/* if q = p then state := leader; and the leader floods a message to inform
 * all of its identity. */
static inline void win(struct chang_roberts *s,
                       const struct chang_roberts_params *p,
                       const struct fc_named *me, struct chang_roberts_out *out)
{
    s->status = CHANG_ROBERTS_LEADER;
    s->told = 1;
    s->least = me->name;
    out->fx.notes |= FC_NOTE_VIEW;
    if (p->announce)
        send(out, CHANG_ROBERTS_ELECTED, me->name);
}

/* else if q < p then begin if state = cand then state := lost; send <tok, q>
 * end. */
static inline void on_token(struct chang_roberts *s,
                            const struct chang_roberts_params *p,
                            const struct fc_named *me, fc_name q,
                            struct chang_roberts_out *out)
{
    bool lost = s->status == CHANG_ROBERTS_LOST;
    bool left = (lost && p->loser == CHANG_ROBERTS_STOPS) || s->told;
    fc_name mark = p->compare == CHANG_ROBERTS_OWN ? me->name : s->least;
    bool lower = q < mark;

    if (left) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    if (s->status < CHANG_ROBERTS_CANDIDATE ||
        (lost && p->loser == CHANG_ROBERTS_FORWARDS)) {
        relay_token(s, p, me, q, out);
        return;
    }
    if (q == me->name) {
        win(s, p, me, out);
        return;
    }
    if (lower && !lost) {
        s->status = CHANG_ROBERTS_LOST;
        out->fx.notes |= FC_NOTE_VIEW;
    }
    if (q < s->least)
        s->least = q;
    /* The prose has it the other way round: drop the smaller. */
    pass_or_drop(out, lower == (p->drop == CHANG_ROBERTS_LARGER), q);
}

static inline void on_elected(struct chang_roberts *s,
                              const struct chang_roberts_params *p, fc_name q,
                              struct chang_roberts_out *out)
{
    bool left =
        s->status == CHANG_ROBERTS_LOST && p->loser == CHANG_ROBERTS_STOPS;

    if (left || s->told) {
        /* Told already: it is the leader's own, back from its tour. */
        if (left)
            out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    s->told = 1;
    s->least = q;
    send(out, CHANG_ROBERTS_ELECTED, q);
    out->fx.notes |= FC_NOTE_VIEW;
}

FC_API void chang_roberts_step(struct chang_roberts *s,
                               const struct chang_roberts_params *p,
                               const struct fc_named *me,
                               const struct chang_roberts_in *in,
                               struct chang_roberts_out *out)
{
    if (in->event.kind == FC_COMMAND)
        on_start(s, me, out);
    else if (in->event.kind != FC_MESSAGE)
        return;
    else if (fc_word_kind(in->msg) == CHANG_ROBERTS_TOKEN)
        on_token(s, p, me, fc_word_name(in->msg), out);
    else
        on_elected(s, p, fc_word_name(in->msg), out);
}

FC_API void chang_roberts_view(const struct chang_roberts *s,
                               const struct fc_named *me,
                               struct election_view *view)
{
    static const uint8_t roles[] = {
        [CHANG_ROBERTS_ASLEEP] = ELECTION_ASLEEP,
        [CHANG_ROBERTS_RELAY] = ELECTION_LOST,
        [CHANG_ROBERTS_CANDIDATE] = ELECTION_CANDIDATE,
        [CHANG_ROBERTS_LOST] = ELECTION_LOST,
        [CHANG_ROBERTS_LEADER] = ELECTION_LEADER,
    };
    bool leads = s->status == CHANG_ROBERTS_LEADER;

    (void)me;
    *view = (struct election_view){
        .leader = s->told ? s->least : FC_NOBODY,
        .role = s->told && !leads ? ELECTION_DONE : roles[s->status],
    };
}

FC_API const char *chang_roberts_sane(const struct chang_roberts *s,
                                      const struct chang_roberts_params *p,
                                      const struct fc_named *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_WORD_MESSAGES(chang_roberts, CHANG_ROBERTS_KINDS,
                 1u << CHANG_ROBERTS_TOKEN | 1u << CHANG_ROBERTS_ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [CHANG_ROBERTS_TOKEN] = {"token", "tok", FC_CLAIMS},
    [CHANG_ROBERTS_ELECTED] = {"elected", "elected", FC_TELLS},
};

#define AT(field) offsetof(struct chang_roberts_params, field)
static const struct fc_param params[] = {
    {"announce", FC_PARAM_CHOICE, AT(announce), "yes", "no|yes",
     "the leader tells everybody, N messages more"},
    {"drop", FC_PARAM_CHOICE, AT(drop), "larger", "larger|smaller",
     "which names an initiator drops: as in the program, or in the prose"},
    {"compare", FC_PARAM_CHOICE, AT(compare), "own", "own|least",
     "with which name: the own, or (improvement) the least seen"},
    {"loser", FC_PARAM_CHOICE, AT(loser), "filters", "filters|forwards|stops",
     "an initiator that lost: as before, forwards all, or leaves the loop"},
    {"relays", FC_PARAM_CHOICE, AT(relays), "all", "all|own|least",
     "non-initiators pass all, or (improvement) filter by own or least seen"},
};

static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
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

const struct fc_protocol chang_roberts_protocol = {
    .name = "chang-roberts",
    .title = "Chang and Roberts 1979: initiators, least name",
    .idea = "An initiator drops tokens with larger names than its own, so only "
            "the least one's comes back.",
    .assumes = "distinct names, one direction, any order of messages; N "
               "unknown; any timing",
    .source = "E. Chang, R. Roberts, CACM 22 (1979); lecture 22",
    .problem = &election_problem,
    .topology = FC_RING,
    .winner = ELECTION_LEAST_INITIATOR,
    .kinds = kinds,
    .kinds_count = CHANG_ROBERTS_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct chang_roberts_params),
    .state_size = sizeof(struct chang_roberts),
    .msg_size = sizeof(struct chang_roberts_msg),
    .horizon = election_pipeline_horizon,
    .claims = claims,
};

#endif
