/*
 * franklin.c - election on a ring in both directions, names greater than both
 * neighbours survive (Franklin 1982).
 *
 * In each round every active node sends its name both ways, to the nearest
 * active node on either side.  It stays active if its name is greater than the
 * two that come.  Of two neighbours one at most survives, so half of them are
 * out after each round; and whoever meets its own name is alone.  A round costs
 * two messages on each link: at most 2N*floor(log2 k) + 2N for k initiators,
 * and N more announce the leader.
 *
 * Assumes a ring with links in both directions, distinct names, reliable
 * links; any order of messages, no timing at all.  Messages do not say to which
 * round they belong, and need not: on each side at most two wait at a node, one
 * for this round and one for the next, for a neighbour that is a round ahead
 * needs my name to go on.  The page has the argument.
 *
 * From: R. Franklin, On an improved algorithm for decentralized extrema finding
 * in circular configurations of processors, CACM 25 (1982).  Sleepers are
 * ours; docs/protocols/franklin.md.
 */
#include "protocols/election/franklin.h"

#include "protocols/election/phases.h"

static inline void send(struct franklin_out *out, enum fc_port to,
                        enum franklin_kind kind, fc_name name)
{
    out->fx.to[out->fx.sends] = (uint16_t)to;
    out->send[out->fx.sends++] = fc_word(kind, name);
}

/* A node that hands on takes from one side what it gives to the other. */
static inline enum fc_port opposite(uint32_t port)
{
    return port == FC_NEXT ? FC_PREVIOUS : FC_NEXT;
}

static inline void send_both(const struct fc_named *me,
                             struct franklin_out *out)
{
    send(out, FC_NEXT, FRANKLIN_NAME, me->name);
    send(out, FC_PREVIOUS, FRANKLIN_NAME, me->name);
}

/* Whoever has relayed, or was told, does not begin any more. */
static inline void on_start(struct franklin *s, const struct fc_named *me,
                            struct franklin_out *out)
{
    if (s->status != FRANKLIN_ASLEEP)
        return;
    s->status = FRANKLIN_ACTIVE;
    send_both(me, out);
    out->fx.notes |= FC_NOTE_VIEW | FC_NOTE_STARTED;
}

static inline void lead(struct franklin *s, const struct franklin_params *p,
                        const struct fc_named *me, struct franklin_out *out)
{
    s->status = FRANKLIN_LEADER;
    s->leader = me->name;
    out->fx.notes |= FC_NOTE_VIEW;
    if (p->announce)
        send(out, FC_NEXT, FRANKLIN_ELECTED, me->name);
}

/* Both names of the round are here; `port` brought the first, and perhaps
 * already the one of the next round. */
static inline void end_round(struct franklin *s,
                             const struct franklin_params *p,
                             const struct fc_named *me, uint32_t port,
                             struct franklin_out *out)
{
    fc_name greater = s->got[0] > s->got[1] ? s->got[0] : s->got[1];
    fc_name ahead = s->ahead;

    out->fx.notes |= FC_NOTE_DIES;
    s->got[0] = s->got[1] = s->ahead = FC_NOBODY;
    if (greater < me->name) {
        send_both(me, out);
        s->got[port] = ahead;
    } else if (greater == me->name) {
        lead(s, p, me, out);
    } else {
        s->status = FRANKLIN_RELAY;
        out->fx.notes |= FC_NOTE_VIEW;
        if (ahead != FC_NOBODY)
            send(out, opposite(port), FRANKLIN_NAME, ahead);
    }
}

static inline void on_name(struct franklin *s, const struct franklin_params *p,
                           const struct fc_named *me, uint32_t port, fc_name q,
                           struct franklin_out *out)
{
    if (s->status == FRANKLIN_ASLEEP) {
        s->status = FRANKLIN_RELAY;
        out->fx.notes |= FC_NOTE_VIEW;
    }
    if (s->status == FRANKLIN_RELAY) {
        send(out, opposite(port), FRANKLIN_NAME, q);
    } else if (s->status == FRANKLIN_LEADER) {
        out->fx.notes |= FC_NOTE_DIES;
    } else if (s->got[port] != FC_NOBODY) {
        s->ahead = q;
    } else {
        s->got[port] = q;
        if (s->got[opposite(port)] != FC_NOBODY)
            end_round(s, p, me, opposite(port), out);
    }
}

static inline void on_elected(struct franklin *s, const struct fc_named *me,
                              uint32_t port, fc_name q,
                              struct franklin_out *out)
{
    if (s->leader != FC_NOBODY || q == me->name)
        return; /* it was mine, and is back from its tour */
    *s = (struct franklin){.leader = q, .status = FRANKLIN_RELAY};
    send(out, opposite(port), FRANKLIN_ELECTED, q);
    out->fx.notes |= FC_NOTE_VIEW;
}

FC_API void franklin_step(struct franklin *s, const struct franklin_params *p,
                          const struct fc_named *me,
                          const struct franklin_in *in,
                          struct franklin_out *out)
{
    uint32_t port = in->event.port;

    if (in->event.kind == FC_COMMAND)
        on_start(s, me, out);
    else if (in->event.kind != FC_MESSAGE || port > FC_PREVIOUS)
        return;
    else if (fc_word_kind(in->msg) == FRANKLIN_NAME)
        on_name(s, p, me, port, fc_word_name(in->msg), out);
    else
        on_elected(s, me, port, fc_word_name(in->msg), out);
}

FC_API void franklin_view(const struct franklin *s, const struct fc_named *me,
                          struct election_view *view)
{
    static const uint8_t roles[] = {
        [FRANKLIN_ASLEEP] = ELECTION_ASLEEP,
        [FRANKLIN_RELAY] = ELECTION_LOST,
        [FRANKLIN_ACTIVE] = ELECTION_CANDIDATE,
        [FRANKLIN_LEADER] = ELECTION_LEADER,
    };
    bool told = s->leader != FC_NOBODY;
    bool leads = s->status == FRANKLIN_LEADER;

    (void)me;
    *view = (struct election_view){
        .leader = s->leader,
        .role = told && !leads ? ELECTION_DONE : roles[s->status],
    };
}

FC_API const char *franklin_sane(const struct franklin *s,
                                 const struct franklin_params *p,
                                 const struct fc_named *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_WORD_MESSAGES(franklin, FRANKLIN_KINDS,
                 1u << FRANKLIN_NAME | 1u << FRANKLIN_ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [FRANKLIN_NAME] = {"name", "name", FC_CLAIMS},
    [FRANKLIN_ELECTED] = {"elected", "elected", FC_TELLS},
};

#define AT(field) offsetof(struct franklin_params, field)
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

static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    const struct franklin_params *p = params_in;
    double n = (double)w->nodes, rounds = (double)phases_of(w->initiators);

    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                               2 * n * rounds + 2 * n + (p->announce ? n : 0),
                               p->announce ? "2N*floor(log2 k) + 2N + N"
                                           : "2N*floor(log2 k) + 2N"};
    return 1;
}

const struct fc_protocol franklin_protocol = {
    .name = "franklin",
    .title = "Franklin 1982: both directions, greatest initiator",
    .idea = "A node stays in the race if its name is greater than those of the "
            "nearest ones still in it on both sides.",
    .assumes = "distinct names, links in both directions, any order of "
               "messages; N unknown; any timing",
    .source = "R. Franklin, CACM 25 (1982)",
    .problem = &election_problem,
    .topology = FC_RING_BOTH,
    .winner = ELECTION_GREATEST_INITIATOR,
    .kinds = kinds,
    .kinds_count = FRANKLIN_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct franklin_params),
    .state_size = sizeof(struct franklin),
    .msg_size = sizeof(struct franklin_msg),
    .horizon = horizon,
    .claims = claims,
};

#endif
