/*
 * test_bully_runs.c - the bully in many runs: crashes, returns, timeouts.
 */
#include "tests/unit/kit/testing.h"

#include "protocols/election/bully/bully.h"

/* How many of the runs break a property: five processes, about half notice
 * something, some crash and come back. */
static uint32_t failures(const char *key, const char *value, uint32_t crashes,
                         bool any_order, uint32_t runs)
{
    struct lab lab;
    uint32_t failed = 0;

    lab_open(&lab, "bully", 5);
    lab_bounds(&lab, 2, 3, 1, 20);
    lab_set(&lab, key, value);
    lab.setup.net.any_order = any_order;
    lab.setup.net.waking = NET_WAKE_RANDOM;
    lab.setup.faults.crashes = crashes;
    lab.setup.faults.blank = runs & 1;
    lab_prepare(&lab);
    for (uint64_t seed = 1; seed <= runs; seed++)
        failed += lab_run(&lab, seed).broken != 0;
    lab_close(&lab);
    return failed;
}

/* A lower one that leads too late is followed for good, unless it tells of
 * those above it. */
LONG_TEST(test_returning_processes_confuse_unless_told_of)
{
    assert_int_equal(failures("overruled", "yields", 0, false, 20000), 0);
    assert_true(failures("overruled", "yields", 1, false, 20000) > 0);
    assert_int_equal(failures("overruled", "tells", 1, false, 20000), 0);
    assert_int_equal(failures("overruled", "tells", 3, false, 20001), 0);
}

/* Crashes and returns at random ticks; after the last of them all is over, the
 * greatest alive leads and is followed, within one attempt: both timeouts and
 * four hops.  The horizon is 2(n+1) of them. */
TEST(test_settles_in_the_stated_time_after_the_last_fault)
{
    for (uint64_t seed = 1; seed <= rounds(3000); seed++) {
        struct dice dice = {seed};
        struct net_fault faults[6];
        uint32_t n = 3 + throw_below(&dice, 6), count = 0, last = 0;
        struct lab lab;
        struct sim_result r;

        lab_open(&lab, "bully", n);
        lab_bounds(&lab, 2, 3, 1, 20);
        lab_set(&lab, "overruled", "tells");
        lab.setup.net.waking = NET_WAKE_RANDOM;
        for (fc_name name = n; name > n - 3; name--) {
            uint32_t crash = throw_below(&dice, 400);
            uint32_t back = crash + 1 + throw_below(&dice, 400);
            bool blank = throw_below(&dice, 2);

            faults[count++] =
                (struct net_fault){NET_FAULT_CRASH, {.name = name}, crash, 0};
            faults[count++] = (struct net_fault){blank ? NET_FAULT_RESTART_BLANK
                                                       : NET_FAULT_RESTART,
                                                 {.name = name},
                                                 back,
                                                 0};
            last = back > last ? back : last;
        }
        lab.setup.faults.list = faults;
        lab.setup.faults.count = count;
        lab_prepare(&lab);
        r = lab_run(&lab, seed);
        assert_int_equal(r.broken, 0);
        assert_int_equal(r.leader, n);
        assert_true(r.end <=
                    last + lab.setup.net.protocol->horizon(
                               lab.setup.net.params, &lab.setup.net.world) /
                               (2 * (n + 1)));
        lab_close(&lab);
    }
}

/* Half the time is not enough, more than enough does no harm. */
LONG_TEST(test_timeouts_below_the_round_trip_elect_two)
{
    assert_true(failures("timeout", "half", 0, false, 5000) > 0);
    assert_int_equal(failures("timeout", "long", 0, false, 5000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_returning_processes_confuse_unless_told_of),
        cmocka_unit_test(test_settles_in_the_stated_time_after_the_last_fault),
        cmocka_unit_test(test_timeouts_below_the_round_trip_elect_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
