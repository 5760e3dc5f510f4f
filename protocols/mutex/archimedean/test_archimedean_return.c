/*
 * test_archimedean_return.c - sites of the Archimedean mutual exclusion that
 * come back informed, keep a floor for their numbers, give up, and ask again.
 */
#include "protocols/mutex/archimedean/test_archimedean_site.h"

static struct archimedean_params repaired;

static int set_up(void **state)
{
    (void)state;
    repaired = set(NULL);
    return 0;
}

static struct archimedean_in give_up(void)
{
    return (struct archimedean_in){
        .event = {.kind = FC_COMMAND, .command = ARCHIMEDEAN_GIVE_UP}};
}

/* Informed: a window of silence is not enough to take part. */
TEST(test_informed_waits_for_one_who_takes_part)
{
    struct archimedean_params p = SET("restart", "informed");
    struct archimedean s = {.hsn = 3};
    struct archimedean_out out = step(&s, &p, event(FC_BOOT));

    out = step(&s, &p, event(FC_TIMEOUT));
    CHECK_SENT(&out, 0, FC_EVERYONE, HELLO_MSG, .number = 3);
    out = step(&s, &p, event(FC_TIMEOUT)); /* nobody has said a word */
    CHECK_SENT(&out, 0, FC_EVERYONE, HELLO_MSG, .number = 3);
    check_armed(&out, 0, p.window_steps);
    (void)step(&s, &p, READS(1, HREP, .number = 8));
    assert_int_equal(s.mode, ARCHIMEDEAN_HELLO); /* not before the window */
    (void)step(&s, &p, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_IDLE);
    assert_true(s.hsn == 8);
}

/* If nobody takes part, all together know the last number. */
TEST(test_informed_is_told_by_all_who_come_back)
{
    struct archimedean_params p = SET("restart", "informed");
    struct archimedean s = {.hsn = 3};
    struct archimedean_out out = step(&s, &p, event(FC_BOOT));

    out = step(&s, &p, READS(0, HELLO_MSG, .number = 7));
    assert_int_equal(out.fx.sends, 0);
    (void)step(&s, &p, event(FC_TIMEOUT));
    out = step(&s, &p, READS(1, HELLO_MSG, .number = 5));
    assert_int_equal(out.fx.sends, 0); /* it does not take part itself */
    (void)step(&s, &p, READS(3, HELLO_MSG, .number = 9));
    (void)step(&s, &p, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_HELLO); /* 4 is missing */
    (void)step(&s, &p, READS(4, HELLO_MSG, .number = 1));
    (void)step(&s, &p, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_IDLE);
    assert_true(s.hsn == 9);
}

/* Own numbers are on disk before they are used, a block at a time. */
TEST(test_numbers_are_reserved_in_blocks)
{
    struct archimedean_params p = SET("block", "10", "mindelay", "0");
    struct archimedean s = {.hsn = 4};
    struct archimedean_out out = step(&s, &p, command(MUTEX_WANT));

    assert_true(out.fx.save && s.osn == 5 && s.record.floor == 14);
    CHECK_SENT(&out, 0, FC_EVERYONE, REQ, .number = 5);
    (void)step(&s, &p, event(FC_TIMEOUT));
    (void)step(&s, &p, command(MUTEX_LEAVE));
    (void)step(&s, &p, READS(1, REQ, .number = 13)); /* others' do not count */
    out = step(&s, &p, command(MUTEX_WANT));
    assert_true(!out.fx.save && s.osn == 14);
    (void)step(&s, &p, event(FC_TIMEOUT));
    (void)step(&s, &p, command(MUTEX_LEAVE));
    out = step(&s, &p, command(MUTEX_WANT));
    assert_true(out.fx.save && s.osn == 15 && s.record.floor == 24);
    s = (struct archimedean){.record = s.record}; /* the rest is lost */
    (void)step(&s, &p, event(FC_BOOT));
    assert_true(s.hsn == 24 && s.record.floor == 24);
}

TEST(test_who_gives_up_frees_those_it_refused)
{
    for (uint32_t waits = 0; waits < 2; waits++) {
        struct archimedean s = asking(&repaired);
        struct archimedean_out out;

        (void)step(&s, &repaired, READS(0, NEG, .number = 5));
        (void)step(&s, &repaired, READS(3, REQ, .number = 6));
        if (waits)
            (void)step(&s, &repaired, event(FC_TIMEOUT));
        out = step(&s, &repaired, give_up());
        assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
        assert_int_equal(s.mode, ARCHIMEDEAN_IDLE);
        CHECK_SENT(&out, 0, 3, POS, .number = 6);
        assert_int_equal(out.fx.disarm & 1u, waits);
        assert_int_equal(out.fx.arm, 0);
        check_drops(&s, &repaired, READS(0, POS, .number = 5)); /* too late */
    }
}

/* AR-12: after a window that was given up the next request waits until that
 * is over, however often one changes one's mind. */
TEST(test_who_gives_up_within_the_window_rests)
{
    struct archimedean s = asking(&repaired);
    struct archimedean_out out = step(&s, &repaired, give_up());

    for (uint32_t i = 0; i < 3; i++) {
        out = step(&s, &repaired, command(MUTEX_WANT));
        assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
        assert_int_equal(s.mode, ARCHIMEDEAN_SLEEP);
        assert_int_equal(out.fx.sends + out.fx.arm + out.fx.disarm, 0);
        if (i == 2)
            break;
        out = step(&s, &repaired, give_up());
        assert_int_equal(s.mode, ARCHIMEDEAN_IDLE);
        assert_int_equal(out.fx.sends + out.fx.arm + out.fx.disarm, 0);
    }
    out = step(&s, &repaired, READS(3, REQ, .number = 6));
    assert_int_equal(out.fx.notes, FC_NOTE_SILENT); /* a sleeper */
    out = step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(out.fx.sends, 0); /* now it sleeps, as always */
    check_armed(&out, 0, repaired.mindelay_steps);
    out = step(&s, &repaired, event(FC_TIMEOUT));
    CHECK_SENT(&out, 0, FC_EVERYONE, REQ, .number = 7);
    check_armed(&out, 0, repaired.window_steps);
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_INSIDE);
}

/* A rest that nobody interrupts ends in nothing; and one that follows a window
 * in which somebody was asked again is no other. */
TEST(test_rest_ends_by_itself)
{
    struct archimedean s = asking(&repaired), idle;
    struct archimedean_out out;

    (void)step(&s, &repaired, READS(0, NEG, .number = 5));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    out = step(&s, &repaired, event(FC_TIMEOUT)); /* asked again */
    CHECK_SENT(&out, 0, 0, REQ, .number = 5, .round = 1);
    (void)step(&s, &repaired, give_up());
    idle = s;
    out = step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(out.fx.sends + out.fx.arm + out.fx.notes, 0);
    assert_true(idle.rests && !s.rests);
    out = step(&s, &repaired, command(MUTEX_WANT));
    assert_true(out.fx.choose > 1); /* how long it sleeps, as always */
}

/* There is nothing to wait for where silence must be proven, after the window,
 * and before anything was asked; and a crash ends all of it. */
TEST(test_who_gives_up_elsewhere_does_not_rest)
{
    struct archimedean_params proven = SET("rules", "proven");
    struct archimedean s = asking(&proven);

    (void)step(&s, &proven, give_up());
    assert_int_equal(s.rests, 0);
    s = asking(&repaired);
    (void)step(&s, &repaired, READS(0, NEG, .number = 5));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    (void)step(&s, &repaired, give_up());
    assert_int_equal(s.rests, 0);
    s = (struct archimedean){0};
    (void)step(&s, &repaired, command(MUTEX_WANT));
    (void)step(&s, &repaired, give_up());
    assert_int_equal(s.rests, 0);
    s = asking(&repaired);
    (void)step(&s, &repaired, give_up());
    (void)step(&s, &repaired, event(FC_BOOT));
    assert_int_equal(s.rests, 0);
    assert_int_equal(s.mode, ARCHIMEDEAN_MUTE);
}

/* ---- Asking again -------------------------------------------------------- */

/* Whoever is idle wants to enter, and asks. */
static struct archimedean_out ask_once_more(struct archimedean *s,
                                            const struct archimedean_params *p)
{
    struct archimedean_out out = step(s, p, command(MUTEX_WANT));

    while (out.fx.choose)
        out = step(s, p, draws(0));
    out = step(s, p, event(FC_TIMEOUT));
    assert_int_equal(s->mode, ARCHIMEDEAN_WINDOW);
    return out;
}

/* A site that has consented to a request has not consented to the next. */
TEST(test_consent_is_for_one_request)
{
    struct archimedean s = asking(&repaired);
    struct archimedean_out out;

    (void)step(&s, &repaired, READS(0, NEG, .number = 5));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    (void)step(&s, &repaired, event(FC_TIMEOUT)); /* asked again: round 1 */
    (void)step(&s, &repaired, READS(0, POS, .number = 5));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_INSIDE);
    (void)step(&s, &repaired, command(MUTEX_LEAVE));
    assert_int_equal(s.nnr, 0);
    out = ask_once_more(&s, &repaired);
    CHECK_SENT(&out, 0, FC_EVERYONE, REQ, .number = 6);
    (void)step(&s, &repaired, READS(0, NEG, .number = 6));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_WAIT);
    (void)step(&s, &repaired, READS(0, POS, .number = 6));
    assert_int_equal(s.mode, ARCHIMEDEAN_INSIDE);
}

/* And a refusal of what was given up is none of the next request. */
TEST(test_refusal_is_of_one_request)
{
    struct archimedean s = asking(&repaired);

    (void)step(&s, &repaired, READS(0, NEG, .number = 5));
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    (void)step(&s, &repaired, give_up());
    (void)ask_once_more(&s, &repaired);
    (void)step(&s, &repaired, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_INSIDE);
}

/* Replies to a hello are no consent to what is asked afterwards. */
TEST(test_hello_replies_are_no_consent)
{
    struct archimedean_params informed = SET("restart", "informed");
    struct archimedean_params proven = SET("rules", "proven");
    struct archimedean s = {.hsn = 3};

    (void)step(&s, &informed, event(FC_BOOT));
    (void)step(&s, &informed, event(FC_TIMEOUT));
    (void)step(&s, &informed, READS(1, HREP, .number = 8));
    (void)step(&s, &informed, event(FC_TIMEOUT));
    (void)ask_once_more(&s, &informed);
    (void)step(&s, &informed, READS(1, NEG, .number = 9));
    (void)step(&s, &informed, event(FC_TIMEOUT));
    assert_int_equal(s.mode, ARCHIMEDEAN_WAIT);

    s = (struct archimedean){0};
    (void)step(&s, &proven, event(FC_BOOT));
    (void)step(&s, &proven, draws(6));
    for (uint16_t i = 0; i < SITES; i++)
        if (i != HERE)
            (void)step(&s, &proven, READS(i, HREP, .number = 8, .epoch = 7));
    assert_int_equal(s.mode, ARCHIMEDEAN_IDLE);
    (void)ask_once_more(&s, &proven);
    (void)step(&s, &proven, READS(1, POS, .number = 9, .epoch = 7));
    assert_int_equal(s.mode, ARCHIMEDEAN_WINDOW); /* three are lacking */
}

TEST(test_only_who_tries_gives_up)
{
    struct archimedean idle = {0}, inside = entered(&repaired), s = {0};

    (void)step(&s, &repaired, command(MUTEX_WANT));
    assert_int_equal(step(&s, &repaired, give_up()).fx.notes,
                     FC_NOTE_STARTED | FC_NOTE_VIEW); /* asleep */
    assert_int_equal(s.mode, ARCHIMEDEAN_IDLE);
    assert_int_equal(step(&idle, &repaired, give_up()).fx.notes, 0);
    assert_int_equal(step(&inside, &repaired, give_up()).fx.notes, 0);
    assert_int_equal(inside.mode, ARCHIMEDEAN_INSIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_informed_waits_for_one_who_takes_part),
        cmocka_unit_test(test_informed_is_told_by_all_who_come_back),
        cmocka_unit_test(test_numbers_are_reserved_in_blocks),
        cmocka_unit_test(test_who_gives_up_frees_those_it_refused),
        cmocka_unit_test(test_who_gives_up_within_the_window_rests),
        cmocka_unit_test(test_rest_ends_by_itself),
        cmocka_unit_test(test_who_gives_up_elsewhere_does_not_rest),
        cmocka_unit_test(test_consent_is_for_one_request),
        cmocka_unit_test(test_refusal_is_of_one_request),
        cmocka_unit_test(test_hello_replies_are_no_consent),
        cmocka_unit_test(test_only_who_tries_gives_up),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
