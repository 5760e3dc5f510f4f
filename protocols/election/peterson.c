/*
 * peterson.c - election on a ring, temporary names, the greatest of three
 * survives (Peterson 1982, the first of its two algorithms).
 *
 * To compare a name with those on both sides one needs links in both
 * directions.  Where there is one, the names move instead: every active node
 * learns the names of the two active ones before it, takes over the nearer one
 * if that is greater than the other and than its own, and is a mere relay
 * otherwise.  At least half of the names die in a phase, and a phase costs two
 * messages on each link: at most 2N*floor(log2 k) + N messages for k
 * initiators, and N more announce the leader.
 *
 * Assumes a unidirectional FIFO ring, distinct names, reliable links; no
 * timing at all.  Messages do not say to which half of which phase they
 * belong: their order does.
 *
 * From: G.L. Peterson, An O(n log n) unidirectional algorithm for the circular
 * extrema problem, TOPLAS 4 (1982).  Sleepers, and the test for the end, are
 * ours; docs/protocols/peterson.md.
 */
#include "protocols/election/peterson.h"

#include "protocols/election/phases.h"

static inline void send(struct peterson_out *out, enum peterson_kind kind,
                        fc_name name)
{
    out->send[out->fx.sends++] = fc_word(kind, name);
}

/* The first phase begins with the own name.  Whoever has relayed, or was told,
 * does not begin any more. */
static inline void on_start(struct peterson *s, const struct fc_named *me,
                            struct peterson_out *out)
{
    if (s->status != PETERSON_ASLEEP || s->told)
        return;
    s->status = PETERSON_FIRST;
    s->tid = me->name;
    send(out, PETERSON_TID, s->tid);
    out->fx.notes |= FC_NOTE_VIEW | FC_NOTE_STARTED;
}

/* It is over, and `winner` is the name that is left. */
static inline void finish(struct peterson *s, const struct peterson_params *p,
                          const struct fc_named *me, fc_name winner,
                          struct peterson_out *out)
{
    s->status = winner == me->name ? PETERSON_LEADER : PETERSON_ALONE;
    s->told = 1;
    s->tid = winner;
    s->ntid = FC_NOBODY;
    out->fx.notes |= FC_NOTE_VIEW;
    if (p->announce)
        send(out, PETERSON_ELECTED, winner);
}

/* First half: the name of the active one before me.  The greater of the two
 * goes on, for the next one to judge mine by. */
static inline void on_first(struct peterson *s, fc_name q,
                            struct peterson_out *out)
{
    s->ntid = q;
    s->status = PETERSON_SECOND;
    send(out, PETERSON_TID, s->tid > q ? s->tid : q);
}

/* Second half: what it knows of those before it.  Its name survives, here, if
 * it is not less than mine nor than that. */
static inline void on_second(struct peterson *s, fc_name q,
                             struct peterson_out *out)
{
    out->fx.notes |= FC_NOTE_DIES;
    if (s->ntid >= s->tid && s->ntid >= q) {
        s->tid = s->ntid;
        s->status = PETERSON_FIRST;
        send(out, PETERSON_TID, s->tid);
    } else {
        s->status = PETERSON_RELAY;
        out->fx.notes |= FC_NOTE_VIEW;
    }
    s->ntid = FC_NOBODY;
}

/* My temporary name is back, so nobody else is active.  As printed: my own name
 * has passed everybody, whatever I am now. */
static inline bool is_over(const struct peterson *s,
                           const struct peterson_params *p,
                           const struct fc_named *me, fc_name q)
{
    if (p->test == PETERSON_TEST_NAME)
        return q == me->name;
    return s->status == PETERSON_FIRST && q == s->tid;
}

static inline void on_tid(struct peterson *s, const struct peterson_params *p,
                          const struct fc_named *me, fc_name q,
                          struct peterson_out *out)
{
    if (s->told) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    if (s->status == PETERSON_ASLEEP) {
        s->status = PETERSON_RELAY;
        out->fx.notes |= FC_NOTE_VIEW;
    }
    if (is_over(s, p, me, q))
        finish(s, p, me, q, out);
    else if (s->status == PETERSON_RELAY)
        send(out, PETERSON_TID, q);
    else if (s->status == PETERSON_SECOND)
        on_second(s, q, out);
    else
        on_first(s, q, out);
}

static inline void on_elected(struct peterson *s, const struct fc_named *me,
                              fc_name q, struct peterson_out *out)
{
    if (s->told)
        return; /* it was mine, and is back from its tour */
    s->status = q == me->name ? PETERSON_LEADER : PETERSON_RELAY;
    s->told = 1;
    s->tid = q;
    s->ntid = FC_NOBODY;
    send(out, PETERSON_ELECTED, q);
    out->fx.notes |= FC_NOTE_VIEW;
}

FC_API void peterson_step(struct peterson *s, const struct peterson_params *p,
                          const struct fc_named *me,
                          const struct peterson_in *in,
                          struct peterson_out *out)
{
    if (in->event.kind == FC_COMMAND)
        on_start(s, me, out);
    else if (in->event.kind != FC_MESSAGE)
        return;
    else if (fc_word_kind(in->msg) == PETERSON_TID)
        on_tid(s, p, me, fc_word_name(in->msg), out);
    else
        on_elected(s, me, fc_word_name(in->msg), out);
}

FC_API void peterson_view(const struct peterson *s, const struct fc_named *me,
                          struct election_view *view)
{
    static const uint8_t roles[] = {
        [PETERSON_ASLEEP] = ELECTION_ASLEEP,
        [PETERSON_RELAY] = ELECTION_LOST,
        [PETERSON_FIRST] = ELECTION_CANDIDATE,
        [PETERSON_SECOND] = ELECTION_CANDIDATE,
        [PETERSON_ALONE] = ELECTION_DONE,
        [PETERSON_LEADER] = ELECTION_LEADER,
    };
    bool leads = s->status == PETERSON_LEADER;

    (void)me;
    *view = (struct election_view){
        .leader = s->told ? s->tid : FC_NOBODY,
        .role = s->told && !leads ? ELECTION_DONE : roles[s->status],
    };
}

FC_API const char *peterson_sane(const struct peterson *s,
                                 const struct peterson_params *p,
                                 const struct fc_named *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_WORD_MESSAGES(peterson, PETERSON_KINDS,
                 1u << PETERSON_TID | 1u << PETERSON_ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [PETERSON_TID] = {"tid", "tid", FC_CLAIMS},
    [PETERSON_ELECTED] = {"elected", "elected", FC_TELLS},
};

#define AT(field) offsetof(struct peterson_params, field)
static const struct fc_param params[] = {
    {"announce", FC_PARAM_CHOICE, AT(announce), "yes", "no|yes",
     "whoever finds out tells everybody, N messages more"},
    {"test", FC_PARAM_CHOICE, AT(test), "alone", "alone|name",
     "who finds out: the last active node, or (as printed) the one named"},
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
    const struct peterson_params *p = params_in;
    double n = (double)w->nodes, phases = (double)phases_of(w->initiators);

    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                               2 * n * phases + n + (p->announce ? n : 0),
                               p->announce ? "2N*floor(log2 k) + N + N"
                                           : "2N*floor(log2 k) + N"};
    return 1;
}

const struct fc_protocol peterson_protocol = {
    .name = "peterson",
    .title = "Peterson 1982: temporary names, greatest initiator",
    .idea = "A name moves on to the next active node if it is greater than "
            "those on both sides; half of them die in each phase.",
    .assumes = "distinct names, FIFO links, one direction; N unknown; any "
               "timing",
    .source = "G.L. Peterson, TOPLAS 4 (1982)",
    .problem = &election_problem,
    .topology = FC_RING,
    .needs = FC_NEEDS_FIFO,
    .winner = ELECTION_GREATEST_INITIATOR,
    .kinds = kinds,
    .kinds_count = PETERSON_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct peterson_params),
    .state_size = sizeof(struct peterson),
    .msg_size = sizeof(struct peterson_msg),
    .horizon = horizon,
    .claims = claims,
};

#endif
