/*
 * test_archimedean_variants.c - the Archimedean mutual exclusion as printed,
 * its gaps one by one, and with proven silence, at one site.
 */
#include "protocols/mutex/archimedean/test_archimedean_site.h"

/* ---- The print, and its switches ----------------------------------------- */

TEST(test_print_chooses_before_it_sleeps_and_takes_no_note)
{
    struct archimedean_params p = SET("rules", "printed");
    struct archimedean s = {.hsn = 4};
    struct archimedean_out out;

    (void)step(&s, &p, command(MUTEX_WANT));
    assert_true(s.osn == 5 && s.hsn == 4);
    (void)step(&s, &p, READS(4, REQ, .number = 9));
    out = step(&s, &p, event(FC_TIMEOUT));
    CHECK_SENT(&out, 0, FC_EVERYONE, REQ, .number = 5);
    check_armed(&out, 0, 2 * 3 + 2);
}

/* Whatever they answer, wherever they come from. */
TEST(test_print_counts_replies)
{
    struct archimedean_params p = SET("rules", "printed");
    struct archimedean s = asking(&p);

    (void)step(&s, &p, READS(0, NEG, 0));
    (void)step(&s, &p, event(FC_TIMEOUT));
    assert_int_equal(view_of(&s).role, MUTEX_WAITS);
    (void)step(&s, &p, READS(1, POS, 0));
    assert_int_equal(view_of(&s).role, MUTEX_INSIDE);
    assert_true(view_of(&s).token == 0);
}

TEST(test_print_refuses_without_a_number)
{
    struct archimedean_params p = SET("rules", "printed");
    struct archimedean s = asking(&p);
    struct archimedean_out out = step(&s, &p, READS(3, REQ, .number = 5));

    CHECK_SENT(&out, 0, 3, NEG, 0);
    (void)step(&s, &p, event(FC_TIMEOUT));
    out = step(&s, &p, command(MUTEX_LEAVE));
    CHECK_SENT(&out, 0, 3, POS, 0);
}

TEST(test_number_apart_is_chosen_a_step_before_the_sleep_ends)
{
    struct archimedean_params p = SET("number", "apart");
    struct archimedean s = {.hsn = 4};
    struct archimedean_out out;

    (void)step(&s, &p, command(MUTEX_WANT));
    out = step(&s, &p, event(FC_TIMEOUT));
    assert_true(s.osn == 5);
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(view_of(&s).role, MUTEX_SLEEPS);
    check_armed(&out, 0, 1);
    out = step(&s, &p, READS(3, REQ, .number = 5));
    assert_int_equal(out.fx.sends, 0); /* though (5, 2) is before (5, 3) */
    out = step(&s, &p, event(FC_TIMEOUT));
    CHECK_SENT(&out, 0, FC_EVERYONE, REQ, .number = 5);
}

/* "The smaller number should be increased by M if the difference is n or
 * more." */
TEST(test_numbers_modulo_m)
{
    struct archimedean_params p = SET("modulus", "9", "predict", "0");
    struct archimedean s = {.hsn = 8};
    struct archimedean_out out;

    (void)step(&s, &p, command(MUTEX_WANT));
    (void)step(&s, &p, event(FC_TIMEOUT));
    assert_true(s.osn == 0 && s.hsn == 0);
    out = step(&s, &p, READS(3, REQ, .number = 8)); /* one before 0 */
    assert_int_equal(out.fx.sends, 0);
    assert_true(s.hsn == 0);
    out = step(&s, &p, READS(3, REQ, .number = 4));
    assert_int_equal(out.fx.sends, 1);
    assert_true(s.hsn == 4);
    (void)step(&s, &p, event(FC_TIMEOUT));
    assert_true(view_of(&s).token == 0); /* numbers that come again are none */
}

/* Other thresholds than n: 4 and 0 are 4 apart, and 8 and 0 are 8. */
TEST(test_numbers_wrap_at_a_threshold)
{
    static const struct {
        const char *at;
        uint64_t number;
        bool refused; /* it comes after 0 */
    } cases[] = {{"n", 4, true},  {"n", 5, false}, {"4", 4, false},
                 {"4", 3, true},  {"9", 8, true},  {"8", 8, false},
                 {"1", 1, false}, {"2", 1, true}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct archimedean_params p =
            SET("modulus", "9", "predict", "0", "wraps-at", cases[i].at);
        struct archimedean s = {.hsn = 8};
        struct archimedean_out out;

        (void)step(&s, &p, command(MUTEX_WANT));
        (void)step(&s, &p, event(FC_TIMEOUT));
        out = step(&s, &p, READS(3, REQ, .number = cases[i].number));
        assert_int_equal(out.fx.sends, cases[i].refused);
    }
}

TEST(test_giving_up_on_a_refuser_enters)
{
    struct archimedean_params p = SET("giveup", "50");
    struct archimedean s = asking(&p);
    struct archimedean_out out;

    (void)step(&s, &p, READS(0, NEG, .number = 5));
    out = step(&s, &p, event(FC_TIMEOUT));
    check_armed(&out, 0, 50);
    (void)step(&s, &p, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_INSIDE);
}

TEST(test_restart_that_goes_on_is_idle_at_once)
{
    struct archimedean_params p = SET("restart", "goes-on");
    struct archimedean s = entered(&p);
    struct archimedean_out out = step(&s, &p, event(FC_BOOT));

    assert_int_equal(view_of(&s).role, MUTEX_IDLE);
    assert_int_equal(out.fx.sends + out.fx.arm, 0);
    s.hsn = 0;
    assert_memory_equal(&s, &(struct archimedean){0}, sizeof s);
}

/* ---- Proven silence ------------------------------------------------------ */

TEST(test_proven_enters_with_everybodys_consent_alone)
{
    struct archimedean_params p = SET("rules", "proven");
    struct archimedean s = asking(&p);
    struct archimedean_out out;

    (void)step(&s, &p, READS(0, FRAME, .number = 5, .clear = 1));
    (void)step(&s, &p, READS(1, FRAME, .number = 5, .clear = 1));
    check_drops(&s, &p, READS(3, FRAME, .number = 4, .clear = 1));
    check_drops(&s, &p, READS(3, FRAME, .number = 5, .epoch = 7, .clear = 1));
    check_drops(&s, &p, READS(0, FRAME, .number = 5)); /* clear is sticky */
    (void)step(&s, &p, READS(3, POS, .number = 5));
    assert_int_equal(view_of(&s).role, MUTEX_ASKS);
    out = step(&s, &p, event(FC_TIMEOUT)); /* 4 has not named the request */
    assert_int_equal(out.fx.sends, 1);
    CHECK_SENT(&out, 0, 4, REQ, .number = 5);
    check_armed(&out, 0, p.repeat_steps);
    (void)step(&s, &p, READS(4, FRAME, .number = 5, .clear = 1));
    assert_int_equal(view_of(&s).role, MUTEX_INSIDE);
    check_drops(&s, &p, READS(4, NEG, .number = 5)); /* late is no alarm */
}

TEST(test_proven_waits_once_everybody_has_named_the_request)
{
    struct archimedean_params p = SET("rules", "proven");
    struct archimedean s = asking(&p);
    struct archimedean_out out;

    for (uint32_t i = 0; i < SITES - 1; i++)
        if (i != HERE)
            (void)step(&s, &p,
                       READS((uint16_t)i, FRAME, .number = 5, .clear = i != 1));
    assert_int_equal(view_of(&s).role, MUTEX_ASKS);
    out = step(&s, &p, READS(4, NEG, .number = 5));
    assert_int_equal(view_of(&s).role, MUTEX_WAITS);
    check_armed(&out, 0, p.poll_steps);
    out = step(&s, &p, event(FC_TIMEOUT));
    assert_int_equal(out.fx.sends, 2);
    CHECK_SENT(&out, 0, 1, REQ, .number = 5, .round = 1);
    CHECK_SENT(&out, 1, 4, REQ, .number = 5, .round = 1);
}

/* The verdict is the one at the time of the frame. */
TEST(test_proven_frames_name_the_last_request)
{
    struct archimedean_params p = SET("rules", "proven", "hasten", "no");
    struct archimedean s = asking(&p);
    struct archimedean_out out;

    out = step(&s, &p, READS(3, REQ, .number = 6, .round = 1, .epoch = 9));
    assert_int_equal(out.fx.sends, 0);
    check_armed(&out, 1, p.tau);
    (void)step(&s, &p, READS(3, REQ, .number = 6, .epoch = 9)); /* older */
    out = step(&s, &p, READS(0, REQ, .number = 5));
    assert_int_equal(out.fx.arm, 0); /* the beat comes anyway */
    out = step(&s, &p, beat());
    assert_int_equal(out.fx.sends, 2);
    assert_int_equal(out.fx.arm, 0);
    CHECK_SENT(&out, 0, 0, FRAME, .number = 5, .clear = 1);
    CHECK_SENT(&out, 1, 3, FRAME, .number = 6, .round = 1, .epoch = 9);
    for (uint32_t i = 0; i < SITES; i++)
        if (i != HERE)
            (void)step(&s, &p,
                       READS((uint16_t)i, FRAME, .number = 5, .clear = 1));
    out = step(&s, &p, command(MUTEX_LEAVE));
    assert_int_equal(out.fx.sends, 0);
    out = step(&s, &p, beat());
    assert_int_equal(out.fx.sends, 1);
    CHECK_SENT(&out, 0, 3, FRAME, .number = 6, .round = 1, .epoch = 9,
               .clear = 1);
}

TEST(test_proven_frames_can_go_to_everybody_for_ever)
{
    struct archimedean_params p =
        SET("rules", "proven", "frames", "always", "tau", "6");
    struct archimedean s = {0};
    struct archimedean_out out = step(&s, &p, READS(3, REQ, .number = 2));

    check_armed(&out, 1, 6);
    out = step(&s, &p, beat());
    check_armed(&out, 1, 6);
    assert_int_equal(out.fx.sends, 4);
    CHECK_SENT(&out, 0, 0, FRAME, .clear = 1); /* names nothing */
    CHECK_SENT(&out, 2, 3, FRAME, .number = 2, .clear = 1);
}

/* A hello that was repeated may come when its sender takes part again. */
TEST(test_proven_hello_is_no_consent)
{
    struct archimedean_params p = SET("rules", "proven");
    struct archimedean s = asking(&p);
    struct archimedean_out out;

    (void)step(&s, &p, READS(3, REQ, .number = 6, .epoch = 8));
    out = step(&s, &p, READS(3, HELLO_MSG, .epoch = 8));
    CHECK_SENT(&out, 0, 3, HREP, .number = 6, .epoch = 8);
    assert_false(fc_set_has(&s.pos, 3));
    assert_true(fc_set_has(&s.deferred, 3));
    (void)step(&s, &p, READS(3, HELLO_MSG, .epoch = 9)); /* another life */
    assert_false(fc_set_has(&s.deferred, 3));
}

TEST(test_proven_restart_draws_an_epoch_and_hears_everybody)
{
    struct archimedean_params p = SET("rules", "proven", "epochs", "10");
    struct archimedean s = {0};
    struct archimedean_out out = step(&s, &p, event(FC_BOOT));

    assert_int_equal(out.fx.choose, 10);
    out = step(&s, &p, draws(6));
    CHECK_SENT(&out, 0, FC_EVERYONE, HELLO_MSG, .epoch = 7);
    assert_int_equal(view_of(&s).role, MUTEX_MUTE);
    out = step(&s, &p, READS(3, HELLO_MSG, .epoch = 2)); /* both came back */
    CHECK_SENT(&out, 0, 3, HREP, .number = 0, .epoch = 2);
    check_drops(&s, &p, READS(0, HREP, .number = 3, .epoch = 6));
    (void)step(&s, &p, READS(0, HREP, .number = 3, .epoch = 7));
    (void)step(&s, &p, READS(1, HREP, .number = 9, .epoch = 7));
    (void)step(&s, &p, READS(3, HREP, .number = 0, .epoch = 7));
    out = step(&s, &p, event(FC_TIMEOUT));
    assert_int_equal(out.fx.sends, 1);
    CHECK_SENT(&out, 0, 4, HELLO_MSG, .epoch = 7);
    (void)step(&s, &p, READS(4, HREP, .number = 2, .epoch = 7));
    assert_int_equal(view_of(&s).role, MUTEX_IDLE);
    assert_true(s.hsn == 9);
}

TEST(test_proven_restart_with_its_memory_takes_part_at_once)
{
    struct archimedean_params p = SET("rules", "proven");
    struct archimedean s = entered(&p);

    (void)step(&s, &p, event(FC_BOOT));
    assert_int_equal(view_of(&s).role, MUTEX_IDLE);
    assert_true(s.hsn == 5);
    s = (struct archimedean){.epoch = 3, .mode = ARCHIMEDEAN_HELLO};
    assert_int_equal(step(&s, &p, event(FC_BOOT)).fx.sends, 1);
    assert_int_equal(view_of(&s).role, MUTEX_MUTE);
}

/* "The smaller number should be increased by M if the difference is n or
 * more": 5 sites, so 5 is greater than 1, and 6 is what comes before it. */
TEST(test_numbers_wrap_from_a_difference_of_n_on)
{
    struct archimedean_params p = SET("modulus", "9");
    struct archimedean s = {.hsn = 1};

    (void)step(&s, &p, READS(0, REQ, .number = 6));
    assert_int_equal(s.hsn, 1);
    (void)step(&s, &p, READS(0, REQ, .number = 5));
    assert_int_equal(s.hsn, 5);
    (void)step(&s, &p, READS(0, REQ, .number = 0));
    assert_int_equal(s.hsn, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print_chooses_before_it_sleeps_and_takes_no_note),
        cmocka_unit_test(test_print_counts_replies),
        cmocka_unit_test(test_print_refuses_without_a_number),
        cmocka_unit_test(
            test_number_apart_is_chosen_a_step_before_the_sleep_ends),
        cmocka_unit_test(test_numbers_modulo_m),
        cmocka_unit_test(test_numbers_wrap_at_a_threshold),
        cmocka_unit_test(test_giving_up_on_a_refuser_enters),
        cmocka_unit_test(test_restart_that_goes_on_is_idle_at_once),
        cmocka_unit_test(test_proven_enters_with_everybodys_consent_alone),
        cmocka_unit_test(
            test_proven_waits_once_everybody_has_named_the_request),
        cmocka_unit_test(test_proven_frames_name_the_last_request),
        cmocka_unit_test(test_proven_frames_can_go_to_everybody_for_ever),
        cmocka_unit_test(test_proven_hello_is_no_consent),
        cmocka_unit_test(
            test_proven_restart_draws_an_epoch_and_hears_everybody),
        cmocka_unit_test(
            test_proven_restart_with_its_memory_takes_part_at_once),
        cmocka_unit_test(test_numbers_wrap_from_a_difference_of_n_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
