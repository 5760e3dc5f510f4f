/*
 * test_steps.c - ends of steps, and what waits for them: numbers worked out by
 * hand, with steps that change their length.
 */
#include "net/steps.h"
#include "tests/unit/kit/testing.h"

/* The first step of a node has its phase, and the length of its first steps. */
TEST(test_a_node_begins_with_its_phase)
{
    const uint64_t ticks[] = {4, 6}, phases[] = {3, 5};
    const struct net net = {.time = NET_ARCHIMEDEAN,
                            .clock = NET_CLOCK_LIST,
                            .steps = ticks,
                            .phases = phases};
    const struct net_clocks clocks = {.net = &net};

    for (uint32_t i = 0; i < COUNT(ticks); i++) {
        struct net_steps s = net_steps_begin(&clocks, i);

        assert_int_equal(s.anchor, phases[i]);
        assert_int_equal(s.ticks, ticks[i]);
    }
}

/* Where the length of steps drifts, the phase is one within the first. */
TEST(test_a_drifting_clock_begins_within_its_first_step)
{
    const struct net net = {.time = NET_ARCHIMEDEAN,
                            .clock = NET_CLOCK_DRIFT,
                            .world = {.bounds = {2, 9, 0, 0}}};
    struct net_clocks clocks;

    net_clocks_begin(&clocks, &net, NULL, 1);
    for (uint32_t i = 0; i < 100; i++) {
        struct net_steps s = net_steps_begin(&clocks, i);

        assert_int_equal(s.ticks, net_step_ticks(&clocks, i, 0));
        assert_int_equal(s.anchor, net_phase(&clocks, i, s.ticks));
    }
}

TEST(test_steps_end_at_every_length_from_the_anchor)
{
    static const struct {
        struct net_steps steps;
        uint64_t tick, end;
    } rows[] = {
        {{7, 4}, 0, 7},   {{7, 4}, 7, 7},   {{7, 4}, 8, 11}, {{7, 4}, 10, 11},
        {{7, 4}, 11, 11}, {{7, 4}, 12, 15}, {{0, 1}, 5, 5},  {{9, 1}, 5, 9},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(net_step_end(&rows[i].steps, rows[i].tick),
                         rows[i].end);
}

TEST(test_steps_are_counted_from_now_and_never_is_never)
{
    const struct net_steps s = {7, 4};

    assert_int_equal(net_steps_after(&s, 11, 0), 11);
    assert_int_equal(net_steps_after(&s, 11, 3), 23);
    assert_true(net_steps_after(&s, 11, UINT64_C(1) << 62) == FC_NEVER);
    assert_true(net_steps_after(&s, FC_NEVER - 1, 1) == FC_NEVER);
}

/* A timer counts steps, and as many are left as before; a step that has begun
 * is one. */
TEST(test_a_due_date_keeps_its_steps_when_their_length_is_redrawn)
{
    const struct net_steps slower = {7, 10}, faster = {7, 2};

    assert_int_equal(net_due_redrawn(&slower, 19, 7, 4), 37); /* three steps */
    assert_int_equal(net_due_redrawn(&faster, 19, 7, 4), 13);
    assert_int_equal(net_due_redrawn(&slower, 20, 7, 4), 47); /* four */
    assert_int_equal(net_due_redrawn(&slower, 16, 7, 4), 37); /* three again */
}

/* A late node: all comes later.  One that reads a clock: only what is over. */
TEST(test_a_late_node_moves_its_due_dates)
{
    assert_int_equal(net_due_late(10, 12, 5, false), 15);
    assert_true(net_due_late(FC_NEVER, 12, 5, false) == FC_NEVER);
    assert_int_equal(net_due_late(10, 12, 5, true), 12);
    assert_int_equal(net_due_late(13, 12, 5, true), 13);
    assert_true(net_due_late(FC_NEVER, 12, 5, true) == FC_NEVER);
}

/* ---- Own clocks ---------------------------------------------------------- */

TEST(test_a_clock_counts_whole_steps)
{
    const struct net_own_clock c = {.steps = 5, .tick = 20};
    const struct net_steps s = {20, 4};

    assert_int_equal(net_clock_at(&c, &s, 20), 5);
    assert_int_equal(net_clock_at(&c, &s, 23), 5);
    assert_int_equal(net_clock_at(&c, &s, 24), 6);
    assert_int_equal(net_clock_at(&c, &s, 40), 10);
    assert_int_equal(net_clock_shows(&c, &s, 10), 40);
    assert_int_equal(net_clock_shows(&c, &s, 6), 24);
    assert_int_equal(net_clock_shows(&c, &s, 5), 20);
    assert_int_equal(net_clock_shows(&c, &s, 1), 20);
}

/* Steps of another length count from the end of the last one. */
TEST(test_a_clock_is_folded_before_steps_change)
{
    struct net_own_clock c = {.steps = 5, .tick = 20};
    struct net_steps s = {20, 4};

    net_clock_fold(&c, &s, 34);
    assert_int_equal(c.steps, 8);
    assert_int_equal(c.tick, 32);
    s.ticks = 10;
    assert_int_equal(net_clock_at(&c, &s, 41), 8);
    assert_int_equal(net_clock_at(&c, &s, 42), 9);
    assert_int_equal(net_clock_shows(&c, &s, 10), 52);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_node_begins_with_its_phase),
        cmocka_unit_test(test_a_drifting_clock_begins_within_its_first_step),
        cmocka_unit_test(test_steps_end_at_every_length_from_the_anchor),
        cmocka_unit_test(test_steps_are_counted_from_now_and_never_is_never),
        cmocka_unit_test(
            test_a_due_date_keeps_its_steps_when_their_length_is_redrawn),
        cmocka_unit_test(test_a_late_node_moves_its_due_dates),
        cmocka_unit_test(test_a_clock_counts_whole_steps),
        cmocka_unit_test(test_a_clock_is_folded_before_steps_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
