/*
 * test_itai_rodeh_sync.c - pebbles in a synchronous ring: the rules, exact
 * counts, exact means, and any start.
 *
 * The node of the rules is in a ring of four; a lap is four steps.
 */
#include "tests/unit/kit/checking.h"
#include "tests/unit/kit/testing.h"

#include <math.h>

#include "protocols/election/itai_rodeh_sync/itai_rodeh_sync.h"

#define STATUS(name) ITAI_RODEH_SYNC_##name

enum {
    NODES = 4,
    PEBBLE = ITAI_RODEH_SYNC_PEBBLE,
    WAKEUP = ITAI_RODEH_SYNC_WAKEUP,
};

static const struct itai_rodeh_sync_params any = {.lap = NODES},
                                           together = {
                                               .lap = NODES,
                                               .start =
                                                   ITAI_RODEH_SYNC_TOGETHER};
static const struct fc_anonymous me = {NODES};

static struct itai_rodeh_sync_out step(struct itai_rodeh_sync *s,
                                       const struct itai_rodeh_sync_params *p,
                                       struct itai_rodeh_sync_in in)
{
    struct itai_rodeh_sync_out out;

    memset(&out, 0xaa, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    itai_rodeh_sync_step(s, p, &me, &in, &out);
    assert_true(out.fx.sends <= COUNT(out.send));
    assert_null(itai_rodeh_sync_sane(s, p, &me));
    return out;
}

static struct itai_rodeh_sync_in starts(void)
{
    return (struct itai_rodeh_sync_in){
        .event = {.kind = FC_COMMAND, .command = ELECTION_START}};
}

static struct itai_rodeh_sync_in draws(uint32_t value)
{
    return (struct itai_rodeh_sync_in){
        .event = {.kind = FC_CHOICE, .value = value}};
}

static struct itai_rodeh_sync_in clock_runs_off(void)
{
    return (struct itai_rodeh_sync_in){.event = {.kind = FC_TIMEOUT}};
}

static struct itai_rodeh_sync_in reads(uint32_t kind)
{
    return (struct itai_rodeh_sync_in){.event = {.kind = FC_MESSAGE},
                                       .msg = fc_word(kind, FC_NOBODY)};
}

/* In a phase of so many active nodes, before anything has come. */
static struct itai_rodeh_sync in_phase(enum itai_rodeh_sync_status status,
                                       uint32_t active)
{
    return (struct itai_rodeh_sync){.status = (uint8_t)status,
                                    .active = active};
}

static void check_same(struct itai_rodeh_sync is, struct itai_rodeh_sync wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

static void check_sends(const struct itai_rodeh_sync_out *out, uint32_t kind)
{
    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(out->send[0].bits, fc_word(kind, FC_NOBODY).bits);
}

static void check_clock(const struct itai_rodeh_sync_out *out, uint64_t steps)
{
    assert_int_equal(out->fx.arm, 1);
    assert_true(out->fx.steps[0] == steps);
}

static void check_ignored(struct itai_rodeh_sync s,
                          struct itai_rodeh_sync_in in, uint32_t notes)
{
    static const struct fc_effects none;
    struct itai_rodeh_sync before = s;
    struct itai_rodeh_sync_out out = step(&s, &together, in);

    check_same(s, before);
    assert_int_equal(out.fx.notes, notes);
    out.fx.notes = 0;
    assert_memory_equal(&out.fx, &none, offsetof(struct fc_effects, steps));
}

/* ---- Rules --------------------------------------------------------------- */

/* IS-1: one of n. */
TEST(test_start_draws_one_of_n)
{
    struct itai_rodeh_sync s = {0};
    struct itai_rodeh_sync_out out = step(&s, &together, starts());

    check_same(s, in_phase(STATUS(ACTIVE), NODES));
    assert_int_equal(out.fx.choose, NODES);
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes,
                     FC_NOTE_VIEW | FC_NOTE_STARTED | ELECTION_PHASE);
    check_clock(&out, NODES - 1);
    check_ignored(s, starts(), 0);
}

/* IS-2: one outcome of as many as are active makes a candidate. */
TEST(test_one_draw_makes_a_candidate)
{
    struct itai_rodeh_sync s = in_phase(STATUS(ACTIVE), 3);
    struct itai_rodeh_sync_out out = step(&s, &together, draws(0));

    check_same(s, in_phase(STATUS(CANDIDATE), 3));
    check_sends(&out, PEBBLE);
    check_ignored(in_phase(STATUS(ACTIVE), 3), draws(1), 0);
    check_ignored(in_phase(STATUS(ACTIVE), 3), draws(2), 0);
}

/* IS-3: counted and passed on, whatever the status. */
TEST(test_pebbles_are_counted_and_passed_on)
{
    for (int i = STATUS(ACTIVE); i <= STATUS(PASSIVE); i++) {
        struct itai_rodeh_sync s =
            in_phase((enum itai_rodeh_sync_status)i, NODES);

        for (uint32_t k = 1; k <= 3; k++) {
            struct itai_rodeh_sync_out out = step(&s, &together, reads(PEBBLE));

            check_sends(&out, PEBBLE);
            assert_int_equal(s.pebbles, k);
        }
    }
}

/* IS-3: the one that comes after a lap is a candidate's own; of two one goes
 * on. */
TEST(test_own_pebble_ends_after_a_lap)
{
    struct itai_rodeh_sync s = in_phase(STATUS(CANDIDATE), NODES);
    struct itai_rodeh_sync_out out = step(&s, &any, clock_runs_off());

    check_clock(&out, 1);
    assert_int_equal(s.last, 1);
    out = step(&s, &any, reads(PEBBLE));
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(s.pebbles, 1);
    out = step(&s, &any, reads(PEBBLE));
    check_sends(&out, PEBBLE);
    assert_int_equal(s.pebbles, 2);
    s = in_phase(STATUS(PASSIVE), NODES);
    s.last = 1;
    out = step(&s, &any, reads(PEBBLE));
    check_sends(&out, PEBBLE);
}

/* IS-4: one pebble: its sender leads, and all know. */
TEST(test_one_pebble_decides)
{
    for (int i = STATUS(ACTIVE); i <= STATUS(PASSIVE); i++) {
        bool wins = i == STATUS(CANDIDATE);
        struct itai_rodeh_sync s =
            in_phase((enum itai_rodeh_sync_status)i, NODES);
        struct election_view view;

        s.last = 1;
        s.pebbles = 1;
        s.back = wins;
        (void)step(&s, &together, clock_runs_off());
        check_same(s, (struct itai_rodeh_sync){.status = wins ? STATUS(LEADER)
                                                              : STATUS(DONE)});
        itai_rodeh_sync_view(&s, &me, &view);
        assert_int_equal(view.role, wins ? ELECTION_LEADER : ELECTION_DONE);
        assert_int_equal(view.leader, ELECTION_SOMEBODY);
        check_ignored(s, clock_runs_off(), 0);
        check_ignored(s, reads(PEBBLE), FC_NOTE_DIES);
    }
}

/* IS-5: none: as before.  More: they alone, and as many, are active. */
TEST(test_other_numbers_begin_another_phase)
{
    static const struct {
        enum itai_rodeh_sync_status status;
        uint32_t pebbles;
        enum itai_rodeh_sync_status then;
        uint32_t active;
    } cases[] = {
        {STATUS(ACTIVE), 0, STATUS(ACTIVE), NODES},
        {STATUS(PASSIVE), 0, STATUS(PASSIVE), NODES},
        {STATUS(ACTIVE), 2, STATUS(PASSIVE), 2},
        {STATUS(CANDIDATE), 2, STATUS(ACTIVE), 2},
        {STATUS(PASSIVE), 3, STATUS(PASSIVE), 3},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct itai_rodeh_sync s = in_phase(cases[i].status, NODES);
        bool draws_again = cases[i].then == STATUS(ACTIVE);
        struct itai_rodeh_sync_out out;

        s.last = 1;
        s.pebbles = cases[i].pebbles;
        s.back = cases[i].status == STATUS(CANDIDATE);
        out = step(&s, &together, clock_runs_off());
        check_same(s, in_phase(cases[i].then, cases[i].active));
        check_clock(&out, NODES - 1);
        assert_int_equal(out.fx.choose, draws_again ? cases[i].active : 0);
    }
}

/* IS-6: a node that starts wakes the next, once; and a phase begins one step
 * after the last is over, with what came in that step. */
TEST(test_any_start)
{
    struct itai_rodeh_sync s = {0};
    struct itai_rodeh_sync_out out = step(&s, &any, reads(WAKEUP));

    check_sends(&out, WAKEUP);
    assert_int_equal(out.fx.choose, NODES);
    check_ignored(s, reads(WAKEUP), 0);
    s = in_phase(STATUS(PASSIVE), NODES);
    s.last = 1;
    out = step(&s, &any, clock_runs_off());
    check_clock(&out, 1);
    assert_int_equal(s.pause, 1);
    (void)step(&s, &any, reads(PEBBLE));
    out = step(&s, &any, clock_runs_off());
    check_clock(&out, NODES - 1);
    assert_int_equal(s.pause, 0);
    assert_int_equal(s.pebbles, 1);
}

TEST(test_other_events_are_ignored)
{
    static const struct itai_rodeh_sync asleep;
    struct itai_rodeh_sync s = in_phase(STATUS(PASSIVE), 2);

    check_ignored(asleep, reads(PEBBLE), FC_NOTE_DIES);
    check_ignored(asleep, clock_runs_off(), 0);
    check_ignored(s, draws(0), 0);
    check_ignored(s, (struct itai_rodeh_sync_in){.event = {.kind = FC_BOOT}},
                  0);
}

/* ---- All together -------------------------------------------------------- */

/* Mean phases with a active nodes: E(a) = 1 + sum of P(c of a) E(c) over c > 1
 * + P(0) E(a), where P is binomial with 1/a. */
static void mean_phases(uint32_t n, double *out)
{
    for (uint32_t a = 2; a <= n; a++) {
        double p = 1.0 / a, chance = pow(1 - p, a), again = chance, sum = 1;

        for (uint32_t c = 1; c <= a; c++) {
            chance *= (double)(a - c + 1) / c * p / (1 - p);
            if (c == a)
                again += chance;
            else if (c > 1)
                sum += chance * out[c];
        }
        out[a] = sum / (1 - again);
    }
}

struct counted {
    double messages, square, ticks;
};

/* So many runs; every phase takes n bits for each candidate, and n ticks. */
static struct counted count_runs(uint32_t n, uint32_t runs, bool starts_any)
{
    struct itai_rodeh_sync_params p = {
        .start = starts_any ? ITAI_RODEH_SYNC_ANY : ITAI_RODEH_SYNC_TOGETHER};
    struct sim_setup setup = {
        .type = sim_find("itai-rodeh-sync"),
        .net.protocol = &itai_rodeh_sync_protocol,
        .net.params = &p,
        .net.first_name = 1,
        .net.waking = starts_any ? NET_WAKE_RANDOM : NET_WAKE_ALL,
        .net.world = {.nodes = n, .bounds = {1, 1, 0, 0}},
    };
    struct net_memory memory = {0};
    struct counted all = {0};

    sim_describe(&setup);
    assert_null(itai_rodeh_sync_protocol.prepare(&p, &setup.net.world));
    for (uint32_t seed = 1; seed <= runs; seed++) {
        struct sim_job job = {.seed = seed, .memory = &memory};
        struct sim_result r;

        assert_int_equal(sim_run(&setup, &job, &r), SIM_OK);
        assert_int_equal(r.broken, 0);
        assert_int_equal(r.by_kind[PEBBLE] % n, 0);
        assert_int_equal(r.by_kind[WAKEUP], starts_any ? n : 0);
        if (!starts_any)
            assert_int_equal(r.reached_at % n, 0);
        all.messages += (double)r.by_kind[PEBBLE];
        all.square += (double)r.by_kind[PEBBLE] * (double)r.by_kind[PEBBLE];
        all.ticks += (double)r.reached_at;
    }
    net_memory_free(&memory);
    return all;
}

/* On average one pebble a phase: n E(n) bits and n E(n) ticks, within five
 * standard errors; E(n) is below e. */
TEST(test_means_are_those_of_the_recurrence)
{
    double phases[201] = {0};

    mean_phases(200, phases);
    assert_true(phases[2] == 2);
    for (uint32_t n = 2; n <= 200; n += n < 8 ? 1 : 64) {
        uint32_t runs = rounds(1500);
        struct counted all = count_runs(n, runs, false);
        double mean = all.messages / runs;
        double error = sqrt((all.square / runs - mean * mean) / runs) + 1e-9;

        assert_true(phases[n] < 2.7183);
        assert_true(fabs(mean - n * phases[n]) < 5 * error);
        assert_true(fabs(all.ticks / runs - n * phases[n]) < 5 * error);
    }
}

TEST(test_any_nodes_may_start)
{
    for (uint32_t n = 2; n <= 40; n = n < 8 ? n + 1 : 2 * n)
        (void)count_runs(n, rounds(400), true);
}

/* Every wake-up, every coin, every order within a tick; the counts are
 * pinned. */
TEST(test_all_runs)
{
    static const struct fc_bounds unit = {1, 1, 0, 0};
    static const struct {
        const char *set;
        uint32_t n;
        bool any_wake;
        uint64_t states;
    } pinned[] = {
        {"start=together", 2, false, 67},   {"start=together", 3, false, 757},
        {"start=together", 4, false, 6417}, {"start=any", 2, true, 467},
        {"start=any", 3, true, 16837},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct check_result r;
        struct search s;

        if (too_large(pinned[i].states))
            continue;
        search_open(&s, "itai-rodeh-sync", pinned[i].n, NET_SYNC, unit,
                    pinned[i].set);
        s.check.waking =
            pinned[i].any_wake ? CHECK_WAKE_ANY : CHECK_WAKE_LISTED;
        r = search_run(&s);
        print_message("%s %u\n", pinned[i].set, pinned[i].n);
        assert_int_equal(r.verdict, CHECK_HOLDS);
        assert_int_equal(r.states, pinned[i].states);
        search_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_draws_one_of_n),
        cmocka_unit_test(test_one_draw_makes_a_candidate),
        cmocka_unit_test(test_pebbles_are_counted_and_passed_on),
        cmocka_unit_test(test_own_pebble_ends_after_a_lap),
        cmocka_unit_test(test_one_pebble_decides),
        cmocka_unit_test(test_other_numbers_begin_another_phase),
        cmocka_unit_test(test_any_start),
        cmocka_unit_test(test_other_events_are_ignored),
        cmocka_unit_test(test_means_are_those_of_the_recurrence),
        cmocka_unit_test(test_any_nodes_may_start),
        cmocka_unit_test(test_all_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
