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
 * 1977, as told in the lecture notes in docs/protocols/lelann.md.  The list
 * of names seen is kept as its minimum: nothing else of it is used.
 */
#include "protocols/election/lelann.h"

static inline void send(struct lelann_out *out, enum lelann_kind kind,
                        fc_name name)
{
    out->send[out->fx.sends++] = fc_word(kind, name);
}

/* send <tok, p>.  Nobody starts within an election it knows of, nor after
 * it: a new election is a new run. */
static inline void on_start(struct lelann *s, const struct fc_named *me,
                            struct lelann_out *out)
{
    if (s->status != LELANN_ASLEEP || s->told)
        return;
    s->status = LELANN_CANDIDATE;
    s->least = me->name;
    send(out, LELANN_TOKEN, me->name);
    out->fx.notes |= FC_NOTE_VIEW | FC_NOTE_STARTED;
}

/* My token is back: if p = min(List) then leader else lost. */
static inline void on_own_token(struct lelann *s, const struct lelann_params *p,
                                const struct fc_named *me,
                                struct lelann_out *out)
{
    bool won = s->least == me->name;

    s->status = won ? LELANN_LEADER : LELANN_LOST;
    s->told |= won;
    out->fx.notes |= FC_NOTE_VIEW;
    if (won && p->announce)
        send(out, LELANN_ELECTED, me->name);
}

static inline void on_token(struct lelann *s, const struct lelann_params *p,
                            const struct fc_named *me, fc_name q,
                            struct lelann_out *out)
{
    if (s->status == LELANN_CANDIDATE && q == me->name) {
        on_own_token(s, p, me, out);
        return;
    }
    if (s->status == LELANN_ASLEEP) {
        s->status = LELANN_RELAY; /* if state = sleep then state := lost */
        out->fx.notes |= FC_NOTE_VIEW;
    }
    if (!s->told && (s->least == FC_NOBODY || q < s->least))
        s->least = q;
    send(out, LELANN_TOKEN, q);
}

static inline void on_elected(struct lelann *s, fc_name q,
                              struct lelann_out *out)
{
    if (s->status == LELANN_LEADER)
        return; /* my own, back from its tour */
    s->told = 1;
    s->least = q;
    send(out, LELANN_ELECTED, q);
    out->fx.notes |= FC_NOTE_VIEW;
}

FC_API void lelann_step(struct lelann *s, const struct lelann_params *p,
                        const struct fc_named *me, const struct lelann_in *in,
                        struct lelann_out *out)
{
    if (in->event.kind == FC_COMMAND)
        on_start(s, me, out);
    else if (in->event.kind != FC_MESSAGE)
        return;
    else if (fc_word_kind(in->msg) == LELANN_TOKEN)
        on_token(s, p, me, fc_word_name(in->msg), out);
    else
        on_elected(s, fc_word_name(in->msg), out);
}

FC_API void lelann_view(const struct lelann *s, const struct fc_named *me,
                        struct election_view *view)
{
    static const uint8_t roles[] = {
        [LELANN_ASLEEP] = ELECTION_ASLEEP,       [LELANN_RELAY] = ELECTION_LOST,
        [LELANN_CANDIDATE] = ELECTION_CANDIDATE, [LELANN_LOST] = ELECTION_LOST,
        [LELANN_LEADER] = ELECTION_LEADER,
    };
    bool leads = s->status == LELANN_LEADER;

    (void)me;
    *view = (struct election_view){
        .leader = s->told ? s->least : FC_NOBODY,
        .role = s->told && !leads ? ELECTION_DONE : roles[s->status],
    };
}

FC_API const char *lelann_sane(const struct lelann *s,
                               const struct lelann_params *p,
                               const struct fc_named *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_WORD_MESSAGES(lelann, LELANN_KINDS,
                 1u << LELANN_TOKEN | 1u << LELANN_ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [LELANN_TOKEN] = {"token", "tok", FC_CLAIMS},
    [LELANN_ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"announce", FC_PARAM_CHOICE, offsetof(struct lelann_params, announce),
     "yes", "no|yes", "the leader tells everybody, N messages more"},
};

static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    const struct lelann_params *p = params_in;
    double n = (double)w->nodes, k = (double)w->initiators;
    double u = (double)w->bounds.rmax + (double)w->bounds.dmax;

    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_EXACTLY,
                               p->announce ? k * n + n : k * n,
                               p->announce ? "kN + N" : "kN"};
    out[1] = (struct fc_claim){FC_COST_TICKS, FC_AT_MOST,
                               (p->announce ? 3 * n - 1 : 2 * n - 1) * u,
                               p->announce ? "(2N-1)u + Nu" : "(2N-1)u"};
    return 2;
}

const struct fc_protocol lelann_protocol = {
    .name = "lelann",
    .title = "Le Lann 1977: every token goes round, least initiator",
    .idea = "Every initiator's token goes all the way round; who has the least "
            "name of all tokens seen leads.",
    .assumes = "distinct names, FIFO links, one direction; N unknown; any "
               "timing",
    .source = "G. Le Lann, IFIP Congress 1977; lecture 22",
    .problem = &election_problem,
    .topology = FC_RING,
    .needs = FC_NEEDS_FIFO,
    .winner = ELECTION_LEAST_INITIATOR,
    .kinds = kinds,
    .kinds_count = LELANN_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct lelann_params),
    .state_size = sizeof(struct lelann),
    .msg_size = sizeof(struct lelann_msg),
    .horizon = election_pipeline_horizon,
    .claims = claims,
};

#endif
