/*
 * test_election.c - the watch over an election: each property broken and
 * kept; and what protocols claim of a world.
 */
#include "tests/unit/kit/testing.h"

static const struct fc_world world = {
    .nodes = 3,
    .initiators = 3,
    .least = 4,
    .greatest = 9,
    .bounds = {2, 3, 1, 2},
    .bounded = true,
};

/* The watch at the beginning, and at the end of a run whose protocol promises
 * this winner. */
static void begin(struct election_watch *w, enum election_answer answer)
{
    const struct election_terms terms = {.answer = answer};
    const struct fc_protocol p = {.problem = &election_problem,
                                  .terms = &terms};

    election_begin(w, &p, NULL, &world);
}

static uint32_t end(struct election_watch *w, enum election_winner winner,
                    bool quiet)
{
    w->winner = winner;
    return election_end(w, quiet);
}

static struct election_view view(enum election_role role, fc_name leader)
{
    return (struct election_view){.leader = leader, .role = (uint8_t)role};
}

static uint32_t change(struct election_watch *w, struct election_view before,
                       struct election_view after, uint64_t now)
{
    return election_changed(w, 1, &before, &after, now);
}

/* A node that slept becomes such. */
static uint32_t becomes(struct election_watch *w, enum election_role role,
                        fc_name leader, uint64_t now)
{
    return change(w, view(ELECTION_ASLEEP, FC_NOBODY), view(role, leader), now);
}

/* Three nodes, of which `leader` leads and tells the others. */
static struct election_watch good_run(fc_name leader)
{
    struct election_watch w;

    begin(&w, ELECTION_NO_ANSWER);
    election_started(&w, 7);
    election_started(&w, 4);
    election_started(&w, 9);
    assert_int_equal(becomes(&w, ELECTION_CANDIDATE, FC_NOBODY, 0), 0);
    assert_int_equal(change(&w, view(ELECTION_CANDIDATE, FC_NOBODY),
                            view(ELECTION_LEADER, leader), 17),
                     0);
    assert_int_equal(becomes(&w, ELECTION_DONE, leader, 18), 0);
    assert_int_equal(becomes(&w, ELECTION_DONE, leader, 19), 0);
    return w;
}

/* Nothing is known at first. */
TEST(test_begin_forgets_everything)
{
    struct election_watch w;

    memset(&w, 0xff, sizeof w);
    begin(&w, ELECTION_SIZE);
    assert_int_equal(w.nodes, 3);
    assert_int_equal(w.answer, ELECTION_SIZE);
    assert_int_equal(w.leaders + w.told + w.started + w.broken, 0);
    assert_int_equal(w.leader, FC_NOBODY);
    assert_int_equal(w.least_started, FC_NOBODY);
    assert_true(w.elected_at == FC_NEVER);
}

/* All is well: nothing is broken. */
TEST(test_good_run_breaks_nothing)
{
    struct election_watch w = good_run(4);

    assert_int_equal(w.leaders, 1);
    assert_int_equal(w.told, 3);
    assert_int_equal(w.leader, 4);
    assert_true(w.elected_at == 17);
    assert_int_equal(end(&w, ELECTION_LEAST, true), 0);
    assert_int_equal(w.broken, 0);
}

/* The tick of the first leader, whatever comes later. */
TEST(test_elected_at_is_the_first_time)
{
    struct election_watch w = good_run(4);

    (void)change(&w, view(ELECTION_LEADER, 4), view(ELECTION_AWAKE, 0), 30);
    assert_int_equal(w.leaders, 0);
    (void)change(&w, view(ELECTION_AWAKE, 0), view(ELECTION_LEADER, 4), 40);
    assert_true(w.elected_at == 17);
    assert_int_equal(w.broken, 0);
}

/* Two at once, even of one opinion; reported once. */
TEST(test_one_leader_is_broken_by_a_second)
{
    struct election_watch w = good_run(4);

    assert_int_equal(becomes(&w, ELECTION_LEADER, 4, 20), ELECTION_ONE_LEADER);
    assert_int_equal(becomes(&w, ELECTION_LEADER, 4, 21), 0);
    assert_int_equal(w.broken, ELECTION_ONE_LEADER);
    assert_int_equal(w.leaders, 3);
}

/* One after the other is no violation. */
TEST(test_one_leader_allows_a_successor)
{
    struct election_watch w = good_run(4);

    assert_int_equal(
        change(&w, view(ELECTION_LEADER, 4), view(ELECTION_DONE, 4), 20), 0);
    assert_int_equal(becomes(&w, ELECTION_LEADER, 4, 21), 0);
    assert_int_equal(w.broken, 0);
}

/* Another name than the first that was named; reported once. */
TEST(test_agreement_is_broken_by_another_name)
{
    struct election_watch w = good_run(4);

    assert_int_equal(becomes(&w, ELECTION_DONE, 9, 20), ELECTION_AGREEMENT);
    assert_int_equal(becomes(&w, ELECTION_DONE, 7, 21), 0);
    assert_int_equal(w.broken, ELECTION_AGREEMENT);
    assert_int_equal(w.leader, 4);
}

/* Even if the first is no longer named by anybody. */
TEST(test_agreement_remembers)
{
    struct election_watch w;

    begin(&w, ELECTION_NO_ANSWER);
    (void)becomes(&w, ELECTION_DONE, 9, 1);
    (void)change(&w, view(ELECTION_DONE, 9), view(ELECTION_AWAKE, 0), 2);
    assert_int_equal(w.told, 0);
    assert_int_equal(becomes(&w, ELECTION_DONE, 4, 3), ELECTION_AGREEMENT);
}

/* Two properties in one step. */
TEST(test_one_step_may_break_two)
{
    struct election_watch w = good_run(4);

    assert_int_equal(becomes(&w, ELECTION_LEADER, 9, 20),
                     ELECTION_ONE_LEADER | ELECTION_AGREEMENT);
}

/* Each rule about the winner, kept and broken. */
TEST(test_right_leader_is_whom_the_protocol_promises)
{
    static const struct {
        enum election_winner winner;
        fc_name right, wrong;
    } cases[] = {
        {ELECTION_LEAST, 4, 9},
        {ELECTION_GREATEST, 9, 4},
        {ELECTION_LEAST_INITIATOR, 4, 7},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct election_watch right = good_run(cases[i].right);
        struct election_watch wrong = good_run(cases[i].wrong);

        assert_int_equal(end(&right, cases[i].winner, true), 0);
        assert_int_equal(end(&wrong, cases[i].winner, true),
                         ELECTION_RIGHT_LEADER);
        assert_int_equal(wrong.broken, ELECTION_RIGHT_LEADER);
    }
}

/* Only those that began by themselves compete. */
TEST(test_least_initiator_is_of_those_that_started)
{
    struct election_watch w;

    begin(&w, ELECTION_NO_ANSWER);
    election_started(&w, 9);
    election_started(&w, 7);
    assert_int_equal(w.started, 2);
    assert_int_equal(w.least_started, 7);
    (void)becomes(&w, ELECTION_LEADER, 7, 1);
    (void)becomes(&w, ELECTION_DONE, 7, 1);
    (void)becomes(&w, ELECTION_DONE, 7, 1);
    assert_int_equal(end(&w, ELECTION_LEAST_INITIATOR, true), 0);
}

/* Known before the end for all but the initiators. */
TEST(test_expected_winner)
{
    assert_int_equal(election_expected(ELECTION_LEAST, &world), 4);
    assert_int_equal(election_expected(ELECTION_GREATEST, &world), 9);
    assert_int_equal(election_expected(ELECTION_LEAST_INITIATOR, &world),
                     FC_NOBODY);
}

/* Nothing left to do and nobody leads. */
TEST(test_elected_is_broken_by_silence)
{
    struct election_watch w;

    begin(&w, ELECTION_NO_ANSWER);
    election_started(&w, 4);
    (void)becomes(&w, ELECTION_CANDIDATE, FC_NOBODY, 0);
    assert_int_equal(end(&w, ELECTION_LEAST, true),
                     ELECTION_ELECTED | ELECTION_EVERYONE_TOLD);
    /* The end of the end breaks nothing new. */
    assert_int_equal(end(&w, ELECTION_LEAST, true), 0);
}

/* If nobody began, nobody need lead. */
TEST(test_nobody_started_breaks_nothing)
{
    struct election_watch w;

    begin(&w, ELECTION_NO_ANSWER);
    assert_int_equal(end(&w, ELECTION_LEAST, true), 0);
}

/* One of three was forgotten. */
TEST(test_everyone_told_is_broken_by_one_that_is_not)
{
    struct election_watch w = good_run(4);

    (void)change(&w, view(ELECTION_DONE, 4), view(ELECTION_AWAKE, 0), 20);
    assert_int_equal(end(&w, ELECTION_LEAST, true), ELECTION_EVERYONE_TOLD);
}

/* A run that goes on past its horizon may still elect and tell. */
TEST(test_ends_is_broken_by_going_on)
{
    struct election_watch w;

    begin(&w, ELECTION_NO_ANSWER);
    election_started(&w, 4);
    assert_int_equal(end(&w, ELECTION_LEAST, false), ELECTION_ENDS);
    assert_int_equal(w.broken, ELECTION_ENDS);
}

/* Of a change, what a property can tell before the end: who leads, and whom a
 * node takes for the leader. */
TEST(test_what_of_a_view_matters)
{
    struct election_view awake = view(ELECTION_AWAKE, FC_NOBODY),
                         candidate = view(ELECTION_CANDIDATE, FC_NOBODY),
                         leads = view(ELECTION_LEADER, FC_NOBODY),
                         told = view(ELECTION_AWAKE, 3);

    assert_false(election_matters(&awake, &candidate));
    assert_true(election_matters(&candidate, &leads));
    assert_true(election_matters(&leads, &awake));
    assert_true(election_matters(&awake, &told));
}

/* So an engine need not tell the rest. */
TEST(test_what_does_not_matter_changes_nothing)
{
    for (uint32_t i = 0; i < 12; i++)
        for (uint32_t k = 0; k < 12; k++) {
            struct election_view none = view(ELECTION_ASLEEP, FC_NOBODY),
                                 a = view((enum election_role)(i % 6), i / 6),
                                 b = view((enum election_role)(k % 6), k / 6);
            struct election_watch w, before;

            begin(&w, ELECTION_NO_ANSWER);
            election_changed(&w, 1, &none, &a, 5);
            before = w;
            if (election_matters(&a, &b))
                continue;
            assert_int_equal(election_changed(&w, 1, &a, &b, 6), 0);
            assert_memory_equal(&w, &before, sizeof w);
        }
}

/* A name for each, for people and traces. */
TEST(test_properties_and_roles_have_names)
{
    static const char *const properties[ELECTION_PROPERTIES] = {
        "one-leader",    "agreement", "right-leader", "elected",
        "everyone-told", "ends",      "right-answer"};
    static const char *const roles[] = {"asleep", "done",      "lost",
                                        "awake",  "candidate", "leader"};

    assert_int_equal(election_problem.properties_count, ELECTION_PROPERTIES);
    for (uint32_t i = 0; i < ELECTION_PROPERTIES; i++)
        assert_string_equal(election_problem.properties[i], properties[i]);
    for (size_t i = 0; i < COUNT(roles); i++) {
        struct election_view v = view((enum election_role)i, FC_NOBODY);
        struct fc_shown shown;

        election_show(&v, &shown);
        assert_string_equal(shown.role, roles[i]);
    }
}

/* The properties that three answers break, clockwise from the leader, wherever
 * one begins to look; the names are 4, 7 and 9. */
static uint32_t answers(enum election_answer kind, fc_name a, fc_name b,
                        fc_name c)
{
    const struct election_view views[] = {
        {.role = ELECTION_LEADER, .leader = 4, .answer = a},
        {.role = ELECTION_DONE, .leader = 4, .answer = b},
        {.role = ELECTION_DONE, .leader = 4, .answer = c},
    };
    static const fc_name names[] = {4, 9, 7};
    uint32_t broken[3];

    for (uint32_t first = 0; first < 3; first++) {
        struct election_watch w = good_run(4);

        w.answer = kind;
        for (uint32_t i = 0; i < 3; i++)
            election_settled(&w, names[(first + i) % 3],
                             &views[(first + i) % 3]);
        broken[first] = end(&w, ELECTION_LEAST, true);
    }
    assert_int_equal(broken[0], broken[1]);
    assert_int_equal(broken[0], broken[2]);
    return broken[0];
}

/* Only the leader counts the ring. */
TEST(test_right_answer_is_the_size_at_the_leader)
{
    assert_int_equal(answers(ELECTION_SIZE, 3, 0, 0), 0);
    assert_int_equal(answers(ELECTION_SIZE, 4, 3, 3), ELECTION_RIGHT_ANSWER);
    assert_int_equal(answers(ELECTION_SIZE, 0, 3, 3), ELECTION_RIGHT_ANSWER);
}

/* In order, and the same names: neither is enough. */
TEST(test_right_answer_is_the_names_in_order)
{
    assert_int_equal(answers(ELECTION_SORTED, 4, 7, 9), 0);
    assert_int_equal(answers(ELECTION_SORTED, 4, 9, 7), ELECTION_RIGHT_ANSWER);
    assert_int_equal(answers(ELECTION_SORTED, 4, 8, 9), ELECTION_RIGHT_ANSWER);
    assert_int_equal(answers(ELECTION_SORTED, 0, 4, 16), ELECTION_RIGHT_ANSWER);
}

/* Each of 1 to 3 once, and the leader has 3. */
TEST(test_right_answer_is_a_name_for_each)
{
    assert_int_equal(answers(ELECTION_NAMED, 3, 1, 2), 0);
    assert_int_equal(answers(ELECTION_NAMED, 3, 2, 1), 0);
    assert_int_equal(answers(ELECTION_NAMED, 2, 3, 1), ELECTION_RIGHT_ANSWER);
    assert_int_equal(answers(ELECTION_NAMED, 3, 1, 1), ELECTION_RIGHT_ANSWER);
    assert_int_equal(answers(ELECTION_NAMED, 3, 1, 0), ELECTION_RIGHT_ANSWER);
    assert_int_equal(answers(ELECTION_NAMED, 3, 1, 4), ELECTION_RIGHT_ANSWER);
}

/* Also where there are more names than bits. */
TEST(test_many_names_are_judged)
{
    static const struct fc_world many = {.nodes = 100};
    const struct election_terms terms = {.winner = ELECTION_ANYBODY,
                                         .answer = ELECTION_NAMED};
    const struct fc_protocol p = {.problem = &election_problem,
                                  .terms = &terms};

    for (fc_name twice = 0; twice <= 100; twice++) {
        struct election_watch w;

        election_begin(&w, &p, NULL, &many);
        election_started(&w, 1);
        for (fc_name i = 1; i <= 100; i++) {
            struct election_view v = {.answer = i,
                                      .leader = ELECTION_SOMEBODY,
                                      .role = i == 100 ? ELECTION_LEADER
                                                       : ELECTION_DONE};
            const struct election_view asleep = {0};

            if (i == twice)
                v.answer = 101 - i;
            (void)election_changed(&w, i, &asleep, &v, 1);
            election_settled(&w, i, &v);
        }
        assert_int_equal(election_end(&w, true),
                         twice ? ELECTION_RIGHT_ANSWER : 0);
    }
}

/* A leader that was used for nothing owes no answer. */
TEST(test_no_answer_is_asked_for_none)
{
    assert_int_equal(answers(ELECTION_NO_ANSWER, 0, 0, 0), 0);
}

/* Nobody leads if nobody starts, and nobody answers. */
TEST(test_no_answer_is_owed_if_nobody_started)
{
    const struct election_view asleep = view(ELECTION_ASLEEP, FC_NOBODY);
    struct election_watch w;

    begin(&w, ELECTION_SIZE);
    for (fc_name name = 1; name <= 3; name++)
        election_settled(&w, name, &asleep);
    assert_int_equal(end(&w, ELECTION_LEAST, true), 0);
}

/* ---- What follows from the world ----------------------------------------- */

/* 8 N u for those whose messages never rest; what does not fit is never. */
TEST(test_pipeline_horizon)
{
    struct fc_world large = world;

    assert_int_equal(election_pipeline_horizon(NULL, &world), 8 * 3 * 5);
    large.bounds.rmax = UINT64_MAX / 16;
    assert_true(election_pipeline_horizon(NULL, &large) == FC_NEVER);
}

static struct vitanyi_params vitanyi_with(const char *f,
                                          const struct fc_world *w)
{
    struct vitanyi_params p;
    const char *file;
    struct fc_wait *wait;

    fc_params_default(&vitanyi_protocol, &p);
    assert_int_equal(fc_params_set(&vitanyi_protocol, &p, "f", f, &file, &wait),
                     FC_SET_DONE);
    assert_null(vitanyi_protocol.prepare(&p, w));
    return p;
}

/* Waits saturate, which is exact only if the winner's fit with room. */
TEST(test_vitanyi_refuses_a_winner_that_waits_too_long)
{
    struct fc_world far = {3, 3, 60, 62, {1, 1, 0, 0}, true, false};
    struct vitanyi_params p = vitanyi_with("exp:2", &far);

    assert_true(vitanyi_protocol.horizon(&p, &far) ==
                6 * ((UINT64_C(1) << 60) + 4));
    far.nodes = 4;
    assert_non_null(vitanyi_protocol.prepare(&p, &far));
    far.least = 70;
    assert_non_null(vitanyi_protocol.prepare(&p, &far));
}

/* The paper's costs, worked out by hand for N = 10, u = 3 + 2, m = 2. */
TEST(test_vitanyi_claims_are_the_papers)
{
    static const struct {
        const char *f;
        double messages;
    } cases[] = {
        {"exp:2", 20 + 3 * 10 * 2.5}, /* 2N + 3Nu/m */
        {"scaled:4", 95},
        {"exp:auto", 50},               /* 5N */
        {"const:4", 20 + 25 * 5 * 2.5}, /* 10 names of 1/4 */
    };
    const struct fc_world ten = {10, 10, 1, 10, {2, 3, 1, 2}, true, false};
    struct fc_claim claims[FC_CLAIMS_MAX];
    struct vitanyi_params p;

    for (size_t i = 0; i < COUNT(cases); i++) {
        p = vitanyi_with(cases[i].f, &ten);
        assert_true(vitanyi_protocol.claims(&p, &ten, claims) >= 1);
        assert_int_equal(claims[0].cost, FC_COST_MESSAGES);
        assert_true(claims[0].value > cases[i].messages - 1e-9);
        assert_true(claims[0].value < cases[i].messages + 1e-9);
    }
    p = vitanyi_with("exp:2", &ten);
    assert_int_equal(vitanyi_protocol.claims(&p, &ten, claims), 2);
    assert_int_equal(claims[1].cost, FC_COST_TICKS);
    assert_true(claims[1].value == 10 * 5 * 4); /* Nu(2^l + 2) */
    p = vitanyi_with("minimal", &ten);
    assert_int_equal(vitanyi_protocol.claims(&p, &ten, claims), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begin_forgets_everything),
        cmocka_unit_test(test_good_run_breaks_nothing),
        cmocka_unit_test(test_elected_at_is_the_first_time),
        cmocka_unit_test(test_one_leader_is_broken_by_a_second),
        cmocka_unit_test(test_one_leader_allows_a_successor),
        cmocka_unit_test(test_agreement_is_broken_by_another_name),
        cmocka_unit_test(test_agreement_remembers),
        cmocka_unit_test(test_one_step_may_break_two),
        cmocka_unit_test(test_right_leader_is_whom_the_protocol_promises),
        cmocka_unit_test(test_least_initiator_is_of_those_that_started),
        cmocka_unit_test(test_expected_winner),
        cmocka_unit_test(test_elected_is_broken_by_silence),
        cmocka_unit_test(test_nobody_started_breaks_nothing),
        cmocka_unit_test(test_everyone_told_is_broken_by_one_that_is_not),
        cmocka_unit_test(test_ends_is_broken_by_going_on),
        cmocka_unit_test(test_right_answer_is_the_size_at_the_leader),
        cmocka_unit_test(test_right_answer_is_the_names_in_order),
        cmocka_unit_test(test_right_answer_is_a_name_for_each),
        cmocka_unit_test(test_many_names_are_judged),
        cmocka_unit_test(test_no_answer_is_asked_for_none),
        cmocka_unit_test(test_no_answer_is_owed_if_nobody_started),
        cmocka_unit_test(test_what_of_a_view_matters),
        cmocka_unit_test(test_what_does_not_matter_changes_nothing),
        cmocka_unit_test(test_properties_and_roles_have_names),
        cmocka_unit_test(test_pipeline_horizon),
        cmocka_unit_test(test_vitanyi_refuses_a_winner_that_waits_too_long),
        cmocka_unit_test(test_vitanyi_claims_are_the_papers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
