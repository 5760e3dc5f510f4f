/*
 * test_chang_roberts_max.c - the rules of Chang and Roberts' election with
 * participants.  The node is called 5.
 */
#define TESTED chang_roberts_max
#include "tests/unit/kit/testing.h"

#define STATUS(name) CHANG_ROBERTS_MAX_##name

static const struct chang_roberts_max_params repaired = {.forwards = 0};
static const struct chang_roberts_max_params literal = {.forwards = 1};

static struct chang_roberts_max node(enum chang_roberts_max_status status)
{
    fc_name leader = status == STATUS(LEADER) ? (fc_name)ME
                     : status == STATUS(DONE) ? 9
                                              : FC_NOBODY;

    return (struct chang_roberts_max){.leader = leader,
                                      .status = (uint8_t)status};
}

static struct chang_roberts_max_in election(fc_name q)
{
    return reads(CHANG_ROBERTS_MAX_ELECTION, q);
}

static struct chang_roberts_max_in elected(fc_name q)
{
    return reads(CHANG_ROBERTS_MAX_ELECTED, q);
}

static void check_state(struct chang_roberts_max is,
                        struct chang_roberts_max wanted)
{
    assert_int_equal(is.status, wanted.status);
    assert_int_equal(is.leader, wanted.leader);
}

/* From `status` the event leads to `then` and sends election(name). */
static void check_sends_on(enum chang_roberts_max_status status,
                           struct chang_roberts_max_in in,
                           enum chang_roberts_max_status then, fc_name name)
{
    struct chang_roberts_max s = node(status);
    struct chang_roberts_max_out out = step(&s, &repaired, in);

    check_state(s, node(then));
    check_sends(&out, CHANG_ROBERTS_MAX_ELECTION, name);
    assert_false(out.fx.notes & FC_NOTE_DIES);
}

/* Mark itself as a participant, send its identifier. */
TEST(test_start_sends_own_name)
{
    struct chang_roberts_max s = {0};
    struct chang_roberts_max_out out = step(&s, &repaired, start());

    check_state(s, node(STATUS(CANDIDATE)));
    check_sends(&out, CHANG_ROBERTS_MAX_ELECTION, ME);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
}

/* Whoever takes part has started, or been started, already. */
TEST(test_participants_do_not_start)
{
    check_ignored(node(STATUS(CANDIDATE)), &repaired, start(), 0);
    check_ignored(node(STATUS(LOST)), &repaired, start(), 0);
}

/* Whoever does not may call a new election. */
TEST(test_others_may_start_again)
{
    check_sends_on(STATUS(DONE), start(), STATUS(CANDIDATE), ME);
    check_sends_on(STATUS(LEADER), start(), STATUS(CANDIDATE), ME);
}

/* Greater: mark itself as a participant, forward. */
TEST(test_greater_name_goes_on)
{
    for (int status = STATUS(IDLE); status <= STATUS(DONE); status++)
        check_sends_on((enum chang_roberts_max_status)status, election(8),
                       STATUS(LOST), 8);
}

/* Smaller, and not yet a participant: its own name goes on instead. */
TEST(test_smaller_name_is_replaced)
{
    check_sends_on(STATUS(IDLE), election(3), STATUS(CANDIDATE), ME);
    check_sends_on(STATUS(DONE), election(3), STATUS(CANDIDATE), ME);
    check_sends_on(STATUS(LEADER), election(3), STATUS(CANDIDATE), ME);
}

/* Smaller, and a participant already: a greater one is under way. */
TEST(test_participants_drop_smaller_names)
{
    check_ignored(node(STATUS(CANDIDATE)), &repaired, election(3),
                  FC_NOTE_DIES);
    check_ignored(node(STATUS(LOST)), &repaired, election(3), FC_NOTE_DIES);
}

/* Its own: no participant any more, coordinator, announce it. */
TEST(test_own_name_back_wins)
{
    struct chang_roberts_max s = node(STATUS(CANDIDATE));
    struct chang_roberts_max_out out = step(&s, &repaired, election(ME));

    check_state(s, node(STATUS(LEADER)));
    check_sends(&out, CHANG_ROBERTS_MAX_ELECTED, ME);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LEADER, ME);
}

/* Everybody learns and passes it on. */
TEST(test_elected_tells_and_goes_on)
{
    for (int status = STATUS(IDLE); status <= STATUS(LOST); status++) {
        struct chang_roberts_max s =
            node((enum chang_roberts_max_status)status);
        struct chang_roberts_max_out out = step(&s, &repaired, elected(9));

        check_state(s, node(STATUS(DONE)));
        check_sends(&out, CHANG_ROBERTS_MAX_ELECTED, 9);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&s, ELECTION_DONE, 9);
    }
}

/* The repair: the announcement ends where it began. */
TEST(test_coordinator_absorbs_its_announcement)
{
    check_ignored(node(STATUS(LEADER)), &repaired, elected(ME), 0);
}

/* As printed: it goes round for ever. */
TEST(test_literal_coordinator_forwards_its_announcement)
{
    struct chang_roberts_max s = node(STATUS(LEADER));
    struct chang_roberts_max_out out = step(&s, &literal, elected(ME));

    check_state(s, node(STATUS(LEADER)));
    check_sends(&out, CHANG_ROBERTS_MAX_ELECTED, ME);
}

/* And so the literal ring never comes to its end. */
TEST(test_literal_ring_does_not_end)
{
    struct lab lab;
    struct sim_result r;

    for (int general = 0; general < 2; general++) {
        lab_open(&lab, "chang-roberts-max", 5);
        lab_set(&lab, "coordinator", "forwards");
        lab.setup.general = general;
        lab_prepare(&lab);
        r = lab_run(&lab, 1);
        assert_true(r.cut);
        assert_int_equal(r.broken, ELECTION_ENDS);
        assert_int_equal(r.leader, 5);
        lab_close(&lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_sends_own_name),
        cmocka_unit_test(test_participants_do_not_start),
        cmocka_unit_test(test_others_may_start_again),
        cmocka_unit_test(test_greater_name_goes_on),
        cmocka_unit_test(test_smaller_name_is_replaced),
        cmocka_unit_test(test_participants_drop_smaller_names),
        cmocka_unit_test(test_own_name_back_wins),
        cmocka_unit_test(test_elected_tells_and_goes_on),
        cmocka_unit_test(test_coordinator_absorbs_its_announcement),
        cmocka_unit_test(test_literal_coordinator_forwards_its_announcement),
        cmocka_unit_test(test_literal_ring_does_not_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
