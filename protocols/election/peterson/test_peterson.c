/*
 * test_peterson.c - the rules of Peterson's election, its switches, and its
 * exact costs.  The node is called 5.
 */
#define TESTED peterson
#include "protocols/election/peterson/peterson.h"

#include "tests/unit/kit/rings.h"

#define STATUS(name) PETERSON_##name

static const struct peterson_params plain = {.announce = 1};
static const struct peterson_params printed = {.announce = 1,
                                               .test = PETERSON_TEST_NAME};

static struct peterson node(enum peterson_status status, fc_name tid,
                            fc_name ntid)
{
    return (struct peterson){
        .tid = tid, .ntid = ntid, .status = (uint8_t)status};
}

static struct peterson told(enum peterson_status status, fc_name leader)
{
    struct peterson s = node(status, leader, FC_NOBODY);

    s.told = 1;
    return s;
}

static struct peterson_in tid(fc_name q)
{
    return reads(PETERSON_TID, q);
}

static struct peterson_in elected(fc_name q)
{
    return reads(PETERSON_ELECTED, q);
}

static void check_state(struct peterson is, struct peterson wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

/* ---- Rules --------------------------------------------------------------- */

/* The first phase begins with its own name. */
TEST(test_start_sends_own_name)
{
    struct peterson s = {0};
    struct peterson_out out = step(&s, &plain, start());

    check_state(s, node(STATUS(FIRST), ME, 0));
    check_sends(&out, PETERSON_TID, ME);
    assert_int_equal(out.fx.notes,
                     FC_NOTE_VIEW | FC_NOTE_STARTED | ELECTION_PHASE);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
}

/* Nobody starts within an election it knows of, nor after it. */
TEST(test_only_a_sleeper_starts)
{
    for (int status = STATUS(RELAY); status <= STATUS(SECOND); status++)
        check_ignored(node((enum peterson_status)status, 3, 4), &plain, start(),
                      0);
    check_ignored(told(STATUS(ALONE), 3), &plain, start(), 0);
    check_ignored(told(STATUS(LEADER), ME), &plain, start(), 0);
    check_ignored(told(STATUS(RELAY), 3), &plain, start(), 0);
}

/* Whoever reads before it starts only relays, whatever its name. */
TEST(test_sleeper_becomes_a_relay)
{
    struct peterson s = {0};
    struct peterson_out out = step(&s, &plain, tid(3));

    check_state(s, node(STATUS(RELAY), 0, 0));
    check_sends(&out, PETERSON_TID, 3);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LOST, FC_NOBODY);
}

/* It has nothing to say any more: smaller, greater and its own name pass. */
TEST(test_relay_passes_everything)
{
    static const fc_name names[] = {1, 3, ME, 8};

    for (size_t i = 0; i < COUNT(names); i++) {
        struct peterson s = node(STATUS(RELAY), 3, 0);
        struct peterson_out out = step(&s, &plain, tid(names[i]));

        check_state(s, node(STATUS(RELAY), 3, 0));
        check_sends(&out, PETERSON_TID, names[i]);
        assert_int_equal(out.fx.notes, 0);
    }
}

/* First half: the greater of the two goes on. */
TEST(test_first_half_sends_the_greater)
{
    struct peterson s = node(STATUS(FIRST), 6, 0);
    struct peterson_out out = step(&s, &plain, tid(3));

    check_state(s, node(STATUS(SECOND), 6, 3));
    check_sends(&out, PETERSON_TID, 6);
    assert_int_equal(out.fx.notes, 0);

    s = node(STATUS(FIRST), 6, 0);
    out = step(&s, &plain, tid(8));
    check_state(s, node(STATUS(SECOND), 6, 8));
    check_sends(&out, PETERSON_TID, 8);
}

/* Second half: a name greater than those on both sides moves here.  What comes
 * is the greater of it and the one before it, so it may be itself. */
TEST(test_local_maximum_moves_on)
{
    static const fc_name before[] = {2, 7, 8};

    for (size_t i = 0; i < COUNT(before); i++) {
        struct peterson s = node(STATUS(SECOND), 6, 8);
        struct peterson_out out = step(&s, &plain, tid(before[i]));

        check_state(s, node(STATUS(FIRST), 8, 0));
        check_sends(&out, PETERSON_TID, 8);
        assert_int_equal(out.fx.notes, FC_NOTE_DIES | ELECTION_PHASE);
        check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
    }
}

/* Less than mine, or than the one before it: no name lives on here. */
TEST(test_no_local_maximum_makes_a_relay)
{
    static const struct {
        fc_name tid, ntid, nntid;
    } cases[] = {{6, 3, 3}, {6, 3, 4}, {6, 8, 9}, {6, 3, 9}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct peterson s = node(STATUS(SECOND), cases[i].tid, cases[i].ntid);
        struct peterson_out out = step(&s, &plain, tid(cases[i].nntid));

        check_state(s, node(STATUS(RELAY), 6, 0));
        assert_int_equal(out.fx.sends, 0);
        assert_int_equal(out.fx.notes, FC_NOTE_DIES | FC_NOTE_VIEW);
        check_view(&s, ELECTION_LOST, FC_NOBODY);
    }
}

/* Its temporary name is back: it is alone, and announces somebody else. */
TEST(test_last_active_announces_the_name)
{
    struct peterson s = node(STATUS(FIRST), 8, 0);
    struct peterson_out out = step(&s, &plain, tid(8));

    check_state(s, told(STATUS(ALONE), 8));
    check_sends(&out, PETERSON_ELECTED, 8);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_DONE, 8);
}

/* The only initiator gets its own name back. */
TEST(test_last_active_leads_if_the_name_is_its_own)
{
    struct peterson s = node(STATUS(FIRST), ME, 0);
    struct peterson_out out = step(&s, &plain, tid(ME));

    check_state(s, told(STATUS(LEADER), ME));
    check_sends(&out, PETERSON_ELECTED, ME);
    check_view(&s, ELECTION_LEADER, ME);
}

/* Everybody learns and passes it on. */
TEST(test_elected_tells_and_goes_on)
{
    for (int status = STATUS(ASLEEP); status <= STATUS(SECOND); status++) {
        struct peterson s = node((enum peterson_status)status, 3, 4);
        struct peterson_out out = step(&s, &plain, elected(8));

        check_state(s, told(STATUS(RELAY), 8));
        check_sends(&out, PETERSON_ELECTED, 8);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&s, ELECTION_DONE, 8);
    }
}

/* It was out of the race long ago, but its name was not. */
TEST(test_the_named_relay_leads)
{
    struct peterson s = node(STATUS(RELAY), 3, 0);
    struct peterson_out out = step(&s, &plain, elected(ME));

    check_state(s, told(STATUS(LEADER), ME));
    check_sends(&out, PETERSON_ELECTED, ME);
    check_view(&s, ELECTION_LEADER, ME);
}

/* The announcement is back from its tour. */
TEST(test_announcer_absorbs_its_announcement)
{
    check_ignored(told(STATUS(ALONE), 8), &plain, elected(8), 0);
    check_ignored(told(STATUS(LEADER), ME), &printed, elected(ME), 0);
}

/* Whoever knows the leader has no use for names. */
TEST(test_told_nodes_drop_names)
{
    check_ignored(told(STATUS(ALONE), 8), &plain, tid(8), FC_NOTE_DIES);
    check_ignored(told(STATUS(LEADER), ME), &printed, tid(ME), FC_NOTE_DIES);
    check_ignored(told(STATUS(RELAY), 8), &plain, tid(3), FC_NOTE_DIES);
}

/* Nothing else means anything. */
TEST(test_other_events_are_ignored)
{
    struct peterson_in boot = {.event = {.kind = FC_BOOT}};
    struct peterson_in choice = {.event = {.kind = FC_CHOICE}};

    for (int status = STATUS(ASLEEP); status <= STATUS(LEADER); status++) {
        struct peterson s = node((enum peterson_status)status, 3, 4);

        check_ignored(s, &plain, timeout(), 0);
        check_ignored(s, &plain, boot, 0);
        check_ignored(s, &plain, choice, 0);
    }
}

/* ---- Switches ------------------------------------------------------------ */

/* announce=no: the last active node keeps it to itself. */
TEST(test_announce_no_sends_nothing)
{
    const struct peterson_params p = {.announce = 0};
    struct peterson s = node(STATUS(FIRST), 8, 0);
    struct peterson_out out = step(&s, &p, tid(8));

    check_state(s, told(STATUS(ALONE), 8));
    assert_int_equal(out.fx.sends, 0);
}

/* test=name: whoever reads its own name leads, in any half and as a relay. */
TEST(test_own_name_leads_as_printed)
{
    for (int status = STATUS(RELAY); status <= STATUS(SECOND); status++) {
        struct peterson s = node((enum peterson_status)status, 3, 4);
        struct peterson_out out = step(&s, &printed, tid(ME));

        check_state(s, told(STATUS(LEADER), ME));
        check_sends(&out, PETERSON_ELECTED, ME);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    }
}

TEST(test_switches_are_set_by_name)
{
    struct lab lab;

    lab_open(&lab, "peterson", 4);
    assert_memory_equal(&lab.params, &plain, sizeof plain);
    lab_set(&lab, "test", "name");
    assert_memory_equal(&lab.params, &printed, sizeof printed);
    lab_set(&lab, "announce", "no");
    assert_int_equal(((struct peterson_params *)&lab.params)->announce, 0);
}

/* ---- All together -------------------------------------------------------- */

/* 10 nodes, 5 initiators: two phases at most. */
TEST(test_claim_is_the_closed_form)
{
    const struct fc_world world = {10, 5, 1, 10, {2, 3, 1, 2}, true, false};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(peterson_protocol.claims(&plain, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_AT_MOST);
    assert_true(claims[0].value == 2 * 10 * 2 + 10 + 10);
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
    assert_int_equal(r.by_kind[PETERSON_ELECTED], lab->setup.net.world.nodes);
    return r.by_kind[PETERSON_TID];
}

static void check_sorted(struct lab *lab, uint64_t seed)
{
    uint32_t n = lab->setup.net.world.nodes;

    assert_int_equal(cost(lab, seed), 3 * n);
    lab_set(lab, "test", "name");
    assert_int_equal(cost(lab, seed), 3 * n - 1);
}

/* One phase leaves one name: 2N, and N to find out.  As printed the owner is
 * reached one hop earlier. */
TEST(test_sorted_rings_cost_3n)
{
    in_sorted_rings("peterson", check_sorted);
}

static void check_alone(struct lab *lab, uint64_t seed)
{
    assert_int_equal(cost(lab, seed), lab->setup.net.world.nodes);
}

/* One initiator: its name goes round once. */
TEST(test_one_initiator_costs_n)
{
    with_one_initiator("peterson", check_alone);
}

/* All placements of up to 8: 2N*floor(log2 N) + N is reached, never passed. */
LONG_TEST(test_worst_placement_costs_the_closed_form)
{
    for (uint32_t n = 1; n <= 8; n++) {
        struct ring_range range = in_all_placements("peterson", n, cost);

        assert_int_equal(range.worst, 2 * n * log2_of(n) + n);
        assert_int_equal(range.best, n == 1 ? 1 : 3 * n);
    }
}

static void check_ring(struct lab *lab, uint64_t seed)
{
    uint32_t n = lab->setup.net.world.nodes;

    assert_true(cost(lab, seed) <= 2 * n * log2_of(n) + n);
    lab_set(lab, "test", "name");
    assert_true(cost(lab, seed) <= 2 * n * log2_of(n) + n);
}

/* Both tests for the end. */
TEST(test_thousand_rings_of_all_sorts)
{
    in_rings_of_all_sorts("peterson", false, check_ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_sends_own_name),
        cmocka_unit_test(test_only_a_sleeper_starts),
        cmocka_unit_test(test_sleeper_becomes_a_relay),
        cmocka_unit_test(test_relay_passes_everything),
        cmocka_unit_test(test_first_half_sends_the_greater),
        cmocka_unit_test(test_local_maximum_moves_on),
        cmocka_unit_test(test_no_local_maximum_makes_a_relay),
        cmocka_unit_test(test_last_active_announces_the_name),
        cmocka_unit_test(test_last_active_leads_if_the_name_is_its_own),
        cmocka_unit_test(test_elected_tells_and_goes_on),
        cmocka_unit_test(test_the_named_relay_leads),
        cmocka_unit_test(test_announcer_absorbs_its_announcement),
        cmocka_unit_test(test_told_nodes_drop_names),
        cmocka_unit_test(test_other_events_are_ignored),
        cmocka_unit_test(test_announce_no_sends_nothing),
        cmocka_unit_test(test_own_name_leads_as_printed),
        cmocka_unit_test(test_switches_are_set_by_name),
        cmocka_unit_test(test_claim_is_the_closed_form),
        cmocka_unit_test(test_sorted_rings_cost_3n),
        cmocka_unit_test(test_one_initiator_costs_n),
        cmocka_unit_test(test_worst_placement_costs_the_closed_form),
        cmocka_unit_test(test_thousand_rings_of_all_sorts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
