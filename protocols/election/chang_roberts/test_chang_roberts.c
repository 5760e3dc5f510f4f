/*
 * test_chang_roberts.c - the rules of Chang and Roberts' election among
 * initiators, and every switch.  The node is called 5.
 */
#define TESTED chang_roberts
#include "tests/unit/kit/testing.h"

#define STATUS(name) CHANG_ROBERTS_##name

/* As the lecture's program has it. */
static const struct chang_roberts_params program = {.announce = 1};

static struct chang_roberts node(enum chang_roberts_status status,
                                 fc_name least)
{
    return (struct chang_roberts){.least = least, .status = (uint8_t)status};
}

static struct chang_roberts told(enum chang_roberts_status status,
                                 fc_name leader)
{
    struct chang_roberts s = node(status, leader);

    s.told = 1;
    return s;
}

static struct chang_roberts_in token(fc_name q)
{
    return reads(CHANG_ROBERTS_TOKEN, q);
}

static struct chang_roberts_in elected(fc_name q)
{
    return reads(CHANG_ROBERTS_ELECTED, q);
}

static void check_state(struct chang_roberts is, struct chang_roberts wanted)
{
    assert_int_equal(is.status, wanted.status);
    assert_int_equal(is.least, wanted.least);
    assert_int_equal(is.told, wanted.told);
}

/* The token q goes on from s, which becomes `then`. */
static void check_passes(struct chang_roberts s,
                         const struct chang_roberts_params *p, fc_name q,
                         struct chang_roberts then)
{
    struct chang_roberts_out out = step(&s, p, token(q));

    check_sends(&out, CHANG_ROBERTS_TOKEN, q);
    assert_false(out.fx.notes & FC_NOTE_DIES);
    check_state(s, then);
}

/* The token q dies at s, which becomes `then`. */
static void check_drops(struct chang_roberts s,
                        const struct chang_roberts_params *p, fc_name q,
                        struct chang_roberts then)
{
    struct chang_roberts_out out = step(&s, p, token(q));

    assert_int_equal(out.fx.sends, 0);
    assert_true(out.fx.notes & FC_NOTE_DIES);
    check_state(s, then);
}

/* ---- As in the program --------------------------------------------------- */

/* state := cand; send <tok, p>. */
TEST(test_start_sends_own_token)
{
    struct chang_roberts s = {0};
    struct chang_roberts_out out = step(&s, &program, start());

    check_state(s, node(STATUS(CANDIDATE), ME));
    check_sends(&out, CHANG_ROBERTS_TOKEN, ME);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
}

/* Nobody starts within an election it knows of, nor after it. */
TEST(test_only_a_sleeper_starts)
{
    for (int status = STATUS(RELAY); status <= STATUS(LEADER); status++)
        check_ignored(node((enum chang_roberts_status)status, 3), &program,
                      start(), 0);
    check_ignored(told(STATUS(ASLEEP), 3), &program, start(), 0);
}

/* A non-initiator passes everything and has lost. */
TEST(test_relay_passes_every_token)
{
    struct chang_roberts asleep = {0};

    check_passes(asleep, &program, 3, node(STATUS(RELAY), 3));
    check_passes(asleep, &program, 8, node(STATUS(RELAY), 8));
    check_passes(node(STATUS(RELAY), 3), &program, 8, node(STATUS(RELAY), 3));
    check_passes(node(STATUS(RELAY), 8), &program, 3, node(STATUS(RELAY), 3));
}

/* Larger than its own: it cannot win. */
TEST(test_candidate_drops_larger_tokens)
{
    check_drops(node(STATUS(CANDIDATE), ME), &program, 8,
                node(STATUS(CANDIDATE), ME));
}

/* if q < p then begin if state = cand then state := lost; send <tok, q> end. */
TEST(test_candidate_loses_to_a_smaller_token)
{
    struct chang_roberts s = node(STATUS(CANDIDATE), ME);
    struct chang_roberts_out out = step(&s, &program, token(3));

    check_state(s, node(STATUS(LOST), 3));
    check_sends(&out, CHANG_ROBERTS_TOKEN, 3);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LOST, FC_NOBODY);
}

/* if q = p then state := leader; and it tells. */
TEST(test_own_token_back_wins)
{
    struct chang_roberts s = node(STATUS(CANDIDATE), ME);
    struct chang_roberts_out out = step(&s, &program, token(ME));

    check_state(s, told(STATUS(LEADER), ME));
    check_sends(&out, CHANG_ROBERTS_ELECTED, ME);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LEADER, ME);
}

/* A loser must go on: smaller tokens pass, larger ones die, as before. */
TEST(test_loser_filters_by_its_own_name)
{
    check_passes(node(STATUS(LOST), 3), &program, 2, node(STATUS(LOST), 2));
    check_passes(node(STATUS(LOST), 3), &program, 4, node(STATUS(LOST), 3));
    check_drops(node(STATUS(LOST), 3), &program, 8, node(STATUS(LOST), 3));
}

/* Whoever knows the leader has no use for tokens. */
TEST(test_told_nodes_drop_tokens)
{
    check_drops(told(STATUS(LEADER), ME), &program, 2,
                told(STATUS(LEADER), ME));
    check_drops(told(STATUS(RELAY), 3), &program, 2, told(STATUS(RELAY), 3));
    check_drops(told(STATUS(LOST), 3), &program, 2, told(STATUS(LOST), 3));
}

/* Everybody learns and passes it on. */
TEST(test_elected_tells_and_goes_on)
{
    static const uint8_t statuses[] = {STATUS(RELAY), STATUS(LOST),
                                       STATUS(CANDIDATE)};

    for (size_t i = 0; i < COUNT(statuses); i++) {
        enum chang_roberts_status status = statuses[i];
        struct chang_roberts s = node(status, 4);
        struct chang_roberts_out out = step(&s, &program, elected(3));

        check_state(s, told(status, 3));
        check_sends(&out, CHANG_ROBERTS_ELECTED, 3);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&s, ELECTION_DONE, 3);
    }
}

/* The leader's own announcement is back from its tour. */
TEST(test_leader_absorbs_its_announcement)
{
    check_ignored(told(STATUS(LEADER), ME), &program, elected(ME), 0);
}

/* ---- Switches ------------------------------------------------------------ */

/* announce=no: the leader keeps it to itself. */
TEST(test_announce_no_sends_nothing)
{
    const struct chang_roberts_params p = {.announce = 0};
    struct chang_roberts s = node(STATUS(CANDIDATE), ME);
    struct chang_roberts_out out = step(&s, &p, token(ME));

    check_state(s, told(STATUS(LEADER), ME));
    assert_int_equal(out.fx.sends, 0);
}

/* drop=smaller, as in the prose: the least can never come back. */
TEST(test_drop_smaller_passes_larger)
{
    const struct chang_roberts_params p = {.announce = 1,
                                           .drop = CHANG_ROBERTS_SMALLER};

    check_drops(node(STATUS(CANDIDATE), ME), &p, 3, node(STATUS(LOST), 3));
    check_passes(node(STATUS(CANDIDATE), ME), &p, 8,
                 node(STATUS(CANDIDATE), ME));
}

/* compare=least: what passed before decides, no longer its own name. */
TEST(test_compare_least_drops_what_comes_behind_a_smaller)
{
    const struct chang_roberts_params p = {.announce = 1,
                                           .compare = CHANG_ROBERTS_LEAST};

    check_drops(node(STATUS(LOST), 2), &p, 3, node(STATUS(LOST), 2));
    check_passes(node(STATUS(LOST), 3), &p, 2, node(STATUS(LOST), 2));
    check_drops(node(STATUS(CANDIDATE), ME), &p, 8,
                node(STATUS(CANDIDATE), ME));
    check_passes(node(STATUS(CANDIDATE), ME), &p, 3, node(STATUS(LOST), 3));
}

/* loser=forwards: it has nothing to say any more. */
TEST(test_loser_forwards_passes_everything)
{
    const struct chang_roberts_params p = {.announce = 1,
                                           .loser = CHANG_ROBERTS_FORWARDS};

    check_passes(node(STATUS(LOST), 3), &p, 8, node(STATUS(LOST), 3));
    check_passes(node(STATUS(LOST), 3), &p, ME, node(STATUS(LOST), 3));
    check_passes(node(STATUS(LOST), 3), &p, 2, node(STATUS(LOST), 2));
    check_drops(node(STATUS(CANDIDATE), ME), &p, 8,
                node(STATUS(CANDIDATE), ME));
}

/* loser=stops: it has left the loop, and the ring is cut. */
TEST(test_loser_stops_drops_everything)
{
    const struct chang_roberts_params p = {.announce = 1,
                                           .loser = CHANG_ROBERTS_STOPS};
    struct chang_roberts lost = node(STATUS(LOST), 3);

    check_passes(node(STATUS(CANDIDATE), ME), &p, 3, lost);
    check_ignored(lost, &p, token(2), FC_NOTE_DIES);
    check_ignored(lost, &p, token(8), FC_NOTE_DIES);
    check_ignored(lost, &p, elected(2), FC_NOTE_DIES);
}

/* relays=own: literally read, sleepers with small names kill the winner. */
TEST(test_relays_own_filters_by_a_name_that_does_not_run)
{
    const struct chang_roberts_params p = {.announce = 1,
                                           .relays = CHANG_ROBERTS_RELAY_OWN};
    struct chang_roberts asleep = {0};

    check_drops(asleep, &p, 8, node(STATUS(RELAY), 8));
    check_passes(asleep, &p, 3, node(STATUS(RELAY), 3));
    check_passes(node(STATUS(RELAY), 3), &p, 4, node(STATUS(RELAY), 3));
}

/* relays=least: only what is smaller than all that passed. */
TEST(test_relays_least_drops_what_comes_behind_a_smaller)
{
    const struct chang_roberts_params p = {.announce = 1,
                                           .relays = CHANG_ROBERTS_RELAY_LEAST};
    struct chang_roberts asleep = {0};

    check_passes(asleep, &p, 8, node(STATUS(RELAY), 8));
    check_drops(node(STATUS(RELAY), 3), &p, 8, node(STATUS(RELAY), 3));
    check_drops(node(STATUS(RELAY), 3), &p, 4, node(STATUS(RELAY), 3));
    check_passes(node(STATUS(RELAY), 3), &p, 2, node(STATUS(RELAY), 2));
}

/* Typed switches arrive in the fields they name. */
TEST(test_switches_are_set_by_name)
{
    static const struct {
        const char *key, *value;
        size_t offset;
        uint8_t stored;
    } cases[] = {
#define CASE(key, value, field, stored)                                        \
    {key, value, offsetof(struct chang_roberts_params, field), stored}
        CASE("announce", "no", announce, 0),
        CASE("drop", "smaller", drop, CHANG_ROBERTS_SMALLER),
        CASE("compare", "least", compare, CHANG_ROBERTS_LEAST),
        CASE("loser", "forwards", loser, CHANG_ROBERTS_FORWARDS),
        CASE("loser", "stops", loser, CHANG_ROBERTS_STOPS),
        CASE("relays", "own", relays, CHANG_ROBERTS_RELAY_OWN),
        CASE("relays", "least", relays, CHANG_ROBERTS_RELAY_LEAST),
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lab lab;

        lab_open(&lab, "chang-roberts", 4);
        assert_memory_equal(&lab.params, &program, sizeof program);
        lab_set(&lab, cases[i].key, cases[i].value);
        assert_int_equal(((uint8_t *)&lab.params)[cases[i].offset],
                         cases[i].stored);
    }
}

/* ---- All together -------------------------------------------------------- */

/* The costs of the lecture for 10 nodes, 4 initiators, u = 5. */
TEST(test_claims_are_the_lectures)
{
    const struct fc_world world = {10, 4, 1, 10, {2, 3, 1, 2}, true, false};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(chang_roberts_protocol.claims(&program, &world, claims),
                     3);
    assert_true(claims[0].value == 40 - 6 + 10);
    assert_int_equal(claims[1].relation, FC_ON_AVERAGE);
    assert_true(claims[1].value > 10 * 25 / 12.0 + 10 - 1e-9);
    assert_true(claims[1].value < 10 * 25 / 12.0 + 10 + 1e-9);
    assert_true(claims[2].value == 29 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_sends_own_token),
        cmocka_unit_test(test_only_a_sleeper_starts),
        cmocka_unit_test(test_relay_passes_every_token),
        cmocka_unit_test(test_candidate_drops_larger_tokens),
        cmocka_unit_test(test_candidate_loses_to_a_smaller_token),
        cmocka_unit_test(test_own_token_back_wins),
        cmocka_unit_test(test_loser_filters_by_its_own_name),
        cmocka_unit_test(test_told_nodes_drop_tokens),
        cmocka_unit_test(test_elected_tells_and_goes_on),
        cmocka_unit_test(test_leader_absorbs_its_announcement),
        cmocka_unit_test(test_announce_no_sends_nothing),
        cmocka_unit_test(test_drop_smaller_passes_larger),
        cmocka_unit_test(test_compare_least_drops_what_comes_behind_a_smaller),
        cmocka_unit_test(test_loser_forwards_passes_everything),
        cmocka_unit_test(test_loser_stops_drops_everything),
        cmocka_unit_test(test_relays_own_filters_by_a_name_that_does_not_run),
        cmocka_unit_test(test_relays_least_drops_what_comes_behind_a_smaller),
        cmocka_unit_test(test_switches_are_set_by_name),
        cmocka_unit_test(test_claims_are_the_lectures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
