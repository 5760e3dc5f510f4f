/*
 * test_windows.c - runs in lockstep go by windows of as many ticks as the ring
 * has nodes: whatever the ring, they are the runs that go tick by tick, and
 * those of the general engine.
 */
#include "tests/unit/kit/testing.h"

/* All that run in lockstep. */
static const char *const protocols[] = {
    "chang-roberts", "chang-roberts-max", "lelann",
    "peterson",      "dolev-klawe-rodeh", "vitanyi"};

static void check_same(struct sim_result a, struct sim_result b)
{
    a.bytes = b.bytes;
    a.queue_max = b.queue_max;
    a.lockstep = b.lockstep;
    a.by_ticks = b.by_ticks;
    assert_memory_equal(a.by_kind, b.by_kind, sizeof a.by_kind);
    assert_int_equal(a.events, b.events);
    assert_int_equal(a.end, b.end);
    assert_int_equal(a.broken, b.broken);
    assert_memory_equal(&a, &b, sizeof a);
}

/* One run in both ways, and in the general engine; returns the first. */
static struct sim_result compare(struct lab *lab, uint64_t seed)
{
    struct sim_result wide, narrow, general;

    lab->setup.by_ticks = lab->setup.general = false;
    wide = lab_run(lab, seed);
    lab->setup.by_ticks = true;
    narrow = lab_run(lab, seed);
    lab->setup.general = true;
    general = lab_run(lab, seed);
    assert_true(wide.lockstep && narrow.lockstep && narrow.by_ticks);
    assert_false(general.lockstep);
    check_same(wide, narrow);
    check_same(wide, general);
    return wide;
}

/* A ring whose size, names, wake-ups and last tick depend on the seed. */
static void make_ring(struct lab *lab, const char *protocol, uint64_t seed,
                      uint32_t most)
{
    static const enum net_waking wakings[] = {NET_WAKE_ALL, NET_WAKE_FIRST,
                                              NET_WAKE_SOME};
    uint32_t n = 2 + (uint32_t)(seed * 7 % (most - 1));

    lab_open(lab, protocol, n);
    lab->setup.net.naming = seed % 5   ? NET_NAMES_RANDOM
                            : seed % 2 ? NET_NAMES_ASCENDING
                                       : NET_NAMES_DESCENDING;
    lab->setup.net.waking = wakings[seed / 2 % COUNT(wakings)];
    lab->setup.net.wake_count = 1 + (uint32_t)(seed * 11 % n);
    lab->setup.net.first_name = 1 + (uint32_t)(seed / 3 % 3);
    if (seed % 4 == 0)
        lab->setup.until = 1 + seed % (4 * n);
}

/* Hundreds of rings of each kind; and what breaks nothing is not repeated. */
TEST(test_windows_give_what_ticks_give)
{
    for (size_t p = 0; p < COUNT(protocols); p++)
        for (uint64_t seed = 0; seed < rounds(600); seed++) {
            struct lab lab;
            struct sim_result r;

            make_ring(&lab, protocols[p], seed, 33);
            lab_prepare(&lab);
            r = compare(&lab, seed);
            assert_int_equal(r.broken, 0);
            assert_false(r.by_ticks);
            lab_close(&lab);
        }
}

/* A stream that grows, and names that are computed. */
TEST(test_windows_of_larger_rings)
{
    static const uint32_t sizes[] = {200, 1000, 70000};

    for (size_t p = 0; p < COUNT(protocols); p++)
        for (size_t i = 0; i < COUNT(sizes) - is_sanitized(); i++) {
            struct lab lab;

            if (sizes[i] > 200 && strcmp(protocols[p], "lelann") == 0)
                continue;
            lab_open(&lab, protocols[p], sizes[i]);
            lab.setup.net.naming =
                sizes[i] == 1000 ? NET_NAMES_ASCENDING : NET_NAMES_RANDOM;
            lab_prepare(&lab);
            (void)compare(&lab, 3);
            lab_close(&lab);
        }
}

/* Timers that expire in the same window and in later ones, in some nodes and in
 * all, with waits that are shorter and longer than the ring. */
TEST(test_windows_with_every_wait)
{
    static const char *const switches[][2] = {
        {"f", "const:1"},         {"f", "const:3"},        {"f", "const:40"},
        {"f", "const:5000"},      {"f", "pow:0.5"},        {"f", "pow:2"},
        {"f", "exp:1.5"},         {"f", "exp:3"},          {"f", "scaled:5"},
        {"f", "minimal"},         {"first-wait", "f"},     {"links", "any"},
        {"wakeup-counts", "yes"}, {"winner-guard", "yes"},
    };

    for (size_t s = 0; s < COUNT(switches); s++)
        for (uint64_t seed = 0; seed < rounds(120); seed++) {
            struct lab lab;

            make_ring(&lab, "vitanyi", seed, 90);
            lab_set(&lab, switches[s][0], switches[s][1]);
            lab_prepare(&lab);
            (void)compare(&lab, seed);
            lab_close(&lab);
        }
}

/* Deadlines beyond 32 bits, where they are kept with a byte more. */
TEST(test_windows_with_waits_beyond_a_word)
{
    static const char *const waits[] = {"const:4294967295", "const:4294967296",
                                        "const:9000000000"};

    for (size_t i = 0; i < COUNT(waits); i++)
        for (uint32_t n = 2; n < 12; n++) {
            struct lab lab;
            struct sim_result r;

            lab_open(&lab, "vitanyi", n);
            lab.setup.net.naming = NET_NAMES_RANDOM;
            lab_set(&lab, "f", waits[i]);
            lab_prepare(&lab);
            r = compare(&lab, n);
            assert_int_equal(r.broken, 0);
            assert_true(r.end >= (n - 1) * UINT64_C(4294967295));
            lab_close(&lab);
        }
}

/* Variants that are there to be found wrong are found wrong alike. */
TEST(test_windows_of_wrong_variants)
{
    static const char *const switches[][2] = {
        {"drop", "smaller"}, {"loser", "stops"}, {"relays", "own"}};
    uint32_t broken = 0;

    for (size_t s = 0; s < COUNT(switches); s++)
        for (uint64_t seed = 0; seed < rounds(200); seed++) {
            struct lab lab;

            make_ring(&lab, "chang-roberts", seed, 20);
            lab_set(&lab, switches[s][0], switches[s][1]);
            lab_prepare(&lab);
            broken += compare(&lab, seed).broken != 0;
            lab_close(&lab);
        }
    assert_true(broken > 0);
}

/* Faults are for the general engine, and so is whatever looks at the order of
 * events within a tick. */
TEST(test_faults_and_late_starters_are_not_for_windows)
{
    struct lab lab;

    lab_open(&lab, "chang-roberts", 9);
    lab.setup.net.naming = NET_NAMES_RANDOM;
    lab_prepare(&lab);
    assert_true(lab_run(&lab, 1).lockstep);
    lab.setup.faults.loss = 1;
    assert_false(lab_run(&lab, 1).lockstep);
    lab.setup.faults.loss = 0;
    lab.setup.net.waking = NET_WAKE_RANDOM;
    lab_prepare(&lab);
    assert_false(lab_run(&lab, 1).lockstep);
    lab_close(&lab);
}

/* What a node takes is known beforehand, for rings that may not fit. */
TEST(test_bytes_of_a_node_are_known_beforehand)
{
    struct lab lab;
    bool lockstep;

    lab_open(&lab, "chang-roberts", 1000000000);
    lab.setup.net.naming = NET_NAMES_RANDOM;
    lab_prepare(&lab);
    assert_int_equal(sim_least_bytes(&lab.setup, false, &lockstep),
                     12000000000);
    assert_true(lockstep);
    assert_true(sim_least_bytes(&lab.setup, true, &lockstep) > 60000000000);
    assert_false(lockstep);
    lab_close(&lab);
    lab_open(&lab, "vitanyi", 1000000000);
    lab.setup.net.naming = NET_NAMES_RANDOM;
    lab_prepare(&lab);
    assert_int_equal(sim_least_bytes(&lab.setup, false, &lockstep),
                     13000000000);
    lab.setup.net.world.nodes = 1000000;
    lab_prepare(&lab);
    assert_int_equal(sim_least_bytes(&lab.setup, false, &lockstep), 12000000);
    lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_give_what_ticks_give),
        cmocka_unit_test(test_windows_of_larger_rings),
        cmocka_unit_test(test_windows_with_every_wait),
        cmocka_unit_test(test_windows_with_waits_beyond_a_word),
        cmocka_unit_test(test_windows_of_wrong_variants),
        cmocka_unit_test(test_faults_and_late_starters_are_not_for_windows),
        cmocka_unit_test(test_bytes_of_a_node_are_known_beforehand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
