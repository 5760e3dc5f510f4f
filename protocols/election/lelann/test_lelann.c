/*
 * test_lelann.c - the rules of Le Lann's election.  The node is called 5.
 */
#define TESTED lelann
#include "tests/unit/kit/testing.h"

static const struct lelann_params announcing = {.announce = 1};
static const struct lelann_params quiet = {.announce = 0};
static const struct lelann_params after = {1, LELANN_TOLD};
static const struct lelann_params early = {1, LELANN_EARLY};

static struct lelann node(enum lelann_status status, fc_name least)
{
    return (struct lelann){.least = least, .status = (uint8_t)status};
}

static struct lelann told(enum lelann_status status, fc_name leader)
{
    struct lelann s = node(status, leader);

    s.told = 1;
    return s;
}

static struct lelann_in token(fc_name q)
{
    return reads(LELANN_TOKEN, q);
}

static struct lelann_in elected(fc_name q)
{
    return reads(LELANN_ELECTED, q);
}

static void check_state(struct lelann is, struct lelann wanted)
{
    assert_int_equal(is.status, wanted.status);
    assert_int_equal(is.least, wanted.least);
    assert_int_equal(is.told, wanted.told);
    assert_int_equal(is.closed, wanted.closed);
}

/* A leader whose elected message is back. */
static struct lelann closed(void)
{
    struct lelann s = told(LELANN_LEADER, ME);

    s.closed = 1;
    return s;
}

/* send <tok, p>. */
TEST(test_start_sends_own_token)
{
    struct lelann s = {0};
    struct lelann_out out = step(&s, &announcing, start());

    check_state(s, node(LELANN_CANDIDATE, ME));
    check_sends(&out, LELANN_TOKEN, ME);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
}

/* Nobody starts within an election it knows of, nor after it. */
TEST(test_only_a_sleeper_starts)
{
    for (int status = LELANN_RELAY; status <= LELANN_LEADER; status++)
        check_ignored(node((enum lelann_status)status, 3), &announcing, start(),
                      0);
    check_ignored(told(LELANN_ASLEEP, 3), &announcing, start(), 0);
    check_ignored(told(LELANN_LEADER, ME), &announcing, start(), 0);
}

/* if state = sleep then state := lost; and the token goes on. */
TEST(test_token_makes_a_sleeper_relay)
{
    static const fc_name names[] = {3, 7, ME};

    for (size_t i = 0; i < COUNT(names); i++) {
        struct lelann s = {0};
        struct lelann_out out = step(&s, &announcing, token(names[i]));

        check_state(s, node(LELANN_RELAY, names[i]));
        check_sends(&out, LELANN_TOKEN, names[i]);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&s, ELECTION_LOST, FC_NOBODY);
    }
}

/* Every foreign token goes on, large or small; only the least is noted. */
TEST(test_candidate_notes_and_passes_every_token)
{
    struct lelann s = node(LELANN_CANDIDATE, ME);
    struct lelann_out out = step(&s, &announcing, token(9));

    check_state(s, node(LELANN_CANDIDATE, ME));
    check_sends(&out, LELANN_TOKEN, 9);
    out = step(&s, &announcing, token(3));
    check_state(s, node(LELANN_CANDIDATE, 3));
    check_sends(&out, LELANN_TOKEN, 3);
    out = step(&s, &announcing, token(4));
    check_state(s, node(LELANN_CANDIDATE, 3));
    check_sends(&out, LELANN_TOKEN, 4);
}

/* if p = min(List) then leader. */
TEST(test_own_token_back_wins_if_least)
{
    struct lelann s = node(LELANN_CANDIDATE, ME);
    struct lelann_out out = step(&s, &announcing, token(ME));

    check_state(s, told(LELANN_LEADER, ME));
    check_sends(&out, LELANN_ELECTED, ME);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LEADER, ME);
}

/* The switch: the leader keeps it to itself. */
TEST(test_without_announcement_nothing_is_sent)
{
    struct lelann s = node(LELANN_CANDIDATE, ME);
    struct lelann_out out = step(&s, &quiet, token(ME));

    check_state(s, told(LELANN_LEADER, ME));
    assert_int_equal(out.fx.sends, 0);
    check_view(&s, ELECTION_LEADER, ME);
}

/* else lost; the token has come home and goes no further. */
TEST(test_own_token_back_loses_if_a_smaller_was_seen)
{
    struct lelann s = node(LELANN_CANDIDATE, 3);
    struct lelann_out out = step(&s, &announcing, token(ME));

    check_state(s, node(LELANN_LOST, 3));
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LOST, FC_NOBODY);
}

/* A loser goes on passing tokens: others wait for theirs. */
TEST(test_loser_passes_tokens)
{
    struct lelann s = node(LELANN_LOST, 3);
    struct lelann_out out = step(&s, &announcing, token(8));

    check_state(s, node(LELANN_LOST, 3));
    check_sends(&out, LELANN_TOKEN, 8);
}

/* A late token goes on, and does not unseat the leader that was told. */
TEST(test_token_after_the_end_changes_nothing)
{
    struct lelann s = told(LELANN_LOST, 3);
    struct lelann_out out = step(&s, &announcing, token(2));

    check_state(s, told(LELANN_LOST, 3));
    check_sends(&out, LELANN_TOKEN, 2);
}

/* Everybody learns and passes it on. */
TEST(test_elected_tells_and_goes_on)
{
    static const uint8_t statuses[] = {LELANN_RELAY, LELANN_LOST,
                                       LELANN_CANDIDATE};

    for (size_t i = 0; i < COUNT(statuses); i++) {
        struct lelann s = node((enum lelann_status)statuses[i], 4);
        struct lelann_out out = step(&s, &announcing, elected(3));

        check_state(s, told((enum lelann_status)statuses[i], 3));
        check_sends(&out, LELANN_ELECTED, 3);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&s, ELECTION_DONE, 3);
    }
}

/* The leader's own announcement is back from its tour. */
TEST(test_leader_absorbs_its_announcement)
{
    check_ignored(told(LELANN_LEADER, ME), &announcing, elected(ME), 0);
}

/* "any process in an election cannot initiate a new one until it has received
 * an ELECTED message" */
TEST(test_another_election_begins_after_elected)
{
    const struct lelann may[] = {told(LELANN_RELAY, 3), told(LELANN_LOST, 3),
                                 told(LELANN_ASLEEP, 3), closed()};
    const struct lelann not_yet[] = {
        node(LELANN_RELAY, 3), node(LELANN_LOST, 3), told(LELANN_LEADER, ME)};

    for (size_t i = 0; i < COUNT(may); i++) {
        struct lelann s = may[i];
        struct lelann_out out = step(&s, &after, start());

        check_state(s, node(LELANN_CANDIDATE, ME));
        check_sends(&out, LELANN_TOKEN, ME);
        check_ignored(may[i], &announcing, start(), 0);
    }
    for (size_t i = 0; i < COUNT(not_yet); i++) {
        struct lelann s = not_yet[i];
        struct lelann_out out = step(&s, &early, start());

        check_sends(&out, LELANN_TOKEN, ME);
        check_ignored(not_yet[i], &after, start(), 0);
    }
    check_ignored(node(LELANN_CANDIDATE, 3), &early, start(), 0);
    check_ignored(told(LELANN_CANDIDATE, 3), &early, start(), 0);
}

/* A token that comes after elected is one of another election. */
TEST(test_token_of_another_election)
{
    const struct lelann over[] = {told(LELANN_RELAY, 3), told(LELANN_LOST, 3),
                                  told(LELANN_LEADER, ME), closed()};

    for (size_t i = 0; i < COUNT(over); i++) {
        struct lelann s = over[i];
        struct lelann_out out = step(&s, &after, token(7));

        check_state(s, node(LELANN_RELAY, 7));
        check_sends(&out, LELANN_TOKEN, 7);
        check_view(&s, ELECTION_LOST, FC_NOBODY);
    }
}

/* What the leader waits for before it starts another. */
TEST(test_leader_has_closed_its_election)
{
    struct lelann s = told(LELANN_LEADER, ME);
    struct lelann_out out = step(&s, &after, elected(ME));

    check_state(s, closed());
    assert_int_equal(out.fx.sends, 0);
}

/* k N + N, and ever so many ticks. */
TEST(test_claims_are_the_lectures)
{
    const struct fc_world world = {10, 4, 1, 10, {2, 3, 1, 2}, true, false};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(lelann_protocol.claims(&announcing, &world, claims), 2);
    assert_int_equal(claims[0].relation, FC_EXACTLY);
    assert_true(claims[0].value == 50);
    assert_true(claims[1].value == 29 * 5);
    assert_int_equal(lelann_protocol.claims(&quiet, &world, claims), 2);
    assert_true(claims[0].value == 40);
    assert_true(claims[1].value == 19 * 5);
    assert_int_equal(lelann_protocol.claims(&after, &world, claims), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_sends_own_token),
        cmocka_unit_test(test_only_a_sleeper_starts),
        cmocka_unit_test(test_token_makes_a_sleeper_relay),
        cmocka_unit_test(test_candidate_notes_and_passes_every_token),
        cmocka_unit_test(test_own_token_back_wins_if_least),
        cmocka_unit_test(test_without_announcement_nothing_is_sent),
        cmocka_unit_test(test_own_token_back_loses_if_a_smaller_was_seen),
        cmocka_unit_test(test_loser_passes_tokens),
        cmocka_unit_test(test_token_after_the_end_changes_nothing),
        cmocka_unit_test(test_elected_tells_and_goes_on),
        cmocka_unit_test(test_leader_absorbs_its_announcement),
        cmocka_unit_test(test_another_election_begins_after_elected),
        cmocka_unit_test(test_token_of_another_election),
        cmocka_unit_test(test_leader_has_closed_its_election),
        cmocka_unit_test(test_claims_are_the_lectures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
