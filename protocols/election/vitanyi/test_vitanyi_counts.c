/*
 * test_vitanyi_counts.c - what Vitanyi's election costs where no formula of its
 * facts.txt says so: all wake-ups of small rings, and the report's adversary.
 */
#include "tests/unit/kit/benches.h"

/* The wake-ups coded by `code`: digit i in base n+1 is the tick of name i+1, or
 * n for never. */
static void decode_wakes(struct bench *b, uint32_t n, uint32_t code,
                         uint32_t tick[NAMES_MAX])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++, code /= n + 1) {
        tick[i] = code % (n + 1);
        if (tick[i] < n)
            b->wakes[count++] =
                (struct net_wake){.name = i + 1, .tick = tick[i]};
    }
    b->lab.setup.net.waking = NET_WAKE_LIST;
    b->lab.setup.net.wake_count = count;
}

/* All placements with name 1 at position 0, all wake-ups. */
static uint64_t most_passes(uint32_t n)
{
    struct bench b;
    uint64_t most = 0;
    uint32_t codes = 1;

    for (uint32_t i = 0; i < n; i++)
        codes *= n + 1;
    bench_open(&b, "vitanyi", n);
    do {
        for (uint32_t code = 0; code < codes; code++) {
            uint32_t tick[NAMES_MAX];
            struct sim_result r;

            decode_wakes(&b, n, code, tick);
            if (b.lab.setup.net.wake_count == 0)
                continue;
            r = bench_run(&b);
            assert_int_equal(r.leader, 1);
            if (r.messages > most)
                most = r.messages;
        }
    } while (next_order(b.names + 1, n - 1));
    lab_close(&b.lab);
    return most;
}

/* No placement and no wake-ups cost more. */
TEST(test_vitanyi_worst_case_of_small_rings)
{
    assert_int_equal(most_passes(2), 7);
    assert_int_equal(most_passes(3), 11);
    assert_int_equal(most_passes(4), 16);
    if (!is_sanitized())
        assert_int_equal(most_passes(5), 21);
}

/* u_i = 2^(N-i+1): every message is as fast as the others and M_i goes N-i+1
 * links far, N(N+1)/2 in all.  The election is right all the same. */
TEST(test_vitanyi_adversary)
{
    for (uint32_t n = 2; n <= 16; n++) {
        struct lab lab;
        struct sim_result r;

        lab_open(&lab, "vitanyi", n);
        lab_bounds(&lab, 2, UINT64_C(1) << n, 0, 0);
        lab.setup.net.clock = NET_CLOCK_ADVERSARY;
        lab_prepare(&lab);
        r = lab_run(&lab, 1);
        assert_int_equal(r.broken, 0);
        assert_int_equal(r.leader, 1);
        assert_int_equal(r.by_kind[VITANYI_M], n * (n + 1) / 2);
        assert_int_equal(r.messages, n * (n + 1) / 2 + 2 * n);
        lab_close(&lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vitanyi_worst_case_of_small_rings),
        cmocka_unit_test(test_vitanyi_adversary),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
