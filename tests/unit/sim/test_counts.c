/*
 * test_counts.c - the exact costs of the ring elections on synchronous rings,
 * in whole numbers: closed formulas, and all placements of small rings.
 */
#include "tests/unit/kit/testing.h"

enum { NAMES_MAX = 8 };

/* A ring whose names and wake-ups are given one by one. */
struct bench {
    struct lab lab;
    fc_name names[NAMES_MAX];
    struct net_wake wakes[NAMES_MAX];
};

static void bench_open(struct bench *b, const char *protocol, uint32_t n)
{
    lab_open(&b->lab, protocol, n);
    b->lab.setup.net.naming = NET_NAMES_LIST;
    b->lab.setup.net.names = b->names;
    b->lab.setup.net.wakes = b->wakes;
    first_order(b->names, n);
}

/* Wakes the names of a set at tick 0: bit i is name i+1. */
static void wake_set(struct bench *b, uint32_t set)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < b->lab.setup.net.world.nodes; i++)
        if (set & 1u << i)
            b->wakes[count++] = (struct net_wake){.name = i + 1};
    b->lab.setup.net.waking = NET_WAKE_LIST;
    b->lab.setup.net.wake_count = count;
}

static struct sim_result bench_run(struct bench *b)
{
    struct sim_result r;

    lab_prepare(&b->lab);
    r = lab_run(&b->lab, 1);
    assert_int_equal(r.broken, 0);
    assert_false(r.cut);
    return r;
}

static uint64_t factorial(uint64_t n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

/* ---- Vitanyi ------------------------------------------------------------- */

/* One line of the table, for one N. */
struct vitanyi_row {
    enum net_naming naming;
    enum net_waking waking;
    const char *key, *value; /* a switch, or NULL */
};

static void check_row(const struct vitanyi_row *row, uint32_t n,
                      uint64_t passes, uint64_t back, uint64_t end)
{
    struct lab lab;
    struct sim_result r;

    lab_open(&lab, "vitanyi", n);
    lab.setup.net.naming = row->naming;
    lab.setup.net.waking = row->waking;
    if (row->key)
        lab_set(&lab, row->key, row->value);
    lab_prepare(&lab);
    r = lab_run(&lab, 1);
    assert_int_equal(r.broken, 0);
    assert_int_equal(r.leader, 1);
    assert_int_equal(r.messages, passes);
    assert_int_equal(r.reached_at, back);
    assert_int_equal(r.end, end);
    assert_int_equal(r.by_kind[VITANYI_WAKEUP], n);
    assert_int_equal(r.by_kind[VITANYI_SLEEPWELL], n);
    lab_close(&lab);
}

/* 2..64, and some large ones. */
static uint32_t next_n(uint32_t n)
{
    static const uint32_t large[] = {1000, 4096, 65536};

    if (n < 64)
        return n + 1;
    for (size_t i = 0; i < COUNT(large); i++)
        if (n < large[i])
            return large[i];
    return 0;
}

/* Everybody's own message leaves a unit late, for a wakeup is read first. */
LONG_TEST(test_vitanyi_sorted_rings_all_awake)
{
    static const struct vitanyi_row up = {.naming = NET_NAMES_ASCENDING};
    static const struct vitanyi_row down = {.naming = NET_NAMES_DESCENDING};

    for (uint32_t n = 2; n; n = next_n(n)) {
        check_row(&up, n, 4 * n - 1, 3 * n, 4 * n);
        check_row(&down, n, 4 * n - 1, 3 * n, 4 * n);
    }
}

/* R8': not late. */
LONG_TEST(test_vitanyi_sorted_rings_when_wakeups_count)
{
    struct vitanyi_row row = {.key = "wakeup-counts", .value = "yes"};

    for (uint32_t n = 2; n; n = next_n(n)) {
        row.naming = NET_NAMES_ASCENDING;
        check_row(&row, n, 4 * n - 1, 3 * n - 1, 4 * n - 1);
        row.naming = NET_NAMES_DESCENDING;
        check_row(&row, n, 4 * n - 1, 3 * n - 1, 4 * n - 1);
    }
}

/* The others are woken one by one, just ahead of M_1. */
TEST(test_vitanyi_ascending_ring_first_awake)
{
    static const struct vitanyi_row row = {.waking = NET_WAKE_FIRST};

    for (uint32_t n = 2; n; n = next_n(n))
        check_row(&row, n, 3 * n + (n - 1) / 2, 3 * n - 1, 4 * n - 1);
}

/* P1: M_1 is there before anybody else begins. */
TEST(test_vitanyi_ascending_ring_first_wait_f)
{
    static const struct vitanyi_row row = {.key = "first-wait", .value = "f"};

    for (uint32_t n = 2; n; n = next_n(n))
        check_row(&row, n, 3 * n, 3 * n + 1, 4 * n + 1);
}

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

/* ---- Le Lann ------------------------------------------------------------- */

/* Every token goes all the way round, wherever they are. */
TEST(test_lelann_costs_n_per_initiator)
{
    for (uint32_t n = 2; n <= 40; n++)
        for (uint32_t k = 1; k <= n; k++) {
            struct lab lab;
            struct sim_result r;

            lab_open(&lab, "lelann", n);
            lab.setup.net.naming = NET_NAMES_RANDOM;
            lab.setup.net.waking = NET_WAKE_SOME;
            lab.setup.net.wake_count = k;
            lab_prepare(&lab);
            r = lab_run(&lab, n * 1000 + k);
            assert_int_equal(r.broken, 0);
            assert_int_equal(r.initiators, k);
            assert_int_equal(r.by_kind[LELANN_TOKEN], k * n);
            assert_int_equal(r.by_kind[LELANN_ELECTED], n);
            lab_close(&lab);
        }
}

/* ---- Chang and Roberts, least -------------------------------------------- */

struct tally {
    uint64_t runs, least, most, sum;
};

static void count_run(struct tally *t, uint64_t cost)
{
    if (t->runs == 0 || cost < t->least)
        t->least = cost;
    if (cost > t->most)
        t->most = cost;
    t->sum += cost;
    t->runs++;
}

/* Tokens over all placements and all sets of k initiators. */
static struct tally all_rings(uint32_t n, uint32_t k)
{
    struct tally t = {0};
    struct bench b;

    bench_open(&b, "chang-roberts", n);
    do {
        for (uint32_t set = 1; set < 1u << n; set++) {
            if ((uint32_t)__builtin_popcount(set) != k)
                continue;
            wake_set(&b, set);
            struct sim_result r = bench_run(&b);

            assert_int_equal(r.by_kind[CHANG_ROBERTS_ELECTED], n);
            count_run(&t, r.by_kind[CHANG_ROBERTS_TOKEN]);
        }
    } while (next_order(b.names, n));
    lab_close(&b.lab);
    return t;
}

/* N+k-1, N*H_k and kN - k(k-1)/2.  The mean as a sum: N*H_k times the number of
 * rings is whole, for k! divides it. */
static void check_tally(const struct tally *t, uint32_t n, uint32_t k)
{
    uint64_t sum = 0;

    assert_int_equal(t->runs % factorial(n), 0);
    for (uint32_t i = 1; i <= k; i++) {
        assert_int_equal(t->runs % i, 0);
        sum += n * (t->runs / i);
    }
    assert_int_equal(t->least, n + k - 1);
    assert_int_equal(t->most, k * n - k * (k - 1) / 2);
    assert_int_equal(t->sum, sum);
}

/* All permutations up to 8 nodes: 2N-1, N*H_N, N(N+1)/2. */
LONG_TEST(test_chang_roberts_all_initiators_all_placements)
{
    for (uint32_t n = 2; n <= NAMES_MAX; n++) {
        struct tally t = all_rings(n, n);

        assert_int_equal(t.least, 2 * n - 1);
        assert_int_equal(t.most, n * (n + 1) / 2);
        check_tally(&t, n, n);
    }
}

/* And all sets of initiators up to 6. */
LONG_TEST(test_chang_roberts_k_initiators_all_placements)
{
    for (uint32_t n = 2; n <= 6; n++)
        for (uint32_t k = 1; k <= n; k++) {
            struct tally t = all_rings(n, k);

            check_tally(&t, n, k);
        }
}

static uint64_t sorted_tokens(enum net_naming naming, uint32_t n)
{
    struct lab lab;
    struct sim_result r;

    lab_open(&lab, "chang-roberts", n);
    lab.setup.net.naming = naming;
    lab_prepare(&lab);
    r = lab_run(&lab, 1);
    assert_int_equal(r.broken, 0);
    assert_int_equal(r.leader, 1);
    lab_close(&lab);
    return r.by_kind[CHANG_ROBERTS_TOKEN];
}

/* Sorted one way every token meets its killer late, the other way at once. */
TEST(test_chang_roberts_sorted_rings)
{
    for (uint32_t n = 2; n <= 20 + rounds(280); n++) {
        assert_int_equal(sorted_tokens(NET_NAMES_ASCENDING, n),
                         n * (n + 1) / 2);
        assert_int_equal(sorted_tokens(NET_NAMES_DESCENDING, n), 2 * n - 1);
    }
    if (is_sanitized())
        return;
    assert_int_equal(sorted_tokens(NET_NAMES_ASCENDING, 5000), 12502500);
    assert_int_equal(sorted_tokens(NET_NAMES_DESCENDING, 5000), 9999);
}

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

/* ---- Chang and Roberts, greatest ----------------------------------------- */

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

/* ---- The report's adversary ---------------------------------------------- */

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
        cmocka_unit_test(test_vitanyi_sorted_rings_all_awake),
        cmocka_unit_test(test_vitanyi_sorted_rings_when_wakeups_count),
        cmocka_unit_test(test_vitanyi_ascending_ring_first_awake),
        cmocka_unit_test(test_vitanyi_ascending_ring_first_wait_f),
        cmocka_unit_test(test_vitanyi_worst_case_of_small_rings),
        cmocka_unit_test(test_lelann_costs_n_per_initiator),
        cmocka_unit_test(test_chang_roberts_all_initiators_all_placements),
        cmocka_unit_test(test_chang_roberts_k_initiators_all_placements),
        cmocka_unit_test(test_chang_roberts_sorted_rings),
        cmocka_unit_test(test_chang_roberts_random_rings_cost_the_mean),
        cmocka_unit_test(
            test_chang_roberts_improvements_never_act_on_fifo_links),
        cmocka_unit_test(
            test_chang_roberts_improvements_never_act_at_any_speed),
        cmocka_unit_test(
            test_chang_roberts_max_single_initiator_all_placements),
        cmocka_unit_test(test_vitanyi_adversary),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
