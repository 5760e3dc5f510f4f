/*
 * hirschberg_sinclair.c - election on a ring in both directions, probes that go
 * twice as far each time (Hirschberg and Sinclair 1980).
 *
 * A candidate sends a probe with its name both ways, 1, 2, 4, ... hops far.
 * Who has run with a greater name refuses it; the node where it ends replies
 * that all is well.  After two good replies the candidate tries twice as far,
 * and whoever meets its own probe has passed everybody and leads.  A candidate
 * that reaches 2^r hops has beaten all within 2^(r-1) of it, so few reach far:
 * at most 8N(1 + ceil(log2 N)) messages, and N more announce the leader.
 *
 * Assumes a ring with links in both directions, distinct names, reliable
 * links; any order of messages, no timing at all.  A candidate waits for both
 * replies, so what comes back is always of this round.
 *
 * From: D.S. Hirschberg and J.B. Sinclair, Decentralized extrema-finding in
 * circular configurations of processors, CACM 23 (1980).  Sleepers are ours;
 * docs/protocols/hirschberg-sinclair.md.
 */
#include "protocols/election/hirschberg_sinclair.h"

enum { PROBE_WIRE = 9, NAME_WIRE = 5 };

static inline void send(struct hirschberg_sinclair_out *out, enum fc_port to,
                        enum hirschberg_sinclair_kind kind, fc_name name,
                        uint32_t left)
{
    out->fx.to[out->fx.sends] = (uint16_t)to;
    out->send[out->fx.sends++] = (struct hirschberg_sinclair_msg){
        .name = name, .left = left, .kind = (uint8_t)kind};
}

static inline enum fc_port opposite(enum fc_port port)
{
    return port == FC_NEXT ? FC_PREVIOUS : FC_NEXT;
}

static inline void begin_round(struct hirschberg_sinclair *s,
                               const struct fc_named *me, uint32_t reach,
                               struct hirschberg_sinclair_out *out)
{
    s->reach = reach;
    s->heard = 0;
    s->refused = 0;
    send(out, FC_NEXT, HIRSCHBERG_SINCLAIR_PROBE, me->name, reach);
    send(out, FC_PREVIOUS, HIRSCHBERG_SINCLAIR_PROBE, me->name, reach);
}

/* Whoever has relayed, or was told, does not begin any more. */
static inline void on_start(struct hirschberg_sinclair *s,
                            const struct fc_named *me,
                            struct hirschberg_sinclair_out *out)
{
    if (s->status != HIRSCHBERG_SINCLAIR_ASLEEP)
        return;
    s->status = HIRSCHBERG_SINCLAIR_CANDIDATE;
    begin_round(s, me, 1, out);
    out->fx.notes |= FC_NOTE_VIEW | FC_NOTE_STARTED;
}

/* My probe has come all the way round.  Its twin does too, and dies here. */
static inline void on_own_probe(struct hirschberg_sinclair *s,
                                const struct hirschberg_sinclair_params *p,
                                const struct fc_named *me,
                                struct hirschberg_sinclair_out *out)
{
    if (s->status != HIRSCHBERG_SINCLAIR_CANDIDATE) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    s->status = HIRSCHBERG_SINCLAIR_LEADER;
    s->leader = me->name;
    out->fx.notes |= FC_NOTE_VIEW;
    if (p->announce)
        send(out, FC_NEXT, HIRSCHBERG_SINCLAIR_ELECTED, me->name, 0);
}

/* A greater name than mine, or I do not run: on, or back if it ends here. */
static inline void let_pass(const struct hirschberg_sinclair_msg *m,
                            enum fc_port port,
                            struct hirschberg_sinclair_out *out)
{
    if (m->left > 1)
        send(out, opposite(port), HIRSCHBERG_SINCLAIR_PROBE, m->name,
             m->left - 1);
    else
        send(out, port, HIRSCHBERG_SINCLAIR_OK, m->name, 0);
}

static inline void on_probe(struct hirschberg_sinclair *s,
                            const struct hirschberg_sinclair_params *p,
                            const struct fc_named *me,
                            const struct hirschberg_sinclair_msg *m,
                            enum fc_port port,
                            struct hirschberg_sinclair_out *out)
{
    if (s->status == HIRSCHBERG_SINCLAIR_ASLEEP) {
        s->status = HIRSCHBERG_SINCLAIR_RELAY;
        out->fx.notes |= FC_NOTE_VIEW;
    }
    if (s->status == HIRSCHBERG_SINCLAIR_RELAY) {
        let_pass(m, port, out);
    } else if (m->name == me->name) {
        on_own_probe(s, p, me, out);
    } else if (m->name > me->name) {
        if (s->status == HIRSCHBERG_SINCLAIR_CANDIDATE) {
            s->status = HIRSCHBERG_SINCLAIR_LOST;
            out->fx.notes |= FC_NOTE_VIEW;
        }
        let_pass(m, port, out);
    } else if (p->silent) {
        out->fx.notes |= FC_NOTE_DIES | FC_NOTE_SILENT;
    } else {
        send(out, port, HIRSCHBERG_SINCLAIR_NO, m->name, 0);
    }
}

/* Replies go back to the candidate, which waits for both. */
static inline void on_reply(struct hirschberg_sinclair *s,
                            const struct fc_named *me,
                            const struct hirschberg_sinclair_msg *m,
                            enum fc_port port,
                            struct hirschberg_sinclair_out *out)
{
    if (m->name != me->name) {
        send(out, opposite(port), m->kind, m->name, 0);
        return;
    }
    if (s->status != HIRSCHBERG_SINCLAIR_CANDIDATE)
        return; /* lost meanwhile */
    s->heard++;
    s->refused |= m->kind == HIRSCHBERG_SINCLAIR_NO;
    if (s->heard < 2)
        return;
    if (s->refused) {
        s->status = HIRSCHBERG_SINCLAIR_LOST;
        out->fx.notes |= FC_NOTE_VIEW;
    } else {
        begin_round(
            s, me, s->reach < HIRSCHBERG_SINCLAIR_FAR ? 2 * s->reach : s->reach,
            out);
    }
}

/* Told or not, a node goes on with its part: the winner's second probe may
 * still be under way. */
static inline void on_elected(struct hirschberg_sinclair *s,
                              const struct fc_named *me, fc_name q,
                              enum fc_port port,
                              struct hirschberg_sinclair_out *out)
{
    if (s->leader != FC_NOBODY || q == me->name)
        return; /* it was mine, and is back from its tour */
    s->leader = q;
    if (s->status == HIRSCHBERG_SINCLAIR_ASLEEP)
        s->status = HIRSCHBERG_SINCLAIR_RELAY;
    else if (s->status == HIRSCHBERG_SINCLAIR_CANDIDATE)
        s->status = HIRSCHBERG_SINCLAIR_LOST;
    send(out, opposite(port), HIRSCHBERG_SINCLAIR_ELECTED, q, 0);
    out->fx.notes |= FC_NOTE_VIEW;
}

FC_API void hirschberg_sinclair_step(struct hirschberg_sinclair *s,
                                     const struct hirschberg_sinclair_params *p,
                                     const struct fc_named *me,
                                     const struct hirschberg_sinclair_in *in,
                                     struct hirschberg_sinclair_out *out)
{
    enum fc_port port = in->event.port;

    if (in->event.kind == FC_COMMAND) {
        on_start(s, me, out);
        return;
    }
    if (in->event.kind != FC_MESSAGE || in->event.port > FC_PREVIOUS)
        return;
    if (in->msg.kind == HIRSCHBERG_SINCLAIR_PROBE)
        on_probe(s, p, me, &in->msg, port, out);
    else if (in->msg.kind == HIRSCHBERG_SINCLAIR_ELECTED)
        on_elected(s, me, in->msg.name, port, out);
    else
        on_reply(s, me, &in->msg, port, out);
}

FC_API void hirschberg_sinclair_view(const struct hirschberg_sinclair *s,
                                     const struct fc_named *me,
                                     struct election_view *view)
{
    static const uint8_t roles[] = {
        [HIRSCHBERG_SINCLAIR_ASLEEP] = ELECTION_ASLEEP,
        [HIRSCHBERG_SINCLAIR_RELAY] = ELECTION_LOST,
        [HIRSCHBERG_SINCLAIR_CANDIDATE] = ELECTION_CANDIDATE,
        [HIRSCHBERG_SINCLAIR_LOST] = ELECTION_LOST,
        [HIRSCHBERG_SINCLAIR_LEADER] = ELECTION_LEADER,
    };
    bool told = s->leader != FC_NOBODY;
    bool leads = s->status == HIRSCHBERG_SINCLAIR_LEADER;

    (void)me;
    *view = (struct election_view){
        .leader = s->leader,
        .role = told && !leads ? ELECTION_DONE : roles[s->status],
    };
}

FC_API const char *
hirschberg_sinclair_sane(const struct hirschberg_sinclair *s,
                         const struct hirschberg_sinclair_params *p,
                         const struct fc_named *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

/* ---- Messages ------------------------------------------------------------ */

FC_API uint32_t
hirschberg_sinclair_kind(const struct hirschberg_sinclair_msg *m)
{
    return m->kind;
}

FC_API uint32_t hirschberg_sinclair_fields(
    const struct hirschberg_sinclair_msg *m, uint64_t out[FC_FIELDS_MAX])
{
    out[0] = m->name;
    out[1] = m->left;
    return m->kind == HIRSCHBERG_SINCLAIR_PROBE ? 2 : 1;
}

FC_API uint32_t
hirschberg_sinclair_paper_bits(const struct hirschberg_sinclair_msg *m)
{
    return fc_dyadic_digits(m->name) + fc_dyadic_digits(m->left);
}

FC_API uint32_t
hirschberg_sinclair_wire_bytes(const struct hirschberg_sinclair_msg *m)
{
    return m->kind == HIRSCHBERG_SINCLAIR_PROBE ? PROBE_WIRE : NAME_WIRE;
}

FC_API size_t hirschberg_sinclair_pack(const struct hirschberg_sinclair_msg *m,
                                       uint8_t wire[FC_WIRE_MAX])
{
    wire[0] = m->kind;
    fc_put32(wire + 1, m->name);
    if (m->kind != HIRSCHBERG_SINCLAIR_PROBE)
        return NAME_WIRE;
    fc_put32(wire + NAME_WIRE, m->left);
    return PROBE_WIRE;
}

/* Refuses (-1) what no node can have sent. */
FC_API int hirschberg_sinclair_unpack(struct hirschberg_sinclair_msg *m,
                                      const uint8_t *wire, size_t size)
{
    struct hirschberg_sinclair_msg read = {0};
    bool probe;

    if (size < NAME_WIRE || wire[0] == 0 ||
        wire[0] >= HIRSCHBERG_SINCLAIR_KINDS)
        return -1;
    probe = wire[0] == HIRSCHBERG_SINCLAIR_PROBE;
    if (size != (probe ? PROBE_WIRE : NAME_WIRE))
        return -1;
    read.kind = wire[0];
    read.name = fc_get32(wire + 1);
    if (read.name == FC_NOBODY || read.name > FC_NAME_MAX)
        return -1;
    if (probe) {
        read.left = fc_get32(wire + NAME_WIRE);
        if (read.left == 0 || read.left > HIRSCHBERG_SINCLAIR_FAR)
            return -1;
    }
    *m = read;
    return 0;
}

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [HIRSCHBERG_SINCLAIR_PROBE] = {"probe", "probe", FC_ASKS},
    [HIRSCHBERG_SINCLAIR_OK] = {"ok", "ok", FC_GRANTS},
    [HIRSCHBERG_SINCLAIR_NO] = {"no", "no", FC_REFUSES},
    [HIRSCHBERG_SINCLAIR_ELECTED] = {"elected", "elected", FC_TELLS},
};

#define AT(field) offsetof(struct hirschberg_sinclair_params, field)
static const struct fc_param params[] = {
    {"announce", FC_PARAM_CHOICE, AT(announce), "yes", "no|yes",
     "the leader tells everybody, N messages more"},
    {"refusal", FC_PARAM_CHOICE, AT(silent), "no", "no|silence",
     "a probe with too small a name: answered by no, or (later) not at all"},
};

/* Rounded up. */
static uint32_t log2_up(uint32_t n)
{
    return n < 2 ? 0 : 32u - (uint32_t)__builtin_clz(n - 1);
}

/* Reaches 1, 2, 4, ... and back, until one is N or more: below 4N hops; its
 * tour and that of the announcement; a sleeper may begin N u late.  Replies of
 * others queue up before them: at most 4 messages on a link for each round. */
static uint64_t horizon(const void *params_in, const struct fc_world *w)
{
    uint64_t u = fc_add(w->bounds.rmax, w->bounds.dmax);
    uint64_t tours = 4 * ((uint64_t)log2_up(w->nodes) + 7);

    (void)params_in;
    return fc_times(fc_times(tours, w->nodes), u);
}

static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    const struct hirschberg_sinclair_params *p = params_in;
    double n = (double)w->nodes, rounds = 1 + (double)log2_up(w->nodes);

    out[0] = (struct fc_claim){
        FC_COST_MESSAGES, FC_AT_MOST, 8 * n * rounds + (p->announce ? n : 0),
        p->announce ? "8N(1 + ceil(log2 N)) + N" : "8N(1 + ceil(log2 N))"};
    return 1;
}

const struct fc_protocol hirschberg_sinclair_protocol = {
    .name = "hirschberg-sinclair",
    .title =
        "Hirschberg and Sinclair 1980: doubling probes, greatest initiator",
    .idea = "A candidate asks both ways, twice as far each time, whether its "
            "name is the greatest so far.",
    .assumes = "distinct names, links in both directions, any order of "
               "messages; N unknown; any timing",
    .source = "D.S. Hirschberg, J.B. Sinclair, CACM 23 (1980)",
    .problem = &election_problem,
    .topology = FC_RING_BOTH,
    .winner = ELECTION_GREATEST_INITIATOR,
    .kinds = kinds,
    .kinds_count = HIRSCHBERG_SINCLAIR_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct hirschberg_sinclair_params),
    .state_size = sizeof(struct hirschberg_sinclair),
    .msg_size = sizeof(struct hirschberg_sinclair_msg),
    .horizon = horizon,
    .claims = claims,
};

#endif
