/*
 * test_dolev_klawe_rodeh.c - the rules of algorithm A of Dolev, Klawe and
 * Rodeh, and its exact costs.  The node is called 5.
 */
#define TESTED dolev_klawe_rodeh
#include "protocols/election/dolev_klawe_rodeh/dolev_klawe_rodeh.h"

#include "tests/unit/kit/rings.h"

#define STATUS(name) DOLEV_KLAWE_RODEH_##name
#define KIND(name)   DOLEV_KLAWE_RODEH_##name

static const struct dolev_klawe_rodeh_params plain = {.announce = 1};

static struct dolev_klawe_rodeh node(enum dolev_klawe_rodeh_status status,
                                     fc_name max, fc_name left)
{
    return (struct dolev_klawe_rodeh){
        .max = max, .left = left, .status = (uint8_t)status};
}

static struct dolev_klawe_rodeh told(enum dolev_klawe_rodeh_status status,
                                     fc_name leader)
{
    struct dolev_klawe_rodeh s = node(status, leader, FC_NOBODY);

    s.told = 1;
    return s;
}

static struct dolev_klawe_rodeh_in m1(fc_name q)
{
    return reads(KIND(M1), q);
}

static struct dolev_klawe_rodeh_in m2(fc_name q)
{
    return reads(KIND(M2), q);
}

static struct dolev_klawe_rodeh_in elected(fc_name q)
{
    return reads(KIND(ELECTED), q);
}

static void check_state(struct dolev_klawe_rodeh is,
                        struct dolev_klawe_rodeh wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

/* ---- Rules --------------------------------------------------------------- */

/* Everybody stands for itself at first. */
TEST(test_start_sends_own_name)
{
    struct dolev_klawe_rodeh s = {0};
    struct dolev_klawe_rodeh_out out = step(&s, &plain, start());

    check_state(s, node(STATUS(ACTIVE), ME, 0));
    check_sends(&out, KIND(M1), ME);
    assert_int_equal(out.fx.notes,
                     FC_NOTE_VIEW | FC_NOTE_STARTED | ELECTION_PHASE);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
}

/* Nobody starts within an election it knows of, nor after it. */
TEST(test_only_a_sleeper_starts)
{
    check_ignored(node(STATUS(PASSIVE), 3, 0), &plain, start(), 0);
    check_ignored(node(STATUS(ACTIVE), 3, 4), &plain, start(), 0);
    check_ignored(told(STATUS(LAST), 3), &plain, start(), 0);
    check_ignored(told(STATUS(LEADER), ME), &plain, start(), 0);
    check_ignored(told(STATUS(PASSIVE), 3), &plain, start(), 0);
}

/* Whoever reads before it starts only passes on, whatever its name. */
TEST(test_sleeper_becomes_passive)
{
    struct dolev_klawe_rodeh s = {0};
    struct dolev_klawe_rodeh_out out = step(&s, &plain, m1(3));

    check_state(s, node(STATUS(PASSIVE), 0, 0));
    check_sends(&out, KIND(M1), 3);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LOST, FC_NOBODY);
}

/* Kind and name as they are, its own included. */
TEST(test_passive_node_passes_everything)
{
    static const fc_name names[] = {1, 3, ME, 8};

    for (size_t i = 0; i < COUNT(names); i++) {
        struct dolev_klawe_rodeh s = node(STATUS(PASSIVE), 3, 0);
        struct dolev_klawe_rodeh_out out = step(&s, &plain, m1(names[i]));

        check_sends(&out, KIND(M1), names[i]);
        out = step(&s, &plain, m2(names[i]));
        check_sends(&out, KIND(M2), names[i]);
        assert_int_equal(out.fx.notes, 0);
        check_state(s, node(STATUS(PASSIVE), 3, 0));
    }
}

/* The name before mine is remembered, and shown to the next. */
TEST(test_m1_goes_on_as_m2)
{
    static const fc_name names[] = {3, 8};

    for (size_t i = 0; i < COUNT(names); i++) {
        struct dolev_klawe_rodeh s = node(STATUS(ACTIVE), 6, 0);
        struct dolev_klawe_rodeh_out out = step(&s, &plain, m1(names[i]));

        check_state(s, node(STATUS(ACTIVE), 6, names[i]));
        check_sends(&out, KIND(M2), names[i]);
        assert_int_equal(out.fx.notes, 0);
    }
}

/* Three names in a row, the middle one greatest: it moves here. */
TEST(test_middle_maximum_moves_on)
{
    struct dolev_klawe_rodeh s = node(STATUS(ACTIVE), 6, 8);
    struct dolev_klawe_rodeh_out out = step(&s, &plain, m2(7));

    check_state(s, node(STATUS(ACTIVE), 8, 0));
    check_sends(&out, KIND(M1), 8);
    assert_int_equal(out.fx.notes, FC_NOTE_DIES | ELECTION_PHASE);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
}

/* The middle one is not the greatest: no name lives on here. */
TEST(test_other_maximum_makes_passive)
{
    static const struct {
        fc_name max, left, before;
    } cases[] = {{6, 3, 2}, {6, 3, 4}, {6, 8, 9}, {6, 3, 6}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct dolev_klawe_rodeh s =
            node(STATUS(ACTIVE), cases[i].max, cases[i].left);
        struct dolev_klawe_rodeh_out out =
            step(&s, &plain, m2(cases[i].before));

        check_state(s, node(STATUS(PASSIVE), 6, 0));
        assert_int_equal(out.fx.sends, 0);
        assert_int_equal(out.fx.notes, FC_NOTE_DIES | FC_NOTE_VIEW);
        check_view(&s, ELECTION_LOST, FC_NOBODY);
    }
}

/* Its M1 is back: nobody else is active; it announces somebody else. */
TEST(test_last_active_announces_the_name)
{
    struct dolev_klawe_rodeh s = node(STATUS(ACTIVE), 8, 0);
    struct dolev_klawe_rodeh_out out = step(&s, &plain, m1(8));

    check_state(s, told(STATUS(LAST), 8));
    check_sends(&out, KIND(ELECTED), 8);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_DONE, 8);
}

/* The only initiator gets its own name back. */
TEST(test_last_active_leads_if_the_name_is_its_own)
{
    struct dolev_klawe_rodeh s = node(STATUS(ACTIVE), ME, 0);
    struct dolev_klawe_rodeh_out out = step(&s, &plain, m1(ME));

    check_state(s, told(STATUS(LEADER), ME));
    check_sends(&out, KIND(ELECTED), ME);
    check_view(&s, ELECTION_LEADER, ME);
}

/* Everybody learns and passes it on. */
TEST(test_elected_tells_and_goes_on)
{
    for (int status = STATUS(ASLEEP); status <= STATUS(ACTIVE); status++) {
        struct dolev_klawe_rodeh s =
            node((enum dolev_klawe_rodeh_status)status, 3, 4);
        struct dolev_klawe_rodeh_out out = step(&s, &plain, elected(8));

        check_state(s, told(STATUS(PASSIVE), 8));
        check_sends(&out, KIND(ELECTED), 8);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&s, ELECTION_DONE, 8);
    }
}

/* It was out of the race long ago, but its name was not. */
TEST(test_the_named_node_leads)
{
    struct dolev_klawe_rodeh s = node(STATUS(PASSIVE), 3, 0);
    struct dolev_klawe_rodeh_out out = step(&s, &plain, elected(ME));

    check_state(s, told(STATUS(LEADER), ME));
    check_sends(&out, KIND(ELECTED), ME);
    check_view(&s, ELECTION_LEADER, ME);
}

/* The announcement is back from its tour. */
TEST(test_announcer_absorbs_its_announcement)
{
    check_ignored(told(STATUS(LAST), 8), &plain, elected(8), 0);
    check_ignored(told(STATUS(LEADER), ME), &plain, elected(ME), 0);
}

/* Whoever knows the leader has no use for names. */
TEST(test_told_nodes_drop_names)
{
    check_ignored(told(STATUS(LAST), 8), &plain, m1(8), FC_NOTE_DIES);
    check_ignored(told(STATUS(LEADER), ME), &plain, m2(ME), FC_NOTE_DIES);
    check_ignored(told(STATUS(PASSIVE), 8), &plain, m1(3), FC_NOTE_DIES);
}

/* announce=no: the last active node keeps it to itself. */
TEST(test_announce_no_sends_nothing)
{
    const struct dolev_klawe_rodeh_params p = {.announce = 0};
    struct dolev_klawe_rodeh s = node(STATUS(ACTIVE), 8, 0);
    struct dolev_klawe_rodeh_out out = step(&s, &p, m1(8));

    check_state(s, told(STATUS(LAST), 8));
    assert_int_equal(out.fx.sends, 0);
}

/* Nothing else means anything. */
TEST(test_other_events_are_ignored)
{
    struct dolev_klawe_rodeh_in boot = {.event = {.kind = FC_BOOT}};
    struct dolev_klawe_rodeh_in choice = {.event = {.kind = FC_CHOICE}};

    for (int status = STATUS(ASLEEP); status <= STATUS(LEADER); status++) {
        struct dolev_klawe_rodeh s =
            node((enum dolev_klawe_rodeh_status)status, 3, 4);

        check_ignored(s, &plain, timeout(), 0);
        check_ignored(s, &plain, boot, 0);
        check_ignored(s, &plain, choice, 0);
    }
}

/* ---- All together -------------------------------------------------------- */

/* 10 nodes, 5 initiators: two phases at most. */
TEST(test_claim_is_the_closed_form)
{
    const struct fc_world world = {10, 5, 1, 10, {2, 3, 1, 2}, true, false};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(dolev_klawe_rodeh_protocol.claims(&plain, &world, claims),
                     1);
    assert_int_equal(claims[0].relation, FC_AT_MOST);
    assert_true(claims[0].value == 2 * 10 * 2 + 10 + 10);
}

/* ---- Whole rings --------------------------------------------------------- */

/* M1 and M2 sent in a run in which all went well.  M1 has one tour more. */
static uint64_t cost(struct lab *lab, uint64_t seed)
{
    uint32_t n = lab->setup.net.world.nodes;
    struct sim_result r;

    lab_prepare(lab);
    r = lab_run(lab, seed);
    assert_int_equal(r.broken, 0);
    assert_false(r.cut);
    assert_int_equal(r.by_kind[KIND(ELECTED)], n);
    assert_int_equal(r.by_kind[KIND(M1)], r.by_kind[KIND(M2)] + n);
    return r.by_kind[KIND(M1)] + r.by_kind[KIND(M2)];
}

static void check_sorted(struct lab *lab, uint64_t seed)
{
    uint32_t n = lab->setup.net.world.nodes;

    assert_int_equal(cost(lab, seed), 3 * n);
}

/* One phase leaves one name: 2N, and N to find out. */
TEST(test_sorted_rings_cost_3n)
{
    in_sorted_rings("dolev-klawe-rodeh", check_sorted);
}

static void check_alone(struct lab *lab, uint64_t seed)
{
    assert_int_equal(cost(lab, seed), lab->setup.net.world.nodes);
}

/* One initiator: its name goes round once. */
TEST(test_one_initiator_costs_n)
{
    with_one_initiator("dolev-klawe-rodeh", check_alone);
}

/* All placements of up to 8: 2N*floor(log2 N) + N is reached, never passed. */
LONG_TEST(test_worst_placement_costs_the_closed_form)
{
    for (uint32_t n = 1; n <= 8; n++) {
        struct ring_range range =
            in_all_placements("dolev-klawe-rodeh", n, cost);

        assert_int_equal(range.worst, 2 * n * log2_of(n) + n);
        assert_int_equal(range.best, n == 1 ? 1 : 3 * n);
    }
}

static void check_ring(struct lab *lab, uint64_t seed)
{
    uint32_t n = lab->setup.net.world.nodes;

    assert_true(cost(lab, seed) <= 2 * n * log2_of(n) + n);
}

/* Never beyond the worst placement. */
TEST(test_thousand_rings_of_all_sorts)
{
    in_rings_of_all_sorts("dolev-klawe-rodeh", false, check_ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_sends_own_name),
        cmocka_unit_test(test_only_a_sleeper_starts),
        cmocka_unit_test(test_sleeper_becomes_passive),
        cmocka_unit_test(test_passive_node_passes_everything),
        cmocka_unit_test(test_m1_goes_on_as_m2),
        cmocka_unit_test(test_middle_maximum_moves_on),
        cmocka_unit_test(test_other_maximum_makes_passive),
        cmocka_unit_test(test_last_active_announces_the_name),
        cmocka_unit_test(test_last_active_leads_if_the_name_is_its_own),
        cmocka_unit_test(test_elected_tells_and_goes_on),
        cmocka_unit_test(test_the_named_node_leads),
        cmocka_unit_test(test_announcer_absorbs_its_announcement),
        cmocka_unit_test(test_told_nodes_drop_names),
        cmocka_unit_test(test_announce_no_sends_nothing),
        cmocka_unit_test(test_other_events_are_ignored),
        cmocka_unit_test(test_claim_is_the_closed_form),
        cmocka_unit_test(test_sorted_rings_cost_3n),
        cmocka_unit_test(test_one_initiator_costs_n),
        cmocka_unit_test(test_worst_placement_costs_the_closed_form),
        cmocka_unit_test(test_thousand_rings_of_all_sorts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
