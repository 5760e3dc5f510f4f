/*
 * test_spirakis_tampakas_printed.c - the readings of what Appendix A of
 * Spirakis and Tampakas leaves open, a switch each; and whole runs.
 */
#include "protocols/election/spirakis_tampakas/test_spirakis_tampakas_node.h"

/* ST-4.8 mixes units: n*dmax steps, or steps that last n*dmax. */
TEST(test_final_wait_has_three_readings)
{
    static const struct fc_world slow = {.nodes = 5, .bounds = {3, 7, 1, 13}};
    static const char *const steps[] = {"rules", "printed", NULL};
    static const char *const ticks[] = {"rules", "printed", "final-wait",
                                        "time", NULL};
    static const char *const period[] = {"rules", "printed", "final-wait",
                                         "period", NULL};

    assert_true(prepared(&slow, steps).last == 65);
    assert_true(prepared(&slow, ticks).last == 22);
    assert_true(prepared(&slow, period).last == 35);
}

/* The repair is nine readings of the print, and no other rule. */
TEST(test_repaired_rules_are_a_reading)
{
    struct spirakis_tampakas_params p = REPAIRED;
    struct spirakis_tampakas_params q =
        PRINTED("next-timer-forwards", "no", "stale-claim", "absorbed",
                "full-buffer", "detect", "lost-claim", "detect", "termination",
                "all", "final-wait", "period");

    assert_memory_equal(&p.reading, &q.reading, sizeof p.reading);
    assert_true(p.last == q.last);
    p = WITH("rules", "flush");
    set(&q, "wake-sender", "later");
    assert_memory_equal(&p.reading, &q.typed, sizeof p.reading);
}

/* Readings are of the print; other rules do not look at them. */
TEST(test_readings_need_rules_printed)
{
    struct spirakis_tampakas_params p =
        WITH("wake-sender", "nobody", "window", "sliding");
    struct spirakis_tampakas_params q = REPAIRED;

    assert_memory_equal(&p.reading, &q.reading, sizeof p.reading);
}

TEST(test_switches_are_set_by_name)
{
    static const struct {
        const char *key, *value;
        size_t offset;
        uint8_t stored;
    } cases[] = {
#define CASE(key, value, field, stored)                                        \
    {key, value, offsetof(struct spirakis_tampakas_params, field), stored}
        CASE("rules", "printed", rules, ST(PRINTED)),
        CASE("rules", "hop", rules, ST(HOP)),
        CASE("k", "64", k, 64),
        CASE("next-timer-forwards", "detector", typed.next_timer_passes,
             ST(PASS_DETECTOR)),
        CASE("wake-sender", "later", typed.wake_sender, ST(WAKES_LATER)),
        CASE("window", "sliding", typed.window, ST(SLIDING)),
        CASE("stale-claim", "before", typed.stale_claim, ST(STALE_BEFORE)),
        CASE("full-buffer", "detect", typed.full_buffer, ST(DETECT)),
        CASE("full-buffer", "goes-on", typed.full_buffer, ST(GOES_ON)),
        CASE("lost-claim", "detect", typed.lost_claim, ST(DETECT)),
        CASE("termination", "all", typed.termination, ST(TOLD_ALL)),
        CASE("coins", "k-1", typed.coins, ST(COINS_K_LESS_1)),
        CASE("final-wait", "period", typed.final_wait, ST(LAST_PERIOD)),
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spirakis_tampakas_params p;

        fc_params_default(&spirakis_tampakas_protocol, &p);
        assert_int_equal(p.k, 30);
        assert_int_equal(p.rules, ST(REPAIRED));
        set(&p, cases[i].key, cases[i].value);
        assert_int_equal(((uint8_t *)&p)[cases[i].offset], cases[i].stored);
    }
}

/* ST-2.4 with ST-2.7, "always forwards": before or after the next-time. */
TEST(test_stale_claim_has_three_readings)
{
    struct spirakis_tampakas s = awake(1);
    struct spirakis_tampakas_out out = step(&s, LITERAL, reads(ST(CLAIM)));

    CHECK_SENDS(out, ST(NEXTTIME), ST(WAKEUP), ST(CLAIM));
    s = awake(1);
    out = step(&s, PRINTED("stale-claim", "before"), reads(ST(CLAIM)));
    CHECK_SENDS(out, ST(CLAIM), ST(NEXTTIME), ST(WAKEUP));
    s = awake(1);
    out = step(&s, PRINTED("stale-claim", "absorbed"), reads(ST(CLAIM)));
    CHECK_SENDS(out, ST(NEXTTIME), ST(WAKEUP));
}

/* ST-2.6 as a window that slides: each claim starts it anew. */
TEST(test_sliding_window_starts_anew)
{
    struct spirakis_tampakas_params p =
        PRINTED("window", "sliding", "next-timer-forwards", "no");
    struct spirakis_tampakas s = awake(0);

    for (int i = 0; i < 3; i++) {
        struct spirakis_tampakas_out out = step(&s, p, reads(ST(CLAIM)));

        check_armed(&out, TO);
    }
    check_enters_next(s, p, timeout());
}

/* ST-3.2: "for the first time" since it is one, or in this phase, or not. */
TEST(test_next_timer_passes_one_nexttime_or_none)
{
    static const struct {
        const char *reading;
        int detector, told;
    } cases[] = {{"no", 0, 0}, {"detector", 1, 0}, {"yes", 1, 1}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spirakis_tampakas_params p =
            PRINTED("next-timer-forwards", cases[i].reading);
        struct spirakis_tampakas detector = awake(0), told = awake(0);
        struct spirakis_tampakas_out out;

        step(&detector, p, timeout());
        step(&told, p, reads(ST(NEXTTIME)));
        for (int round = 0; round < 3; round++) {
            out = step(&detector, p, reads(ST(NEXTTIME)));
            assert_int_equal(out.fx.sends, round == 0 && cases[i].detector);
            out = step(&told, p, reads(ST(NEXTTIME)));
            assert_int_equal(out.fx.sends, round == 0 && cases[i].told);
        }
    }
}

/* ST-3.3: "it generates a wake-up". */
TEST(test_wake_sender_has_four_readings)
{
    static const struct {
        const char *reading;
        uint32_t detector, told; /* messages */
    } cases[] = {{"nobody", 1, 1},
                 {"detector", 2, 1},
                 {"next-timer", 2, 2},
                 {"later", 1, 1}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spirakis_tampakas_params p =
            PRINTED("wake-sender", cases[i].reading);
        struct spirakis_tampakas s = awake(0);
        struct spirakis_tampakas_out out = step(&s, p, timeout());

        assert_int_equal(out.fx.sends, cases[i].detector);
        assert_int_equal(out.fx.arm, i == 3);
        s = awake(0);
        out = step(&s, p, reads(ST(NEXTTIME)));
        assert_int_equal(out.fx.sends, cases[i].told);
        assert_int_equal(out.fx.arm, 0);
    }
}

TEST(test_one_coin_less)
{
    struct spirakis_tampakas_params p = PRINTED("coins", "k-1");
    struct spirakis_tampakas s = {
        .status = ST(CANDIDATE), .stage = K - 1, .received = 1};
    uint32_t periods, coins;
    struct spirakis_tampakas_out out;

    count_stages(p, &periods, &coins);
    assert_int_equal(periods, K + 1);
    assert_int_equal(coins, K - 1);
    out = step(&s, p, timeout());
    check_armed(&out, p.last);
    assert_int_equal(out.fx.sends, 0);
    check_ignored(s, p, reads(ST(CLAIM)), FC_NOTE_DIES);
}

/* n*dmax steps are none at all where messages take no time. */
TEST(test_no_final_wait)
{
    static const struct fc_world sync = {.nodes = NODES,
                                         .bounds = {1, 1, 0, 0}};
    static const char *const words[] = {"rules", "printed", NULL};
    struct spirakis_tampakas_params p = prepared(&sync, words);
    struct spirakis_tampakas s = {
        .status = ST(CANDIDATE), .stage = K - 1, .received = 1};
    struct spirakis_tampakas_out out = step(&s, p, timeout());

    assert_int_equal(out.fx.choose, 2);
    out = step(&s, p, choice(0));
    assert_int_equal(s.status, ST(ELECTED));
    CHECK_SENDS(out, ST(CLAIM), ST(TERMINATION));
}

/* ---- Whole runs ---------------------------------------------------------- */

struct trial {
    struct sim_setup setup;
    struct spirakis_tampakas_params params;
    struct net_memory memory;
};

/* A ring within bounds, its parameters from pairs of words up to a NULL. */
static void open_trial(struct trial *t, uint32_t n, struct fc_bounds bounds,
                       const char *const *words)
{
    memset(t, 0, sizeof *t);
    sim_use(&t->setup, sim_find("spirakis-tampakas"));
    assert_non_null(t->setup.type);
    t->setup.net.params = &t->params;
    t->setup.net.first_name = 1;
    t->setup.net.time = NET_ARCHIMEDEAN;
    t->setup.net.world.nodes = n;
    t->setup.net.world.bounds = bounds;
    sim_describe(&t->setup);
    t->params = prepared(&t->setup.net.world, words);
}

static struct sim_result run_trial(struct trial *t, uint64_t seed)
{
    struct sim_job job = {.seed = seed, .memory = &t->memory};
    struct sim_result result;

    assert_int_equal(sim_run(&t->setup, &job, &result), SIM_OK);
    return result;
}

static const struct fc_bounds sorts[] = {
    {1, 1, 0, 0}, {2, 3, 1, 4}, {1, 10, 1, 10}, {5, 5, 2, 2}};

/* Each phase but the last costs n next-times and 2n wake-ups; the last n of
 * each of the other two, at least. */
TEST(test_counts_follow_from_the_phases)
{
    static const char *const words[] = {"k", "30", NULL};

    for (uint32_t i = 0; i < rounds(400); i++) {
        uint32_t n = 2 + i % 15;
        struct sim_result r;
        struct trial t;

        open_trial(&t, n, sorts[i % COUNT(sorts)], words);
        r = run_trial(&t, i);
        assert_int_equal(r.broken, 0);
        assert_int_equal(r.by_kind[ST(TERMINATION)], n);
        assert_int_equal(r.by_kind[ST(NEXTTIME)] % n, 0);
        assert_int_equal(r.by_kind[ST(WAKEUP)],
                         n + 2 * r.by_kind[ST(NEXTTIME)]);
        assert_true(r.by_kind[ST(CLAIM)] >= n);
        assert_int_equal(r.paper_bits, 2 * r.messages);
        net_memory_free(&t.memory);
    }
}

/* Without the order of links: flush and bit. */
TEST(test_variants_need_no_order)
{
    static const char *const words[][5] = {{"rules", "flush", "k", "30"},
                                           {"rules", "bit", "k", "30"}};

    for (uint32_t i = 0; i < rounds(600); i++) {
        struct trial t;

        open_trial(&t, 2 + i % 9, sorts[i % COUNT(sorts)], words[i & 1]);
        t.setup.net.any_order = true;
        t.setup.net.clock = i % 3 ? NET_CLOCK_DRIFT : NET_CLOCK_FIXED;
        assert_int_equal(run_trial(&t, i).broken, 0);
        net_memory_free(&t.memory);
    }
}

/* Hops know their own: no error, however small k. */
TEST(test_hop_count_never_errs)
{
    static const char *const words[] = {"rules", "hop", "k", "1", NULL};

    for (uint32_t i = 0; i < rounds(600); i++) {
        struct trial t;

        open_trial(&t, 2 + i % 9, sorts[i % COUNT(sorts)], words);
        assert_int_equal(run_trial(&t, i).broken, 0);
        net_memory_free(&t.memory);
    }
}

/* The repair with one of its readings taken back. */
static uint32_t broken_runs(const char *key, const char *value, const char *k,
                            uint64_t until, uint32_t *cut)
{
    const char *const words[] = {"rules",
                                 "printed",
                                 "next-timer-forwards",
                                 "no",
                                 "stale-claim",
                                 "absorbed",
                                 "full-buffer",
                                 "detect",
                                 "lost-claim",
                                 "detect",
                                 "termination",
                                 "all",
                                 "final-wait",
                                 "period",
                                 "k",
                                 k,
                                 key,
                                 value,
                                 NULL};
    uint32_t broken = 0;

    *cut = 0;
    for (uint32_t i = 0; i < 100; i++) {
        struct trial t;
        struct sim_result r;

        open_trial(&t, 5, sorts[1], words);
        t.setup.until = until;
        r = run_trial(&t, i);
        broken += r.broken != 0;
        *cut += r.cut;
        net_memory_free(&t.memory);
    }
    return broken;
}

/* What each gap does by itself; README.md. */
LONG_TEST(test_gaps_show)
{
    uint32_t cut;

    assert_int_equal(broken_runs("coins", "k", "30", 0, &cut), 0);
    assert_int_equal(cut, 0);
    /* Nobody wakes: whoever needs a second phase waits for ever. */
    assert_in_range(broken_runs("wake-sender", "nobody", "30", 0, &cut), 1, 99);
    assert_int_equal(cut, 0);
    assert_int_equal(broken_runs("wake-sender", "detector", "30", 0, &cut), 0);
    /* The next-time never dies, so there is no end. */
    broken_runs("next-timer-forwards", "yes", "30", 5000, &cut);
    assert_in_range(cut, 1, 99);
    /* While the claim is held everybody else despairs. */
    broken_runs("window", "sliding", "30", 5000, &cut);
    assert_in_range(cut, 90, 100);
    /* One stage and no coin: two candidates are never found out. */
    assert_in_range(broken_runs("coins", "k-1", "1", 0, &cut), 10, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_final_wait_has_three_readings),
        cmocka_unit_test(test_repaired_rules_are_a_reading),
        cmocka_unit_test(test_readings_need_rules_printed),
        cmocka_unit_test(test_switches_are_set_by_name),
        cmocka_unit_test(test_stale_claim_has_three_readings),
        cmocka_unit_test(test_sliding_window_starts_anew),
        cmocka_unit_test(test_next_timer_passes_one_nexttime_or_none),
        cmocka_unit_test(test_wake_sender_has_four_readings),
        cmocka_unit_test(test_one_coin_less),
        cmocka_unit_test(test_no_final_wait),
        cmocka_unit_test(test_counts_follow_from_the_phases),
        cmocka_unit_test(test_variants_need_no_order),
        cmocka_unit_test(test_hop_count_never_errs),
        cmocka_unit_test(test_gaps_show),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
