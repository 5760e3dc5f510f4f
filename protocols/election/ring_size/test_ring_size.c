/*
 * test_ring_size.c - counting a ring by the leader's clock: what the clock
 * does, step by step, and whole rings.  The node is called 5 and f(i) = 2^i,
 * so that f(5) = 32.
 */
#define TESTED ring_size
#include "protocols/election/ring_size/ring_size.h"
#include "tests/unit/kit/testing.h"

enum { ELECTION_TIMER = 0, CLOCK = 1, RESTS = 32 };

static struct ring_size_params rules(void)
{
    const struct fc_world world = {
        .nodes = 8, .least = 1, .greatest = 8, .bounds = {1, 1, 0, 0}};
    struct ring_size_params p;

    fc_params_default(&ring_size_protocol, &p);
    assert_null(ring_size_protocol.prepare(&p, &world));
    return p;
}

static struct ring_size_in ticks(void)
{
    return (struct ring_size_in){.event = {.kind = FC_TIMEOUT, .timer = CLOCK}};
}

static struct ring_size_in sleepwell(void)
{
    return reads(VITANYI_SLEEPWELL, FC_NOBODY);
}

/* A candidate whose message has just left. */
static struct ring_size sent(const struct ring_size_params *p)
{
    struct ring_size s = {0};

    step(&s, p, start());
    step(&s, p, timeout());
    assert_int_equal(s.counting, 1);
    return s;
}

/* The clock runs off so many times. */
static void let_pass(struct ring_size *s, const struct ring_size_params *p,
                     uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        struct ring_size_out out = step(s, p, ticks());

        assert_int_equal(out.fx.arm, 1u << CLOCK);
        assert_true(out.fx.steps[CLOCK] == 1);
        assert_int_equal(out.fx.sends + out.fx.notes + out.fx.disarm, 0);
    }
}

/* The leader's answer if M_l is back after a steps and sleepwell b later: in
 * each, the step that reads comes before the clock's. */
static uint32_t answer_after(uint32_t a, uint32_t b)
{
    struct ring_size_params p = rules();
    struct ring_size s = sent(&p);

    let_pass(&s, &p, a - 1);
    step(&s, &p, reads(VITANYI_M, ME));
    let_pass(&s, &p, b - 1);
    step(&s, &p, sleepwell());
    return view_of(&s).answer;
}

/* ---- The clock ----------------------------------------------------------- */

/* The election goes first; the clock stands until its own message leaves. */
TEST(test_clock_starts_when_the_message_leaves)
{
    struct ring_size_params p = rules();
    struct ring_size s = {0};
    struct ring_size_out out = step(&s, &p, start());

    check_sends(&out, VITANYI_WAKEUP, FC_NOBODY);
    assert_int_equal(out.fx.arm, 1u << ELECTION_TIMER);
    assert_int_equal(s.counting, 0);
    out = step(&s, &p, timeout());
    check_sends(&out, VITANYI_M, ME);
    assert_int_equal(out.fx.arm, 1u << CLOCK);
    assert_true(out.fx.steps[CLOCK] == 1);
    assert_int_equal(s.counting, 1);
    assert_true(s.steps == 0);
}

TEST(test_clock_counts_steps)
{
    struct ring_size_params p = rules();
    struct ring_size s = sent(&p);

    let_pass(&s, &p, 7);
    assert_true(s.steps == 7);
}

/* A clock that stands is not wound up by a timeout that comes late. */
TEST(test_stopped_clock_stays)
{
    struct ring_size_params p = rules();
    struct ring_size s = {0};

    check_ignored(s, &p, ticks(), 0);
    step(&s, &p, start());
    check_ignored(s, &p, ticks(), 0);
}

/* A loser need not count any more; the resting message has its own timer. */
TEST(test_losing_stops_the_clock)
{
    struct ring_size_params p = rules();
    struct ring_size s = sent(&p);
    struct ring_size_out out;

    let_pass(&s, &p, 3);
    out = step(&s, &p, reads(VITANYI_M, 3));
    assert_int_equal(out.fx.arm, 1u << ELECTION_TIMER);
    assert_int_equal(out.fx.disarm, 1u << CLOCK);
    assert_true(out.fx.steps[ELECTION_TIMER] == 8);
    assert_int_equal(s.counting, 0);
    out = step(&s, &p, timeout());
    check_sends(&out, VITANYI_M, 3);
    assert_int_equal(out.fx.arm, 0);
    assert_int_equal(s.counting, 0);
}

/* A larger name dies, and the clock goes on. */
TEST(test_larger_name_leaves_the_clock)
{
    struct ring_size_params p = rules();
    struct ring_size s = sent(&p);
    struct ring_size_out out = step(&s, &p, reads(VITANYI_M, 8));

    assert_int_equal(out.fx.arm | out.fx.disarm, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_DIES);
    assert_int_equal(s.counting, 1);
}

/* b: A is kept, and the clock starts again for B. */
TEST(test_own_message_back_starts_it_anew)
{
    struct ring_size_params p = rules();
    struct ring_size s = sent(&p);
    struct ring_size_out out;

    let_pass(&s, &p, 9);
    out = step(&s, &p, reads(VITANYI_M, ME));
    check_sends(&out, VITANYI_SLEEPWELL, FC_NOBODY);
    assert_int_equal(out.fx.arm, 1u << CLOCK);
    assert_true(out.fx.steps[CLOCK] == 1);
    assert_true(s.tour == 10);
    assert_true(s.steps == 0);
    check_view(&s, ELECTION_LEADER, ME);
    assert_int_equal(view_of(&s).answer, 0);
}

/* c: the answer is there, and the clock stops. */
TEST(test_sleepwell_back_gives_the_answer)
{
    struct ring_size_params p = rules();
    struct ring_size s = sent(&p);
    struct ring_size_out out;

    let_pass(&s, &p, 3 + 2 * RESTS - 1);
    step(&s, &p, reads(VITANYI_M, ME));
    let_pass(&s, &p, 3 - 1);
    out = step(&s, &p, sleepwell());
    assert_int_equal(out.fx.sends + out.fx.arm, 0);
    assert_int_equal(out.fx.disarm, 1u << CLOCK);
    assert_true(out.fx.notes & FC_NOTE_VIEW);
    assert_int_equal(s.counting, 0);
    assert_int_equal(view_of(&s).answer, 3);
}

/* Losers are told who leads, and no number. */
TEST(test_losers_have_no_answer)
{
    struct ring_size_params p = rules();
    struct ring_size s = sent(&p);

    step(&s, &p, reads(VITANYI_M, 3));
    step(&s, &p, sleepwell());
    check_view(&s, ELECTION_DONE, 3);
    assert_int_equal(view_of(&s).answer, 0);
}

/* N = 1 + (A - B) / f(l): to the nearest, in doubt the smaller. */
TEST(test_answer_is_rounded)
{
    assert_int_equal(answer_after(1, 1), 1);
    assert_int_equal(answer_after(10 + 9 * RESTS, 10), 10);
    assert_int_equal(answer_after(10 + 9 * RESTS + 1, 10), 10);
    assert_int_equal(answer_after(10 + 9 * RESTS - 15, 10), 10);
    assert_int_equal(answer_after(10 + 9 * RESTS + 16, 10), 10);
    assert_int_equal(answer_after(10 + 9 * RESTS + 17, 10), 11);
    assert_int_equal(answer_after(10, 500), 1);
}

/* A node that has taken part does not start another election. */
TEST(test_only_a_sleeper_starts)
{
    struct ring_size_params p = rules();
    struct ring_size s = sent(&p);

    check_ignored(s, &p, start(), 0);
    step(&s, &p, reads(VITANYI_M, ME));
    check_ignored(s, &p, start(), 0);
    step(&s, &p, sleepwell());
    check_ignored(s, &p, start(), 0);
}

TEST(test_boot_is_ignored)
{
    struct ring_size_params p = rules();

    check_ignored(sent(&p), &p,
                  (struct ring_size_in){.event = {.kind = FC_BOOT}}, 0);
}

TEST(test_f_of_zero_is_refused)
{
    struct lab lab;

    lab_open(&lab, "ring-size", 3);
    lab_set(&lab, "f", "minimal");
    sim_describe(&lab.setup);
    assert_non_null(
        ring_size_protocol.prepare(&lab.params, &lab.setup.net.world));
}

TEST(test_packs_like_the_election)
{
    struct fc_word m = fc_word(VITANYI_M, 77);
    uint8_t wire[FC_WIRE_MAX], other[FC_WIRE_MAX];
    size_t size = ring_size_pack(&m, wire);

    assert_int_equal(vitanyi_pack(&m, other), size);
    assert_memory_equal(wire, other, size);
}

/* ---- Rings --------------------------------------------------------------- */

/* All families but exp:auto, which is exp:2 in a synchronous ring. */
static const char *const waits[] = {"const:1", "const:2", "const:3", "pow:1",
                                    "pow:1.5", "pow:2",   "exp:1.5", "exp:2",
                                    "exp:3",   "scaled:3"};

/* The seed's ring; f(l) is at most 243 steps. */
static void open_ring(struct lab *lab, uint64_t seed)
{
    static const enum net_waking wakings[] = {NET_WAKE_ALL, NET_WAKE_FIRST,
                                              NET_WAKE_SOME, NET_WAKE_RANDOM};
    struct dice d = {seed};
    uint32_t n = 2 + throw_below(&d, 199);

    lab_open(lab, "ring-size", n);
    lab_set(lab, "f", waits[throw_below(&d, COUNT(waits))]);
    lab_set(lab, "first-wait", throw_below(&d, 2) ? "f" : "one");
    lab_set(lab, "wakeup-counts", throw_below(&d, 2) ? "yes" : "no");
    lab->setup.net.naming = NET_NAMES_RANDOM;
    lab->setup.net.first_name = 1 + throw_below(&d, 5);
    lab->setup.net.waking = wakings[throw_below(&d, COUNT(wakings))];
    lab->setup.net.wake_count = 1 + throw_below(&d, n);
}

/* Runs it; it answers N, but for one case: where f(l) = 1 and processors wake
 * by themselves while others do so already, it may be one too many. */
static void check_ring(struct lab *lab, uint64_t seed, bool together)
{
    struct sim_result r;
    uint32_t n = lab->setup.net.world.nodes;
    bool late;

    lab_prepare(lab);
    together &= lab->setup.net.waking != NET_WAKE_RANDOM;
    r = lab_run(lab, seed);
    late = r.answer == n + 1 && !together &&
           fc_wait(&lab->params.vitanyi.f, lab->setup.net.world.least) == 1;
    if (!late) {
        assert_int_equal(r.answer, n);
        assert_int_equal(r.broken, 0);
    }
    lab_close(lab);
}

LONG_TEST(test_synchronous_rings_are_counted)
{
    struct lab lab;

    for (uint32_t seed = 1; seed <= rounds(10000); seed++) {
        open_ring(&lab, seed);
        check_ring(&lab, seed, true);
    }
}

/* 2 wakes by itself just as the wakeup of 1 arrives, so that M_1 has to wait a
 * step: as much as a processor, or half of one. */
TEST(test_one_step_late)
{
    static const struct net_wake wakes[] = {{.name = 1, .tick = 0},
                                            {.name = 2, .tick = 1}};
    static const char *const f[] = {"const:1", "const:2"};

    for (uint32_t i = 0; i < COUNT(f); i++) {
        struct lab lab;

        lab_open(&lab, "ring-size", 3);
        lab_set(&lab, "f", f[i]);
        lab.setup.net.waking = NET_WAKE_LIST;
        lab.setup.net.wakes = wakes;
        lab.setup.net.wake_count = COUNT(wakes);
        lab_prepare(&lab);
        assert_int_equal(lab_run(&lab, 1).answer, i == 0 ? 4 : 3);
        lab_close(&lab);
    }
}

/* Any constant delay, any length of the step, any phases. */
LONG_TEST(test_delays_and_phases_do_not_matter)
{
    struct lab lab;

    for (uint32_t seed = 1; seed <= rounds(2000); seed++) {
        struct dice d = {seed + 7};
        uint64_t unit = throw_below(&d, 2) ? 1 + throw_below(&d, 30) : 1;
        uint64_t delay = throw_below(&d, 100);

        open_ring(&lab, seed);
        lab_bounds(&lab, unit, unit, delay, delay);
        if (throw_below(&d, 4) == 0)
            lab.setup.net.clock = NET_CLOCK_ADVERSARY; /* equal phases */
        check_ring(&lab, seed, unit == 1);
    }
}

/* A row of messages as in the election itself, and none more. */
TEST(test_costs_nothing)
{
    struct lab lab, plain;

    for (uint32_t n = 2; n < 40; n++) {
        struct sim_result counted, elected;

        lab_open(&lab, "ring-size", n);
        lab_open(&plain, "vitanyi", n);
        lab.setup.net.naming = plain.setup.net.naming = NET_NAMES_RANDOM;
        lab_prepare(&lab);
        lab_prepare(&plain);
        counted = lab_run(&lab, n);
        elected = lab_run(&plain, n);
        assert_true(counted.messages == elected.messages);
        assert_true(counted.paper_bits == elected.paper_bits);
        assert_true(counted.end == elected.end);
        lab_close(&lab);
        lab_close(&plain);
    }
}

/* Clocks 2 % apart: most rings of 100 are miscounted. */
LONG_TEST(test_unequal_clocks_spoil_it)
{
    struct lab lab;
    uint32_t wrong = 0;

    lab_open(&lab, "ring-size", 100);
    lab.setup.net.naming = NET_NAMES_RANDOM;
    lab_bounds(&lab, 100, 102, 0, 0);
    lab_prepare(&lab);
    for (uint32_t seed = 1; seed <= 100; seed++) {
        struct sim_result r = lab_run(&lab, seed);

        assert_int_equal(r.broken & ~(uint32_t)ELECTION_RIGHT_ANSWER, 0);
        wrong += (r.broken & ELECTION_RIGHT_ANSWER) != 0;
    }
    assert_true(wrong > 50);
    lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock_starts_when_the_message_leaves),
        cmocka_unit_test(test_clock_counts_steps),
        cmocka_unit_test(test_stopped_clock_stays),
        cmocka_unit_test(test_losing_stops_the_clock),
        cmocka_unit_test(test_larger_name_leaves_the_clock),
        cmocka_unit_test(test_own_message_back_starts_it_anew),
        cmocka_unit_test(test_sleepwell_back_gives_the_answer),
        cmocka_unit_test(test_losers_have_no_answer),
        cmocka_unit_test(test_answer_is_rounded),
        cmocka_unit_test(test_only_a_sleeper_starts),
        cmocka_unit_test(test_boot_is_ignored),
        cmocka_unit_test(test_f_of_zero_is_refused),
        cmocka_unit_test(test_packs_like_the_election),
        cmocka_unit_test(test_synchronous_rings_are_counted),
        cmocka_unit_test(test_one_step_late),
        cmocka_unit_test(test_delays_and_phases_do_not_matter),
        cmocka_unit_test(test_costs_nothing),
        cmocka_unit_test(test_unequal_clocks_spoil_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
