/*
 * test_ring_sort.c - sorting with the leader's help: every rule of the lists,
 * what they cost and how they are packed, and whole rings.  The node is called
 * 5.
 */
#include "protocols/election/ring_sort/ring_sort.h"
#include "tests/unit/kit/testing.h"

enum { NODE = 5 };

#define LIST(kind_, ...)                                                       \
    ((struct ring_sort_msg){.kind = (kind_),                                   \
                            .count = sizeof((fc_name[]){__VA_ARGS__}) /        \
                                     sizeof(fc_name),                          \
                            .value = {__VA_ARGS__}})
#define GATHER(...) LIST(RING_SORT_GATHER, __VA_ARGS__)
#define TABLE(...)  LIST(RING_SORT_TABLE, __VA_ARGS__)

static struct ring_sort_params rules(void)
{
    const struct fc_world world = {
        .nodes = 8, .least = 1, .greatest = 8, .bounds = {1, 1, 0, 0}};
    struct ring_sort_params p;

    fc_params_default(&ring_sort_protocol, &p);
    assert_null(ring_sort_protocol.prepare(&p, &world));
    return p;
}

static struct ring_sort_in event(enum fc_event_kind kind)
{
    return (struct ring_sort_in){.event = {.kind = (uint8_t)kind}};
}

static struct ring_sort_in bare(uint32_t kind)
{
    return (struct ring_sort_in){.event = {.kind = FC_MESSAGE},
                                 .msg = {.kind = kind}};
}

static struct ring_sort_in list(struct ring_sort_msg m)
{
    return (struct ring_sort_in){.event = {.kind = FC_MESSAGE}, .msg = m};
}

static struct ring_sort_out step(struct ring_sort *s, struct ring_sort_in in)
{
    const struct ring_sort_params p = rules();
    const struct fc_named me = {NODE};
    struct ring_sort_out out;

    memset(&out, 0xaa, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    ring_sort_step(s, &p, &me, &in, &out);
    assert_true(out.fx.sends <= COUNT(out.send));
    return out;
}

static struct election_view view_of(const struct ring_sort *s)
{
    struct election_view view;

    ring_sort_view(s, &(struct fc_named){NODE}, &view);
    return view;
}

/* A loser, told that 3 leads. */
static struct ring_sort loser(void)
{
    return (struct ring_sort){.election = {.k = 3, .mode = VITANYI_DONE}};
}

/* The leader, whose list is under way. */
static struct ring_sort leader(void)
{
    return (struct ring_sort){
        .election = {.k = NODE, .mode = VITANYI_DONE, .mine = 1}, .place = 1};
}

static void check_sends(const struct ring_sort_out *out,
                        struct ring_sort_msg wanted)
{
    assert_int_equal(out->fx.sends, 1);
    assert_memory_equal(&out->send[0], &wanted, sizeof wanted);
}

/* Nothing happens, but for the notes. */
static void check_ignored(struct ring_sort s, struct ring_sort_in in,
                          uint32_t notes)
{
    struct ring_sort before = s;
    struct ring_sort_out out = step(&s, in);

    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(out.fx.notes, notes);
    assert_int_equal(out.fx.sends + out.fx.arm + out.fx.disarm, 0);
}

/* ---- Rules --------------------------------------------------------------- */

/* Its rules are tested in test_vitanyi.c; here only that they are asked. */
TEST(test_election_goes_first)
{
    struct ring_sort s = {0};
    struct ring_sort_out out = step(&s, event(FC_COMMAND));

    check_sends(&out, (struct ring_sort_msg){.kind = RING_SORT_WAKEUP});
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    assert_int_equal(out.fx.arm, 1);
    assert_true(out.fx.steps[0] == 1);
    out = step(&s, event(FC_TIMEOUT));
    check_sends(&out, LIST(RING_SORT_M, NODE));
    out = step(&s, list(LIST(RING_SORT_M, 8)));
    assert_int_equal(out.fx.notes, FC_NOTE_DIES);
    out = step(&s, list(LIST(RING_SORT_M, NODE)));
    check_sends(&out, (struct ring_sort_msg){.kind = RING_SORT_SLEEPWELL});
    assert_int_equal(view_of(&s).role, ELECTION_LEADER);
}

/* The leader's first list, when its sleepwell is back. */
TEST(test_leader_begins_when_all_are_done)
{
    struct ring_sort s = {
        .election = {.k = NODE, .mode = VITANYI_CLOSING, .mine = 1}};
    struct ring_sort_out out = step(&s, bare(RING_SORT_SLEEPWELL));

    check_sends(&out, GATHER(NODE));
    assert_int_equal(s.place, 1);
    assert_int_equal(view_of(&s).answer, 0);
}

/* In the middle, at the end; and never before the leader, who is least, unless
 * the values are not the names. */
TEST(test_values_are_inserted_in_order)
{
    struct ring_sort s = loser();
    struct ring_sort_out out = step(&s, list(GATHER(3, 8, 9)));

    check_sends(&out, GATHER(3, NODE, 8, 9));
    assert_int_equal(s.place, 4);
    assert_int_equal(out.fx.notes, 0);
    s = loser();
    out = step(&s, list(GATHER(3)));
    check_sends(&out, GATHER(3, NODE));
    assert_int_equal(s.place, 2);
    s = loser();
    out = step(&s, list(GATHER(6, 7)));
    check_sends(&out, GATHER(NODE, 6, 7));
    assert_int_equal(s.place, 3);
}

/* The list is home: the leader keeps the first entry and sends the table. */
TEST(test_leader_sends_the_table)
{
    struct ring_sort s = leader();
    struct ring_sort_out out = step(&s, list(GATHER(NODE, 6, 8)));

    check_sends(&out, TABLE(NODE, 6, 8));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    assert_int_equal(view_of(&s).answer, NODE);
    /* No second table, and the first ends here. */
    check_ignored(s, list(GATHER(NODE, 6, 8)), FC_NOTE_DIES);
    check_ignored(s, list(TABLE(NODE, 6, 8)), 0);
}

TEST(test_entry_of_the_own_place_is_kept)
{
    struct ring_sort s = loser();
    struct ring_sort_out out;

    s.place = 3;
    out = step(&s, list(TABLE(3, 5, 6, 8)));
    check_sends(&out, TABLE(3, 5, 6, 8));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    assert_int_equal(view_of(&s).answer, 6);
    check_ignored(s, list(TABLE(3, 5, 6, 8)), FC_NOTE_DIES);
}

/* Copies, lists that are too long or too short, lists before their time. */
TEST(test_strange_lists_die)
{
    struct ring_sort s = loser(), asleep = {0}, awake = {0};
    struct ring_sort_msg full = {.kind = RING_SORT_GATHER,
                                 .count = RING_SORT_MAX};

    step(&awake, event(FC_COMMAND));
    check_ignored(asleep, list(GATHER(3)), FC_NOTE_DIES);
    check_ignored(awake, list(GATHER(3)), FC_NOTE_DIES);
    check_ignored(awake, list(TABLE(3)), FC_NOTE_DIES);
    check_ignored(loser(), list(TABLE(3, 5)), FC_NOTE_DIES);
    check_ignored(loser(), list(GATHER(3, NODE)), FC_NOTE_DIES);
    for (uint32_t i = 0; i < RING_SORT_MAX; i++)
        full.value[i] = 10 + i;
    check_ignored(loser(), list(full), FC_NOTE_DIES);
    s.place = 3;
    check_ignored(s, list(GATHER(3)), FC_NOTE_DIES);
    check_ignored(s, list(TABLE(3, 5)), FC_NOTE_DIES);
}

TEST(test_only_a_sleeper_starts)
{
    struct ring_sort awake = {0};

    step(&awake, event(FC_COMMAND));
    check_ignored(awake, event(FC_COMMAND), 0);
    check_ignored(loser(), event(FC_COMMAND), 0);
    check_ignored(leader(), event(FC_COMMAND), 0);
    check_ignored(loser(), event(FC_BOOT), 0);
}

/* ---- Messages ------------------------------------------------------------ */

/* Digits of the differences 3, 2, 1 and 100: 2 + 1 + 1 + 6; 4 separators. */
TEST(test_paper_bits)
{
    struct ring_sort_msg m = GATHER(3, 5, 6, 106), one = GATHER(1);
    struct ring_sort_msg name = LIST(RING_SORT_M, 7);
    struct ring_sort_msg wakeup = {.kind = RING_SORT_WAKEUP};

    assert_int_equal(ring_sort_paper_bits(&m), 10 + 4);
    assert_int_equal(ring_sort_paper_bits(&one), 1 + 1);
    assert_int_equal(ring_sort_paper_bits(&name), 3);
    assert_int_equal(ring_sort_paper_bits(&wakeup), 1);
}

TEST(test_people_see_the_first_four)
{
    struct ring_sort_msg m = TABLE(3, 5, 6, 8, 9);
    uint64_t fields[FC_FIELDS_MAX];

    assert_int_equal(ring_sort_fields(&m, fields), 4);
    assert_true(fields[0] == 3 && fields[3] == 8);
    m = (struct ring_sort_msg){.kind = RING_SORT_SLEEPWELL};
    assert_int_equal(ring_sort_fields(&m, fields), 0);
}

static void check_round_trip(const struct ring_sort_msg *m)
{
    uint8_t wire[FC_WIRE_MAX];
    size_t size = ring_sort_pack(m, wire);
    struct ring_sort_msg again;

    assert_true(size <= FC_WIRE_MAX);
    assert_int_equal(size, ring_sort_wire_bytes(m));
    memset(&again, 0xaa, sizeof again);
    assert_int_equal(ring_sort_unpack(&again, wire, size), 0);
    assert_memory_equal(&again, m, sizeof again);
    for (size_t less = 0; less < size; less++)
        assert_int_equal(ring_sort_unpack(&again, wire, less), -1);
    if (size < FC_WIRE_MAX) {
        wire[size] = 1;
        assert_int_equal(ring_sort_unpack(&again, wire, size + 1), -1);
    }
}

TEST(test_messages_survive_the_wire)
{
    struct ring_sort_msg m = GATHER(1), most = {.kind = RING_SORT_TABLE};
    struct ring_sort_msg bare_ones[] = {{.kind = RING_SORT_WAKEUP},
                                        {.kind = RING_SORT_SLEEPWELL},
                                        LIST(RING_SORT_M, 1),
                                        LIST(RING_SORT_M, FC_NAME_MAX)};
    uint8_t wire[FC_WIRE_MAX];

    for (uint32_t i = 0; i < COUNT(bare_ones); i++)
        check_round_trip(&bare_ones[i]);
    check_round_trip(&m);
    m = GATHER(127, 127 + 128, 127 + 128 + 16384, FC_NAME_MAX);
    check_round_trip(&m);
    assert_int_equal(ring_sort_pack(&m, wire), 2 + 1 + 2 + 3 + 5);
    most.count = RING_SORT_MAX;
    for (uint32_t i = 0; i < RING_SORT_MAX; i++)
        most.value[i] = FC_NAME_MAX - RING_SORT_MAX + 1 + i;
    check_round_trip(&most);
    for (uint32_t i = 0; i < RING_SORT_MAX; i++)
        most.value[i] = (i + 1) * (FC_NAME_MAX / RING_SORT_MAX);
    check_round_trip(&most);
}

/* What no node sends: no values, too many, the same twice, more bytes than a
 * number needs, numbers that are too large. */
TEST(test_nonsense_is_refused)
{
    static const struct {
        uint8_t size, wire[10];
    } bad[] = {
        {1, {0}},
        {1, {4}},
        {2, {4, 0}},
        {3, {6, 1, 1}},
        {4, {4, 2, 1, 0}},
        {4, {4, 1, 0x81, 0}},
        {7, {5, 1, 0xff, 0xff, 0xff, 0xff, 0x04}},
        {8, {5, 2, 0xff, 0xff, 0xff, 0xff, 0x03, 1}},
        {8, {5, 1, 0x81, 0x80, 0x80, 0x80, 0x80, 1}},
        {3, {4, 65, 1}},
        {2, {1, 1}},
        {5, {2, 0, 0, 0, 0}},
    };
    struct ring_sort_msg m;

    for (uint32_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(ring_sort_unpack(&m, bad[i].wire, bad[i].size), -1);
}

/* ---- Rings --------------------------------------------------------------- */

/* Sorted, and exactly 2N passes more than the same election alone. */
static void check_sorts(struct lab *lab, struct lab *plain, uint64_t seed)
{
    uint64_t n = lab->setup.net.world.nodes;
    struct sim_result sorted, elected;

    lab_prepare(lab);
    lab_prepare(plain);
    sorted = lab_run(lab, seed);
    elected = lab_run(plain, seed);
    assert_int_equal(sorted.broken, 0);
    assert_true(sorted.by_kind[RING_SORT_GATHER] == n);
    assert_true(sorted.by_kind[RING_SORT_TABLE] == n);
    assert_true(sorted.messages == elected.messages + 2 * n);
    assert_true(sorted.answer == lab->setup.net.world.least);
}

TEST(test_every_small_ring)
{
    struct lab lab, plain;
    fc_name order[6];

    for (uint32_t n = 2; n <= COUNT(order); n++) {
        lab_open(&lab, "ring-sort", n);
        lab_open(&plain, "vitanyi", n);
        lab.setup.net.naming = plain.setup.net.naming = NET_NAMES_LIST;
        lab.setup.net.names = plain.setup.net.names = order;
        first_order(order, n);
        do
            check_sorts(&lab, &plain, 1);
        while (next_order(order, n));
        lab_close(&lab);
        lab_close(&plain);
    }
}

/* Names far apart, in any order: multiples of a step, shuffled. */
static void scatter(fc_name *names, uint32_t n, struct dice *d)
{
    fc_name apart = 1 + throw_below(d, 1000);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = throw_below(d, i + 1);

        names[i] = names[j];
        names[j] = 1 + i * apart + throw_below(d, i ? apart : 1);
    }
}

TEST(test_random_rings)
{
    static const struct fc_bounds bounds[] = {
        {1, 1, 0, 0}, {2, 3, 1, 4}, {5, 5, 9, 9}, {1, 8, 0, 0}};
    struct dice d = {31};
    fc_name names[RING_SORT_MAX] = {0};
    struct lab lab, plain;

    for (uint32_t seed = 1; seed <= rounds(2000); seed++) {
        uint32_t n = 2 + throw_below(&d, RING_SORT_MAX - 1);
        const struct fc_bounds *b = &bounds[seed % COUNT(bounds)];

        scatter(names, n, &d);
        lab_open(&lab, "ring-sort", n);
        lab_open(&plain, "vitanyi", n);
        lab.setup.net.naming = plain.setup.net.naming = NET_NAMES_LIST;
        lab.setup.net.names = plain.setup.net.names = names;
        lab_bounds(&lab, b->rmin, b->rmax, b->dmin, b->dmax);
        lab_bounds(&plain, b->rmin, b->rmax, b->dmin, b->dmax);
        if (seed % 3 == 0)
            lab.setup.net.waking = plain.setup.net.waking = NET_WAKE_RANDOM;
        check_sorts(&lab, &plain, seed);
        lab_close(&lab);
        lab_close(&plain);
    }
}

/* Nor does it need any order of messages, if the election does not. */
TEST(test_any_order)
{
    struct lab lab;

    lab_open(&lab, "ring-sort", 20);
    lab_set(&lab, "links", "any");
    lab.setup.net.any_order = true;
    lab.setup.net.time = NET_ASYNC;
    lab.setup.net.naming = NET_NAMES_RANDOM;
    lab.setup.net.waking = NET_WAKE_RANDOM;
    lab_prepare(&lab);
    for (uint32_t seed = 1; seed <= rounds(1000); seed++)
        assert_int_equal(lab_run(&lab, seed).broken, 0);
    lab_close(&lab);
}

TEST(test_large_rings_are_refused)
{
    struct lab lab;
    const char *why;

    lab_open(&lab, "ring-sort", RING_SORT_MAX + 1);
    sim_describe(&lab.setup);
    why = ring_sort_protocol.prepare(&lab.params, &lab.setup.net.world);
    assert_string_equal(why, "ring-sort takes rings of up to 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_election_goes_first),
        cmocka_unit_test(test_leader_begins_when_all_are_done),
        cmocka_unit_test(test_values_are_inserted_in_order),
        cmocka_unit_test(test_leader_sends_the_table),
        cmocka_unit_test(test_entry_of_the_own_place_is_kept),
        cmocka_unit_test(test_strange_lists_die),
        cmocka_unit_test(test_only_a_sleeper_starts),
        cmocka_unit_test(test_paper_bits),
        cmocka_unit_test(test_people_see_the_first_four),
        cmocka_unit_test(test_messages_survive_the_wire),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_every_small_ring),
        cmocka_unit_test(test_random_rings),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_large_rings_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
