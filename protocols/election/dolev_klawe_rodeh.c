/*
 * dolev_klawe_rodeh.c - election on a ring, three names in a row meet (Dolev,
 * Klawe and Rodeh 1982, algorithm A).
 *
 * Every active node stands for a name.  M1 takes the name to the next active
 * node, M2 takes it one further; so each knows three names in a row, and stands
 * for the middle one from now on if that is the greatest, or becomes passive.
 * Whoever gets its own M1 back is the last.  At most 2N*floor(log2 k) + N
 * messages for k initiators, and N more announce the leader.
 *
 * Assumes a unidirectional FIFO ring, distinct names, reliable links; no
 * timing at all.
 *
 * From: D. Dolev, M. Klawe and M. Rodeh, An O(n log n) unidirectional
 * distributed algorithm for extrema finding in a circle, J. Algorithms 3
 * (1982).  This is the basic algorithm of that paper; its faster successors
 * are not built (docs/protocols/dolev-klawe-rodeh.md).  Sleepers are ours.
 */
#include "protocols/election/dolev_klawe_rodeh.h"

#include "protocols/election/phases.h"

static inline void send(struct dolev_klawe_rodeh_out *out,
                        enum dolev_klawe_rodeh_kind kind, fc_name name)
{
    out->send[out->fx.sends++] = fc_word(kind, name);
}

/* Everybody stands for itself at first.  Whoever has passed something on, or
 * was told, does not begin any more. */
static inline void on_start(struct dolev_klawe_rodeh *s,
                            const struct fc_named *me,
                            struct dolev_klawe_rodeh_out *out)
{
    if (s->status != DOLEV_KLAWE_RODEH_ASLEEP || s->told)
        return;
    s->status = DOLEV_KLAWE_RODEH_ACTIVE;
    s->max = me->name;
    send(out, DOLEV_KLAWE_RODEH_M1, s->max);
    out->fx.notes |= FC_NOTE_VIEW | FC_NOTE_STARTED;
}

/* Back already: there is no other active node, and no greater name. */
static inline void finish(struct dolev_klawe_rodeh *s,
                          const struct dolev_klawe_rodeh_params *p,
                          const struct fc_named *me,
                          struct dolev_klawe_rodeh_out *out)
{
    s->status =
        s->max == me->name ? DOLEV_KLAWE_RODEH_LEADER : DOLEV_KLAWE_RODEH_LAST;
    s->told = 1;
    s->left = FC_NOBODY;
    out->fx.notes |= FC_NOTE_VIEW;
    if (p->announce)
        send(out, DOLEV_KLAWE_RODEH_ELECTED, s->max);
}

/* The name of the active node before me: remembered, and shown to the next. */
static inline void on_m1(struct dolev_klawe_rodeh *s,
                         const struct dolev_klawe_rodeh_params *p,
                         const struct fc_named *me, fc_name q,
                         struct dolev_klawe_rodeh_out *out)
{
    if (q == s->max) {
        finish(s, p, me, out);
        return;
    }
    s->left = q;
    send(out, DOLEV_KLAWE_RODEH_M2, q);
}

/* The name before that.  The middle one of three survives if it is the
 * greatest, and moves here. */
static inline void on_m2(struct dolev_klawe_rodeh *s, fc_name q,
                         struct dolev_klawe_rodeh_out *out)
{
    out->fx.notes |= FC_NOTE_DIES;
    if (s->left > q && s->left > s->max) {
        s->max = s->left;
        send(out, DOLEV_KLAWE_RODEH_M1, s->max);
    } else {
        s->status = DOLEV_KLAWE_RODEH_PASSIVE;
        out->fx.notes |= FC_NOTE_VIEW;
    }
    s->left = FC_NOBODY;
}

static inline void on_name(struct dolev_klawe_rodeh *s,
                           const struct dolev_klawe_rodeh_params *p,
                           const struct fc_named *me, struct fc_word m,
                           struct dolev_klawe_rodeh_out *out)
{
    enum dolev_klawe_rodeh_kind kind = fc_word_kind(m);

    if (s->told) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    if (s->status == DOLEV_KLAWE_RODEH_ASLEEP) {
        s->status = DOLEV_KLAWE_RODEH_PASSIVE;
        out->fx.notes |= FC_NOTE_VIEW;
    }
    if (s->status == DOLEV_KLAWE_RODEH_PASSIVE)
        send(out, kind, fc_word_name(m));
    else if (kind == DOLEV_KLAWE_RODEH_M1)
        on_m1(s, p, me, fc_word_name(m), out);
    else
        on_m2(s, fc_word_name(m), out);
}

static inline void on_elected(struct dolev_klawe_rodeh *s,
                              const struct fc_named *me, fc_name q,
                              struct dolev_klawe_rodeh_out *out)
{
    if (s->told)
        return; /* it was mine, and is back from its tour */
    s->status =
        q == me->name ? DOLEV_KLAWE_RODEH_LEADER : DOLEV_KLAWE_RODEH_PASSIVE;
    s->told = 1;
    s->max = q;
    s->left = FC_NOBODY;
    send(out, DOLEV_KLAWE_RODEH_ELECTED, q);
    out->fx.notes |= FC_NOTE_VIEW;
}

FC_API void dolev_klawe_rodeh_step(struct dolev_klawe_rodeh *s,
                                   const struct dolev_klawe_rodeh_params *p,
                                   const struct fc_named *me,
                                   const struct dolev_klawe_rodeh_in *in,
                                   struct dolev_klawe_rodeh_out *out)
{
    if (in->event.kind == FC_COMMAND)
        on_start(s, me, out);
    else if (in->event.kind != FC_MESSAGE)
        return;
    else if (fc_word_kind(in->msg) == DOLEV_KLAWE_RODEH_ELECTED)
        on_elected(s, me, fc_word_name(in->msg), out);
    else
        on_name(s, p, me, in->msg, out);
}

FC_API void dolev_klawe_rodeh_view(const struct dolev_klawe_rodeh *s,
                                   const struct fc_named *me,
                                   struct election_view *view)
{
    static const uint8_t roles[] = {
        [DOLEV_KLAWE_RODEH_ASLEEP] = ELECTION_ASLEEP,
        [DOLEV_KLAWE_RODEH_PASSIVE] = ELECTION_LOST,
        [DOLEV_KLAWE_RODEH_ACTIVE] = ELECTION_CANDIDATE,
        [DOLEV_KLAWE_RODEH_LAST] = ELECTION_DONE,
        [DOLEV_KLAWE_RODEH_LEADER] = ELECTION_LEADER,
    };
    bool leads = s->status == DOLEV_KLAWE_RODEH_LEADER;

    (void)me;
    *view = (struct election_view){
        .leader = s->told ? s->max : FC_NOBODY,
        .role = s->told && !leads ? ELECTION_DONE : roles[s->status],
    };
}

FC_API const char *
dolev_klawe_rodeh_sane(const struct dolev_klawe_rodeh *s,
                       const struct dolev_klawe_rodeh_params *p,
                       const struct fc_named *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_WORD_MESSAGES(dolev_klawe_rodeh, DOLEV_KLAWE_RODEH_KINDS,
                 1u << DOLEV_KLAWE_RODEH_M1 | 1u << DOLEV_KLAWE_RODEH_M2 |
                     1u << DOLEV_KLAWE_RODEH_ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [DOLEV_KLAWE_RODEH_M1] = {"M1", "M1", FC_CLAIMS},
    [DOLEV_KLAWE_RODEH_M2] = {"M2", "M2", FC_ASKS},
    [DOLEV_KLAWE_RODEH_ELECTED] = {"elected", "elected", FC_TELLS},
};

#define AT(field) offsetof(struct dolev_klawe_rodeh_params, field)
static const struct fc_param params[] = {
    {"announce", FC_PARAM_CHOICE, AT(announce), "yes", "no|yes",
     "the last active node tells everybody, N messages more"},
};

/* Each link carries two messages per phase, one to find out and one to
 * announce.  A chain of messages that cause each other goes round once for
 * each of them at most. */
static uint64_t horizon(const void *params_in, const struct fc_world *w)
{
    (void)params_in;
    return phases_horizon(2 * (uint64_t)phases_of(w->nodes) + 2, w);
}

static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    const struct dolev_klawe_rodeh_params *p = params_in;
    double n = (double)w->nodes, phases = (double)phases_of(w->initiators);

    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                               2 * n * phases + n + (p->announce ? n : 0),
                               p->announce ? "2N*floor(log2 k) + N + N"
                                           : "2N*floor(log2 k) + N"};
    return 1;
}

const struct fc_protocol dolev_klawe_rodeh_protocol = {
    .name = "dolev-klawe-rodeh",
    .title = "Dolev, Klawe and Rodeh 1982: algorithm A, greatest initiator",
    .idea = "Three names in a row meet at every active node; it stands for the "
            "middle one if that is the greatest, or becomes passive.",
    .assumes = "distinct names, FIFO links, one direction; N unknown; any "
               "timing",
    .source = "D. Dolev, M. Klawe, M. Rodeh, J. Algorithms 3 (1982)",
    .problem = &election_problem,
    .topology = FC_RING,
    .needs = FC_NEEDS_FIFO,
    .winner = ELECTION_GREATEST_INITIATOR,
    .kinds = kinds,
    .kinds_count = DOLEV_KLAWE_RODEH_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct dolev_klawe_rodeh_params),
    .state_size = sizeof(struct dolev_klawe_rodeh),
    .msg_size = sizeof(struct dolev_klawe_rodeh_msg),
    .horizon = horizon,
    .claims = claims,
};

#endif
