/*
 * test_clock.c - steps, phases and delays stay within their bounds, and tails
 * are as heavy as promised.
 */
#include "net/clock.h"
#include "tests/unit/kit/testing.h"

enum { NODES = 40, COUNTERS = 50 };

/* Clocks of one setup and seed, with names 3, 4, ... ascending. */
struct shop {
    struct net setup;
    struct net_memory memory;
    struct net_names names;
    struct net_clocks clocks;
};

static void shop_open(struct shop *s, enum net_time time, enum net_clock clock,
                      struct fc_bounds bounds, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->setup.time = time;
    s->setup.clock = clock;
    s->setup.first_name = 3;
    s->setup.world.nodes = NODES;
    s->setup.world.bounds = bounds;
    net_describe(&s->setup);
    assert_int_equal(
        net_names_begin(&s->names, &s->setup, seed, false, &s->memory), 0);
    net_clocks_begin(&s->clocks, &s->setup, &s->names, seed);
}

static const struct fc_bounds some_bounds[] = {
    {1, 1, 0, 0}, {2, 5, 0, 0},
    {7, 7, 3, 3}, {1, 1000, 1, 50},
    {3, 4, 0, 9}, {UINT64_C(1) << 40, UINT64_C(1) << 41, 5, 6},
};

/* Unit 1, phase 0, delay 0. */
TEST(test_sync_is_all_ones)
{
    struct shop s;

    shop_open(&s, NET_SYNC, NET_CLOCK_FIXED, some_bounds[3], 1);
    for (uint32_t v = 0; v < NODES; v++)
        for (uint32_t c = 0; c < COUNTERS; c++) {
            assert_int_equal(net_step_ticks(&s.clocks, v, c), 1);
            assert_int_equal(net_phase(&s.clocks, v, 1), 0);
            assert_int_equal(net_delay_ticks(&s.clocks, v, c), 0);
        }
    assert_false(s.clocks.drifts);
}

/* Every clock of the Archimedean model, any bounds, any seed. */
TEST(test_archimedean_stays_within_bounds)
{
    static const enum net_clock kinds[] = {NET_CLOCK_FIXED, NET_CLOCK_DRIFT,
                                           NET_CLOCK_ADVERSARY};

    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t b = 0; b < COUNT(some_bounds); b++)
            for (uint64_t seed = 0; seed < 20; seed++) {
                const struct fc_bounds *bounds = &some_bounds[b];
                struct shop s;

                shop_open(&s, NET_ARCHIMEDEAN, kinds[k], *bounds, seed);
                assert_int_equal(s.clocks.drifts, kinds[k] == NET_CLOCK_DRIFT);
                for (uint32_t v = 0; v < NODES; v++)
                    for (uint32_t c = 0; c < COUNTERS; c++) {
                        uint64_t step = net_step_ticks(&s.clocks, v, c);
                        uint64_t delay = net_delay_ticks(&s.clocks, v, c);

                        assert_in_range(step, bounds->rmin, bounds->rmax);
                        assert_in_range(delay, bounds->dmin, bounds->dmax);
                        assert_true(net_phase(&s.clocks, v, step) < step);
                    }
            }
}

/* Every value within the bounds is drawn, the ends too, about as often. */
TEST(test_draws_are_uniform)
{
    uint32_t steps[4] = {0}, delays[3] = {0};
    struct shop s;

    shop_open(&s, NET_ARCHIMEDEAN, NET_CLOCK_DRIFT,
              (struct fc_bounds){2, 5, 1, 3}, 9);
    for (uint32_t v = 0; v < NODES; v++)
        for (uint32_t c = 0; c < 300; c++) {
            steps[net_step_ticks(&s.clocks, v, c) - 2]++;
            delays[net_delay_ticks(&s.clocks, v, c) - 1]++;
        }
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(steps[i], 3000 - 290, 3000 + 290); /* 6 sigma */
    for (uint32_t i = 0; i < 3; i++)
        assert_in_range(delays[i], 4000 - 310, 4000 + 310);
}

/* All phases of a step come up. */
TEST(test_phases_are_spread)
{
    uint32_t counts[4] = {0};

    for (uint64_t seed = 0; seed < 300; seed++) {
        struct shop s;

        shop_open(&s, NET_ARCHIMEDEAN, NET_CLOCK_FIXED,
                  (struct fc_bounds){4, 4, 0, 0}, seed);
        for (uint32_t v = 0; v < NODES; v++)
            counts[net_phase(&s.clocks, v, 4)]++;
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(counts[i], 3000 - 290, 3000 + 290);
}

/* Drawn once and kept: the engine asks for counter 0 alone.  Drifting clocks
 * ask again, and get others. */
TEST(test_drift_draws_anew)
{
    struct shop s;
    uint32_t changed = 0;

    shop_open(&s, NET_ARCHIMEDEAN, NET_CLOCK_DRIFT,
              (struct fc_bounds){1, 1000, 0, 0}, 3);
    for (uint32_t v = 0; v < NODES; v++)
        for (uint32_t c = 1; c < COUNTERS; c++)
            changed += net_step_ticks(&s.clocks, v, c) !=
                       net_step_ticks(&s.clocks, v, c - 1);
    assert_true(changed > NODES * (COUNTERS - 1) * 98 / 100);
}

/* max(rmin, rmax/2^(i-l)) for name i; the winner is slowest. */
TEST(test_adversary_formula)
{
    const struct fc_bounds bounds = {3, 1000, 2, 9};
    struct shop s;
    uint32_t early = 0, late = 0;

    shop_open(&s, NET_ARCHIMEDEAN, NET_CLOCK_ADVERSARY, bounds, 1);
    for (uint32_t v = 0; v < NODES; v++) {
        uint64_t expected = bounds.rmax;

        for (uint32_t i = 0; i < v; i++)
            expected /= 2;
        if (expected < bounds.rmin)
            expected = bounds.rmin;
        assert_int_equal(net_step_ticks(&s.clocks, v, 0), expected);
        assert_int_equal(net_step_ticks(&s.clocks, v, 5), expected);
        assert_int_equal(net_phase(&s.clocks, v, expected), 0);
        for (uint32_t c = 0; c < COUNTERS; c++) {
            uint64_t delay = net_delay_ticks(&s.clocks, v, c);

            early += delay == bounds.dmin;
            late += delay == bounds.dmax;
        }
    }
    assert_int_equal(early + late, NODES * COUNTERS); /* nothing between */
    assert_in_range(early, 1000 - 135, 1000 + 135);
}

/* Given node by node; the bounds follow from the list. */
TEST(test_listed_steps)
{
    uint64_t steps[NODES];
    struct shop s;

    for (uint32_t v = 0; v < NODES; v++)
        steps[v] = 10 + (v * 7) % 13;
    memset(&s, 0, sizeof s);
    s.setup.time = NET_ARCHIMEDEAN;
    s.setup.clock = NET_CLOCK_LIST;
    s.setup.steps = steps;
    s.setup.first_name = 1;
    s.setup.world.nodes = NODES;
    net_describe(&s.setup);
    assert_int_equal(s.setup.world.bounds.rmin, 10);
    assert_int_equal(s.setup.world.bounds.rmax, 22);
    assert_int_equal(net_names_begin(&s.names, &s.setup, 1, false, &s.memory),
                     0);
    net_clocks_begin(&s.clocks, &s.setup, &s.names, 1);
    for (uint32_t v = 0; v < NODES; v++) {
        assert_int_equal(net_step_ticks(&s.clocks, v, 0), steps[v]);
        assert_int_equal(net_step_ticks(&s.clocks, v, 9), steps[v]);
        assert_int_equal(net_phase(&s.clocks, v, steps[v]), 0);
    }
}

/* At least 2^g with probability 2^-g, within six sigma; never beyond the end
 * of the tail. */
TEST(test_heavy_tail)
{
    enum { DRAWS = 1 << 20 };
    uint32_t at_least[NET_TAIL_BITS + 1] = {0};
    struct dice dice = {77};

    for (uint32_t i = 0; i < DRAWS; i++) {
        uint64_t x = net_heavy_tail(throw_dice(&dice));

        assert_in_range(x, 1, NET_TAIL_MAX);
        for (uint32_t g = 0; g <= NET_TAIL_BITS && x >> g; g++)
            at_least[g]++;
    }
    for (uint32_t g = 0; g <= NET_TAIL_BITS; g++) {
        double share = (double)DRAWS / (double)(1u << g);
        double off = (double)at_least[g] - share;

        assert_true(off * off <= 36 * share);
    }
    assert_in_range(net_heavy_tail(0), 1u << NET_TAIL_BITS, NET_TAIL_MAX);
}

/* Async: tails everywhere, whatever bounds and clock were given. */
TEST(test_async_has_tails)
{
    uint64_t longest_step = 0, longest_delay = 0;
    struct shop s;

    shop_open(&s, NET_ASYNC, NET_CLOCK_FIXED, some_bounds[0], 5);
    assert_true(s.clocks.drifts);
    assert_false(s.setup.world.bounded);
    for (uint32_t v = 0; v < NODES; v++)
        for (uint32_t c = 0; c < 2000; c++) {
            uint64_t step = net_step_ticks(&s.clocks, v, c);
            uint64_t delay = net_delay_ticks(&s.clocks, v, c);

            assert_in_range(step, 1, NET_TAIL_MAX);
            assert_in_range(delay, 0, NET_TAIL_MAX);
            assert_true(net_phase(&s.clocks, v, step) < step);
            longest_step = step > longest_step ? step : longest_step;
            longest_delay = delay > longest_delay ? delay : longest_delay;
        }
    assert_true(longest_step > 4096);
    assert_true(longest_delay > 4096);
}

/* A node's draws are its own, and those of its seed. */
TEST(test_draws_depend_on_seed_node_and_counter)
{
    const struct fc_bounds wide = {1, UINT64_C(1) << 60, 1, UINT64_C(1) << 60};
    struct shop a, b;

    shop_open(&a, NET_ARCHIMEDEAN, NET_CLOCK_DRIFT, wide, 1);
    shop_open(&b, NET_ARCHIMEDEAN, NET_CLOCK_DRIFT, wide, 2);
    for (uint32_t v = 1; v < NODES; v++)
        for (uint32_t c = 1; c < COUNTERS; c++) {
            uint64_t step = net_step_ticks(&a.clocks, v, c);
            uint64_t delay = net_delay_ticks(&a.clocks, v, c);

            assert_true(step == net_step_ticks(&a.clocks, v, c));
            assert_true(step != net_step_ticks(&b.clocks, v, c));
            assert_true(step != net_step_ticks(&a.clocks, v - 1, c));
            assert_true(step != net_step_ticks(&a.clocks, v, c - 1));
            assert_true(delay != net_delay_ticks(&b.clocks, v, c));
            assert_true(delay != net_delay_ticks(&a.clocks, v - 1, c));
            assert_true(delay != step);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sync_is_all_ones),
        cmocka_unit_test(test_archimedean_stays_within_bounds),
        cmocka_unit_test(test_draws_are_uniform),
        cmocka_unit_test(test_phases_are_spread),
        cmocka_unit_test(test_drift_draws_anew),
        cmocka_unit_test(test_adversary_formula),
        cmocka_unit_test(test_listed_steps),
        cmocka_unit_test(test_heavy_tail),
        cmocka_unit_test(test_async_has_tails),
        cmocka_unit_test(test_draws_depend_on_seed_node_and_counter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
