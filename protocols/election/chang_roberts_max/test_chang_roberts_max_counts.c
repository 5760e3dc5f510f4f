/*
 * test_chang_roberts_max_counts.c - what one initiator costs, by how far from
 * it the greatest name is.
 */
#include "tests/unit/kit/benches.h"

/* One initiator at position 0: as far as the greatest name, once round, and
 * the announcement.  At worst N-1, N and N, if the greatest is just behind. */
LONG_TEST(test_chang_roberts_max_single_initiator_all_placements)
{
    for (uint32_t n = 2; n <= NAMES_MAX; n++) {
        uint64_t most = 0;
        struct bench b;

        bench_open(&b, "chang-roberts-max", n);
        b.lab.setup.net.waking = NET_WAKE_FIRST;
        do {
            struct sim_result r = bench_run(&b);
            uint32_t way = 0;

            while (b.names[way] != n)
                way++;
            assert_int_equal(r.leader, n);
            assert_int_equal(r.by_kind[CHANG_ROBERTS_MAX_ELECTION], way + n);
            assert_int_equal(r.by_kind[CHANG_ROBERTS_MAX_ELECTED], n);
            assert_int_equal(r.reached_at, way + n);
            if (r.messages > most)
                most = r.messages;
        } while (next_order(b.names, n));
        assert_int_equal(most, 3 * n - 1);
        lab_close(&b.lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_chang_roberts_max_single_initiator_all_placements),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
