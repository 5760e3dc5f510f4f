/*
 * test_names.c - the name of each node: permutations by rule, list and seed.
 */
#include <stdlib.h>

#include "net/names.h"
#include "tests/unit/kit/testing.h"

/* Names of one run, with the memory they are in. */
struct given {
    struct net setup;
    struct net_memory memory;
    struct net_names names;
};

static void give(struct given *g, enum net_naming naming, uint32_t n,
                 fc_name first, uint64_t seed, bool often)
{
    memset(g, 0, sizeof *g);
    g->setup.naming = naming;
    g->setup.world.nodes = n;
    g->setup.first_name = first;
    assert_int_equal(
        net_names_begin(&g->names, &g->setup, seed, often, &g->memory), 0);
}

static void give_back(struct given *g)
{
    net_memory_free(&g->memory);
}

/* 1, 2, 3, ... clockwise. */
TEST(test_ascending)
{
    for (uint32_t n = 1; n <= 40; n++)
        for (int often = 0; often < 2; often++) {
            struct given g;

            give(&g, NET_NAMES_ASCENDING, n, 7, 1, often);
            for (uint32_t i = 0; i < n; i++)
                assert_int_equal(net_name(&g.names, i), 7 + i);
            give_back(&g);
        }
}

/* The first, then the greatest and downwards. */
TEST(test_descending)
{
    for (uint32_t n = 1; n <= 40; n++)
        for (int often = 0; often < 2; often++) {
            struct given g;

            give(&g, NET_NAMES_DESCENDING, n, 7, 1, often);
            assert_int_equal(net_name(&g.names, 0), 7);
            for (uint32_t i = 1; i < n; i++)
                assert_int_equal(net_name(&g.names, i), 7 + n - i);
            give_back(&g);
        }
}

/* As listed, and not copied. */
TEST(test_list)
{
    static const fc_name list[] = {9, 2, 1000000, 4};

    for (int often = 0; often < 2; often++) {
        struct given g;

        memset(&g, 0, sizeof g);
        g.setup.naming = NET_NAMES_LIST;
        g.setup.world.nodes = 4;
        g.setup.names = list;
        assert_int_equal(
            net_names_begin(&g.names, &g.setup, 1, often, &g.memory), 0);
        assert_ptr_equal(g.names.array, list);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(net_name(&g.names, i), list[i]);
            assert_int_equal(net_name_compute(&g.names, i), list[i]);
        }
        give_back(&g);
    }
}

/* Each of first..first+n-1 exactly once. */
static void check_permutation(uint32_t n, fc_name first, uint64_t seed,
                              bool often)
{
    struct given g;
    uint8_t *seen = calloc(n, 1);

    assert_non_null(seen);
    give(&g, NET_NAMES_RANDOM, n, first, seed, often);
    for (uint32_t i = 0; i < n; i++) {
        fc_name name = net_name(&g.names, i);

        assert_in_range(name, first, first + n - 1);
        assert_int_equal(seen[name - first]++, 0);
    }
    give_back(&g);
    free(seen);
}

/* Small ones are shuffled, large ones computed; both are permutations. */
TEST(test_random_is_a_permutation)
{
    static const uint32_t large[] = {65536, 65537, 100000, (1 << 20) + 3,
                                     1 << 17};

    for (uint32_t n = 1; n <= 200; n++)
        for (uint64_t seed = 0; seed < 20; seed++)
            check_permutation(n, 1, seed, seed % 2);
    for (size_t i = 0; i < COUNT(large); i++)
        for (int often = 0; often < 2; often++)
            check_permutation(large[i], 1, 42 + i, often);
}

/* Other names begin elsewhere, and are placed the same. */
TEST(test_first_name_shifts)
{
    static const uint32_t sizes[] = {5, 100, 65536, 70000};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct given low, high;

        give(&low, NET_NAMES_RANDOM, sizes[i], 1, 3, false);
        give(&high, NET_NAMES_RANDOM, sizes[i], 1001, 3, false);
        for (uint32_t v = 0; v < sizes[i]; v++)
            assert_int_equal(net_name(&low.names, v) + 1000,
                             net_name(&high.names, v));
        give_back(&low);
        give_back(&high);
    }
}

/* How they are kept makes no difference. */
TEST(test_array_and_computed_agree)
{
    static const uint32_t sizes[] = {1, 2, 3, 1000, 65536, 65537, 200000};

    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int naming = NET_NAMES_ASCENDING; naming <= NET_NAMES_RANDOM;
             naming++) {
            struct given kept, computed;

            give(&kept, (enum net_naming)naming, sizes[i], 5, 11, true);
            give(&computed, (enum net_naming)naming, sizes[i], 5, 11, false);
            assert_non_null(kept.names.array);
            if (sizes[i] > NET_SHUFFLED_MAX)
                assert_null(computed.names.array);
            for (uint32_t v = 0; v < sizes[i]; v++)
                assert_int_equal(net_name(&kept.names, v),
                                 net_name(&computed.names, v));
            give_back(&kept);
            give_back(&computed);
        }
}

/* How many positions have the same name under two seeds. */
static uint32_t in_common(uint32_t n, uint64_t a, uint64_t b)
{
    struct given one, other;
    uint32_t same = 0;

    give(&one, NET_NAMES_RANDOM, n, 1, a, false);
    give(&other, NET_NAMES_RANDOM, n, 1, b, false);
    for (uint32_t v = 0; v < n; v++)
        same += net_name(&one.names, v) == net_name(&other.names, v);
    give_back(&one);
    give_back(&other);
    return same;
}

/* Seeds matter, and two permutations meet at about one position. */
TEST(test_seeds_differ)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        assert_int_equal(in_common(1000, seed, seed), 1000);
        assert_in_range(in_common(1000, seed, seed + 1), 0, 12);
    }
    assert_in_range(in_common(70000, 1, 2), 0, 12);
    assert_int_equal(in_common(70000, 1, 1), 70000);
}

/* The rank of a permutation of 1..4 among the 24. */
static uint32_t rank_of(const struct net_names *names)
{
    uint32_t rank = 0;

    for (uint32_t i = 0; i < 4; i++) {
        uint32_t smaller = 0;

        for (uint32_t j = i + 1; j < 4; j++)
            smaller += net_name(names, j) < net_name(names, i);
        rank = rank * (4 - i) + smaller;
    }
    return rank;
}

/* All 24 permutations of four, each within six sigma of its share. */
TEST(test_shuffles_are_uniform)
{
    enum { SEEDS = 48000 };
    const double share = SEEDS / 24.0, variance = share * 23 / 24;
    uint32_t counts[24] = {0};
    struct given g;

    give(&g, NET_NAMES_RANDOM, 4, 1, 0, true);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        assert_int_equal(
            net_names_begin(&g.names, &g.setup, seed, true, &g.memory), 0);
        counts[rank_of(&g.names)]++;
    }
    for (uint32_t i = 0; i < 24; i++) {
        double off = (double)counts[i] - share;

        assert_true(off * off < 36 * variance);
    }
    give_back(&g);
}

/* Position 0 of a large ring is called anything, as often in each eighth. */
TEST(test_computed_names_are_spread)
{
    enum { SEEDS = 8000, NODES = 70001 };
    uint32_t counts[8] = {0};

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct given g;

        give(&g, NET_NAMES_RANDOM, NODES, 1, seed, false);
        counts[(uint64_t)(net_name(&g.names, 0) - 1) * 8 / NODES]++;
        give_back(&g);
    }
    for (uint32_t i = 0; i < 8; i++)
        assert_in_range(counts[i], 1000 - 180, 1000 + 180); /* 6 sigma */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ascending),
        cmocka_unit_test(test_descending),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_random_is_a_permutation),
        cmocka_unit_test(test_first_name_shifts),
        cmocka_unit_test(test_array_and_computed_agree),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_shuffles_are_uniform),
        cmocka_unit_test(test_computed_names_are_spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
