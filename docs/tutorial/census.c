/*
 * census.c - election on a ring whose tokens count it.
 *
 * Chang and Roberts' election; but a token counts its hops, so the one that
 * comes back knows how many nodes there are, and the news tells everybody.
 * The least initiator leads.
 *
 * Assumes a unidirectional ring, distinct names, reliable links in any order.
 *
 * Ours, for docs/tutorial/message.md; CN-1 to CN-6 are its rules.
 */
#include "protocols/election/census/census.h"

#define TURN      census
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = CENSUS_ASLEEP,
    CANDIDATE = CENSUS_CANDIDATE,
    LOST = CENSUS_LOST,
    LEADER = CENSUS_LEADER,
    DONE = CENSUS_DONE,
    TOKEN = CENSUS_TOKEN,
    ELECTED = CENSUS_ELECTED,
};

/* CN-1: a sleeper that is told to start sends a token, on its first hop. */
static inline void on_start(struct turn *t)
{
    if (t->s->status != ASLEEP)
        return;
    obeyed(t);
    become(t, CANDIDATE);
    send_on(t, (msg){.kind = TOKEN, .name = t->me->name, .count = 1});
}

static inline void on_token(struct turn *t)
{
    bool candidate = t->s->status == CANDIDATE;
    msg token = *t->m;

    if (candidate && token.name == t->me->name) {
        /* CN-2: my token is back: its hops are the size of the ring. */
        become(t, LEADER);
        t->s->leader = token.name;
        t->s->size = token.count;
        token.kind = ELECTED;
        send_on(t, token);
    } else if (candidate && token.name > t->me->name) {
        drop(t); /* CN-3: it cannot win */
    } else if (t->s->leader != FC_NOBODY) {
        drop(t); /* CN-4: too late, overtaken */
    } else {
        /* CN-5: a smaller name, or not a candidate: lose; one hop more. */
        become(t, LOST);
        token.count++;
        send_on(t, token);
    }
}

/* CN-6: the news goes round once and ends with the leader. */
static inline void on_elected(struct turn *t)
{
    if (t->s->leader != FC_NOBODY)
        return;
    become(t, DONE);
    t->s->leader = t->m->name;
    t->s->size = t->m->count;
    pass_on(t);
}

FC_STEP(census)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE)
        t->m->kind == TOKEN ? on_token(t) : on_elected(t);
}

FC_VIEW(census)
{
    static const uint8_t roles[] = {
        [ASLEEP] = ELECTION_ASLEEP, [CANDIDATE] = ELECTION_CANDIDATE,
        [LOST] = ELECTION_LOST,     [LEADER] = ELECTION_LEADER,
        [DONE] = ELECTION_DONE,
    };

    *view = (struct election_view){
        .leader = s->leader,
        .answer = s->size,
        .role = roles[s->status],
    };
}

FC_INVARIANT(census)
{
    if (s->status > DONE)
        return "the status is in range";
    if ((s->leader != FC_NOBODY) != (s->status == LEADER || s->status == DONE))
        return "a node knows a leader exactly when the election is over for it";
    if ((s->leader != FC_NOBODY) != (s->size != 0))
        return "a node knows the size exactly when it knows the leader";
    return NULL;
}

FC_STATE_FIELDS(census) = {
    FIELD(NAME, leader),
    FIELD(NUMBER, size),
    FIELD_WORD(status, "asleep", "candidate", "lost", "leader", "done"),
};

/* ---- On the wire --------------------------------------------------------- */

FC_KIND(census)

/* The numbers that people see, in traces and drawings. */
FC_API uint32_t census_fields(const struct census_msg *m,
                              uint64_t out[FC_FIELDS_MAX])
{
    out[0] = m->name;
    out[1] = m->count;
    return 2;
}

/* What a theorist counts. */
FC_API uint32_t census_paper_bits(const struct census_msg *m)
{
    return fc_dyadic_digits(m->name) + fc_dyadic_digits(m->count);
}

FC_API uint32_t census_wire_bytes(const struct census_msg *m)
{
    (void)m;
    return census_wire;
}

FC_API size_t census_pack(const struct census_msg *m, uint8_t wire[census_wire])
{
    wire[0] = m->kind;
    fc_put32(wire + 1, m->name);
    fc_put32(wire + 5, m->count);
    return census_wire;
}

static inline bool is_name(uint32_t number)
{
    return number != FC_NOBODY && number <= FC_NAME_MAX;
}

/* Refuses (-1) what no node can have sent, and leaves `m` untouched then. */
FC_API int census_unpack(struct census_msg *m, const uint8_t *wire, size_t size)
{
    struct census_msg got = {0};

    if (size != census_wire || wire[0] == 0 || wire[0] >= CENSUS_KINDS)
        return -1;
    got.kind = wire[0];
    got.name = fc_get32(wire + 1);
    got.count = fc_get32(wire + 5);
    if (!is_name(got.name) || !is_name(got.count))
        return -1;
    *m = got;
    return 0;
}

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [TOKEN] = {"token", "tok", FC_CLAIMS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

const struct fc_protocol census_protocol = {
    .name = "census",
    .title = "tutorial: Chang and Roberts with tokens that count the ring",
    .idea = "A token counts its hops, so the winner knows how many there are.",
    .assumes = "distinct names, one direction, any order of messages; N "
               "unknown; any timing",
    .source = "docs/tutorial/message.md",
    FC_ENTRY(census, kinds),
    FC_TERMS(census, .winner = ELECTION_LEAST_INITIATOR,
             .answer = ELECTION_SIZE),
    .horizon = election_pipeline_horizon,
};

#endif
