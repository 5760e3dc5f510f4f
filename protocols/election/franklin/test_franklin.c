/*
 * test_franklin.c - the rules of Franklin's election, and its exact costs.
 * The node is called 5.
 */
#define TESTED franklin
#include "protocols/election/franklin/franklin.h"

#include "tests/unit/kit/rings.h"

#define STATUS(name) FRANKLIN_##name

static const struct franklin_params plain = {.announce = 1};

/* An active node to which these have come, by port, and one for the next
 * round. */
static struct franklin active(fc_name next, fc_name previous, fc_name ahead)
{
    return (struct franklin){
        .got = {next, previous}, .ahead = ahead, .status = STATUS(ACTIVE)};
}

static struct franklin node(enum franklin_status status, fc_name leader)
{
    return (struct franklin){.leader = leader, .status = status};
}

static struct franklin_in name(enum fc_port port, fc_name q)
{
    return reads_by(port, FRANKLIN_NAME, q);
}

static struct franklin_in elected(enum fc_port port, fc_name q)
{
    return reads_by(port, FRANKLIN_ELECTED, q);
}

static void check_state(struct franklin is, struct franklin wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

static void check_one(const struct franklin_out *out, enum fc_port to,
                      uint32_t kind, fc_name q)
{
    check_sends(out, kind, q);
    assert_int_equal(out->fx.to[0], to);
}

/* My name, both ways. */
static void check_both(const struct franklin_out *out)
{
    assert_int_equal(out->fx.sends, 2);
    assert_int_equal(out->fx.to[0], FC_NEXT);
    assert_int_equal(out->fx.to[1], FC_PREVIOUS);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fc_word_kind(out->send[i]), FRANKLIN_NAME);
        assert_int_equal(fc_word_name(out->send[i]), ME);
    }
}

/* ---- Rules --------------------------------------------------------------- */

/* The first round begins. */
TEST(test_start_sends_own_name_both_ways)
{
    struct franklin s = {0};
    struct franklin_out out = step(&s, &plain, start());

    check_state(s, active(0, 0, 0));
    check_both(&out);
    assert_int_equal(out.fx.notes,
                     FC_NOTE_VIEW | FC_NOTE_STARTED | ELECTION_PHASE);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
}

/* Nobody starts within an election it knows of, nor after it. */
TEST(test_only_a_sleeper_starts)
{
    check_ignored(node(STATUS(RELAY), 0), &plain, start(), 0);
    check_ignored(node(STATUS(RELAY), 8), &plain, start(), 0);
    check_ignored(active(3, 0, 4), &plain, start(), 0);
    check_ignored(node(STATUS(LEADER), ME), &plain, start(), 0);
}

/* Whoever reads before it starts only relays, whatever its name. */
TEST(test_sleeper_becomes_a_relay)
{
    struct franklin s = {0};
    struct franklin_out out = step(&s, &plain, name(FC_PREVIOUS, 3));

    check_state(s, node(STATUS(RELAY), 0));
    check_one(&out, FC_NEXT, FRANKLIN_NAME, 3);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LOST, FC_NOBODY);
}

/* In at one side, out at the other; told or not. */
TEST(test_relay_passes_everything)
{
    static const fc_name names[] = {3, ME, 8};

    for (size_t i = 0; i < COUNT(names); i++) {
        for (fc_name leader = 0; leader <= 8; leader += 8) {
            struct franklin s = node(STATUS(RELAY), leader);
            struct franklin_out out = step(&s, &plain, name(FC_NEXT, names[i]));

            check_one(&out, FC_PREVIOUS, FRANKLIN_NAME, names[i]);
            out = step(&s, &plain, name(FC_PREVIOUS, names[i]));
            check_one(&out, FC_NEXT, FRANKLIN_NAME, names[i]);
            assert_int_equal(out.fx.notes, 0);
            check_state(s, node(STATUS(RELAY), leader));
        }
    }
}

/* One name does not end a round, not even a greater one: the other must not
 * be taken for something to relay. */
TEST(test_round_waits_for_both_sides)
{
    struct franklin s = active(0, 0, 0);
    struct franklin_out out = step(&s, &plain, name(FC_NEXT, 8));

    check_state(s, active(8, 0, 0));
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, 0);

    s = active(0, 0, 0);
    out = step(&s, &plain, name(FC_PREVIOUS, 3));
    check_state(s, active(0, 3, 0));
    assert_int_equal(out.fx.sends, 0);
}

/* Greater than both: another round. */
TEST(test_local_maximum_goes_on)
{
    struct franklin s = active(3, 0, 0);
    struct franklin_out out = step(&s, &plain, name(FC_PREVIOUS, 4));

    check_state(s, active(0, 0, 0));
    check_both(&out);
    assert_int_equal(out.fx.notes, FC_NOTE_DIES | ELECTION_PHASE);

    s = active(0, 4, 0);
    out = step(&s, &plain, name(FC_NEXT, 4)); /* two are left */
    check_state(s, active(0, 0, 0));
    check_both(&out);
}

/* One greater name, on whichever side. */
TEST(test_a_greater_neighbour_makes_a_relay)
{
    static const fc_name names[][2] = {{8, 3}, {3, 8}, {8, 9}, {8, 8}};

    for (size_t i = 0; i < COUNT(names); i++) {
        struct franklin s = active(names[i][0], 0, 0);
        struct franklin_out out =
            step(&s, &plain, name(FC_PREVIOUS, names[i][1]));

        check_state(s, node(STATUS(RELAY), 0));
        assert_int_equal(out.fx.sends, 0);
        assert_int_equal(out.fx.notes, FC_NOTE_DIES | FC_NOTE_VIEW);
        check_view(&s, ELECTION_LOST, FC_NOBODY);
    }
}

/* A neighbour that is one round ahead is kept until this round is over. */
TEST(test_next_round_waits_for_this_one)
{
    struct franklin s = active(3, 0, 0);
    struct franklin_out out = step(&s, &plain, name(FC_NEXT, 2));

    check_state(s, active(3, 0, 2));
    assert_int_equal(out.fx.sends, 0);
    out = step(&s, &plain, name(FC_PREVIOUS, 4));
    check_state(s, active(2, 0, 0));
    check_both(&out);

    s = active(0, 3, 2);
    step(&s, &plain, name(FC_NEXT, 4));
    check_state(s, active(0, 2, 0));
}

/* Whoever is out hands on what came too early. */
TEST(test_new_relay_passes_the_next_round_on)
{
    struct franklin s = active(3, 0, 2);
    struct franklin_out out = step(&s, &plain, name(FC_PREVIOUS, 8));

    check_state(s, node(STATUS(RELAY), 0));
    check_one(&out, FC_PREVIOUS, FRANKLIN_NAME, 2);

    s = active(0, 3, 2);
    out = step(&s, &plain, name(FC_NEXT, 8));
    check_one(&out, FC_NEXT, FRANKLIN_NAME, 2);
}

/* Its own name from both sides: nobody else is active. */
TEST(test_own_name_back_leads)
{
    struct franklin s = active(ME, 0, 0);
    struct franklin_out out = step(&s, &plain, name(FC_PREVIOUS, ME));

    check_state(s, node(STATUS(LEADER), ME));
    check_one(&out, FC_NEXT, FRANKLIN_ELECTED, ME);
    assert_int_equal(out.fx.notes, FC_NOTE_DIES | FC_NOTE_VIEW);
    check_view(&s, ELECTION_LEADER, ME);
    check_ignored(s, &plain, name(FC_NEXT, 3), FC_NOTE_DIES);
}

/* Everybody learns and passes it on. */
TEST(test_elected_tells_and_goes_on)
{
    struct franklin states[] = {node(STATUS(ASLEEP), 0), node(STATUS(RELAY), 0),
                                active(3, 0, 2)};

    for (size_t i = 0; i < COUNT(states); i++) {
        struct franklin_out out =
            step(&states[i], &plain, elected(FC_PREVIOUS, 8));

        check_state(states[i], node(STATUS(RELAY), 8));
        check_one(&out, FC_NEXT, FRANKLIN_ELECTED, 8);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&states[i], ELECTION_DONE, 8);
    }
}

/* The leader's own announcement is back from its tour. */
TEST(test_leader_absorbs_its_announcement)
{
    check_ignored(node(STATUS(LEADER), ME), &plain, elected(FC_PREVIOUS, ME),
                  0);
}

/* announce=no: the leader keeps it to itself. */
TEST(test_announce_no_sends_nothing)
{
    const struct franklin_params p = {.announce = 0};
    struct franklin s = active(ME, 0, 0);
    struct franklin_out out = step(&s, &p, name(FC_PREVIOUS, ME));

    check_state(s, node(STATUS(LEADER), ME));
    assert_int_equal(out.fx.sends, 0);
}

/* Nothing else means anything, nor does a link that is not there. */
TEST(test_other_events_are_ignored)
{
    struct franklin_in boot = {.event = {.kind = FC_BOOT}};
    struct franklin_in nowhere = name(FC_NEXT, 3);

    nowhere.event.port = 2;
    check_ignored(active(3, 0, 2), &plain, boot, 0);
    check_ignored(active(3, 0, 2), &plain, timeout(), 0);
    check_ignored(active(3, 0, 2), &plain, nowhere, 0);
}

/* ---- All together -------------------------------------------------------- */

/* 10 nodes, 5 initiators: two rounds and the last at most. */
TEST(test_claim_is_the_closed_form)
{
    const struct fc_world world = {10, 5, 1, 10, {2, 3, 1, 2}, true, false};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(franklin_protocol.claims(&plain, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_AT_MOST);
    assert_true(claims[0].value == 2 * 10 * 2 + 2 * 10 + 10);
}

/* ---- Whole rings --------------------------------------------------------- */

/* Names sent in a run in which all went well. */
static uint64_t cost(struct lab *lab, uint64_t seed)
{
    struct sim_result r;

    lab_prepare(lab);
    r = lab_run(lab, seed);
    assert_int_equal(r.broken, 0);
    assert_false(r.cut);
    assert_int_equal(r.by_kind[FRANKLIN_ELECTED], lab->setup.net.world.nodes);
    return r.by_kind[FRANKLIN_NAME];
}

static void check_sorted(struct lab *lab, uint64_t seed)
{
    uint32_t n = lab->setup.net.world.nodes;

    assert_int_equal(cost(lab, seed), 4 * n);
}

/* One round leaves one node: 2N, and 2N to find out. */
TEST(test_sorted_rings_cost_4n)
{
    in_sorted_rings("franklin", check_sorted);
}

static void check_alone(struct lab *lab, uint64_t seed)
{
    assert_int_equal(cost(lab, seed), 2 * lab->setup.net.world.nodes);
}

/* One initiator: its name goes round in both directions. */
TEST(test_one_initiator_costs_2n)
{
    with_one_initiator("franklin", check_alone);
}

/* All placements of up to 8: 2N*floor(log2 N) + 2N is reached, never passed. */
LONG_TEST(test_worst_placement_costs_the_closed_form)
{
    for (uint32_t n = 1; n <= 8; n++) {
        struct ring_range range = in_all_placements("franklin", n, cost);

        assert_int_equal(range.worst, 2 * n * log2_of(n) + 2 * n);
        assert_int_equal(range.best, n == 1 ? 2 : 4 * n);
    }
}

static void check_ring(struct lab *lab, uint64_t seed)
{
    uint32_t n = lab->setup.net.world.nodes;

    assert_true(cost(lab, seed) <= 2 * n * log2_of(n) + 2 * n);
}

/* Order of messages is not needed. */
TEST(test_thousand_rings_of_all_sorts)
{
    in_rings_of_all_sorts("franklin", true, check_ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_sends_own_name_both_ways),
        cmocka_unit_test(test_only_a_sleeper_starts),
        cmocka_unit_test(test_sleeper_becomes_a_relay),
        cmocka_unit_test(test_relay_passes_everything),
        cmocka_unit_test(test_round_waits_for_both_sides),
        cmocka_unit_test(test_local_maximum_goes_on),
        cmocka_unit_test(test_a_greater_neighbour_makes_a_relay),
        cmocka_unit_test(test_next_round_waits_for_this_one),
        cmocka_unit_test(test_new_relay_passes_the_next_round_on),
        cmocka_unit_test(test_own_name_back_leads),
        cmocka_unit_test(test_elected_tells_and_goes_on),
        cmocka_unit_test(test_leader_absorbs_its_announcement),
        cmocka_unit_test(test_announce_no_sends_nothing),
        cmocka_unit_test(test_other_events_are_ignored),
        cmocka_unit_test(test_claim_is_the_closed_form),
        cmocka_unit_test(test_sorted_rings_cost_4n),
        cmocka_unit_test(test_one_initiator_costs_2n),
        cmocka_unit_test(test_worst_placement_costs_the_closed_form),
        cmocka_unit_test(test_thousand_rings_of_all_sorts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
