/*
 * rings.h - whole rings for the tests of elections that thin out their
 * candidates in phases: sorted, with one initiator, in every placement, and a
 * thousand of all sorts.
 *
 * TESTED is the protocol, as in testing.h.
 */
#ifndef TESTS_RINGS_H
#define TESTS_RINGS_H

#include "tests/unit/kit/testing.h"

/* Looks at a ring that is set up but for lab_prepare(). */
typedef void ring_check(struct lab *lab, uint64_t seed);

/* Runs it, and returns what is counted of a run in which all went well. */
typedef uint64_t ring_cost(struct lab *lab, uint64_t seed);

/* Rounded down. */
static inline uint32_t log2_of(uint32_t n)
{
    return n < 2 ? 0 : 1 + log2_of(n / 2);
}

/* Sorted both ways, of 2 to 64 nodes. */
static inline void in_sorted_rings(const char *protocol, ring_check *check)
{
    for (uint32_t n = 2; n <= 64; n++) {
        for (int down = 0; down < 2; down++) {
            struct lab lab;

            lab_open(&lab, protocol, n);
            if (down)
                lab.setup.net.naming = NET_NAMES_DESCENDING;
            check(&lab, 1);
            lab_close(&lab);
        }
    }
}

/* Only the first node starts, of 1 to 64. */
static inline void with_one_initiator(const char *protocol, ring_check *check)
{
    for (uint32_t n = 1; n <= 64; n++) {
        struct lab lab;

        lab_open(&lab, protocol, n);
        lab.setup.net.waking = NET_WAKE_FIRST;
        check(&lab, 1);
        lab_close(&lab);
    }
}

struct ring_range {
    uint64_t best, worst;
};

/* What the names 1 to n, at most 8, cost in all their orders. */
static inline struct ring_range in_all_placements(const char *protocol,
                                                  uint32_t n, ring_cost *cost)
{
    struct ring_range range = {UINT64_MAX, 0};
    struct lab lab;
    fc_name names[8];

    assert_true(n <= COUNT(names));
    lab_open(&lab, protocol, n);
    lab.setup.net.naming = NET_NAMES_LIST;
    lab.setup.net.names = names;
    first_order(names, n);
    do {
        uint64_t passes = cost(&lab, 1);

        range.worst = passes > range.worst ? passes : range.worst;
        range.best = passes < range.best ? passes : range.best;
    } while (next_order(names, n));
    lab_close(&lab);
    return range;
}

/* All sizes, wake-ups and clocks; also without order of messages, if that is
 * not needed. */
static inline void in_rings_of_all_sorts(const char *protocol, bool any_order,
                                         ring_check *check)
{
    const struct plan plans[] = {
        {protocol, NET_ARCHIMEDEAN, NET_CLOCK_FIXED, false},
        {protocol, NET_ARCHIMEDEAN, NET_CLOCK_DRIFT, false},
        {protocol, NET_ASYNC, NET_CLOCK_FIXED, false},
        {protocol, NET_ARCHIMEDEAN, NET_CLOCK_DRIFT, true},
        {protocol, NET_ASYNC, NET_CLOCK_FIXED, true},
    };

    for (size_t i = 0; i < (any_order ? COUNT(plans) : 3); i++) {
        for (uint64_t seed = 1; seed <= rounds(1000); seed++) {
            uint64_t steps[RING_MAX];
            struct lab lab;

            plan_ring(&lab, &plans[i], seed, steps);
            check(&lab, seed);
            lab_close(&lab);
        }
    }
}

#endif
