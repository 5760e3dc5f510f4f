/*
 * test_chang_roberts_counts.c - what the election of Chang and Roberts costs
 * where no formula of its facts.txt says so: a mean over random rings, and the
 * lecture's improvements beside it.
 */
#include "tests/unit/kit/benches.h"

/* 1000 nodes, 10 initiators at random: the mean is N*H_10, within five
 * standard errors (squared, to stay with whole numbers and doubles). */
TEST(test_chang_roberts_random_rings_cost_the_mean)
{
    const double expected = 1000 * (7381.0 / 2520.0);
    const uint32_t runs = rounds(2000);
    double sum = 0, squares = 0, mean, variance;
    struct lab lab;

    lab_open(&lab, "chang-roberts", 1000);
    lab.setup.net.naming = NET_NAMES_RANDOM;
    lab.setup.net.waking = NET_WAKE_SOME;
    lab.setup.net.wake_count = 10;
    lab_prepare(&lab);
    for (uint32_t seed = 0; seed < runs; seed++) {
        struct sim_result r = lab_run(&lab, seed);
        double cost = (double)r.by_kind[CHANG_ROBERTS_TOKEN];

        assert_int_equal(r.broken, 0);
        assert_int_equal(r.initiators, 10);
        sum += cost;
        squares += cost * cost;
    }
    lab_close(&lab);
    mean = sum / runs;
    variance = (squares - sum * mean) / (runs - 1);
    assert_true((mean - expected) * (mean - expected) < 25 * variance / runs);
}

/* The lecture's improvements: on links that keep the order, a token never
 * comes behind a smaller one, so remembering the least saves nothing. */
LONG_TEST(test_chang_roberts_improvements_never_act_on_fifo_links)
{
    static const char *const switches[] = {"compare", "relays"};

    for (uint32_t n = 2; n <= 6; n++)
        for (size_t s = 0; s < COUNT(switches); s++) {
            struct bench plain, improved;

            bench_open(&plain, "chang-roberts", n);
            bench_open(&improved, "chang-roberts", n);
            lab_set(&improved.lab, switches[s], "least");
            do {
                memcpy(improved.names, plain.names, sizeof plain.names);
                for (uint32_t set = 1; set < 1u << n; set++) {
                    wake_set(&plain, set);
                    wake_set(&improved, set);
                    assert_int_equal(bench_run(&plain).messages,
                                     bench_run(&improved).messages);
                }
            } while (next_order(plain.names, n));
            lab_close(&plain.lab);
            lab_close(&improved.lab);
        }
}

/* Nor with any clocks and delays, as long as no token overtakes another. */
TEST(test_chang_roberts_improvements_never_act_at_any_speed)
{
    static const char *const switches[] = {"compare", "relays"};
    const struct plan plan = {"chang-roberts", NET_ARCHIMEDEAN, NET_CLOCK_DRIFT,
                              false};

    for (uint32_t seed = 0; seed < rounds(1000); seed++)
        for (size_t s = 0; s < COUNT(switches); s++) {
            uint64_t steps[RING_MAX];
            struct lab lab;
            struct sim_result plain, improved;

            plan_ring(&lab, &plan, seed, steps);
            plain = lab_run(&lab, seed);
            lab_set(&lab, switches[s], "least");
            improved = lab_run(&lab, seed);
            assert_int_equal(plain.messages, improved.messages);
            assert_int_equal(plain.end, improved.end);
            assert_int_equal(plain.leader, improved.leader);
            lab_close(&lab);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chang_roberts_random_rings_cost_the_mean),
        cmocka_unit_test(
            test_chang_roberts_improvements_never_act_on_fifo_links),
        cmocka_unit_test(
            test_chang_roberts_improvements_never_act_at_any_speed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
