/*
 * hirschberg_sinclair.c - election on a ring in both directions, probes that go
 * twice as far each time (Hirschberg and Sinclair 1980).
 *
 * A candidate sends a probe with its name both ways, 1, 2, 4, ... hops far.  A
 * node that has run with a greater name refuses it; the node where it ends
 * replies that all is well.  After two good replies the candidate tries twice
 * as far, and a node that meets its own probe has passed everybody and leads.
 * A candidate that reaches 2^r hops has beaten all within 2^(r-1) of it, so few
 * reach far: at most 8N(1 + ceil(log2 N)) messages, and N more announce the
 * leader.
 *
 * Assumes a ring with links in both directions, distinct names, reliable links;
 * any order of messages, no timing at all.  A candidate waits for both replies,
 * so whatever comes back belongs to this round.
 *
 * From: D.S. Hirschberg and J.B. Sinclair, Decentralized extrema-finding in
 * circular configurations of processors, CACM 23 (1980).  Sleepers are ours;
 * README.md.
 */
#include "protocols/election/hirschberg_sinclair/hirschberg_sinclair.h"

#include "core/network.h"

#define TURN      hirschberg_sinclair
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = HIRSCHBERG_SINCLAIR_ASLEEP,
    RELAY = HIRSCHBERG_SINCLAIR_RELAY,
    CANDIDATE = HIRSCHBERG_SINCLAIR_CANDIDATE,
    LOST = HIRSCHBERG_SINCLAIR_LOST,
    LEADER = HIRSCHBERG_SINCLAIR_LEADER,
    PROBE = HIRSCHBERG_SINCLAIR_PROBE,
    OK = HIRSCHBERG_SINCLAIR_OK,
    NO = HIRSCHBERG_SINCLAIR_NO,
    ELECTED = HIRSCHBERG_SINCLAIR_ELECTED,
    FAR = HIRSCHBERG_SINCLAIR_FAR,
};

enum { PROBE_WIRE = 9, NAME_WIRE = 5 };

/* On, to the side opposite to where it came from. */
static inline void hand_on(struct turn *t, msg m)
{
    send_to(t, t->event->port == FC_NEXT ? FC_PREVIOUS : FC_NEXT, m);
}

static inline void begin_round(struct turn *t, uint32_t reach)
{
    msg probe = {.kind = PROBE, .name = t->me->name, .left = reach};

    t->s->reach = reach;
    t->s->heard = 0;
    t->s->refused = 0;
    counts(t, ELECTION_PHASE);
    send_to(t, FC_NEXT, probe);
    send_to(t, FC_PREVIOUS, probe);
}

/* HS-1: a candidate, its probes go one hop.  A node that has relayed, or was
 * told, no longer starts. */
static inline void on_start(struct turn *t)
{
    if (t->s->status != ASLEEP)
        return;
    obeyed(t);
    become(t, CANDIDATE);
    begin_round(t, 1);
}

/* HS-6: my probe has come all the way round.  Its twin does too, and dies
 * here. */
static inline void on_own_probe(struct turn *t)
{
    if (t->s->status != CANDIDATE) {
        drop(t);
        return;
    }
    become(t, LEADER);
    t->s->leader = t->me->name;
    if (t->p->announce)
        send_to(t, FC_NEXT, (msg){.kind = ELECTED, .name = t->me->name});
}

/* HS-3: a greater name than mine, or I do not run: on, or back if it ends
 * here. */
static inline void let_pass(struct turn *t)
{
    msg probe = *t->m;

    if (probe.left-- > 1)
        hand_on(t, probe);
    else
        answer(t, (msg){.kind = OK, .name = probe.name});
}

static inline void on_probe(struct turn *t)
{
    if (t->s->status == ASLEEP)
        become(t, RELAY); /* HS-3 */
    if (t->s->status == RELAY) {
        let_pass(t);
    } else if (t->m->name == t->me->name) {
        on_own_probe(t);
    } else if (t->m->name > t->me->name) {
        if (t->s->status == CANDIDATE)
            become(t, LOST); /* HS-3 */
        let_pass(t);
    } else if (t->p->silent) {
        drop(t);
        be_silent(t);
    } else {
        answer(t, (msg){.kind = NO, .name = t->m->name}); /* HS-2 */
    }
}

static inline void on_reply(struct turn *t)
{
    if (t->m->name != t->me->name) {
        hand_on(t, *t->m); /* HS-4: to the one whose name it carries */
        return;
    }
    /* HS-5: a candidate waits for both; a node that has lost absorbs them. */
    if (t->s->status != CANDIDATE)
        return;
    t->s->heard++;
    t->s->refused |= t->m->kind == NO;
    if (t->s->heard < 2)
        return;
    if (t->s->refused)
        become(t, LOST);
    else
        begin_round(t, t->s->reach < FAR ? 2 * t->s->reach : t->s->reach);
}

/* HS-7: noted and passed on; the leader absorbs its own.  Told or not, a node
 * goes on with its part: the winner's second probe may still be in flight. */
static inline void on_elected(struct turn *t)
{
    fc_name q = t->m->name;

    if (t->s->leader != FC_NOBODY || q == t->me->name)
        return;
    t->s->leader = q;
    if (t->s->status == ASLEEP)
        t->s->status = RELAY;
    else if (t->s->status == CANDIDATE)
        t->s->status = LOST;
    hand_on(t, (msg){.kind = ELECTED, .name = q});
    seen(t);
}

static inline void on_message(struct turn *t)
{
    if (t->m->kind == PROBE)
        on_probe(t);
    else if (t->m->kind == ELECTED)
        on_elected(t);
    else
        on_reply(t);
}

FC_STEP(hirschberg_sinclair)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE && t->event->port <= FC_PREVIOUS)
        on_message(t);
}

FC_VIEW(hirschberg_sinclair)
{
    static const uint8_t roles[] = {
        [ASLEEP] = ELECTION_ASLEEP,       [RELAY] = ELECTION_LOST,
        [CANDIDATE] = ELECTION_CANDIDATE, [LOST] = ELECTION_LOST,
        [LEADER] = ELECTION_LEADER,
    };

    election_view_of(view, roles[s->status], s->leader != FC_NOBODY, s->leader);
}

FC_INVARIANT(hirschberg_sinclair)
{
    bool ran = s->status >= CANDIDATE;

    if (s->status > LEADER || s->heard > 2 || s->refused > 1)
        return "status, counts and flags are in range";
    if (ran ? s->reach == 0 || s->reach > FAR || (s->reach & (s->reach - 1))
            : s->reach != 0)
        return "a node that ran has sent probes a power of two far, and no "
               "other has";
    if ((!ran && s->heard > 0) || (s->refused && s->heard == 0))
        return "only a node that ran has heard replies, and refusals are "
               "replies";
    if (s->status == CANDIDATE && (s->heard > 1 || s->leader != FC_NOBODY))
        return "a candidate waits for a reply, and knows no leader";
    if (s->status == ASLEEP && s->leader != FC_NOBODY)
        return "a sleeper knows no leader";
    if ((s->leader == me->name) != (s->status == LEADER))
        return "exactly the leader names itself as leader";
    return NULL;
}

FC_STATE_FIELDS(hirschberg_sinclair) = {
    FIELD(NUMBER, reach),
    FIELD(NAME, leader),
    FIELD_WORD(status, "asleep", "relay", "candidate", "lost", "leader"),
    FIELD(NUMBER, heard),
    FIELD(YES, refused),
};

/* ---- Messages ------------------------------------------------------------ */

FC_KIND(hirschberg_sinclair)

FC_API uint32_t hirschberg_sinclair_fields(
    const struct hirschberg_sinclair_msg *m, uint64_t out[FC_FIELDS_MAX])
{
    out[0] = m->name;
    out[1] = m->left;
    return m->kind == PROBE ? 2 : 1;
}

FC_API uint32_t
hirschberg_sinclair_paper_bits(const struct hirschberg_sinclair_msg *m)
{
    return fc_dyadic_digits(m->name) + fc_dyadic_digits(m->left);
}

FC_API uint32_t
hirschberg_sinclair_wire_bytes(const struct hirschberg_sinclair_msg *m)
{
    return m->kind == PROBE ? PROBE_WIRE : NAME_WIRE;
}

FC_API size_t hirschberg_sinclair_pack(const struct hirschberg_sinclair_msg *m,
                                       uint8_t wire[hirschberg_sinclair_wire])
{
    wire[0] = m->kind;
    fc_put32(wire + 1, m->name);
    if (m->kind != PROBE)
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
    probe = wire[0] == PROBE;
    if (size != (probe ? PROBE_WIRE : NAME_WIRE))
        return -1;
    read.kind = wire[0];
    read.name = fc_get32(wire + 1);
    if (read.name == FC_NOBODY || read.name > FC_NAME_MAX)
        return -1;
    if (probe) {
        read.left = fc_get32(wire + NAME_WIRE);
        if (read.left == 0 || read.left > FAR)
            return -1;
    }
    *m = read;
    return 0;
}

FC_QUANTITIES(hirschberg_sinclair) = {ELECTION_PHASES};

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [PROBE] = {"probe", "probe", FC_ASKS},
    [OK] = {"ok", "ok", FC_GRANTS},
    [NO] = {"no", "no", FC_REFUSES},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

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
    uint64_t tours = 4 * ((uint64_t)log2_up(w->nodes) + 7);

    (void)params_in;
    return fc_times(fc_times(tours, w->nodes), fc_hop(w));
}

FC_COSTS(hirschberg_sinclair)
{
    const struct hirschberg_sinclair_params *p = params_in;
    double n = (double)w->nodes, rounds = 1 + (double)log2_up(w->nodes);

    out[0] = (struct fc_claim){
        FC_COST_MESSAGES, FC_AT_MOST, 8 * n * rounds + (p->announce ? n : 0),
        p->announce ? "8N(1 + ceil(log2 N)) + N" : "8N(1 + ceil(log2 N))"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

/* Two are out in each round; where a refusal is silence, perhaps fewer. */
FC_PREDICATE(hirschberg_sinclair, probes)
{
    const struct hirschberg_sinclair_params *p = all->params;

    for (uint32_t i = 0; i < all->nodes; i++) {
        const struct hirschberg_sinclair *s =
            FC_STATE(hirschberg_sinclair, all, i);
        uint32_t out = 0;

        for (uint32_t k = 0; k < all->flying_count; k++) {
            const struct hirschberg_sinclair_msg *m =
                FC_FLYING(hirschberg_sinclair, all, k);

            out += m->kind != ELECTED && m->name == all->name[i];
        }
        if (s->status == CANDIDATE &&
            (p->silent ? out + s->heard > 2 : out + s->heard != 2))
            return false;
        if (out > (s->status < CANDIDATE ? 0 : s->status == LEADER ? 1 : 2))
            return false;
    }
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"probes",
     "each probe of a candidate is under way, or its reply is, or was heard",
     hirschberg_sinclair_probes, NULL},
};

const struct fc_protocol hirschberg_sinclair_protocol = {
    .name = "hirschberg-sinclair",
    .title =
        "Hirschberg and Sinclair 1980: doubling probes, greatest initiator",
    .idea = "A candidate asks both ways, twice as far each time, whether its "
            "name is the greatest so far.",
    .assumes = "distinct names, links in both directions, any order of "
               "messages; N unknown; any timing",
    .source = "D.S. Hirschberg, J.B. Sinclair, CACM 23 (1980)",
    FC_ENTRY(hirschberg_sinclair, kinds),
    FC_NUMBERS([PROBE] = "name, hops to go"),
    FC_PREDICATES(predicates),
    FC_TERMS(hirschberg_sinclair, .winner = ELECTION_GREATEST_INITIATOR),
    FC_PARAMS(params),
    .horizon = horizon,
    FC_COSTS_OF(hirschberg_sinclair),
};

#endif
