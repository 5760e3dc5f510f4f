/*
 * itai_rodeh.c - election without names by drawing anew (Itai and Rodeh 1981).
 *
 * Chang and Roberts' election with names drawn at random in 1..n.  A token
 * counts its hops, so that its owner knows it again: it is the one that has
 * made n of them.  On its way whoever drew the same name clears a bit in it.
 * Back with the bit still set, its owner leads; with the bit cleared, the
 * owners of the greatest name draw anew in a next round.  Only the active take
 * part in it, and whoever meets a token of a later round, or of this round and
 * a greater name, is active no more.
 *
 * Assumes a unidirectional ring and n known to all; any timing, and with
 * rounds in the messages any order.  Ends with probability 1 and never errs.
 *
 * From: A. Itai, M. Rodeh, Symmetry breaking in distributive networks, FOCS
 * 1981, as W. Fokkink and J. Pang present it (2005).  rounds=no is their
 * Algorithm A, for FIFO links: messages carry no round.  The announcement is
 * ours.
 */
#include "protocols/election/itai_rodeh.h"

static inline void send_token(const struct itai_rodeh_params *p,
                              struct itai_rodeh_msg token,
                              struct itai_rodeh_out *out)
{
    token.kind = ITAI_RODEH_TOKEN;
    if (!p->rounds)
        token.round = 0;
    out->send[out->fx.sends++] = token;
}

static inline void send_elected(struct itai_rodeh_out *out)
{
    out->send[out->fx.sends++] =
        (struct itai_rodeh_msg){.kind = ITAI_RODEH_ELECTED};
}

static inline void become(struct itai_rodeh *s, enum itai_rodeh_status status,
                          struct itai_rodeh_out *out)
{
    *s = (struct itai_rodeh){.status = (uint8_t)status};
    out->fx.notes |= FC_NOTE_VIEW;
}

/* Enters a round; the id comes as the next event.  Where messages do not carry
 * the round, nobody needs its number, and states do not grow for ever. */
static inline void draw(struct itai_rodeh *s, const struct itai_rodeh_params *p,
                        const struct fc_anonymous *me,
                        struct itai_rodeh_out *out)
{
    s->round += p->rounds;
    s->id = 0;
    out->fx.choose = me->nodes;
}

static inline void on_start(struct itai_rodeh *s,
                            const struct itai_rodeh_params *p,
                            const struct fc_anonymous *me,
                            struct itai_rodeh_out *out)
{
    if (s->status != ITAI_RODEH_ASLEEP)
        return;
    become(s, ITAI_RODEH_ACTIVE, out);
    out->fx.notes |= FC_NOTE_STARTED;
    draw(s, p, me, out);
}

static inline void on_id(struct itai_rodeh *s,
                         const struct itai_rodeh_params *p, uint32_t id,
                         struct itai_rodeh_out *out)
{
    if (s->status != ITAI_RODEH_ACTIVE || s->id != 0)
        return;
    s->id = id;
    send_token(p,
               (struct itai_rodeh_msg){
                   .round = s->round, .id = id, .hop = 1, .unique = 1},
               out);
}

/* Round first, then id: below 0 if the token has less than the node. */
static inline int compare(const struct itai_rodeh *s,
                          const struct itai_rodeh_params *p,
                          const struct itai_rodeh_msg *m)
{
    if (p->rounds && m->round != s->round)
        return m->round < s->round ? -1 : 1;
    return (m->id > s->id) - (m->id < s->id);
}

static inline void active_reads(struct itai_rodeh *s,
                                const struct itai_rodeh_params *p,
                                const struct fc_anonymous *me,
                                const struct itai_rodeh_msg *m,
                                struct itai_rodeh_out *out)
{
    struct itai_rodeh_msg token = *m;
    int order = compare(s, p, m);

    token.hop++;
    if (m->hop == me->nodes && m->unique) {
        become(s, ITAI_RODEH_LEADER, out);
        send_elected(out);
    } else if (m->hop == me->nodes) {
        draw(s, p, me, out);
    } else if (order == 0) {
        token.unique = 0;
        send_token(p, token, out);
    } else if (order > 0) {
        become(s, ITAI_RODEH_PASSIVE, out);
        send_token(p, token, out);
    } else {
        out->fx.notes |= FC_NOTE_DIES;
    }
}

static inline void on_token(struct itai_rodeh *s,
                            const struct itai_rodeh_params *p,
                            const struct fc_anonymous *me,
                            const struct itai_rodeh_msg *m,
                            struct itai_rodeh_out *out)
{
    struct itai_rodeh_msg token = *m;

    token.hop++;
    switch (s->status) {
    case ITAI_RODEH_ACTIVE:
        active_reads(s, p, me, m, out);
        break;
    case ITAI_RODEH_ASLEEP: /* who did not begin takes no part */
        become(s, ITAI_RODEH_PASSIVE, out);
        send_token(p, token, out);
        break;
    case ITAI_RODEH_PASSIVE:
        send_token(p, token, out);
        break;
    default:
        out->fx.notes |= FC_NOTE_DIES;
        break;
    }
}

static inline void on_elected(struct itai_rodeh *s, struct itai_rodeh_out *out)
{
    if (s->status == ITAI_RODEH_LEADER || s->status == ITAI_RODEH_DONE)
        return;
    become(s, ITAI_RODEH_DONE, out);
    send_elected(out);
}

FC_API void itai_rodeh_step(struct itai_rodeh *s,
                            const struct itai_rodeh_params *p,
                            const struct fc_anonymous *me,
                            const struct itai_rodeh_in *in,
                            struct itai_rodeh_out *out)
{
    if (in->event.kind == FC_COMMAND)
        on_start(s, p, me, out);
    else if (in->event.kind == FC_CHOICE)
        on_id(s, p, in->event.value + 1, out);
    else if (in->event.kind != FC_MESSAGE)
        return;
    else if (in->msg.kind == ITAI_RODEH_TOKEN)
        on_token(s, p, me, &in->msg, out);
    else if (in->msg.kind == ITAI_RODEH_ELECTED)
        on_elected(s, out);
}

FC_API void itai_rodeh_view(const struct itai_rodeh *s,
                            const struct fc_anonymous *me,
                            struct election_view *view)
{
    static const uint8_t roles[] = {
        [ITAI_RODEH_ASLEEP] = ELECTION_ASLEEP,
        [ITAI_RODEH_ACTIVE] = ELECTION_CANDIDATE,
        [ITAI_RODEH_PASSIVE] = ELECTION_LOST,
        [ITAI_RODEH_LEADER] = ELECTION_LEADER,
        [ITAI_RODEH_DONE] = ELECTION_DONE,
    };
    bool over = s->status >= ITAI_RODEH_LEADER;

    (void)me;
    *view = (struct election_view){
        .leader = over ? ELECTION_SOMEBODY : FC_NOBODY,
        .role = roles[s->status],
    };
}

FC_API const char *itai_rodeh_sane(const struct itai_rodeh *s,
                                   const struct itai_rodeh_params *p,
                                   const struct fc_anonymous *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

/* ---- On the wire --------------------------------------------------------- */

/* Kind, and twice the bit; id, hop, and the round if there is one. */
enum { WIRE_BARE = 1, WIRE_TOKEN = 9, WIRE_ROUND = 13, WIRE_UNIQUE = 4 };

FC_API uint32_t itai_rodeh_kind(const struct itai_rodeh_msg *m)
{
    return m->kind;
}

/* Id, hop, bit and round. */
FC_API uint32_t itai_rodeh_fields(const struct itai_rodeh_msg *m,
                                  uint64_t out[FC_FIELDS_MAX])
{
    out[0] = m->id;
    out[1] = m->hop;
    out[2] = m->unique;
    out[3] = m->round;
    return m->kind != ITAI_RODEH_TOKEN ? 0 : m->round ? 4 : 3;
}

FC_API uint32_t itai_rodeh_paper_bits(const struct itai_rodeh_msg *m)
{
    if (m->kind != ITAI_RODEH_TOKEN)
        return 1;
    return fc_dyadic_digits(m->id) + fc_dyadic_digits(m->hop) + 1 +
           (m->round ? fc_dyadic_digits(m->round) : 0);
}

FC_API uint32_t itai_rodeh_wire_bytes(const struct itai_rodeh_msg *m)
{
    return m->kind != ITAI_RODEH_TOKEN ? WIRE_BARE
           : m->round                  ? WIRE_ROUND
                                       : WIRE_TOKEN;
}

FC_API size_t itai_rodeh_pack(const struct itai_rodeh_msg *m,
                              uint8_t wire[FC_WIRE_MAX])
{
    wire[0] = (uint8_t)(m->kind + WIRE_UNIQUE * m->unique);
    if (m->kind == ITAI_RODEH_TOKEN) {
        fc_put32(wire + 1, m->id);
        fc_put32(wire + 5, m->hop);
        if (m->round)
            fc_put32(wire + 9, m->round);
    }
    return itai_rodeh_wire_bytes(m);
}

static inline bool is_count(uint32_t number)
{
    return number > 0 && number <= FC_NAME_MAX;
}

/* Refuses (-1) what no node can have sent. */
FC_API int itai_rodeh_unpack(struct itai_rodeh_msg *m, const uint8_t *wire,
                             size_t size)
{
    struct itai_rodeh_msg token = {.kind = ITAI_RODEH_TOKEN};

    if (size == WIRE_BARE && wire[0] == ITAI_RODEH_ELECTED) {
        *m = (struct itai_rodeh_msg){.kind = ITAI_RODEH_ELECTED};
        return 0;
    }
    if ((size != WIRE_TOKEN && size != WIRE_ROUND) ||
        (wire[0] & ~WIRE_UNIQUE) != ITAI_RODEH_TOKEN)
        return -1;
    token.unique = wire[0] / WIRE_UNIQUE;
    token.id = fc_get32(wire + 1);
    token.hop = fc_get32(wire + 5);
    token.round = size == WIRE_ROUND ? fc_get32(wire + 9) : 0;
    if (!is_count(token.id) || !is_count(token.hop) ||
        (size == WIRE_ROUND && !is_count(token.round)))
        return -1;
    *m = token;
    return 0;
}

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [ITAI_RODEH_TOKEN] = {"token", "tok", FC_CLAIMS},
    [ITAI_RODEH_ELECTED] = {"elected", "elected", FC_TELLS},
};

#define AT(field) offsetof(struct itai_rodeh_params, field)
static const struct fc_param params[] = {
    {"rounds", FC_PARAM_CHOICE, AT(rounds), "yes", "no|yes",
     "messages carry the number of their round; without, links must be FIFO"},
};

/* The number of rounds has no bound; but the greatest of m ids in 1..n, m up to
 * n, is the only one with probability 1/2 or more, so 200 rounds all fail with
 * less than 10^-60.  A round is a Chang-Roberts election at most. */
static uint64_t horizon(const void *params_in, const struct fc_world *world)
{
    return fc_times(200, election_pipeline_horizon(params_in, world));
}

const struct fc_protocol itai_rodeh_protocol = {
    .name = "itai-rodeh",
    .title = "Itai and Rodeh 1981: no names, drawn anew in rounds",
    .idea = "Names are drawn at random; a token that counts its hops comes "
            "back with a bit that says whether its name is the only one.",
    .assumes = "no names, one direction, any order of messages (rounds=no: "
               "FIFO); N known; any timing",
    .source = "A. Itai, M. Rodeh, FOCS 1981; W. Fokkink, J. Pang, 2005",
    .problem = &election_problem,
    .topology = FC_RING,
    .needs = FC_NEEDS_COUNT,
    .anonymous = true,
    .winner = ELECTION_ANYBODY,
    .kinds = kinds,
    .kinds_count = ITAI_RODEH_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct itai_rodeh_params),
    .state_size = sizeof(struct itai_rodeh),
    .msg_size = sizeof(struct itai_rodeh_msg),
    .horizon = horizon,
};

#endif
