/*
 * test_rw_mutexes.c - the preventive rule of readers and writers over mutual
 * exclusion without bounds: Ricart and Agrawala's, Lamport's, and Carvalho and
 * Roucairol's.
 *
 * What the rule is at one site is in the tests of the two; here it is judged by
 * whole runs and by all orders.
 */
#include "tests/unit/kit/checking.h"
#include "tests/unit/kit/mutex_trial.h"

static const struct {
    const char *name;
    bool any_order;   /* it needs no FIFO links */
    uint32_t request; /* kinds */
    uint32_t read;
    uint32_t each; /* messages an entry and other site; 0: up to 2 */
} mutexes[] = {
    {"ricart-agrawala", true, 1, 3, 2},
    {"lamport", false, 1, 4, 3},
    {"carvalho-roucairol", true, 1, 3, 0},
};

static struct trial library(size_t which, uint32_t nodes, double shared)
{
    return (struct trial){.protocol = mutexes[which].name,
                          .nodes = nodes,
                          .entries = 15,
                          .seeds = 2,
                          .section = "uniform:1:30",
                          .think = "uniform:1:30",
                          .bounds = {1, 3, 0, 5},
                          .time = NET_ARCHIMEDEAN,
                          .shared = shared};
}

static uint64_t messages(const struct verdict *v)
{
    uint64_t sum = 0;

    for (uint32_t kind = 1; kind < FC_KINDS_MAX; kind++)
        sum += v->by_kind[kind];
    return sum;
}

/* No reader beside a writer, no two writers, everybody enters, whatever the
 * time; and the price of an entry is that of the mutual exclusion. */
TEST(test_runs_are_safe)
{
    static const enum net_time times[] = {NET_SYNC, NET_ARCHIMEDEAN, NET_ASYNC};

    for (size_t which = 0; which < COUNT(mutexes); which++)
        for (uint32_t i = 0; i < rounds(300); i++) {
            struct trial t = library(which, 2 + i % 6, i % 5 / 4.0);
            const struct verdict *v;
            uint64_t all;

            t.time = times[i % COUNT(times)];
            if (t.time == NET_SYNC)
                t.bounds = (struct fc_bounds){1, 1, 0, 0};
            t.any_order = mutexes[which].any_order && i / 3 % 2;
            t.clock = (enum net_clock)(i / 7 % 3);
            v = check_safe(&t);
            all = v->entries * (t.nodes - 1);
            if (mutexes[which].each) {
                assert_int_equal(v->by_kind[mutexes[which].request] +
                                     v->by_kind[mutexes[which].read],
                                 all);
                assert_int_equal(messages(v), all * mutexes[which].each);
            } else {
                assert_true(messages(v) <= 2 * all);
            }
            if (i % 5 == 0)
                assert_int_equal(v->by_kind[mutexes[which].read], 0);
            if (i % 5 == 4)
                assert_int_equal(v->by_kind[mutexes[which].request], 0);
        }
}

/* How long the last waits if all want in at once and stay for 1000 steps:
 * readers are let in together, writers one after the other. */
TEST(test_readers_are_inside_together)
{
    for (size_t which = 0; which < COUNT(mutexes); which++)
        for (uint32_t n = 2; n <= 9; n++)
            for (uint32_t read = 0; read < 2; read++) {
                struct trial t = library(which, n, read);
                uint64_t last;

                t.entries = t.seeds = 1;
                t.section = "1000";
                t.think = "0";
                t.bounds = (struct fc_bounds){1, 1, 0, 0};
                t.time = NET_SYNC;
                last = check_safe(&t)->tally.granting.stat.max;
                assert_true(read ? last < 1000 : last >= (n - 1) * 1000);
            }
}

/* Every order in which requests, to read or to write, and messages can come;
 * the counts are pinned. */
TEST(test_all_orders)
{
    static const struct fc_bounds none;
    static const struct {
        const char *protocol;
        uint32_t n, entries;
        bool any_order;
        uint64_t states;
    } pinned[] = {
        {"ricart-agrawala", 2, 2, false, 1056},
        {"ricart-agrawala", 2, 3, true, 7201},
        {"ricart-agrawala", 3, 1, false, 18619},
        {"ricart-agrawala", 3, 1, true, 29553},
        {"lamport", 2, 2, false, 9300},
        {"lamport", 2, 3, false, 99731},
        {"carvalho-roucairol", 2, 4, false, 4584},
        {"carvalho-roucairol", 2, 4, true, 7171},
        {"carvalho-roucairol", 3, 1, true, 37576},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct check_result r;
        struct search s;

        if (too_large(pinned[i].states))
            continue;
        search_open(&s, pinned[i].protocol, pinned[i].n, NET_ASYNC, none, "");
        s.check.entries = pinned[i].entries;
        s.check.shared = true;
        s.sim.net.any_order = pinned[i].any_order;
        r = search_run(&s);
        print_message("%s %u\n", pinned[i].protocol, pinned[i].n);
        assert_int_equal(r.verdict, CHECK_HOLDS);
        assert_int_equal(r.states, pinned[i].states);
        search_close(&s);
    }
}

/* Where an answer is kept the rule to the letter is not enough: two readers
 * that answered each other write without asking, unless they never write. */
TEST(test_the_rule_to_the_letter_fails_where_answers_are_kept)
{
    static const struct fc_bounds none;
    struct check_result r;
    struct search s;

    search_open(&s, "carvalho-roucairol", 2, NET_ASYNC, none, "readers=give");
    s.check.entries = 2;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_HOLDS);
    search_close(&s);
    search_open(&s, "carvalho-roucairol", 3, NET_ASYNC, none,
                "readers=give writers=1");
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_HOLDS);
    assert_int_equal(r.states, 3753);
    search_close(&s);
    search_open(&s, "carvalho-roucairol", 2, NET_ASYNC, none, "readers=give");
    s.check.entries = 2;
    s.check.shared = true;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_VIOLATED);
    assert_true(r.broken & MUTEX_EXCLUSION);
    search_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_are_safe),
        cmocka_unit_test(test_readers_are_inside_together),
        cmocka_unit_test(test_all_orders),
        cmocka_unit_test(
            test_the_rule_to_the_letter_fails_where_answers_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
