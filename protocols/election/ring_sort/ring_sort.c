/*
 * ring_sort.c - sorting a ring with the leader's help (Vitanyi 1984).
 *
 * First an election, by Vitanyi's messages that rest.  When its sleepwell is
 * back, the winner sends a list with its own value round the ring; everybody
 * inserts its own in order and passes the list on.  N passes, and the leader
 * has the table of all values.  It sends the table round once more: the r-th
 * processor clockwise keeps entry r.  Another N passes, and the values are
 * sorted clockwise from the leader.  The values are the names.
 *
 * Nobody is told its place r: a processor that reads the growing list with c
 * values in it knows that c processors come before it.
 *
 * Assumes what the election assumes, and lists of up to RING_SORT_MAX values;
 * no processor knows how many there are before the table comes.
 *
 * From: P.M.B. Vitanyi, Distributed elections in a ring of processors using
 * Archimedean time, report CS-R8416, CWI Amsterdam, 1984, "Distributed
 * sorting".
 */
#include "protocols/election/ring_sort/ring_sort.h"

#define TURN ring_sort
#include "core/turn.inc"

enum { GATHER = RING_SORT_GATHER, TABLE = RING_SORT_TABLE };

/* ---- Lists --------------------------------------------------------------- */

/* Inserts a value in order.  False if there is no room, or it is there. */
static inline bool insert_value(msg *m, fc_name value)
{
    uint32_t at = m->count;

    if (m->count >= RING_SORT_MAX)
        return false;
    while (at > 0 && m->value[at - 1] > value)
        at--;
    if (at > 0 && m->value[at - 1] == value)
        return false;
    for (uint32_t i = m->count; i > at; i--)
        m->value[i] = m->value[i - 1];
    m->value[at] = value;
    m->count++;
    return true;
}

static inline msg single(uint32_t kind, fc_name value)
{
    return (msg){.kind = kind, .count = 1, .value = {value}};
}

/* ---- Sorting ------------------------------------------------------------- */

static inline void keep_entry(struct turn *t)
{
    t->s->kept = t->m->value[t->s->place - 1];
    seen(t);
}

static inline void on_gather(struct turn *t)
{
    msg list = *t->m;

    if (t->s->place == 1 && t->s->kept == 0) {
        /* RO-3: home again, and complete. */
        keep_entry(t);
        list.kind = TABLE;
        *put(t, FC_NEXT) = list;
    } else if (t->s->place == 0 && insert_value(&list, t->me->name)) {
        t->s->place = list.count; /* RO-2 */
        *put(t, FC_NEXT) = list;
    } else {
        drop(t); /* RO-6: again, or too long */
    }
}

static inline void on_table(struct turn *t)
{
    if (t->s->place == 1 && t->s->kept)
        return; /* RO-5: the leader's own, back: all is over */
    if (t->s->kept || t->s->place == 0 || t->s->place > t->m->count) {
        drop(t); /* RO-6 */
        return;
    }
    keep_entry(t); /* RO-4 */
    pass_on(t);
}

/* ---- The election -------------------------------------------------------- */

/* A message of the election as one of ours. */
static inline msg of_election(struct fc_word word)
{
    uint32_t kind = fc_word_kind(word);
    fc_name name = fc_word_name(word);

    return name ? single(kind, name) : (msg){.kind = kind};
}

static inline void elect(struct turn *t)
{
    struct vitanyi_in in = {*t->event, fc_word(t->m->kind, t->m->value[0])};
    struct vitanyi_out out = {.fx = {.sends = 0}};
    bool closing = t->s->election.mode == VITANYI_CLOSING;

    vitanyi_step(&t->s->election, t->p, t->me, &in, &out);
    adopt(t, &out.fx);
    for (uint32_t i = 0; i < out.fx.sends; i++)
        *put(t, FC_NEXT) = of_election(out.send[i]);
    if (closing && t->s->election.mode == VITANYI_DONE) {
        /* RO-1: it is over, and the leader sends its own value round. */
        t->s->place = 1;
        send_on(t, single(GATHER, t->me->name));
    }
}

FC_STEP(ring_sort)
{
    bool lists = t->event->kind == FC_MESSAGE && t->m->kind >= GATHER;

    /* RO-7: one election: a node that has taken part does not start another. */
    if (t->event->kind == FC_COMMAND && t->s->election.mode != VITANYI_ASLEEP)
        return;
    if (!lists)
        elect(t);
    else if (t->s->election.mode != VITANYI_DONE)
        drop(t); /* RO-6: before all are done */
    else if (t->m->kind == GATHER)
        on_gather(t);
    else
        on_table(t);
}

FC_VIEW(ring_sort)
{
    vitanyi_view(&s->election, me, view);
    view->answer = s->kept;
}

FC_INVARIANT(ring_sort)
{
    const char *broken = vitanyi_sane(&s->election, p, me);

    if (broken)
        return broken;
    if (s->place > RING_SORT_MAX)
        return "places are those of the longest list";
    if (s->kept && !s->place)
        return "only a node that has a place keeps an entry";
    if (s->place && s->election.mode == VITANYI_ASLEEP)
        return "a sleeper has no place";
    return NULL;
}

FC_STATE_FIELDS(ring_sort) = {
    VITANYI_FIELDS,
    FIELD(NUMBER, place),
    FIELD(NUMBER, kept),
};

/* ---- Messages ------------------------------------------------------------ */

FC_KIND(ring_sort)

/* People are shown the first values. */
FC_API uint32_t ring_sort_fields(const struct ring_sort_msg *m,
                                 uint64_t out[FC_FIELDS_MAX])
{
    uint32_t shown = m->count < FC_FIELDS_MAX ? m->count : FC_FIELDS_MAX;

    for (uint32_t i = 0; i < shown; i++)
        out[i] = m->value[i];
    return shown;
}

static inline fc_name difference(const struct ring_sort_msg *m, uint32_t i)
{
    return m->value[i] - (i ? m->value[i - 1] : 0);
}

/* A list is the differences of its values in dyadic digits, and a separator
 * after each: digits and separators cost a bit each. */
FC_API uint32_t ring_sort_paper_bits(const struct ring_sort_msg *m)
{
    uint32_t bits = 0;

    if (m->kind == RING_SORT_M)
        return fc_dyadic_digits(m->value[0]);
    if (m->kind < RING_SORT_GATHER)
        return 1;
    for (uint32_t i = 0; i < m->count; i++)
        bits += fc_dyadic_digits(difference(m, i)) + 1;
    return bits;
}

/*
 * On the wire, messages of the election are words.  A list is a byte for its
 * kind, a byte for its length, and the differences, seven bits to a byte, the
 * least significant first; the top bit says that more follow.
 */
enum {
    LIST_HEAD = 2, /* bytes before the differences */
    MORE = 0x80,
    DIFFERENCE_MAX = 5, /* bytes */
};
_Static_assert(LIST_HEAD + DIFFERENCE_MAX * RING_SORT_MAX == ring_sort_wire,
               "room for the longest list");

FC_API size_t ring_sort_pack(const struct ring_sort_msg *m,
                             uint8_t wire[ring_sort_wire])
{
    size_t size = LIST_HEAD;

    if (m->kind < RING_SORT_GATHER)
        return fc_word_pack(fc_word(m->kind, m->value[0]),
                            m->kind == RING_SORT_M, wire);
    wire[0] = (uint8_t)m->kind;
    wire[1] = (uint8_t)m->count;
    for (uint32_t i = 0; i < m->count; i++) {
        fc_name left = difference(m, i);

        for (; left >= MORE; left >>= 7)
            wire[size++] = (uint8_t)(left | MORE);
        wire[size++] = (uint8_t)left;
    }
    return size;
}

FC_API uint32_t ring_sort_wire_bytes(const struct ring_sort_msg *m)
{
    uint8_t wire[ring_sort_wire];

    return (uint32_t)ring_sort_pack(m, wire);
}

/* Reads one difference; returns the bytes it took, or 0 if it is malformed: cut
 * off, longer than need be, or not a number of 30 bits. */
static inline size_t read_difference(const uint8_t *wire, size_t size,
                                     uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < size && i < DIFFERENCE_MAX; i++) {
        *value |= (uint64_t)(wire[i] & ~(uint32_t)MORE) << 7 * i;
        if (wire[i] & MORE)
            continue;
        return wire[i] && *value <= FC_NAME_MAX ? i + 1 : 0;
    }
    return 0;
}

static inline int unpack_list(struct ring_sort_msg *m, const uint8_t *wire,
                              size_t size)
{
    struct ring_sort_msg list = {.kind = wire[0], .count = wire[1]};
    uint64_t sum = 0, more;
    size_t at = LIST_HEAD;

    if (list.count == 0 || list.count > RING_SORT_MAX)
        return -1;
    for (uint32_t i = 0; i < list.count; i++) {
        size_t took = read_difference(wire + at, size - at, &more);

        sum += more;
        if (took == 0 || sum > FC_NAME_MAX)
            return -1;
        list.value[i] = (fc_name)sum;
        at += took;
    }
    if (at != size)
        return -1;
    *m = list;
    return 0;
}

/* Refuses (-1) what no node can have sent. */
FC_API int ring_sort_unpack(struct ring_sort_msg *m, const uint8_t *wire,
                            size_t size)
{
    struct fc_word word;

    if (size >= LIST_HEAD && wire[0] >= RING_SORT_GATHER)
        return wire[0] < RING_SORT_KINDS ? unpack_list(m, wire, size) : -1;
    if (fc_word_unpack(&word, VITANYI_KINDS, 1u << VITANYI_M, wire, size) != 0)
        return -1;
    *m = of_election(word);
    return 0;
}

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [RING_SORT_WAKEUP] = {"wakeup", "wake-up", FC_CALLS},
    [RING_SORT_M] = {"M", "M", FC_CLAIMS},
    [RING_SORT_SLEEPWELL] = {"sleepwell", "sleepwell", FC_TELLS},
    [RING_SORT_GATHER] = {"gather", "list", FC_ASKS},
    [RING_SORT_TABLE] = {"table", "table", FC_TELLS},
};

static const struct fc_param params[] = {
    {"f", FC_PARAM_WAIT, AT(f), "exp:2",
     "const:C|pow:E|exp:B|exp:auto|scaled:C|minimal|table:FILE",
     "steps that M_i rests: C, i^E, B^i, (2u/m)^i, C*2^i, none, a list"},
    {"first-wait", FC_PARAM_CHOICE, AT(first_wait), "one", "one|f",
     "steps before its own message leaves: 1 as printed, or f(i)"},
    {"wakeup-counts", FC_PARAM_CHOICE, AT(wakeup_counts), "no", "no|yes",
     "whether the unit in which a wakeup is read counts for the timer"},
    {"links", FC_PARAM_CHOICE, AT(any_order), "fifo", "fifo|any",
     "rules for links that keep the order of messages, or may not"},
};

static const char *prepare(void *params_out, const struct fc_world *world)
{
    if (world->nodes > RING_SORT_MAX)
        return "ring-sort takes rings of up to " FC_QUOTE(RING_SORT_MAX);
    return vitanyi_protocol.prepare(params_out, world);
}

/* Two tours more than the election; twice that for good measure. */
static uint64_t horizon(const void *params_in, const struct fc_world *world)
{
    uint64_t tour = fc_times(world->nodes, fc_hop(world));

    return fc_add(vitanyi_horizon(params_in, world), fc_times(4, tour));
}

/* The report counts 2N passes more than the election; it gives neither a time
 * nor, beyond its order, a number of bits. */
FC_COSTS(ring_sort)
{
    struct fc_claim election[FC_CLAIMS_MAX];
    uint32_t given = vitanyi_protocol.claims(params_in, w, election);
    uint32_t count = 0;

    for (uint32_t i = 0; i < given; i++) {
        if (election[i].cost != FC_COST_MESSAGES)
            continue;
        out[count] = election[i];
        out[count].value += 2.0 * w->nodes;
        out[count++].formula = "the election's bound + 2N";
    }
    return count;
}

const struct fc_protocol ring_sort_protocol = {
    .name = "ring-sort",
    .title = "Vitanyi 1984: sorting with the leader's help",
    .idea = "The leader gathers all values in one list and sends the table "
            "round; the r-th processor clockwise keeps entry r.",
    .assumes = "as vitanyi; at most 64 processors, because a message holds all "
               "values; N unknown",
    .source = "P.M.B. Vitanyi, CWI report CS-R8416, 1984",
    FC_ENTRY(ring_sort, kinds),
    FC_NUMBERS([RING_SORT_GATHER] = "names so far, \u2026",
               [RING_SORT_TABLE] = "names in order, \u2026"),
    .needs = FC_NEEDS_FIFO | FC_NEEDS_BOUNDS,
    FC_TERMS(ring_sort, .winner = ELECTION_LEAST, .answer = ELECTION_SORTED),
    FC_PARAMS(params),
    .prepare = prepare,
    .horizon = horizon,
    FC_COSTS_OF(ring_sort),
};

#endif
