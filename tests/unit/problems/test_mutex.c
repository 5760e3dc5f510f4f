/*
 * test_mutex.c - the watch over mutual exclusion: each property broken and
 * kept; phases, tokens and what is shown.
 */
#include "problems/mutex.h"
#include "tests/unit/kit/testing.h"

static const struct fc_world world = {.nodes = 5, .bounds = {2, 3, 1, 4}};

static uint32_t three(const void *params)
{
    (void)params;
    return 3;
}

static struct mutex_watch begin(uint32_t capacity)
{
    const struct mutex_terms terms = {.capacity = capacity == 3 ? three : NULL};
    const struct fc_protocol p = {.problem = &mutex_problem, .terms = &terms};
    struct mutex_watch w;

    memset(&w, 0xff, sizeof w);
    mutex_begin(&w, &p, NULL, &world);
    assert_int_equal(w.capacity, capacity);
    return w;
}

static struct mutex_view view(enum mutex_role role, bool shared, uint64_t token)
{
    return (struct mutex_view){
        .role = (uint8_t)role, .shared = shared, .token = token};
}

static uint32_t change(struct mutex_watch *w, struct mutex_view before,
                       struct mutex_view after, uint64_t now)
{
    return mutex_changed(w, 1, &before, &after, now);
}

/* One that waited enters. */
static uint32_t enters(struct mutex_watch *w, bool shared, uint64_t token,
                       uint64_t now)
{
    return change(w, view(MUTEX_WAITS, shared, 0),
                  view(MUTEX_INSIDE, shared, token), now);
}

static void asks(struct mutex_watch *w, bool shared)
{
    assert_int_equal(
        change(w, view(MUTEX_IDLE, false, 0), view(MUTEX_WAITS, shared, 0), 1),
        0);
}

static void leaves(struct mutex_watch *w, bool shared, uint64_t token)
{
    assert_int_equal(change(w, view(MUTEX_INSIDE, shared, token),
                            view(MUTEX_IDLE, false, 0), 50),
                     0);
}

/* ---- Always -------------------------------------------------------------- */

TEST(test_begin_forgets_everything)
{
    struct mutex_watch w = begin(1);

    assert_int_equal(w.readers + w.writers + w.waiting + w.broken, 0);
    assert_true(w.token == 0 && w.overlaps == 0);
    assert_true(w.first_at == FC_NEVER);
}

/* One after the other, tokens growing: nothing is broken. */
TEST(test_good_run_breaks_nothing)
{
    struct mutex_watch w = begin(1);
    struct fc_outcome outcome;

    for (uint64_t i = 1; i <= 5; i++) {
        asks(&w, false);
        assert_int_equal(w.waiting, 1);
        assert_int_equal(enters(&w, false, i, 10 * i), 0);
        assert_int_equal(w.waiting, 0);
        assert_int_equal(w.writers, 1);
        leaves(&w, false, i);
    }
    assert_int_equal(mutex_end(&w, true), 0);
    assert_int_equal(w.broken, 0);
    mutex_outcome(&w, &outcome);
    assert_true(outcome.reached_at == 10);
    assert_true(outcome.overlaps == 0);
}

/* A second one inside; reported once, pairs counted each time. */
TEST(test_exclusion_is_broken_by_a_second)
{
    struct mutex_watch w = begin(1);
    struct fc_outcome outcome;

    for (int i = 0; i < 3; i++)
        asks(&w, false);
    assert_int_equal(enters(&w, false, 0, 7), 0);
    assert_int_equal(enters(&w, false, 0, 8), MUTEX_EXCLUSION);
    assert_int_equal(enters(&w, false, 0, 9), 0);
    assert_int_equal(w.broken, MUTEX_EXCLUSION);
    mutex_outcome(&w, &outcome);
    assert_true(outcome.overlaps == 1 + 2);
    assert_true(outcome.reached_at == 7);
}

/* As many as the resource bears, and not one more. */
TEST(test_exclusion_by_capacity)
{
    struct mutex_watch w = begin(3);

    for (int i = 0; i < 5; i++)
        asks(&w, false);
    for (int i = 0; i < 3; i++)
        assert_int_equal(enters(&w, false, 0, 7), 0);
    leaves(&w, false, 0);
    assert_int_equal(enters(&w, false, 0, 8), 0);
    assert_true(w.overlaps == 0);
    assert_int_equal(enters(&w, false, 0, 9), MUTEX_EXCLUSION);
    assert_true(w.overlaps == 1);
}

/* Readers beside readers; no writer beside a reader, in either order. */
TEST(test_exclusion_of_readers_and_writers)
{
    struct mutex_watch w = begin(1);

    for (int i = 0; i < 4; i++)
        asks(&w, true);
    for (int i = 0; i < 4; i++)
        assert_int_equal(enters(&w, true, 0, 7), 0);
    assert_int_equal(w.readers, 4);
    asks(&w, false);
    assert_int_equal(enters(&w, false, 0, 8), MUTEX_EXCLUSION);
    assert_true(w.overlaps == 4);

    w = begin(1);
    asks(&w, false);
    asks(&w, true);
    assert_int_equal(enters(&w, false, 0, 7), 0);
    assert_int_equal(enters(&w, true, 0, 8), MUTEX_EXCLUSION);
    assert_true(w.overlaps == 1);

    w = begin(1);
    asks(&w, true);
    asks(&w, false);
    assert_int_equal(enters(&w, true, 0, 7), 0);
    leaves(&w, true, 0);
    assert_int_equal(enters(&w, false, 0, 8), 0);
}

/* A token that is the same, or smaller; reported once. */
TEST(test_tokens_must_grow)
{
    static const uint64_t bad[] = {7, 6, 1};

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct mutex_watch w = begin(1);

        asks(&w, false);
        assert_int_equal(enters(&w, false, 7, 5), 0);
        leaves(&w, false, 7);
        asks(&w, false);
        assert_int_equal(enters(&w, false, bad[i], 6), MUTEX_TOKEN_GROWS);
        leaves(&w, false, bad[i]);
        asks(&w, false);
        assert_int_equal(enters(&w, false, bad[i], 7), 0);
        leaves(&w, false, bad[i]);
        asks(&w, false);
        assert_int_equal(enters(&w, false, 8, 8), 0);
        assert_int_equal(w.broken, MUTEX_TOKEN_GROWS);
    }
}

/* Readers' tokens, and sites without one, are not in that order. */
TEST(test_tokens_are_judged_where_there_are_some)
{
    struct mutex_watch w = begin(1);

    asks(&w, false);
    assert_int_equal(enters(&w, false, 7, 5), 0);
    leaves(&w, false, 7);
    asks(&w, true);
    assert_int_equal(enters(&w, true, 3, 6), 0);
    leaves(&w, true, 3);
    asks(&w, false);
    assert_int_equal(enters(&w, false, 0, 6), 0);
    leaves(&w, false, 0);
    asks(&w, true);
    assert_int_equal(enters(&w, true, 100, 6), 0);
    leaves(&w, true, 100);
    asks(&w, false);
    assert_int_equal(enters(&w, false, 8, 6), 0);
    assert_int_equal(w.broken, 0);
}

/* Two properties in one step. */
TEST(test_one_step_may_break_two)
{
    struct mutex_watch w = begin(1);

    asks(&w, false);
    asks(&w, false);
    assert_int_equal(enters(&w, false, 7, 5), 0);
    assert_int_equal(enters(&w, false, 7, 6),
                     MUTEX_EXCLUSION | MUTEX_TOKEN_GROWS);
}

/* ---- In the end ---------------------------------------------------------- */

/* Somebody still waits, in whatever way, and nothing is left to do. */
TEST(test_everyone_enters_is_broken_by_one_that_waits)
{
    static const enum mutex_role roles[] = {MUTEX_SLEEPS, MUTEX_ASKS,
                                            MUTEX_WAITS};

    for (size_t i = 0; i < COUNT(roles); i++) {
        struct mutex_watch w = begin(1);

        (void)change(&w, view(MUTEX_IDLE, false, 0), view(roles[i], false, 0),
                     3);
        assert_int_equal(mutex_end(&w, true), MUTEX_EVERYONE_ENTERS);
        assert_int_equal(mutex_end(&w, true), 0); /* once */
    }
}

/* A run that was cut says nothing of sites that wait. */
TEST(test_ends_is_broken_by_going_on)
{
    struct mutex_watch w = begin(1);

    asks(&w, false);
    assert_int_equal(mutex_end(&w, false), MUTEX_ENDS);
    assert_int_equal(w.broken, MUTEX_ENDS);
}

/* Whoever gave up, or is mute, does not wait. */
TEST(test_those_who_do_not_wait_need_not_enter)
{
    struct mutex_watch w = begin(1);

    asks(&w, false);
    (void)change(&w, view(MUTEX_WAITS, false, 0), view(MUTEX_IDLE, false, 0),
                 3);
    (void)change(&w, view(MUTEX_IDLE, false, 0), view(MUTEX_MUTE, false, 0), 4);
    assert_int_equal(mutex_end(&w, true), 0);
}

/* The dead do not wait and are not inside; one that comes back is what it
 * was. */
TEST(test_crashed_sites_do_not_count)
{
    struct mutex_watch w = begin(1);
    struct mutex_view waits = view(MUTEX_WAITS, false, 0);
    struct mutex_view inside = view(MUTEX_INSIDE, false, 0);

    asks(&w, false);
    asks(&w, false);
    (void)enters(&w, false, 0, 5);
    mutex_crashed(&w, &inside);
    mutex_crashed(&w, &waits);
    assert_int_equal(w.writers + w.waiting, 0);
    asks(&w, false);
    assert_int_equal(enters(&w, false, 0, 6), 0);
    leaves(&w, false, 0);
    assert_int_equal(mutex_end(&w, true), 0);
    mutex_restarted(&w, &waits);
    assert_int_equal(w.waiting, 1);
    assert_int_equal(mutex_end(&w, true), MUTEX_EVERYONE_ENTERS);
}

/* A site that comes back inside while another is there is one too many. */
TEST(test_a_return_into_an_occupied_section_is_seen)
{
    struct mutex_watch w = begin(1);
    struct mutex_view inside = view(MUTEX_INSIDE, false, 0);

    mutex_restarted(&w, &inside);
    mutex_returned(&w, &inside);
    assert_int_equal(w.broken, 0);
    mutex_restarted(&w, &inside);
    assert_int_equal(w.broken, 0); /* it may leave in its first step */
    mutex_returned(&w, &inside);
    assert_int_equal(w.broken, MUTEX_EXCLUSION);
    assert_int_equal(w.overlaps, 1);
}

/* ---- What protocols and drivers ask -------------------------------------- */

TEST(test_phases_and_commands)
{
    static const enum fc_phase wanted[] = {
        [MUTEX_IDLE] = FC_IDLE,     [MUTEX_SLEEPS] = FC_WAITING,
        [MUTEX_ASKS] = FC_WAITING,  [MUTEX_WAITS] = FC_WAITING,
        [MUTEX_INSIDE] = FC_INSIDE, [MUTEX_MUTE] = FC_IDLE,
    };

    for (int role = MUTEX_IDLE; role <= MUTEX_MUTE; role++) {
        struct mutex_view v = view((enum mutex_role)role, false, 0);

        assert_int_equal(mutex_phase(&v), wanted[role]);
    }
    assert_int_equal(mutex_request(false), MUTEX_WANT);
    assert_int_equal(mutex_request(true), MUTEX_WANT_SHARED);
    assert_int_equal(mutex_farewell(), MUTEX_LEAVE);
}

/* Views are the same if nothing that others see differs. */
TEST(test_same_views)
{
    struct mutex_view a = view(MUTEX_INSIDE, true, 5), b = a;

    b.unused[0] = 1;
    assert_true(mutex_same(&a, &b));
    b.token = 6;
    assert_false(mutex_same(&a, &b));
    b = a;
    b.shared = 0;
    assert_false(mutex_same(&a, &b));
    b = a;
    b.role = MUTEX_WAITS;
    assert_false(mutex_same(&a, &b));
}

/* Of a change, what a property can tell before the end: who is inside, and
 * how; not how it waits. */
TEST(test_what_of_a_view_matters)
{
    struct mutex_view inside = view(MUTEX_INSIDE, false, 5), other = inside;
    struct mutex_view waits = view(MUTEX_WAITS, false, 0),
                      reads = view(MUTEX_WAITS, true, 0),
                      idle = view(MUTEX_IDLE, false, 0);

    assert_false(mutex_matters(&inside, &other));
    other.shared = 1;
    assert_true(mutex_matters(&inside, &other));
    other = inside;
    other.token = 6;
    assert_true(mutex_matters(&inside, &other));
    assert_true(mutex_matters(&waits, &inside));
    assert_true(mutex_matters(&inside, &idle));
    assert_false(mutex_matters(&idle, &waits));
    assert_false(mutex_matters(&waits, &reads));
}

/* (number, site) as pairs and as one number: the same order. */
TEST(test_tokens_are_pairs_in_order)
{
    static const struct {
        uint64_t number;
        uint32_t site;
    } pairs[] = {{1, 0},
                 {1, 1},
                 {1, 255},
                 {2, 0},
                 {2, 254},
                 {300, 3},
                 {UINT64_C(1) << 40, 0}};

    for (size_t i = 0; i < COUNT(pairs); i++)
        for (size_t j = 0; j < COUNT(pairs); j++) {
            assert_int_equal(mutex_before(pairs[i].number, pairs[i].site,
                                          pairs[j].number, pairs[j].site),
                             i < j);
            assert_int_equal(mutex_token(pairs[i].number, pairs[i].site) <
                                 mutex_token(pairs[j].number, pairs[j].site),
                             i < j);
        }
    assert_true(mutex_token(1, 0) != 0);
}

/* 16 n u for one entry; what does not fit is never; 256 sites and no more. */
TEST(test_horizon_and_limit)
{
    struct fc_world large = world;

    assert_int_equal(mutex_horizon(NULL, &world), 16 * 5 * 7);
    large.bounds.rmax = UINT64_MAX / 4;
    assert_true(mutex_horizon(NULL, &large) == FC_NEVER);
    large.nodes = FC_NODES_MAX;
    assert_null(mutex_fits(NULL, &large));
    large.nodes = FC_NODES_MAX + 1;
    assert_non_null(mutex_fits(NULL, &large));
}

/* Every bit, command and role that a trace may name. */
TEST(test_properties_commands_and_roles_have_names)
{
    assert_int_equal(mutex_problem.properties_count, MUTEX_PROPERTIES);
    assert_int_equal(mutex_problem.ends, MUTEX_ENDS);
    for (uint32_t i = 0; i < MUTEX_PROPERTIES; i++)
        assert_non_null(mutex_problem.properties[i]);
    for (uint32_t i = MUTEX_WANT; i <= MUTEX_LEAVE; i++)
        assert_non_null(mutex_problem.commands[i]);
    for (int role = MUTEX_IDLE; role <= MUTEX_MUTE; role++) {
        struct mutex_view v = view((enum mutex_role)role, true, 9);
        struct fc_shown shown;

        mutex_show(&v, &shown);
        assert_non_null(shown.role);
        assert_int_equal(shown.shared, role == MUTEX_INSIDE);
        assert_int_equal(shown.fact[0].number, role == MUTEX_INSIDE ? 9 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begin_forgets_everything),
        cmocka_unit_test(test_good_run_breaks_nothing),
        cmocka_unit_test(test_exclusion_is_broken_by_a_second),
        cmocka_unit_test(test_exclusion_by_capacity),
        cmocka_unit_test(test_exclusion_of_readers_and_writers),
        cmocka_unit_test(test_tokens_must_grow),
        cmocka_unit_test(test_tokens_are_judged_where_there_are_some),
        cmocka_unit_test(test_one_step_may_break_two),
        cmocka_unit_test(test_everyone_enters_is_broken_by_one_that_waits),
        cmocka_unit_test(test_ends_is_broken_by_going_on),
        cmocka_unit_test(test_those_who_do_not_wait_need_not_enter),
        cmocka_unit_test(test_crashed_sites_do_not_count),
        cmocka_unit_test(test_a_return_into_an_occupied_section_is_seen),
        cmocka_unit_test(test_phases_and_commands),
        cmocka_unit_test(test_same_views),
        cmocka_unit_test(test_what_of_a_view_matters),
        cmocka_unit_test(test_tokens_are_pairs_in_order),
        cmocka_unit_test(test_horizon_and_limit),
        cmocka_unit_test(test_properties_commands_and_roles_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
