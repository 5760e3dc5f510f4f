/*
 * test_archimedean.c - every repaired rule of the Archimedean mutual exclusion
 * at one site; messages, waits and parameters of all its rules.
 */
#include "protocols/mutex/archimedean/test_archimedean_site.h"

static struct archimedean_params repaired;

static int set_up(void **state)
{
    (void)state;
    repaired = set(NULL);
    return 0;
}

/* ---- Rules 1 and 2: wanting and waking ----------------------------------- */

/* No number yet, for others may come first while it sleeps. */
TEST(test_who_wants_sleeps_and_has_no_number)
{
    struct archimedean s = {.hsn = 4};
    struct archimedean_out out = step(&s, &repaired, command(MUTEX_WANT));

    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    assert_int_equal(view_of(&s).role, MUTEX_SLEEPS);
    assert_true(s.osn == 0 && s.hsn == 4);
    assert_int_equal(out.fx.choose, 0); /* nobody refused the last time */
    check_armed(&out, 0, repaired.mindelay_steps);
    assert_int_equal(out.fx.sends, 0);
}

/* "Uniformly randomly between mindelay + predict*delaystep and mindelay +
 * 2*predict*delaystep." */
TEST(test_sleep_is_drawn_between_its_bounds)
{
    struct archimedean_params p = SET("mindelay", "7", "delaystep", "10");
    struct archimedean_params n =
        SET("mindelay", "7", "delaystep", "10", "predict", "n");
    struct archimedean s = {.last = 3};
    struct archimedean_out out = step(&s, &p, command(MUTEX_WANT));

    assert_int_equal(out.fx.choose, 31);
    out = step(&s, &p, draws(0));
    check_armed(&out, 0, 37);
    s = (struct archimedean){.last = 3};
    out = step(&s, &p, command(MUTEX_WANT));
    out = step(&s, &p, draws(30));
    check_armed(&out, 0, 67);
    s = (struct archimedean){0};
    out = step(&s, &n, command(MUTEX_WANT));
    assert_int_equal(out.fx.choose, 10 * SITES + 1);
}

TEST(test_only_the_idle_want_and_only_insiders_leave)
{
    struct archimedean s = asking(&repaired), before = s;

    assert_int_equal(step(&s, &repaired, command(MUTEX_WANT)).fx.notes, 0);
    assert_int_equal(step(&s, &repaired, command(MUTEX_LEAVE)).fx.notes, 0);
    assert_memory_equal(&s, &before, sizeof s);
}

/* Numbers heard of during the sleep count. */
TEST(test_waking_chooses_and_asks_in_one_step)
{
    struct archimedean s = {.hsn = 4};
    struct archimedean_out out;

    (void)step(&s, &repaired, command(MUTEX_WANT));
    out = step(&s, &repaired, READS(4, REQ, .number = 9));
    assert_int_equal(out.fx.notes,
                     FC_NOTE_SILENT); /* a sleeper defers nobody */
    out = step(&s, &repaired, event(FC_TIMEOUT));
    assert_true(s.osn == 10 && s.hsn == 10);
    assert_int_equal(view_of(&s).role, MUTEX_ASKS);
    assert_int_equal(out.fx.sends, 1);
    CHECK_SENT(&out, 0, FC_EVERYONE, REQ, .number = 10);
    check_armed(&out, 0, repaired.window_steps);
}

TEST(test_sleep_of_no_steps_is_none)
{
    struct archimedean_params p = SET("mindelay", "0");
    struct archimedean s = {0};
    struct archimedean_out out = step(&s, &p, command(MUTEX_WANT));

    assert_int_equal(s.mode, ARCHIMEDEAN_WINDOW);
    CHECK_SENT(&out, 0, FC_EVERYONE, REQ, .number = 1);
}

/* ---- AR-3: requests ------------------------------------------------------ */

/* Only who competes, and comes first, refuses. */
TEST(test_requests_are_refused_by_those_before_them)
{
    static const struct {
        uint64_t number;
        uint16_t from;
        bool refused;
    } cases[] = {{4, 1, false}, {4, 4, false}, {5, 1, false},
                 {5, 3, true},  {6, 0, true},  {1u << 20, 4, true}};

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        for (uint32_t inside = 0; inside < 2; inside++) {
            struct archimedean s =
                inside ? entered(&repaired) : asking(&repaired);
            struct archimedean_out out =
                step(&s, &repaired,
                     READS(cases[i].from, REQ, .number = cases[i].number,
                           .round = 3));

            assert_true(s.hsn == (cases[i].number > 5 ? cases[i].number : 5));
            assert_int_equal(out.fx.sends, cases[i].refused);
            assert_int_equal(fc_set_has(&s.deferred, cases[i].from),
                             cases[i].refused);
            if (cases[i].refused)
                CHECK_SENT(&out, 0, cases[i].from, NEG,
                           .number = cases[i].number, .round = 3);
            else
                assert_int_equal(out.fx.notes, FC_NOTE_SILENT);
        }
    }
}

TEST(test_idle_sites_are_silent_and_note_the_number)
{
    struct archimedean s = {0};
    struct archimedean_out out =
        step(&s, &repaired, READS(1, REQ, .number = 8));

    assert_int_equal(out.fx.notes, FC_NOTE_SILENT);
    assert_int_equal(out.fx.sends, 0);
    assert_true(s.hsn == 8);
    s.hsn = 0;
    assert_memory_equal(&s, &(struct archimedean){0}, sizeof s);
}

/* ---- Rules 4 to 7: replies, the window and the wait ---------------------- */

TEST(test_silence_lets_in_when_the_window_is_over)
{
    struct archimedean s = asking(&repaired);
    struct archimedean_out out = step(&s, &repaired, event(FC_TIMEOUT));

    assert_int_equal(view_of(&s).role, MUTEX_INSIDE);
    assert_true(view_of(&s).token == mutex_token(5, HERE));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    assert_int_equal(out.fx.sends + out.fx.arm, 0);
}

TEST(test_refused_waits_until_all_refusals_are_withdrawn)
{
    struct archimedean s = asking(&repaired);
    struct archimedean_out out;

    (void)step(&s, &repaired, READS(0, NEG, .number = 5));
    (void)step(&s, &repaired, READS(4, NEG, .number = 5));
    assert_int_equal(s.nnr, 2);
    out = step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(view_of(&s).role, MUTEX_WAITS);
    check_armed(&out, 0, repaired.poll_steps);
    (void)step(&s, &repaired, READS(4, POS, .number = 5));
    assert_int_equal(view_of(&s).role, MUTEX_WAITS);
    out = step(&s, &repaired, READS(0, POS, .number = 5));
    assert_int_equal(view_of(&s).role, MUTEX_INSIDE);
    assert_true(out.fx.disarm & 1u);
}

/* A withdrawal may overtake the refusal; it stays for good. */
TEST(test_consent_is_sticky)
{
    struct archimedean s = asking(&repaired);

    (void)step(&s, &repaired, READS(0, POS, .number = 5));
    check_drops(&s, &repaired, READS(0, NEG, .number = 5));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_INSIDE);
}

/* Never before the window is over, though all who refused have consented. */
TEST(test_nobody_enters_within_the_window)
{
    struct archimedean s = asking(&repaired);

    (void)step(&s, &repaired, READS(0, NEG, .number = 5));
    (void)step(&s, &repaired, READS(0, POS, .number = 5));
    assert_int_equal(s.mode, ARCHIMEDEAN_WINDOW);
}

TEST(test_replies_to_other_requests_are_dropped)
{
    struct archimedean asks = asking(&repaired), inside = entered(&repaired);
    struct archimedean idle = {.hsn = 5};

    check_drops(&asks, &repaired, READS(0, NEG, .number = 4));
    check_drops(&asks, &repaired, READS(0, NEG, .number = 5, .round = 1));
    check_drops(&asks, &repaired, READS(0, POS, .number = 6));
    check_drops(&idle, &repaired, READS(0, NEG, .number = 5));
    check_drops(&idle, &repaired, READS(0, POS, .number = 5));
    check_drops(&inside, &repaired, READS(0, POS, .number = 5));
    check_drops(&inside, &repaired, READS(0, NEG, .number = 4));
    check_drops(&inside, &repaired, READS(0, HREP, .number = 9));
}

/* A refusal that comes after all: a bound was violated, and it must go. */
TEST(test_late_refusal_ends_the_section)
{
    struct archimedean s = entered(&repaired);
    struct archimedean_out out;

    (void)step(&s, &repaired, READS(3, REQ, .number = 6));
    out = step(&s, &repaired, READS(0, NEG, .number = 5));
    assert_int_equal(view_of(&s).role, MUTEX_IDLE);
    assert_int_equal(out.fx.sends, 1);
    CHECK_SENT(&out, 0, 3, POS, .number = 6);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
}

/* ---- Rules 8 and 9: asking again, and leaving ---------------------------- */

TEST(test_only_those_who_still_refuse_are_asked_again)
{
    struct archimedean s = asking(&repaired);
    struct archimedean_out out;

    (void)step(&s, &repaired, READS(0, NEG, .number = 5));
    (void)step(&s, &repaired, READS(1, NEG, .number = 5));
    (void)step(&s, &repaired, READS(4, NEG, .number = 5));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    (void)step(&s, &repaired, READS(1, POS, .number = 5));
    out = step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_WINDOW);
    assert_int_equal(out.fx.sends, 2);
    CHECK_SENT(&out, 0, 0, REQ, .number = 5, .round = 1);
    CHECK_SENT(&out, 1, 4, REQ, .number = 5, .round = 1);
    check_armed(&out, 0, repaired.window_steps);
    check_drops(&s, &repaired, READS(0, NEG, .number = 5));
    (void)step(&s, &repaired, READS(0, NEG, .number = 5, .round = 1));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_WAIT);
    out = step(&s, &repaired, event(FC_TIMEOUT)); /* again, and silence */
    assert_int_equal(out.fx.sends, 1);
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_INSIDE);
    assert_int_equal(s.nnr, 3); /* asked again is not refused anew */
}

TEST(test_leaving_grants_the_deferred_with_their_numbers)
{
    struct archimedean s = entered(&repaired);
    struct archimedean_out out;

    (void)step(&s, &repaired, READS(3, REQ, .number = 6));
    (void)step(&s, &repaired, READS(0, REQ, .number = 7, .round = 2));
    out = step(&s, &repaired, command(MUTEX_LEAVE));
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    assert_int_equal(out.fx.sends, 2);
    CHECK_SENT(&out, 0, 0, POS, .number = 7);
    CHECK_SENT(&out, 1, 3, POS, .number = 6);
    s.hsn = 0;
    assert_memory_equal(&s, &(struct archimedean){0}, sizeof s);
}

TEST(test_sections_that_are_too_long_end)
{
    struct archimedean_params p = SET("longest", "9");
    struct archimedean s = asking(&p);
    struct archimedean_out out = step(&s, &p, event(FC_TIMEOUT));

    check_armed(&out, 0, 9);
    out = step(&s, &p, event(FC_TIMEOUT));
    assert_int_equal(view_of(&s).role, MUTEX_IDLE);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
}

/* ---- Rules 10 and 11: crashes -------------------------------------------- */

TEST(test_who_comes_back_is_mute_then_asks_then_takes_part)
{
    struct archimedean s = {0}; /* its memory lost */
    struct archimedean_out out = step(&s, &repaired, event(FC_BOOT));

    assert_int_equal(view_of(&s).role, MUTEX_MUTE);
    check_armed(&out, 0, repaired.mute_steps);
    assert_int_equal(step(&s, &repaired, command(MUTEX_WANT)).fx.notes, 0);
    out = step(&s, &repaired, READS(1, REQ, .number = 6));
    assert_int_equal(out.fx.sends, 0);
    assert_true(s.hsn == 6);
    check_drops(&s, &repaired,
                READS(1, HELLO_MSG, 0)); /* the mute say nothing */
    check_drops(&s, &repaired, READS(1, HREP, .number = 99));
    out = step(&s, &repaired, event(FC_TIMEOUT));
    CHECK_SENT(&out, 0, FC_EVERYONE, HELLO_MSG, 0);
    check_armed(&out, 0, repaired.window_steps);
    assert_int_equal(view_of(&s).role, MUTEX_MUTE);
    (void)step(&s, &repaired, READS(1, HREP, .number = 8));
    (void)step(&s, &repaired, READS(3, HREP, .number = 7));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(view_of(&s).role, MUTEX_IDLE);
    assert_true(s.hsn == 8);
}

/* What was missed is missing though the memory is there. */
TEST(test_memory_that_is_kept_is_not_enough)
{
    struct archimedean s = entered(&repaired);

    (void)step(&s, &repaired, READS(3, REQ, .number = 6));
    (void)step(&s, &repaired, event(FC_BOOT));
    assert_int_equal(view_of(&s).role, MUTEX_MUTE);
    assert_true(s.hsn == 6);
    assert_true(fc_set_empty(&s.deferred));
}

TEST(test_hello_is_answered_and_is_consent)
{
    struct archimedean s = asking(&repaired);
    struct archimedean_out out;

    (void)step(&s, &repaired, READS(0, NEG, .number = 5));
    (void)step(&s, &repaired, READS(3, REQ, .number = 6));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    out = step(&s, &repaired, READS(3, HELLO_MSG, 0));
    CHECK_SENT(&out, 0, 3, HREP, .number = 6);
    assert_false(fc_set_has(&s.deferred, 3));
    out = step(&s, &repaired, READS(0, HELLO_MSG, 0));
    CHECK_SENT(&out, 0, 0, HREP, .number = 6);
    assert_int_equal(s.mode, ARCHIMEDEAN_INSIDE);
}

TEST(test_hello_is_told_the_own_number)
{
    struct archimedean_params p = SET("noted", "no");
    struct archimedean s = asking(&p);
    struct archimedean_out out = step(&s, &p, READS(3, HELLO_MSG, 0));

    CHECK_SENT(&out, 0, 3, HREP, .number = 5);
}

/* ---- Any rules ----------------------------------------------------------- */

/* Messages to many leave in one step. */
TEST(test_many_grants_leave_in_one_step)
{
    enum { MANY = 200 };
    const struct fc_member crowd = {0, MANY};
    struct archimedean s = {.mode = ARCHIMEDEAN_INSIDE, .osn = 1};
    struct archimedean_out out;
    struct archimedean_in in = command(MUTEX_LEAVE);
    uint32_t got = 0;

    for (uint32_t i = 1; i < MANY; i++) {
        fc_set_add(&s.deferred, i);
        s.tag[i].number = 1000 + i;
    }
    do {
        memset(&out, 0, sizeof out);
        archimedean_step(&s, &repaired, &crowd, &in, &out);
        for (uint32_t i = 0; i < out.fx.sends; i++) {
            got++;
            CHECK_SENT(&out, i, got, POS, .number = 1000 + got);
        }
        in = event(FC_GO_ON);
    } while (out.fx.go_on);
    assert_int_equal(got, MANY - 1);
    assert_memory_equal(&s, &(struct archimedean){0}, sizeof s);
}

TEST(test_what_nobody_sends_is_refused)
{
    struct dice d = {5};
    struct archimedean_msg m;
    uint8_t wire[32];

    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t size = throw_below(&d, sizeof wire + 1);

        for (uint32_t j = 0; j < sizeof wire; j++)
            wire[j] = (uint8_t)throw_below(&d, j ? 256 : 12);
        if (archimedean_unpack(&m, wire, size) != 0)
            continue;
        assert_true(m.kind >= 1 && m.kind < ARCHIMEDEAN_KINDS);
        assert_true(m.clear <= 1);
        assert_int_equal(archimedean_wire_bytes(&m), size);
    }
    memset(wire, 0, sizeof wire);
    wire[0] = ARCHIMEDEAN_READ; /* there are no readers here */
    assert_int_equal(archimedean_unpack(&m, wire, 17), -1);
    assert_int_equal(archimedean_unpack_any(&m, wire, 17), 0);
}

/* ---- How long is waited -------------------------------------------------- */

TEST(test_waits_follow_from_the_bounds)
{
    struct archimedean_params printed = SET("rules", "printed", "c", "4");
    struct archimedean_params proven = SET("rules", "proven", "tau", "10");
    uint64_t response = (3 * (SITES - 1) + 2) * 2;

    assert_int_equal(repaired.window_steps, 2 * 3 + 2 * response);
    assert_int_equal(repaired.poll_steps, SITES * repaired.window_steps);
    assert_int_equal(repaired.mute_steps, 3 + response);
    assert_int_equal(repaired.mindelay_steps, 32);
    assert_int_equal(repaired.delaystep_steps, 32);
    assert_int_equal(printed.window_steps, 2 * 3 + 4 * 2);
    assert_true(printed.poll_steps == FC_NEVER);
    assert_int_equal(proven.repeat_steps,
                     2 * 3 + 2 * (4 * (SITES - 1) + 2) * 2 + 10 * 2);
}

TEST(test_worlds_that_do_not_fit_are_refused)
{
    const struct fc_protocol *protocol = &archimedean_protocol;
    struct fc_world crowd = {257, 1, 1, 257, {1, 1, 0, 1}, true, false};
    struct fc_world slow = {2,    1,    1, 2, {1, UINT64_C(1) << 40, 0, 1},
                            true, false};
    struct archimedean_params p;

    fc_params_default(protocol, &p);
    assert_non_null(protocol->prepare(&p, &crowd));
    assert_non_null(protocol->prepare(&p, &slow));
}

/* Lemmas 1 and 2, and both bounds on D, for gamma = 1/2. */
TEST(test_claims_are_the_papers)
{
    struct fc_world world = {7, 6, 1, 7, {1, 2, 0, 10}, true, false};
    struct fc_claim c[FC_CLAIMS_MAX];
    struct archimedean_params p = SET("mindelay", "5");

    assert_int_equal(archimedean_protocol.claims(&p, &world, c), 5);
    assert_true(c[0].value == 18);
    assert_true(c[1].value == 6 + 2);
    assert_true(c[2].value == 2);
    assert_true(c[3].value == 20 + 12 * 10);
    assert_true(c[4].value == 20 + 2 * 10);
    world.bounded = false;
    assert_int_equal(archimedean_protocol.claims(&p, &world, c), 0);
}

/* Words, numbers, and what is neither. */
TEST(test_parameters_are_words_or_numbers)
{
    static const char *const refused[] = {
        "none", "auto|paper",    "0",      "-1",        "12x",
        "",     "1..1000000000", "paper ", "1000000001"};
    struct archimedean_params p = set(NULL), before = p;
    const char *file;
    struct fc_wait *wait;

    for (uint32_t i = 0; i < COUNT(refused); i++) {
        assert_int_equal(fc_params_set(&archimedean_protocol, &p, "window",
                                       refused[i], &file, &wait),
                         FC_SET_BAD_VALUE);
        assert_memory_equal(&p, &before, sizeof p);
    }
    p = SET("window", "paper", "c", "3");
    assert_int_equal(p.window_steps, 2 * 3 + 3 * 2);
    p = SET("window", "77");
    assert_int_equal(p.window_steps, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_wants_sleeps_and_has_no_number),
        cmocka_unit_test(test_sleep_is_drawn_between_its_bounds),
        cmocka_unit_test(test_only_the_idle_want_and_only_insiders_leave),
        cmocka_unit_test(test_waking_chooses_and_asks_in_one_step),
        cmocka_unit_test(test_sleep_of_no_steps_is_none),
        cmocka_unit_test(test_requests_are_refused_by_those_before_them),
        cmocka_unit_test(test_idle_sites_are_silent_and_note_the_number),
        cmocka_unit_test(test_silence_lets_in_when_the_window_is_over),
        cmocka_unit_test(test_refused_waits_until_all_refusals_are_withdrawn),
        cmocka_unit_test(test_consent_is_sticky),
        cmocka_unit_test(test_nobody_enters_within_the_window),
        cmocka_unit_test(test_replies_to_other_requests_are_dropped),
        cmocka_unit_test(test_late_refusal_ends_the_section),
        cmocka_unit_test(test_only_those_who_still_refuse_are_asked_again),
        cmocka_unit_test(test_leaving_grants_the_deferred_with_their_numbers),
        cmocka_unit_test(test_sections_that_are_too_long_end),
        cmocka_unit_test(test_who_comes_back_is_mute_then_asks_then_takes_part),
        cmocka_unit_test(test_memory_that_is_kept_is_not_enough),
        cmocka_unit_test(test_hello_is_answered_and_is_consent),
        cmocka_unit_test(test_hello_is_told_the_own_number),
        cmocka_unit_test(test_many_grants_leave_in_one_step),
        cmocka_unit_test(test_what_nobody_sends_is_refused),
        cmocka_unit_test(test_waits_follow_from_the_bounds),
        cmocka_unit_test(test_worlds_that_do_not_fit_are_refused),
        cmocka_unit_test(test_claims_are_the_papers),
        cmocka_unit_test(test_parameters_are_words_or_numbers),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
