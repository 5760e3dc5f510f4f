/*
 * itai_rodeh.c - election without names by drawing anew (Itai and Rodeh 1981).
 *
 * Chang and Roberts' election with names drawn at random in 1..n.  A token
 * counts its hops, so that its owner knows it again: it is the one that has
 * made n of them.  On its way a node that drew the same name clears a bit in
 * it.  Back with the bit still set, its owner leads; with the bit cleared, the
 * owners of the greatest name draw anew in a next round.  Only active nodes
 * take part in it, and a node that meets a token of a later round, or of this
 * round and a greater name, is no longer active.
 *
 * Assumes a unidirectional ring and n known to all; any timing, and with
 * rounds in the messages any order.  Ends with probability 1 and never errs.
 *
 * From: A. Itai, M. Rodeh, Symmetry breaking in distributive networks, FOCS
 * 1981, as W. Fokkink and J. Pang present it (2005).  rounds=no is their
 * Algorithm A, for FIFO links: messages carry no round.  The announcement is
 * ours.
 */
#include "protocols/election/itai_rodeh/itai_rodeh.h"

#include "core/network.h"

#define TURN itai_rodeh
#include "core/turn.inc"

enum {
    ASLEEP = ITAI_RODEH_ASLEEP,
    ACTIVE = ITAI_RODEH_ACTIVE,
    PASSIVE = ITAI_RODEH_PASSIVE,
    LEADER = ITAI_RODEH_LEADER,
    DONE = ITAI_RODEH_DONE,
    TOKEN = ITAI_RODEH_TOKEN,
    ELECTED = ITAI_RODEH_ELECTED,
};

/* Takes on a status with nothing remembered. */
static inline void turn_into(struct turn *t, uint8_t status)
{
    *t->s = (struct itai_rodeh){.status = status};
    seen(t);
}

/* Enters a round; the id comes as the next event.  Where messages do not carry
 * the round, nobody needs its number, and so the state space is finite. */
static inline void enter_round(struct turn *t)
{
    t->s->round += t->p->rounds;
    t->s->id = 0;
    counts(t, ELECTION_PHASE);
    draw(t, t->me->nodes);
}

/* IR-1: a sleeper that is told to start is active in round 1: it draws. */
static inline void on_start(struct turn *t)
{
    if (t->s->status != ASLEEP)
        return;
    obeyed(t);
    turn_into(t, ACTIVE);
    enter_round(t);
}

/* IR-1, IR-3: it sends (id, 1, set, round). */
static inline void on_id(struct turn *t)
{
    if (t->s->status != ACTIVE || t->s->id != 0)
        return;
    t->s->id = t->event->value + 1;
    send_on(t, (msg){.kind = TOKEN,
                     .round = t->s->round,
                     .id = t->s->id,
                     .hop = 1,
                     .unique = 1});
}

/* IR-2: a hop more, and on. */
static inline void pass_token(struct turn *t, bool unique)
{
    msg token = *t->m;

    token.hop++;
    token.unique = unique;
    send_on(t, token);
}

/* Round first, then id: below 0 if the token has less than the node. */
static inline int compare(const struct turn *t)
{
    if (t->p->rounds && t->m->round != t->s->round)
        return t->m->round < t->s->round ? -1 : 1;
    return (t->m->id > t->s->id) - (t->m->id < t->s->id);
}

static inline void active_reads(struct turn *t)
{
    int order = compare(t);

    if (t->m->hop == t->me->nodes && t->m->unique) {
        /* IR-3: its own is back, nobody has cleared the bit: it leads. */
        turn_into(t, LEADER);
        send_on(t, (msg){.kind = ELECTED});
    } else if (t->m->hop == t->me->nodes) {
        enter_round(t); /* IR-3: cleared: the next round */
    } else if (order == 0) {
        pass_token(t, false); /* IR-4: the same round and id: clears the bit */
    } else if (order > 0) {
        turn_into(t, PASSIVE); /* IR-4: a later round, or a greater id */
        pass_token(t, t->m->unique);
    } else {
        drop(t); /* IR-4: else it dies */
    }
}

static inline void on_token(struct turn *t)
{
    if (t->s->status == ASLEEP)
        turn_into(t, PASSIVE); /* IR-1: it did not start, and takes no part */
    if (t->s->status == ACTIVE)
        active_reads(t);
    else if (t->s->status == PASSIVE)
        pass_token(t, t->m->unique); /* IR-2 */
    else
        drop(t); /* IR-5 */
}

/* IR-5: passed on once by each. */
static inline void on_elected(struct turn *t)
{
    if (t->s->status == LEADER || t->s->status == DONE)
        return;
    turn_into(t, DONE);
    pass_on(t);
}

FC_STEP(itai_rodeh)
{
    switch (t->event->kind) {
    case FC_COMMAND:
        on_start(t);
        break;
    case FC_CHOICE:
        on_id(t);
        break;
    case FC_MESSAGE:
        if (t->m->kind == TOKEN)
            on_token(t);
        else if (t->m->kind == ELECTED)
            on_elected(t);
        break;
    default:
        break;
    }
}

FC_VIEW(itai_rodeh)
{
    static const uint8_t roles[] = {
        [ASLEEP] = ELECTION_ASLEEP, [ACTIVE] = ELECTION_CANDIDATE,
        [PASSIVE] = ELECTION_LOST,  [LEADER] = ELECTION_LEADER,
        [DONE] = ELECTION_DONE,
    };
    bool over = s->status >= LEADER;

    *view = (struct election_view){
        .leader = over ? ELECTION_SOMEBODY : FC_NOBODY,
        .role = roles[s->status],
    };
}

FC_INVARIANT(itai_rodeh)
{
    if (s->status > DONE)
        return "the status is in range";
    if (s->status != ACTIVE && (s->round || s->id))
        return "only an active node has a round and an id";
    if (s->id > me->nodes)
        return "ids are drawn in 1..n";
    if (s->status == ACTIVE && (s->round > 0) != p->rounds)
        return "rounds are counted, from 1, exactly if messages carry them";
    return NULL;
}

FC_STATE_FIELDS(itai_rodeh) = {
    FIELD(NUMBER, round),
    FIELD(NUMBER, id),
    FIELD_WORD(status, "asleep", "active", "passive", "leader", "done"),
};

/* ---- On the wire --------------------------------------------------------- */

/* Kind, and twice the bit; id, hop, and the round if there is one. */
enum { WIRE_BARE = 1, WIRE_TOKEN = 9, WIRE_ROUND = 13, WIRE_UNIQUE = 4 };

FC_KIND(itai_rodeh)

/* Id, hop, bit and round. */
FC_API uint32_t itai_rodeh_fields(const struct itai_rodeh_msg *m,
                                  uint64_t out[FC_FIELDS_MAX])
{
    out[0] = m->id;
    out[1] = m->hop;
    out[2] = m->unique;
    out[3] = m->round;
    return m->kind != TOKEN ? 0 : m->round ? 4 : 3;
}

FC_API uint32_t itai_rodeh_paper_bits(const struct itai_rodeh_msg *m)
{
    if (m->kind != TOKEN)
        return 1;
    return fc_dyadic_digits(m->id) + fc_dyadic_digits(m->hop) + 1 +
           (m->round ? fc_dyadic_digits(m->round) : 0);
}

FC_API uint32_t itai_rodeh_wire_bytes(const struct itai_rodeh_msg *m)
{
    return m->kind != TOKEN ? WIRE_BARE : m->round ? WIRE_ROUND : WIRE_TOKEN;
}

FC_API size_t itai_rodeh_pack(const struct itai_rodeh_msg *m,
                              uint8_t wire[itai_rodeh_wire])
{
    wire[0] = (uint8_t)(m->kind + WIRE_UNIQUE * m->unique);
    if (m->kind == TOKEN) {
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
    struct itai_rodeh_msg token = {.kind = TOKEN};

    if (size == WIRE_BARE && wire[0] == ELECTED) {
        *m = (struct itai_rodeh_msg){.kind = ELECTED};
        return 0;
    }
    if ((size != WIRE_TOKEN && size != WIRE_ROUND) ||
        (wire[0] & ~WIRE_UNIQUE) != TOKEN)
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

FC_QUANTITIES(itai_rodeh) = {ELECTION_PHASES};

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [TOKEN] = {"token", "tok", FC_CLAIMS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"rounds", FC_PARAM_CHOICE, AT(rounds), "yes", "no|yes",
     "messages carry the number of their round; without, links must be FIFO"},
};

/* The number of rounds is unbounded; but the greatest of m ids in 1..n, m up to
 * n, is the only one with probability 1/2 or more, so 200 rounds all fail with
 * less than 10^-60.  A round is a Chang-Roberts election at most. */
static uint64_t horizon(const void *params_in, const struct fc_world *world)
{
    return fc_times(200, election_pipeline_horizon(params_in, world));
}

static uint32_t needs_with(const void *params_in)
{
    const struct itai_rodeh_params *p = params_in;

    return p->rounds ? FC_NEEDS_COUNT : FC_NEEDS_COUNT | FC_NEEDS_FIFO;
}

/* ---- The whole network --------------------------------------------------- */

/* A token has come from as many nodes back as it has hops. */
FC_PREDICATE(itai_rodeh, tokens)
{
    for (uint32_t k = 0; k < all->flying_count; k++) {
        const struct itai_rodeh_msg *m = FC_FLYING(itai_rodeh, all, k);
        uint32_t to = all->flying[k].to;
        const struct itai_rodeh *s;

        if (m->kind != TOKEN)
            continue;
        if (m->hop == 0 || m->hop > all->nodes)
            return false;
        s = FC_STATE(itai_rodeh, all, (to + all->nodes - m->hop) % all->nodes);
        if (s->status == ACTIVE && (s->id != m->id || s->round != m->round))
            return false;
        for (uint32_t l = 0; l < k; l++) {
            const struct itai_rodeh_msg *n = FC_FLYING(itai_rodeh, all, l);
            uint32_t ahead = all->flying[l].to + all->nodes - to;

            if (n->kind == TOKEN &&
                (n->hop + 2 * all->nodes - m->hop) % all->nodes ==
                    ahead % all->nodes)
                return false; /* from the same node */
        }
    }
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"tokens",
     "each node has one token under way at most, and while it is active with "
     "the identity that it drew",
     itai_rodeh_tokens, NULL},
};

const struct fc_protocol itai_rodeh_protocol = {
    .name = "itai-rodeh",
    .title = "Itai and Rodeh 1981: no names, drawn anew in rounds",
    .idea = "Names are drawn at random; a token that counts its hops comes "
            "back with a bit that says whether its name is the only one.",
    .assumes = "no names, one direction, any order of messages (rounds=no: "
               "FIFO); N known; any timing",
    .source = "A. Itai, M. Rodeh, FOCS 1981; W. Fokkink, J. Pang, 2005",
    FC_ENTRY(itai_rodeh, kinds),
    FC_NUMBERS([TOKEN] = "identity, hop, 1 if unique, round"),
    FC_SEARCH(.set = "rounds=no", .grows = "the number of the round"),
    FC_PREDICATES(predicates),
    .needs = FC_NEEDS_COUNT,
    .needs_with = needs_with,
    .anonymous = true,
    FC_TERMS(itai_rodeh, .winner = ELECTION_ANYBODY),
    FC_PARAMS(params),
    .horizon = horizon,
};

#endif
