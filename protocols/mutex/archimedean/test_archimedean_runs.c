/*
 * test_archimedean_runs.c - runs of the Archimedean mutual exclusion: exact
 * costs, safety of the repaired rules, and every gap of the print.
 */
#include "tests/unit/kit/mutex_trial.h"

/* A few sites that quarrel: steps of 1 to 3 ticks, delays up to 5. */
#define QUARREL                                                                \
    .entries = 20, .section = "5", .think = "10", .bounds = {1, 3, 0, 5},      \
    .time = NET_ARCHIMEDEAN

/* n-1 requests, and for each refusal its withdrawal. */
static void check_counts(const struct verdict *v, uint32_t n)
{
    const struct sim_tally *t = &v->tally;

    assert_true(v->by_kind[ARCHIMEDEAN_REQ] == v->entries * (n - 1));
    assert_true(v->by_kind[ARCHIMEDEAN_NEG] == v->by_kind[ARCHIMEDEAN_POS]);
    assert_true(t->refusals.sum == v->by_kind[ARCHIMEDEAN_NEG]);
    assert_true(t->messages.count == v->entries);
    assert_true(t->messages.sum == v->entries * (n - 1) + 2 * t->refusals.sum);
    assert_int_equal(t->messages.min, n - 1 + 2 * t->refusals.min);
    assert_int_equal(t->messages.max, n - 1 + 2 * t->refusals.max);
}

/* Every n from 2 to 200, alone and in a crowd. */
TEST(test_an_entry_costs_a_request_each_and_two_for_a_refusal)
{
    /* The print only if nobody gets in too early. */
    static const char *const rules[][4] = {
        {"repaired", "auto", "auto"},
        {"proven", "auto", "auto"},
        {"printed", "atomic", "5000"},
    };

    for (uint32_t n = 2; n <= (is_sanitized() ? 24 : 200);
         n += n < 40 ? 1 : 20) {
        for (uint32_t i = 0; i < COUNT(rules); i++) {
            struct trial t = {.nodes = n,
                              .entries = 2,
                              .seeds = 1,
                              .section = "uniform:1:9",
                              .think = "exp:30",
                              .bounds = {2, 3, 1, 20},
                              .time = NET_ARCHIMEDEAN,
                              .set = {"rules", rules[i][0], "number",
                                      rules[i][1], "window", rules[i][2],
                                      "poll", "none"}};

            check_counts(judge(&t), n);
            t.competitors = 1;
            check_counts(judge(&t), n);
            assert_int_equal(judge(&t)->tally.messages.max, n - 1);
        }
    }
}

/* Within the bounds, whatever they are, the clocks, the order of messages and
 * the load: nobody beside another, nobody left out, tokens that grow. */
static void try_everything(const char *rules, uint32_t seeds)
{
    static const struct fc_bounds bounds[] = {
        {1, 1, 0, 0},  {1, 3, 0, 0},  {1, 3, 0, 5},    {2, 2, 7, 7},
        {2, 9, 0, 20}, {1, 20, 1, 5}, {10, 20, 7, 200}};
    static const char *const loads[] = {"1", "uniform:1:20", "exp:40"};

    for (uint32_t i = 0; i < rounds(seeds); i++) {
        struct trial t = {
            .nodes = 2 + i % 7,
            .entries = 20,
            .seeds = 2,
            .section = loads[i % 3],
            .think = loads[i / 3 % 3],
            .bounds = bounds[i % COUNT(bounds)],
            .time = NET_ARCHIMEDEAN,
            .clock = (enum net_clock)(i / 2 % 3),
            .any_order = i / 5 % 2,
            .set = {"rules", rules, "mindelay", i % 4 ? "auto" : "0", "predict",
                    i % 3 ? "last" : "0"},
        };

        (void)check_safe(&t);
    }
}

TEST(test_repaired_never_lets_two_in)
{
    try_everything("repaired", 700);
}

TEST(test_proven_never_lets_two_in)
{
    try_everything("proven", 350);
}

/* Without any bounds; and where messages are lost, doubled and late. */
TEST(test_proven_needs_no_bounds)
{
    struct trial t = {.nodes = 4,
                      .entries = 10,
                      .seeds = rounds(60),
                      .time = NET_ASYNC,
                      .any_order = true,
                      .set = {"rules", "proven"}};
    struct trial bad = {.nodes = 4,
                        QUARREL,
                        .seeds = rounds(150),
                        .any_order = true,
                        .set = {"rules", "proven", "repeat", "40"}};

    (void)check_safe(&t);
    bad.faults.loss = bad.faults.duplicate = bad.faults.late = UINT64_C(1)
                                                               << 29;
    bad.faults.late_ticks = 300;
    (void)check_safe(&bad);
}

/* Frames for ever: n(n-1)/tau a step, whatever is asked. */
TEST(test_frames_for_ever_cost_what_they_should)
{
    struct trial t = {
        .nodes = 5,
        .entries = 1,
        .seeds = 1,
        .time = NET_SYNC,
        .until = 10000,
        .set = {"rules", "proven", "frames", "always", "tau", "20"}};
    struct verdict *v = judge(&t);

    assert_int_equal(v->failed, 0);
    assert_int_equal(v->entries, 5);
    assert_in_range(v->by_kind[ARCHIMEDEAN_FRAME], 20 * 499, 20 * 500);
}

/* ---- Crashes ------------------------------------------------------------- */

/* Crashes within the run: each site but one may be down at any time, for long
 * or hardly at all, and is back with or without its memory. */
static uint32_t draw_crashes(struct net_fault out[], struct dice *d, uint32_t n,
                             bool blank)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i + 1 < n; i++) {
        uint64_t at = 0;

        for (uint32_t k = 0; k < 3; k++) {
            at += 1 + throw_below(d, 900);
            out[count++] = (struct net_fault){
                .kind = NET_FAULT_CRASH, .name = i + 1, .tick = at};
            at += 1 + throw_below(d, throw_below(d, 2) ? 700 : 4);
            out[count++] = (struct net_fault){
                .kind = blank ? NET_FAULT_RESTART_BLANK : NET_FAULT_RESTART,
                .name = i + 1,
                .tick = at};
        }
    }
    return count;
}

static void crash(struct trial t, uint32_t times)
{
    struct dice d = {3};
    uint64_t crashes = 0;

    t.seeds = 1;
    for (uint32_t i = 0; i < rounds(times); i++) {
        struct net_fault list[64];

        t.nodes = 2 + i % 4;
        t.clock = (enum net_clock)(i / 2 % 3);
        t.any_order = i / 3 % 2;
        t.faults.list = list;
        t.faults.count = draw_crashes(list, &d, t.nodes, i % 3);
        crashes += check_safe(&t)->crashes;
    }
    assert_true(crashes > rounds(times) / 2);
}

TEST(test_repaired_survives_crashes)
{
    crash((struct trial){QUARREL}, 1500);
}

TEST(test_proven_survives_crashes)
{
    crash((struct trial){QUARREL, .set = {"rules", "proven"}}, 1500);
}

/* Hellos and requests that are repeated come when they are long out of date. */
TEST(test_proven_survives_crashes_and_bad_links)
{
    struct trial t = {QUARREL, .set = {"rules", "proven", "repeat", "9", "tau",
                                       "3", "mindelay", "0"}};

    t.faults.loss = UINT64_C(1) << 28;
    t.faults.duplicate = t.faults.late = UINT64_C(1) << 30;
    t.faults.late_ticks = 400;
    crash(t, 1200);
}

/* As the command line draws them. */
TEST(test_random_crashes_do_no_harm)
{
    for (uint32_t i = 0; i < 8; i++) {
        struct trial t = {.nodes = 4,
                          QUARREL,
                          .seeds = rounds(100),
                          .any_order = i & 4,
                          .set = {"rules", i & 1 ? "repaired" : "proven"}};

        t.faults.crashes = 2;
        t.faults.blank = i & 2;
        (void)check_safe(&t);
    }
}

/* ---- Where the print fails ----------------------------------------------- */

/* The print, and each of its gaps in rules that are repaired otherwise. */
TEST(test_print_lets_two_in)
{
    for (uint32_t n = 2; n <= 4; n++) {
        struct trial t = {.nodes = n, QUARREL, .seeds = rounds(600)};

        assert_int_equal(overlapping(t), 0);
        t.set[0] = "rules";
        t.set[1] = "printed";
        assert_true(overlapping(t) > 0);
        assert_int_equal(judge(&t)->first, 1); /* the seed of the page */
        t.set[0] = "number";
        t.set[1] = "early";
        assert_true(overlapping(t) > 0);
        t.set[1] = "apart";
        assert_true(overlapping(t) > 0);
    }
}

/* A number that is not noted comes twice; that is no token. */
TEST(test_number_must_be_noted_for_tokens)
{
    struct trial t = {
        .nodes = 3, QUARREL, .seeds = rounds(300), .set = {"noted", "no"}};
    struct verdict *v = judge(&t);

    assert_int_equal(v->broken[0], 0);
    assert_true(v->broken[1] > 0);
}

/* A refusal is queued behind other messages, which the paper's c of one step
 * does not count.  If it comes too late, it still ends the section. */
LONG_TEST(test_paper_window_is_too_short)
{
    struct trial t = {
        .nodes = 2,
        .entries = 20,
        .section = "20",
        .think = "uniform:1:6",
        .bounds = {1, 3, 0, 5},
        .time = NET_ARCHIMEDEAN,
        .clock = NET_CLOCK_ADVERSARY,
        .any_order = true,
        .seeds = 1000,
        .set = {"mindelay", "0", "delaystep", "1", "window", "paper"}};

    assert_true(judge(&t)->tally.abandoned > 0);
    t.set[6] = "rules";
    t.set[7] = "printed";
    t.set[8] = "number";
    t.set[9] = "atomic";
    assert_true(overlapping(t) > 0);
    t.set[5] = "34";
    assert_int_equal(overlapping(t), 0);
}

/* What simulation says of the least window of n sites: none shorter than these
 * will do, and W is longer. */
LONG_TEST(test_windows_below_the_least)
{
    static const struct {
        uint32_t nodes;
        const char *too_short, *enough;
    } least[] = {{2, "15", "16"}, {3, "18", "34"}, {5, "22", "64"}};

    for (uint32_t i = 0; i < COUNT(least); i++) {
        struct trial t = {.nodes = least[i].nodes,
                          .entries = 20,
                          .section = "uniform:1:4",
                          .think = "uniform:1:6",
                          .bounds = {1, 3, 0, 5},
                          .time = NET_ARCHIMEDEAN,
                          .clock = NET_CLOCK_ADVERSARY,
                          .seeds = 2000,
                          .set = {"mindelay", "0", "delaystep", "1", "window",
                                  least[i].too_short}};

        assert_true(judge(&t)->tally.abandoned > 0);
        t.set[5] = least[i].enough;
        t.seeds = 200;
        assert_int_equal(check_safe(&t)->tally.abandoned, 0);
    }
}

/* Modulo 2n-1 the numbers are too far apart, unless who chooses one notes it;
 * with restarts they always are. */
LONG_TEST(test_numbers_modulo_m)
{
    static const char *const twice_less_one[] = {"", "", "3", "5"};

    for (uint32_t n = 2; n <= 3; n++) {
        struct trial t = {.nodes = n,
                          QUARREL,
                          .seeds = 1000,
                          .set = {"rules", "printed", "number", "atomic",
                                  "window", "200", "modulus",
                                  twice_less_one[n]}};

        assert_true(overlapping(t) > 0);
        t.set[8] = "noted";
        t.set[9] = "yes";
        assert_int_equal(overlapping(t), 0);
        t.faults.crashes = 2;
        t.set[0] = "rules";
        t.set[1] = "repaired";
        assert_true(overlapping(t) > 0);
    }
}

/* "Another timeout": (1) 1 is inside, 2 and 3 wait for it; (2) 1 crashes; (3)
 * both give up on whoever refused them. */
TEST(test_giving_up_on_refusers_lets_two_in_however_late)
{
    static const char *const lengths[] = {"100", "1000", "100000"};
    static const struct net_fault dies[] = {
        {.kind = NET_FAULT_CRASH, .name = 1, .tick = 100}};

    for (uint32_t i = 0; i < COUNT(lengths); i++) {
        struct trial t = {.nodes = 3,
                          .entries = 1,
                          .section = "100",
                          .seeds = 100,
                          .bounds = {1, 1, 0, 5},
                          .time = NET_ARCHIMEDEAN,
                          .set = {"poll", "none", "giveup", lengths[i]}};

        t.faults.list = dies;
        t.faults.count = 1;
        assert_true(overlapping(t) > 0);
        t.set[2] = NULL;
        t.set[1] = "auto";
        assert_int_equal(judge(&t)->failed, 0); /* asking again is safe */
    }
}

LONG_TEST(test_restart_that_goes_on_lets_two_in)
{
    for (uint32_t blank = 0; blank < 2; blank++) {
        struct trial t = {.nodes = 3, QUARREL, .seeds = 2000};

        t.faults.crashes = 2;
        t.faults.blank = blank;
        t.set[0] = "restart";
        t.set[1] = "goes-on";
        assert_true(overlapping(t) > 0);
    }
}

/* One is down while the other enters, and that one is down when the first is
 * back: who comes back informed, and keeps a floor, never uses a number
 * again. */
LONG_TEST(test_tokens_grow_over_crashes_of_all)
{
    struct trial t = {.nodes = 2, QUARREL, .seeds = 1000};

    t.faults.crashes = 3;
    t.faults.blank = true;
    t.set[0] = "block";
    t.set[1] = "10";
    assert_true(judge(&t)->failed > 0);
    t.set[2] = "restart";
    t.set[3] = "informed";
    assert_int_equal(judge(&t)->failed, 0);
    t.set[1] = "none"; /* what nobody remembers nobody can tell */
    assert_true(judge(&t)->failed > 0);
    t.faults.blank = false;
    assert_int_equal(judge(&t)->failed, 0);
}

/* Two sites that enter once, with steps of one tick: nothing is queued, and
 * 2 dmax is just enough.  One message one tick later than dmax lets two in, and
 * the alarm comes too late. */
TEST(test_one_tick_too_late_lets_two_in)
{
    struct trial t = {.nodes = 2,
                      .entries = 1,
                      .section = "20",
                      .bounds = {1, 1, 0, 5},
                      .time = NET_ARCHIMEDEAN,
                      .clock = NET_CLOCK_ADVERSARY,
                      .seeds = 2000,
                      .set = {"window", "10", "mindelay", "0"}};

    assert_int_equal(check_safe(&t)->tally.abandoned, 0);
    t.set[1] = "9";
    assert_true(overlapping(t) > 0);
    t.set[1] = "10";
    t.faults.late = UINT64_C(1) << 28;
    t.faults.late_ticks = 1;
    assert_true(overlapping(t) > 0);
    assert_true(judge(&t)->tally.abandoned > 0);
}

/* A section that is cut off is entered again, for ever; others are not kept
 * out by it. */
TEST(test_sections_that_are_too_long_are_abandoned)
{
    struct trial t = {.nodes = 3,
                      QUARREL,
                      .seeds = 20,
                      .until = 20000,
                      .set = {"longest", "4"}};
    struct verdict *v = judge(&t);

    assert_int_equal(v->broken[0], 0);
    assert_int_equal(v->entries, 0);
    assert_true(v->tally.abandoned > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_an_entry_costs_a_request_each_and_two_for_a_refusal),
        cmocka_unit_test(test_repaired_never_lets_two_in),
        cmocka_unit_test(test_proven_never_lets_two_in),
        cmocka_unit_test(test_proven_needs_no_bounds),
        cmocka_unit_test(test_frames_for_ever_cost_what_they_should),
        cmocka_unit_test(test_repaired_survives_crashes),
        cmocka_unit_test(test_proven_survives_crashes),
        cmocka_unit_test(test_proven_survives_crashes_and_bad_links),
        cmocka_unit_test(test_random_crashes_do_no_harm),
        cmocka_unit_test(test_print_lets_two_in),
        cmocka_unit_test(test_number_must_be_noted_for_tokens),
        cmocka_unit_test(test_paper_window_is_too_short),
        cmocka_unit_test(test_windows_below_the_least),
        cmocka_unit_test(test_numbers_modulo_m),
        cmocka_unit_test(test_giving_up_on_refusers_lets_two_in_however_late),
        cmocka_unit_test(test_restart_that_goes_on_lets_two_in),
        cmocka_unit_test(test_tokens_grow_over_crashes_of_all),
        cmocka_unit_test(test_one_tick_too_late_lets_two_in),
        cmocka_unit_test(test_sections_that_are_too_long_are_abandoned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
