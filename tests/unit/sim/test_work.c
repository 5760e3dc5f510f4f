/*
 * test_work.c - what applications do: durations, the course of entries, and
 * how they are counted.
 */
#include "tests/unit/kit/mutexes.h"

#include <math.h>

#include "net/type.h"
#include "net/work.h"
#include "protocols/mutex/ricart_agrawala/ricart_agrawala.h"
#include "sim/tally.h"

/* ---- Durations ----------------------------------------------------------- */

TEST(test_durations_are_read)
{
    struct net_duration d;

    assert_true(net_duration_read("15", &d));
    assert_int_equal(d.spread, NET_ALWAYS);
    assert_int_equal(d.least, 15);
    assert_true(net_duration_read("uniform:3:9", &d));
    assert_int_equal(d.spread, NET_UNIFORM);
    assert_int_equal(d.least, 3);
    assert_int_equal(d.greatest, 9);
    assert_true(net_duration_read("exp:200", &d));
    assert_int_equal(d.spread, NET_EXPONENTIAL);
    assert_int_equal(d.least, 200);
}

TEST(test_odd_durations_are_refused)
{
    static const char *const odd[] = {
        "",
        "x",
        "-1",
        "1.5",
        "exp:",
        "exp:x",
        "uniform:",
        "uniform:1",
        "uniform:1:",
        "uniform:2:1",
        "uniform:a:b",
        "4294967297",
        "drift:1:2",
        "drift:1:2:0",
        "jump:1:2:3:4",
        "jump:1:2:x",
        "uniform:1:2:3",
        "exp:1:2",
        "uniform:11111111111111111111111111:2",
    };
    struct net_duration d;

    for (size_t i = 0; i < COUNT(odd); i++)
        assert_false(net_duration_read(odd[i], &d));
}

/* Each value of a uniform one as often; nothing outside; never 0 steps. */
TEST(test_durations_are_drawn_as_said)
{
    const struct net_duration uniform = {NET_UNIFORM, 3, 6, 0};
    const struct net_duration always = {NET_ALWAYS, 7, 0, 0}, none = {0};
    struct dice dice = {5};
    uint32_t seen[8] = {0};

    for (uint32_t i = 0; i < 40000; i++) {
        uint64_t steps = net_duration_draw(&uniform, throw_dice(&dice), 0);

        assert_in_range(steps, 3, 6);
        seen[steps]++;
    }
    for (uint32_t steps = 3; steps <= 6; steps++)
        assert_in_range(seen[steps], 9700, 10300);
    assert_int_equal(net_duration_draw(&always, 123, 0), 7);
    assert_int_equal(net_duration_draw(&none, 123, 0), 1);
    assert_int_equal(net_duration_longest(&uniform), 6);
    assert_int_equal(net_duration_longest(&always), 7);
}

/* Ticks there and back; the greater may come first. */
TEST(test_durations_that_change)
{
    struct net_duration d;
    static const struct {
        uint64_t now, drift, jump;
    } ticks[] = {
        {0, 10, 10},   {50, 15, 10},  {99, 20, 10},  {100, 20, 20},
        {150, 15, 20}, {199, 10, 20}, {200, 10, 10}, {1010, 11, 10},
    };

    assert_true(net_duration_read("drift:10:20:100", &d));
    for (size_t i = 0; i < COUNT(ticks); i++)
        assert_int_equal(net_duration_draw(&d, 123, ticks[i].now),
                         ticks[i].drift);
    assert_int_equal(net_duration_longest(&d), 20);
    assert_true(net_duration_read("jump:10:20:100", &d));
    for (size_t i = 0; i < COUNT(ticks); i++)
        assert_int_equal(net_duration_draw(&d, 123, ticks[i].now),
                         ticks[i].jump);
    assert_false(net_duration_is_drawn(&d));
    assert_true(net_duration_read("drift:20:0:10", &d));
    assert_int_equal(net_duration_draw(&d, 123, 5), 10);
    assert_int_equal(net_duration_draw(&d, 123, 10), 1);
    assert_int_equal(net_duration_longest(&d), 20);
}

/* Mean m; above k m with probability e^-k; never above the longest. */
TEST(test_exponential_durations)
{
    const struct net_duration d = {NET_EXPONENTIAL, 1000, 0, 0};
    enum { DRAWS = 200000 };
    struct dice dice = {11};
    uint64_t sum = 0;
    uint32_t above[4] = {0};

    for (uint32_t i = 0; i < DRAWS; i++) {
        uint64_t steps = net_duration_draw(&d, throw_dice(&dice), 0);

        assert_true(steps <= net_duration_longest(&d));
        sum += steps;
        for (uint32_t k = 1; k < 4; k++)
            above[k] += steps > 1000 * k;
    }
    assert_in_range(sum / DRAWS, 990, 1010);
    assert_in_range(above[1], 0.3679 * DRAWS * 0.98, 0.3679 * DRAWS * 1.02);
    assert_in_range(above[2], 0.1353 * DRAWS * 0.97, 0.1353 * DRAWS * 1.03);
    assert_in_range(above[3], 0.0498 * DRAWS * 0.94, 0.0498 * DRAWS * 1.06);
    assert_in_range(net_duration_longest(&d), 44000, 45000);
}

/* ---- Percentiles --------------------------------------------------------- */

/* Exact for small values, within a 32nd above; monotone in the share. */
TEST(test_percentiles)
{
    static struct sim_scale s, other;
    uint64_t last = 0;

    for (uint64_t v = 0; v < 60; v++)
        sim_scale_add(&s, v);
    assert_int_equal(sim_scale_percentile(&s, 0.5), 29);
    assert_int_equal(sim_scale_percentile(&s, 1), 59);
    assert_int_equal(sim_scale_percentile(&s, 0), 0);
    for (uint64_t v = 1; v <= 100000; v++)
        sim_scale_add(&other, v);
    for (uint32_t i = 1; i <= 100; i++) {
        uint64_t exact = 1000u * i, got;

        got = sim_scale_percentile(&other, i / 100.0);
        assert_in_range(got, exact - 1, exact + exact / 32);
        assert_true(got >= last);
        last = got;
    }
    assert_int_equal(sim_scale_percentile(&other, 1), 100000);
    sim_scale_merge(&s, &other);
    assert_int_equal(s.stat.count, 100060);
    sim_scale_add(&s, UINT64_MAX);
    assert_true(sim_scale_percentile(&s, 1) == UINT64_MAX);
}

/* The unit is the sample: a large one counts no more than a small one.  What
 * no binary fraction is stays exact enough to be compared with a formula. */
TEST(test_means_of_samples)
{
    static struct sim_means thirds, mixed, other;

    for (uint64_t i = 1; i <= 7; i++)
        sim_means_add(&thirds, i, 3 * i);
    assert_true(fabs(sim_means_mean(&thirds) - 1.0 / 3) < 1e-12);
    assert_true(sim_means_sd(&thirds) == 0);
    sim_means_add(&mixed, 1000, 1000);
    sim_means_add(&other, 3, 1);
    sim_means_merge(&mixed, &other);
    assert_true(sim_means_mean(&mixed) == 2);
    assert_true(fabs(sim_means_sd(&mixed) - sqrt(2)) < 1e-9);
}

/* The means of runs go by the entries of each run alone. */
TEST(test_a_tally_knows_where_runs_end)
{
    static struct sim_tally t;
    uint64_t run = 0;

    sim_stat_add(&t.refusals, 4);
    sim_stat_add(&t.refusals, 6);
    sim_tally_end_run(&t, run++);
    sim_tally_end_run(&t, run++); /* no entry: not a unit */
    sim_stat_add(&t.refusals, 1);
    sim_tally_end_run(&t, run++);
    assert_int_equal(t.of_runs[SIM_REFUSALS].near.count, 2);
    assert_true(sim_means_mean(&t.of_runs[SIM_REFUSALS]) == 3);
    assert_int_equal(t.of_runs[SIM_MESSAGES].near.count, 0);
    assert_int_equal(t.refusals.max_run, 0);
    assert_int_equal(t.refusals.min_run, 2);
}

/* ---- Entries ------------------------------------------------------------- */

static struct sim_tally tally;

static struct sim_result enter(struct sim_setup *s, uint64_t seed)
{
    static const struct ricart_agrawala_params none;
    struct net_memory memory = {0};
    struct sim_job job = {.seed = seed, .memory = &memory, .tally = &tally};
    struct sim_result result;

    memset(&tally, 0, sizeof tally);
    sim_use(s, sim_find("ricart-agrawala"));
    s->net.params = &none;
    s->net.first_name = 1;
    sim_describe(s);
    assert_int_equal(sim_run(s, &job, &result), SIM_OK);
    net_memory_free(&memory);
    return result;
}

TEST(test_each_site_enters_so_often)
{
    for (uint32_t burst = 0; burst < 5; burst++) {
        struct sim_setup s = {
            .net.world = {.nodes = 4},
            .work = {.entries = 7, .burst = burst, .think = {.least = 20}},
        };
        struct sim_result r = enter(&s, 1);

        assert_int_equal(r.broken, 0);
        assert_int_equal(r.entries, 28);
        assert_int_equal(tally.granting.stat.count, 28);
        assert_int_equal(tally.messages.count, 28);
        assert_int_equal(tally.messages.min, 6);
        assert_int_equal(tally.messages.max, 6);
        assert_int_equal(tally.refusals.max, 0);
    }
}

/* Whatever a protocol sends is on the bill of one entry, or counted as sent for
 * none: nothing twice, and nothing left out. */
TEST(test_every_message_is_billed_once)
{
    static struct mutex_lab lab;

    for (uint32_t i = 0; net_types[i]; i++) {
        const struct fc_protocol *p = net_types[i]->protocol;
        uint64_t messages = 0, entries = 0;

        if (p->problem != &mutex_problem)
            continue;
        mutex_open(&lab, p->name, 7);
        mutex_bounds(&lab, (struct fc_bounds){2, 3, 1, 4});
        lab.setup.net.waking = NET_WAKE_SOME;
        lab.setup.net.wake_count = 4;
        lab.setup.work.entries = 3;
        lab.setup.work.section = (struct net_duration){NET_UNIFORM, 1, 50, 0};
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct sim_result r = mutex_run(&lab, seed);

            messages += r.messages;
            entries += r.entries;
        }
        assert_true(messages > 0);
        assert_int_equal(lab.tally.messages.count, entries);
        assert_int_equal(lab.tally.messages.sum + lab.tally.unbilled, messages);
        mutex_close(&lab);
    }
}

/* A release that is read after the next request does not make the reply to that
 * request a late one: an entry costs three messages, the coordinator's none. */
TEST(test_a_late_release_changes_no_bill)
{
    static struct mutex_lab lab;

    for (uint64_t seed = 1; seed <= rounds(60); seed++) {
        mutex_open(&lab, "central", 3);
        mutex_bounds(&lab, (struct fc_bounds){1, 3, 0, 20});
        lab.setup.net.any_order = true;
        lab.setup.work.entries = 10;
        lab.setup.work.think = (struct net_duration){NET_ALWAYS, 1, 1, 0};
        (void)mutex_run(&lab, seed);
        assert_int_equal(lab.tally.messages.max, 3);
        assert_int_equal(lab.tally.messages.sum, 3 * 20);
        mutex_close(&lab);
    }
}

/* On a path 1-2-3 with the token at 1, site 3 enters once: site 2, which wants
 * nothing, is paid for a request and the token by nobody. */
TEST(test_messages_for_no_entry)
{
    static struct mutex_lab lab;
    struct sim_result r;

    mutex_open(&lab, "raymond", 3);
    r = mutex_compete(&lab, 2, 2, 1);
    assert_int_equal(r.messages, 4);
    assert_int_equal(lab.tally.messages.sum, 2);
    assert_int_equal(lab.tally.unbilled, 2);
    mutex_close(&lab);
}

/* Alone: no thought within a burst, one between bursts. */
TEST(test_bursts_think_once)
{
    uint64_t ends[3];

    for (uint32_t burst = 1; burst <= 3; burst += 2) {
        struct sim_setup s = {
            .net.world = {.nodes = 2},
            .net.waking = NET_WAKE_FIRST,
            .work = {.entries = 6,
                     .burst = burst,
                     .section = {.least = 3},
                     .think = {.least = 100}},
        };

        ends[burst - 1] = enter(&s, 1).end;
    }
    assert_int_equal(ends[0] - ends[2], (5 - 1) * 99);
}

/* Two sites, each step a tick: asked at 0, replied at 1, read at 2; inside for
 * 10 steps. */
TEST(test_times_of_an_entry)
{
    struct sim_setup s = {
        .net.world = {.nodes = 2},
        .work = {.section = {.least = 10}},
    };

    (void)enter(&s, 1);
    assert_int_equal(tally.granting.stat.min, 2);
    assert_int_equal(tally.granting.stat.max, 13);
    assert_int_equal(tally.handoff.stat.count, 1);
    assert_int_equal(tally.handoff.stat.max, 1);
    assert_int_equal(tally.overtaken.max, 1);
    assert_int_equal(tally.overtaken.min, 0);
}

/* Only those that compete ask, and a chance of shared requests is no more than
 * that to a protocol without readers. */
TEST(test_competitors)
{
    struct sim_setup s = {
        .net.world = {.nodes = 9},
        .net.waking = NET_WAKE_SOME,
        .net.wake_count = 3,
        .work = {.entries = 5, .shared = UINT64_C(1) << 31},
    };

    for (uint64_t seed = 1; seed < 20; seed++) {
        struct sim_result r = enter(&s, seed);

        assert_int_equal(r.entries, 15);
        assert_int_equal(r.messages, 15 * 16);
    }
}

/* An entry that a crash cuts short is made again, or gone on with if the site
 * comes back inside: each site enters as often as it was told to. */
TEST(test_entries_survive_crashes)
{
    for (uint64_t seed = 1; seed <= rounds(300); seed++) {
        struct dice dice = {seed};
        uint32_t at = throw_below(&dice, 60);
        const struct net_fault faults[] = {
            {NET_FAULT_CRASH, {.name = 1}, at, 0},
            {NET_FAULT_RESTART, {.name = 1}, at + 1 + seed % 9, 0}};
        struct sim_setup s = {
            .net.world = {.nodes = 2},
            .net.waking = NET_WAKE_FIRST,
            .until = 100000,
            .work = {.entries = 5,
                     .burst = 1 + (uint32_t)seed % 3,
                     .section = {NET_UNIFORM, 1, 9, 0}},
            .faults = {.list = faults, .count = COUNT(faults)},
        };
        struct sim_result r = enter(&s, seed);

        /* A request or a reply may be lost with the site: then it waits. */
        assert_true(r.entries <= 5);
        assert_true(r.entries == 5 || r.broken == MUTEX_EVERYONE_ENTERS);
    }
}

/* A run has the same result whatever ran before in the same memory. */
TEST(test_work_is_deterministic)
{
    struct sim_setup s = {
        .net.time = NET_ARCHIMEDEAN,
        .net.world = {.nodes = 5, .bounds = {2, 5, 1, 9}},
        .net.clock = NET_CLOCK_DRIFT,
        .work = {.entries = 9,
                 .section = {NET_UNIFORM, 1, 20, 0},
                 .think = {NET_EXPONENTIAL, 30, 0, 0}},
    };
    struct sim_result a = enter(&s, 3), b;

    (void)enter(&s, 4);
    b = enter(&s, 3);
    assert_memory_equal(&a, &b, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durations_are_read),
        cmocka_unit_test(test_odd_durations_are_refused),
        cmocka_unit_test(test_durations_are_drawn_as_said),
        cmocka_unit_test(test_durations_that_change),
        cmocka_unit_test(test_exponential_durations),
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_means_of_samples),
        cmocka_unit_test(test_a_tally_knows_where_runs_end),
        cmocka_unit_test(test_each_site_enters_so_often),
        cmocka_unit_test(test_every_message_is_billed_once),
        cmocka_unit_test(test_a_late_release_changes_no_bill),
        cmocka_unit_test(test_messages_for_no_entry),
        cmocka_unit_test(test_bursts_think_once),
        cmocka_unit_test(test_times_of_an_entry),
        cmocka_unit_test(test_competitors),
        cmocka_unit_test(test_entries_survive_crashes),
        cmocka_unit_test(test_work_is_deterministic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
