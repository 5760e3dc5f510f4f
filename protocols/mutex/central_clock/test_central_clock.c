/*
 * test_central_clock.c - requests stamped by one clock: the rules, the exact
 * cost, all orders for a few sites, many seeds for more.
 *
 * Site 0 of 5 has the clock; the other site of the rules is number 2.
 */
#define MUTEX        central_clock
#define MUTEX_SOURCE "protocols/mutex/central_clock/central_clock.c"
#include "tests/unit/kit/mutexes.h"

static const struct fc_member first = {0, 5}, me = {2, 5};
static const struct central_clock_params none;

static struct fc_stamp stamp(uint32_t kind, uint64_t number)
{
    return (struct fc_stamp){.kind = (uint8_t)kind, .number = number};
}

static struct central_clock_out step(struct central_clock *s,
                                     struct central_clock_in in)
{
    return try_event(s, &none, &me, in);
}

static struct central_clock in_role(enum mutex_role role, uint64_t number)
{
    struct central_clock s = {.role = (uint8_t)role, .number = number};

    if (role == MUTEX_WAITS)
        fc_set_others(&s.missing, me.nodes, me.index);
    return s;
}

static void check_sent(const struct central_clock_out *out, uint32_t i,
                       uint32_t to, uint32_t kind, uint64_t number)
{
    struct fc_stamp wanted = stamp(kind, number);

    assert_true(i < out->fx.sends);
    assert_int_equal(out->fx.to[i], to);
    assert_memory_equal(&out->send[i], &wanted, sizeof wanted);
}

static void check_state(struct central_clock is, struct central_clock wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

/* ---- Rules --------------------------------------------------------------- */

/* The clock tells everybody another time, and later ones later. */
TEST(test_clock_stamps)
{
    struct central_clock s = {.clock = 4};

    for (uint64_t time = 5; time < 9; time++) {
        struct central_clock_out out =
            try_event(&s, &none, &first, hears(3, stamp(ASK, 0)));

        assert_int_equal(out.fx.sends, 1);
        check_sent(&out, 0, 3, STAMP, time);
    }
}

/* First the clock, then everybody. */
TEST(test_course_of_an_entry)
{
    struct central_clock s = {0};
    struct central_clock_out out = step(&s, app_wants());

    assert_int_equal(out.fx.sends, 1);
    check_sent(&out, 0, 0, ASK, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_state(s, in_role(MUTEX_SLEEPS, 0));
    out = step(&s, hears(0, stamp(STAMP, 7)));
    assert_int_equal(out.fx.sends, 1);
    check_sent(&out, 0, FC_EVERYONE, REQUEST, 7);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_state(s, in_role(MUTEX_WAITS, 7));
    for (uint32_t i = 0; i < 5; i++)
        if (i != 2)
            out = step(&s, hears(i, stamp(REPLY, 0)));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_state(s, in_role(MUTEX_INSIDE, 7));
    assert_true(look_at(&s, &me).token == mutex_token(7, 2));
    out = step(&s, app_leaves());
    assert_int_equal(out.fx.sends, 0);
    check_state(s, in_role(MUTEX_IDLE, 0));
}

/* The site of the clock looks at it. */
TEST(test_site_of_the_clock_asks_nobody_for_the_time)
{
    struct central_clock s = {.clock = 4};
    struct central_clock_out out = try_event(&s, &none, &first, app_wants());

    assert_int_equal(out.fx.sends, 1);
    check_sent(&out, 0, FC_EVERYONE, REQUEST, 5);
    assert_true(s.clock == 5 && s.number == 5);
    assert_int_equal(look_at(&s, &first).role, MUTEX_WAITS);
}

TEST(test_what_does_not_fit_is_ignored)
{
    check_ignored(in_role(MUTEX_SLEEPS, 0), &none, &me, app_wants(), 0);
    check_ignored(in_role(MUTEX_WAITS, 7), &none, &me, app_wants(), 0);
    check_ignored(in_role(MUTEX_INSIDE, 7), &none, &me, app_wants(), 0);
    check_ignored(in_role(MUTEX_SLEEPS, 0), &none, &me, app_leaves(), 0);
    check_ignored(in_role(MUTEX_IDLE, 0), &none, &me, app_leaves(), 0);
    check_ignored(in_role(MUTEX_WAITS, 7), &none, &me,
                  hears(0, stamp(STAMP, 9)), FC_NOTE_DIES);
    check_ignored(in_role(MUTEX_IDLE, 0), &none, &me, hears(0, stamp(STAMP, 9)),
                  FC_NOTE_DIES);
    check_ignored(in_role(MUTEX_SLEEPS, 0), &none, &me,
                  hears(1, stamp(REPLY, 0)), FC_NOTE_DIES);
    check_ignored(in_role(MUTEX_INSIDE, 7), &none, &me,
                  hears(1, stamp(REPLY, 0)), FC_NOTE_DIES);
}

/* A site that wants nothing replies; one that waits, by the stamps; one inside,
 * never. */
TEST(test_requests_are_judged_by_their_stamps)
{
    static const struct {
        enum mutex_role role;
        uint32_t number;
        bool replies;
    } cases[] = {{MUTEX_IDLE, 3, true},    {MUTEX_WAITS, 6, true},
                 {MUTEX_WAITS, 8, false},  {MUTEX_INSIDE, 8, false},
                 {MUTEX_SLEEPS, 3, false}, {MUTEX_SLEEPS, 9, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        bool numbered = cases[i].role > MUTEX_SLEEPS;
        struct central_clock s = in_role(cases[i].role, numbered ? 7 : 0);
        struct central_clock_out out =
            step(&s, hears(4, stamp(REQUEST, cases[i].number)));

        assert_int_equal(out.fx.sends, cases[i].replies);
        assert_int_equal(fc_set_has(&s.deferred, 4), !cases[i].replies);
    }
}

/* When its own stamp comes, it knows who was before. */
TEST(test_held_requests_are_judged_by_the_own_stamp)
{
    struct central_clock s = in_role(MUTEX_SLEEPS, 0);
    struct central_clock wanted = in_role(MUTEX_WAITS, 7);
    struct central_clock_out out;

    (void)step(&s, hears(4, stamp(REQUEST, 6)));
    (void)step(&s, hears(1, stamp(REQUEST, 8)));
    (void)step(&s, hears(3, stamp(REQUEST, 2)));
    out = step(&s, hears(0, stamp(STAMP, 7)));
    assert_int_equal(out.fx.sends, 2);
    check_sent(&out, 0, FC_EVERYONE, REQUEST, 7);
    check_sent(&out, 1, FC_SET, REPLY, 0);
    assert_true(out.fx.set.word[0] == (1 << 3 | 1 << 4));
    fc_set_add(&wanted.deferred, 1);
    check_state(s, wanted);
}

/* On leaving, to all who wait: one message to a set is enough. */
TEST(test_many_replies_leave_in_one_step)
{
    const struct fc_member last = {15, 16};
    struct central_clock s = in_role(MUTEX_INSIDE, 7);
    struct central_clock_out out;

    for (uint32_t i = 0; i < 15; i++)
        (void)try_event(&s, &none, &last, hears(i, stamp(REQUEST, 9 + i)));
    out = try_event(&s, &none, &last, app_leaves());
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_sent_to_set(&out, 0x7fff);
    check_sent(&out, 0, FC_SET, REPLY, 0);
    check_state(s, in_role(MUTEX_IDLE, 0));
}

TEST(test_alone_in_the_world)
{
    const struct fc_member alone = {0, 1};
    struct central_clock s = {0};

    (void)try_event(&s, &none, &alone, app_wants());
    assert_int_equal(look_at(&s, &alone).role, MUTEX_INSIDE);
}

/* ---- Messages, claims ---------------------------------------------------- */

TEST(test_claims_and_limits)
{
    struct fc_world world = {.nodes = 9, .bounds = {1, 1, 0, 0}};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(central_clock_protocol.claims(NULL, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_AT_MOST);
    assert_true(claims[0].value == 18);
    world.nodes = 256;
    assert_null(central_clock_protocol.prepare(NULL, &world));
    world.nodes = 257;
    assert_non_null(central_clock_protocol.prepare(NULL, &world));
}

/* ---- Whole runs ---------------------------------------------------------- */

/* 2n for every entry of the others, 2(n-1) where the clock is. */
LONG_TEST(test_cost_is_exact)
{
    static struct mutex_lab lab;

    for (uint32_t n = 2; n <= 200; n = next_size(n)) {
        struct sim_result r;

        mutex_open(&lab, "central-clock", n);
        r = mutex_compete(&lab, 1, n - 1, 3);
        assert_int_equal(r.messages, 2 * n * r.entries);
        assert_int_equal(lab.tally.messages.min, 2 * n);
        assert_int_equal(lab.tally.messages.max, 2 * n);
        mutex_close(&lab);
        mutex_open(&lab, "central-clock", n);
        r = mutex_compete(&lab, 0, 0, 5);
        assert_int_equal(r.messages, 5 * 2 * (n - 1));
        mutex_close(&lab);
        mutex_open(&lab, "central-clock", n);
        r = mutex_compete(&lab, 0, n - 1, 2);
        assert_int_equal(r.messages, 2 * n * r.entries - 2 * 2);
        mutex_close(&lab);
    }
}

TEST(test_many_seeds_break_nothing)
{
    check_storms((struct storm){.protocol = "central-clock"}, true,
                 rounds(1200));
}

/* Whatever the order of events; how many situations there are is pinned. */
TEST(test_all_orders_of_a_few_entries)
{
    static const struct orders cases[] = {
        {2, {3, 3}, false, 380},     {2, {3, 3}, true, 419},
        {3, {1, 1, 1}, false, 3179}, {3, {1, 1, 1}, true, 3535},
        {3, {0, 2, 2}, true, 1034},  {3, {1, 2, 1}, true, 7198},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_orders(&none, 1, &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock_stamps),
        cmocka_unit_test(test_course_of_an_entry),
        cmocka_unit_test(test_site_of_the_clock_asks_nobody_for_the_time),
        cmocka_unit_test(test_what_does_not_fit_is_ignored),
        cmocka_unit_test(test_requests_are_judged_by_their_stamps),
        cmocka_unit_test(test_held_requests_are_judged_by_the_own_stamp),
        cmocka_unit_test(test_many_replies_leave_in_one_step),
        cmocka_unit_test(test_alone_in_the_world),
        cmocka_unit_test(test_claims_and_limits),
        cmocka_unit_test(test_cost_is_exact),
        cmocka_unit_test(test_many_seeds_break_nothing),
        cmocka_unit_test(test_all_orders_of_a_few_entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
