/*
 * test_vitanyi.c - the rules of Vitanyi's election, one by one.
 *
 * VI-R1 to VI-R9 and VI-P1 to VI-P3 are those of README.md.
 * The node under test is called 5, and f(i) = 2^i unless a test says
 * otherwise.
 */
#define TESTED vitanyi
#include "tests/unit/kit/testing.h"

/* ---- A node, its rules, what happens to it ------------------------------- */

/* As printed, with the given f. */
static struct vitanyi_params rules_with(const char *f)
{
    const struct fc_world world = {
        .nodes = 8,
        .initiators = 8,
        .least = 1,
        .greatest = 8,
        .bounds = {1, 1, 0, 0},
        .bounded = true,
    };
    struct vitanyi_params p;
    const char *file;
    struct fc_wait *wait;

    fc_params_default(&vitanyi_protocol, &p);
    assert_int_equal(fc_params_set(&vitanyi_protocol, &p, "f", f, &file, &wait),
                     FC_SET_DONE);
    assert_null(vitanyi_protocol.prepare(&p, &world));
    return p;
}

static struct vitanyi_params printed(void)
{
    return rules_with("exp:2");
}

static struct vitanyi node(enum vitanyi_mode mode, fc_name k, bool timing)
{
    return (struct vitanyi){
        .k = k, .mode = (uint8_t)mode, .mine = k == ME, .timing = timing};
}

static struct vitanyi awake(fc_name k)
{
    return node(VITANYI_AWAKE, k, true);
}

static struct vitanyi closing(void)
{
    return node(VITANYI_CLOSING, ME, false);
}

static struct vitanyi done(fc_name k)
{
    return node(VITANYI_DONE, k, false);
}

static struct vitanyi_in wakeup(void)
{
    return reads(VITANYI_WAKEUP, FC_NOBODY);
}

static struct vitanyi_in sleepwell(void)
{
    return reads(VITANYI_SLEEPWELL, FC_NOBODY);
}

static struct vitanyi_in m(fc_name name)
{
    return reads(VITANYI_M, name);
}

/* ---- What is expected ---------------------------------------------------- */

static void check_state(struct vitanyi is, struct vitanyi wanted)
{
    assert_int_equal(is.k, wanted.k);
    assert_int_equal(is.mode, wanted.mode);
    assert_int_equal(is.mine, wanted.mine);
    assert_int_equal(is.timing, wanted.timing);
    assert_int_equal(is.held, wanted.held);
}

static void check_arms(const struct vitanyi_out *out, uint64_t steps)
{
    assert_int_equal(out->fx.arm, 1);
    assert_true(out->fx.steps[0] == steps);
}

static void check_notes(const struct vitanyi_out *out, uint32_t notes)
{
    assert_int_equal(out->fx.notes, notes);
}

/* ---- VI-R1 --------------------------------------------------------------- */

/* Others' messages rest; its own has yet to begin. */
TEST(test_view_shows_what_rests)
{
    struct vitanyi own = awake(ME), other = awake(2), sent = awake(2);

    sent.timing = 0;
    check_view(&own, ELECTION_CANDIDATE, FC_NOBODY);
    check_view(&other, ELECTION_LOST, FC_NOBODY);
    assert_int_equal(view_of(&own).rests, 0);
    assert_int_equal(view_of(&other).rests, 1);
    assert_int_equal(view_of(&sent).rests, 0);
}

/* k := i, timer := 1, send wakeup. */
TEST(test_r1_starting_node_wakes_the_next)
{
    struct vitanyi_params p = printed();
    struct vitanyi s = {0};
    struct vitanyi_out out = step(&s, &p, start());

    check_state(s, awake(ME));
    check_sends(&out, VITANYI_WAKEUP, FC_NOBODY);
    check_arms(&out, 1);
    check_notes(&out, FC_NOTE_VIEW | FC_NOTE_STARTED);
}

/* The same on reading a wakeup, but nobody asked it to. */
TEST(test_r1_wakeup_wakes_a_sleeper)
{
    struct vitanyi_params p = printed();
    struct vitanyi s = {0};
    struct vitanyi_out out = step(&s, &p, wakeup());

    check_state(s, awake(ME));
    check_sends(&out, VITANYI_WAKEUP, FC_NOBODY);
    check_arms(&out, 1);
    check_notes(&out, FC_NOTE_VIEW);
}

/* A node that was told is asleep again, and may begin anew. */
TEST(test_r1_done_node_wakes_again)
{
    struct vitanyi_params p = printed();
    struct vitanyi_in ways[] = {start(), wakeup()};

    for (size_t i = 0; i < COUNT(ways); i++) {
        struct vitanyi s = done(2);
        struct vitanyi_out out = step(&s, &p, ways[i]);

        check_state(s, awake(ME));
        check_sends(&out, VITANYI_WAKEUP, FC_NOBODY);
        check_arms(&out, 1);
        assert_true(out.fx.notes & FC_NOTE_VIEW);
    }
}

/* Whoever is awake already is not woken. */
TEST(test_r1_start_while_awake_is_ignored)
{
    struct vitanyi_params p = printed();

    check_ignored(awake(ME), &p, start(), 0);
    check_ignored(node(VITANYI_AWAKE, 2, false), &p, start(), 0);
}

/* ---- VI-R2, VI-R9 -------------------------------------------------------- */

/* The timer became 0: send M_k, once. */
TEST(test_r2_timeout_sends_m_k)
{
    static const fc_name ks[] = {ME, 2};
    struct vitanyi_params p = printed();

    for (size_t i = 0; i < COUNT(ks); i++) {
        struct vitanyi s = awake(ks[i]);
        struct vitanyi_out out = step(&s, &p, timeout());

        check_state(s, node(VITANYI_AWAKE, ks[i], false));
        check_sends(&out, VITANYI_M, ks[i]);
        assert_int_equal(out.fx.arm, 0);
    }
}

/* 0 means off: later wakeups and messages start no timer that was not set. */
TEST(test_r9_timer_fires_once)
{
    struct vitanyi_params p = printed();
    struct vitanyi s = awake(3);

    (void)step(&s, &p, timeout());
    check_ignored(s, &p, wakeup(), 0);
    check_ignored(s, &p, m(4), FC_NOTE_DIES);
}

/* ---- VI-R3, VI-R4, VI-R4' ------------------------------------------------ */

/* j > k dies, and the timer goes on counting. */
TEST(test_r3_larger_name_dies)
{
    struct vitanyi_params p = printed();

    check_ignored(awake(ME), &p, m(6), FC_NOTE_DIES);
    check_ignored(awake(2), &p, m(3), FC_NOTE_DIES);
    check_ignored(awake(2), &p, m(ME), FC_NOTE_DIES);
}

/* Only those awake listen: a message read by others dies. */
TEST(test_r3_m_dies_where_nobody_is_awake)
{
    struct vitanyi_params p = printed();

    check_ignored(node(VITANYI_ASLEEP, 0, false), &p, m(2), FC_NOTE_DIES);
    check_ignored(closing(), &p, m(2), FC_NOTE_DIES);
    check_ignored(done(2), &p, m(1), FC_NOTE_DIES);
}

/* k := j, timer := f(j), whether the timer was running or off. */
TEST(test_r4_smaller_name_takes_over_and_rests)
{
    struct vitanyi_params p = printed();

    for (int timing = 0; timing < 2; timing++)
        for (fc_name j = 1; j < ME; j++) {
            struct vitanyi s = node(VITANYI_AWAKE, ME, timing);
            struct vitanyi_out out;

            s.held = (uint8_t)timing; /* it belongs to the old message */
            out = step(&s, &p, m(j));
            check_state(s, awake(j));
            assert_int_equal(out.fx.sends, 0);
            check_arms(&out, UINT64_C(1) << j);
            check_notes(&out, FC_NOTE_VIEW);
        }
}

/* A smaller name yet takes over from another's. */
TEST(test_r4_smaller_name_replaces_one_that_rests)
{
    struct vitanyi_params p = rules_with("const:7");
    struct vitanyi s = awake(4);
    struct vitanyi_out out = step(&s, &p, m(3));

    check_state(s, awake(3));
    check_arms(&out, 7);
}

/* f = 0: the message does not rest at all. */
TEST(test_r4p_minimal_time_sends_at_once)
{
    struct vitanyi_params p = rules_with("minimal");
    struct vitanyi s = awake(ME);
    struct vitanyi_out out = step(&s, &p, m(2));

    check_state(s, node(VITANYI_AWAKE, 2, false));
    check_sends(&out, VITANYI_M, 2);
    assert_int_equal(out.fx.arm, 0);
    assert_int_equal(out.fx.disarm, 1);
    check_notes(&out, FC_NOTE_VIEW);
}

/* To the letter of VI-R9 a timer that is set to 0 is off: the message stays. */
TEST(test_r9_a_wait_of_0_never_runs_off)
{
    struct vitanyi_params p = rules_with("minimal");
    struct vitanyi s = awake(ME);
    struct vitanyi_out out;

    p.zero_wait = VITANYI_ZERO_NEVER;
    out = step(&s, &p, m(2));
    check_state(s, awake(2));
    assert_int_equal(out.fx.sends, 0);
    check_arms(&out, FC_NEVER);
}

/* f(i,i) is no rest at all: the first wait is 1 in every variant. */
TEST(test_minimal_time_first_wait_is_one)
{
    struct vitanyi_params p = rules_with("minimal");

    for (int first = 0; first < 2; first++) {
        struct vitanyi s = {0};
        struct vitanyi_out out;

        p.first_wait = (uint8_t)first;
        out = step(&s, &p, start());
        check_arms(&out, 1);
    }
}

/* ---- VI-R5, VI-R6, VI-R7 ------------------------------------------------- */

/* Its own message is back: it leads, and tells. */
TEST(test_r5_own_name_back_wins)
{
    struct vitanyi_params p = printed();

    for (int timing = 0; timing < 2; timing++) {
        struct vitanyi s = node(VITANYI_AWAKE, ME, timing);
        struct vitanyi_out out = step(&s, &p, m(ME));

        check_state(s, closing());
        check_sends(&out, VITANYI_SLEEPWELL, FC_NOBODY);
        assert_int_equal(out.fx.arm, 0);
        assert_int_equal(out.fx.disarm, 1);
        check_notes(&out, FC_NOTE_VIEW);
        check_view(&s, ELECTION_LEADER, ME);
    }
}

/* elected := k, pass it on, forget the timer. */
TEST(test_r6_sleepwell_tells_and_goes_on)
{
    struct vitanyi_params p = printed();

    for (int timing = 0; timing < 2; timing++) {
        struct vitanyi s = node(VITANYI_AWAKE, 2, timing);
        struct vitanyi_out out = step(&s, &p, sleepwell());

        check_state(s, done(2));
        check_sends(&out, VITANYI_SLEEPWELL, FC_NOBODY);
        assert_int_equal(out.fx.arm, 0);
        assert_int_equal(out.fx.disarm, 1);
        check_notes(&out, FC_NOTE_VIEW);
        check_view(&s, ELECTION_DONE, 2);
    }
}

/* The winner's sleepwell is back: over, and still the leader. */
TEST(test_r7_sleepwell_ends_with_the_winner)
{
    struct vitanyi_params p = printed();
    struct vitanyi s = closing();
    struct vitanyi_out out = step(&s, &p, sleepwell());

    check_state(s, done(ME));
    assert_int_equal(out.fx.sends, 0);
    check_view(&s, ELECTION_LEADER, ME);
}

/* Nobody else has anything to end. */
TEST(test_sleepwell_elsewhere_is_ignored)
{
    struct vitanyi_params p = printed();

    check_ignored(node(VITANYI_ASLEEP, 0, false), &p, sleepwell(), 0);
    check_ignored(done(2), &p, sleepwell(), 0);
}

/* ---- VI-R8, VI-R8' ------------------------------------------------------- */

/* The units in which wakeups were read are waited for after all others. */
TEST(test_r8_wakeup_unit_does_not_count)
{
    struct vitanyi_params p = printed();

    for (uint8_t wakeups = 1; wakeups <= 3; wakeups++) {
        struct vitanyi s = awake(ME);
        struct vitanyi_out out;

        for (uint8_t i = 0; i < wakeups; i++) {
            out = step(&s, &p, wakeup());
            assert_int_equal(out.fx.sends + out.fx.arm + out.fx.disarm, 0);
            assert_int_equal(s.held, i + 1);
        }
        out = step(&s, &p, timeout());
        assert_int_equal(out.fx.sends, 0);
        check_arms(&out, wakeups);
        check_state(s, awake(ME));
        out = step(&s, &p, timeout());
        check_sends(&out, VITANYI_M, ME);
    }
}

/* The switch: a wakeup is as if nothing had been there to read. */
TEST(test_r8p_wakeup_unit_counts)
{
    struct vitanyi_params p = printed();
    struct vitanyi s = awake(ME);
    struct vitanyi_out out;

    p.wakeup_counts = 1;
    check_ignored(s, &p, wakeup(), 0);
    (void)step(&s, &p, wakeup());
    out = step(&s, &p, timeout());
    check_sends(&out, VITANYI_M, ME);
}

/* ---- VI-P1, VI-P2, VI-P3 ------------------------------------------------- */

/* Its own message waits f(i) as it does elsewhere, however the node was
 * woken. */
TEST(test_p1_first_wait_is_f)
{
    static const struct {
        const char *f;
        uint64_t wait;
    } cases[] = {
        {"exp:2", 32}, {"const:9", 9},
        {"pow:2", 25}, {"scaled:3", 96},
        {"exp:1", 1},  {"scaled:999999999999999999", FC_NEVER},
    };
    struct vitanyi_in ways[] = {start(), wakeup()};

    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t w = 0; w < COUNT(ways); w++) {
            struct vitanyi_params p = printed();
            struct vitanyi s = {0};
            struct vitanyi_out out;

            assert_non_null(fc_wait_parse(&p.f, cases[i].f));
            assert_null(
                fc_wait_prepare(&p.f, &(struct fc_world){.bounded = true}));
            p.first_wait = VITANYI_FIRST_F;
            out = step(&s, &p, ways[w]);
            check_arms(&out, cases[i].wait);
        }
}

/* As printed the winner is asleep and may wake; guarded it may not. */
TEST(test_p2_guard_keeps_the_winner_from_waking)
{
    struct vitanyi_params p = printed();
    struct vitanyi s = closing();
    struct vitanyi_out out;

    p.winner_guard = 1;
    check_ignored(s, &p, start(), 0);
    p.winner_guard = 0;
    out = step(&s, &p, start());
    check_state(s, awake(ME));
    check_sends(&out, VITANYI_WAKEUP, FC_NOBODY);
}

/* An M that overtook the wakeup wakes, and is then processed: VI-R4. */
TEST(test_p3_m_wakes_and_takes_over)
{
    struct vitanyi_params p = printed();
    struct vitanyi s = {0};
    struct vitanyi_out out;

    p.any_order = 1;
    out = step(&s, &p, m(3));
    check_state(s, awake(3));
    check_sends(&out, VITANYI_WAKEUP, FC_NOBODY);
    check_arms(&out, 8);
    check_notes(&out, FC_NOTE_VIEW);
}

/* The same in the minimal-time variant: both leave in this step, in order. */
TEST(test_p3_m_wakes_and_goes_on_at_once)
{
    struct vitanyi_params p = rules_with("minimal");
    struct vitanyi s = {0};
    struct vitanyi_out out;

    p.any_order = 1;
    out = step(&s, &p, m(3));
    check_state(s, node(VITANYI_AWAKE, 3, false));
    assert_int_equal(out.fx.sends, 2);
    assert_int_equal(fc_word_kind(out.send[0]), VITANYI_WAKEUP);
    assert_int_equal(fc_word_kind(out.send[1]), VITANYI_M);
    assert_int_equal(fc_word_name(out.send[1]), 3);
    assert_int_equal(out.fx.arm, 0);
}

/* A larger one wakes too, and dies: its own message goes its way. */
TEST(test_p3_larger_m_wakes_and_dies)
{
    struct vitanyi_params p = printed();
    struct vitanyi s = {0};
    struct vitanyi_out out;

    p.any_order = 1;
    out = step(&s, &p, m(7));
    check_state(s, awake(ME));
    check_sends(&out, VITANYI_WAKEUP, FC_NOBODY);
    check_arms(&out, 1);
    check_notes(&out, FC_NOTE_VIEW | FC_NOTE_DIES);
}

/* A late wakeup or start must not begin the election again. */
TEST(test_p3_nobody_wakes_twice)
{
    struct vitanyi_params p = printed();

    p.any_order = 1;
    check_ignored(done(2), &p, wakeup(), 0);
    check_ignored(closing(), &p, wakeup(), 0);
    check_ignored(done(2), &p, start(), 0);
    check_ignored(closing(), &p, start(), 0);
}

/* Events that are not of this protocol. */
TEST(test_boot_and_choice_are_ignored)
{
    struct vitanyi_params p = printed();
    struct vitanyi_in boot = {.event = {.kind = FC_BOOT}};
    struct vitanyi_in choice = {.event = {.kind = FC_CHOICE, .value = 1}};

    check_ignored(awake(2), &p, boot, 0);
    check_ignored(awake(2), &p, choice, 0);
    check_ignored(done(2), &p, boot, 0);
    check_ignored(done(2), &p, choice, 0);
}

/* ---- Main ---------------------------------------------------------------- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_view_shows_what_rests),
        cmocka_unit_test(test_r1_starting_node_wakes_the_next),
        cmocka_unit_test(test_r1_wakeup_wakes_a_sleeper),
        cmocka_unit_test(test_r1_done_node_wakes_again),
        cmocka_unit_test(test_r1_start_while_awake_is_ignored),
        cmocka_unit_test(test_r2_timeout_sends_m_k),
        cmocka_unit_test(test_r9_timer_fires_once),
        cmocka_unit_test(test_r3_larger_name_dies),
        cmocka_unit_test(test_r3_m_dies_where_nobody_is_awake),
        cmocka_unit_test(test_r4_smaller_name_takes_over_and_rests),
        cmocka_unit_test(test_r4_smaller_name_replaces_one_that_rests),
        cmocka_unit_test(test_r4p_minimal_time_sends_at_once),
        cmocka_unit_test(test_r9_a_wait_of_0_never_runs_off),
        cmocka_unit_test(test_minimal_time_first_wait_is_one),
        cmocka_unit_test(test_r5_own_name_back_wins),
        cmocka_unit_test(test_r6_sleepwell_tells_and_goes_on),
        cmocka_unit_test(test_r7_sleepwell_ends_with_the_winner),
        cmocka_unit_test(test_sleepwell_elsewhere_is_ignored),
        cmocka_unit_test(test_r8_wakeup_unit_does_not_count),
        cmocka_unit_test(test_r8p_wakeup_unit_counts),
        cmocka_unit_test(test_p1_first_wait_is_f),
        cmocka_unit_test(test_p2_guard_keeps_the_winner_from_waking),
        cmocka_unit_test(test_p3_m_wakes_and_takes_over),
        cmocka_unit_test(test_p3_m_wakes_and_goes_on_at_once),
        cmocka_unit_test(test_p3_larger_m_wakes_and_dies),
        cmocka_unit_test(test_p3_nobody_wakes_twice),
        cmocka_unit_test(test_boot_and_choice_are_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
