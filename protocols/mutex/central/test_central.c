/*
 * test_central.c - a coordinator: the rules, the exact cost, all orders for a
 * few sites, many seeds for more.
 *
 * Site 0 of 5 coordinates; the other site of the rules is number 2.
 */
#define MUTEX        central
#define MUTEX_SOURCE "protocols/mutex/central/central.c"
#include "tests/unit/kit/mutexes.h"

static const struct fc_member first = {0, 5}, me = {2, 5};
static const struct central_params none;

static struct fc_stamp stamp(uint32_t kind, uint64_t number)
{
    return (struct fc_stamp){.kind = (uint8_t)kind, .number = number};
}

/* The coordinator: whom it let in, of so many, and who waits. */
static struct central coordinator(uint16_t holder, uint64_t grants,
                                  uint16_t waiting, uint16_t a, uint16_t b)
{
    return (struct central){.holder = holder,
                            .grants = grants,
                            .waiting = waiting,
                            .queue = {a, b}};
}

static void check_state(struct central is, struct central wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

static void check_sent(const struct central_out *out, uint32_t to,
                       uint32_t kind, uint64_t number)
{
    struct fc_stamp wanted = stamp(kind, number);

    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(out->fx.to[0], to);
    assert_memory_equal(&out->send[0], &wanted, sizeof wanted);
}

/* ---- Whoever wants to enter ---------------------------------------------- */

/* Ask, be let in under the coordinator's number, tell it on leaving. */
TEST(test_course_of_an_entry)
{
    struct central s = {0};
    struct central_out out = try_event(&s, &none, &me, app_wants());

    check_sent(&out, 0, REQUEST, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    assert_int_equal(look_at(&s, &me).role, MUTEX_WAITS);
    out = try_event(&s, &none, &me, hears(0, stamp(GRANT, 9)));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    assert_int_equal(look_at(&s, &me).role, MUTEX_INSIDE);
    assert_true(look_at(&s, &me).token == mutex_token(9, 2));
    out = try_event(&s, &none, &me, app_leaves());
    check_sent(&out, 0, RELEASE, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_state(s, (struct central){0});
}

/* Commands out of place, grants that nobody waits for, and what is meant for
 * the coordinator. */
TEST(test_what_does_not_fit_is_ignored)
{
    const struct central idle = {0}, waits = {.role = MUTEX_WAITS},
                         inside = {.role = MUTEX_INSIDE, .number = 4};

    check_ignored(idle, &none, &me, app_leaves(), 0);
    check_ignored(waits, &none, &me, app_leaves(), 0);
    check_ignored(waits, &none, &me, app_wants(), 0);
    check_ignored(inside, &none, &me, app_wants(), 0);
    check_ignored(idle, &none, &me, hears(0, stamp(GRANT, 5)), FC_NOTE_DIES);
    check_ignored(inside, &none, &me, hears(0, stamp(GRANT, 5)), FC_NOTE_DIES);
    check_ignored(idle, &none, &me, hears(1, stamp(REQUEST, 0)), FC_NOTE_DIES);
    check_ignored(idle, &none, &me, hears(1, stamp(RELEASE, 0)), FC_NOTE_DIES);
}

/* ---- The coordinator ----------------------------------------------------- */

TEST(test_first_request_is_granted)
{
    struct central s = {0};
    struct central_out out =
        try_event(&s, &none, &first, hears(3, stamp(REQUEST, 0)));

    check_sent(&out, 3, GRANT, 1);
    check_state(s, coordinator(4, 1, 0, 0, 0));
}

/* In the order in which they came, not of their numbers. */
TEST(test_others_wait_in_their_order)
{
    struct central s = coordinator(4, 1, 0, 0, 0);
    struct central_out out =
        try_event(&s, &none, &first, hears(2, stamp(REQUEST, 0)));

    assert_int_equal(out.fx.sends, 0);
    out = try_event(&s, &none, &first, hears(1, stamp(REQUEST, 0)));
    assert_int_equal(out.fx.sends, 0);
    check_state(s, coordinator(4, 1, 2, 2, 1));
    out = try_event(&s, &none, &first, hears(3, stamp(RELEASE, 0)));
    check_sent(&out, 2, GRANT, 2);
    check_state(s, coordinator(3, 2, 1, 1, 0));
    out = try_event(&s, &none, &first, hears(2, stamp(RELEASE, 0)));
    check_sent(&out, 1, GRANT, 3);
    out = try_event(&s, &none, &first, hears(1, stamp(RELEASE, 0)));
    assert_int_equal(out.fx.sends, 0);
    check_state(s, coordinator(0, 3, 0, 0, 0));
}

/* The next request of a site may overtake its release. */
TEST(test_request_before_its_release_waits)
{
    struct central s = coordinator(4, 1, 0, 0, 0);
    struct central_out out =
        try_event(&s, &none, &first, hears(3, stamp(REQUEST, 0)));

    assert_int_equal(out.fx.sends, 0);
    out = try_event(&s, &none, &first, hears(3, stamp(RELEASE, 0)));
    check_sent(&out, 3, GRANT, 2);
    check_state(s, coordinator(4, 2, 0, 0, 0));
}

/* Nobody waits twice, and only whoever is inside can leave. */
TEST(test_doubles_die)
{
    struct central s = coordinator(4, 1, 1, 1, 0);

    check_ignored(s, &none, &first, hears(1, stamp(REQUEST, 0)), FC_NOTE_DIES);
    check_ignored(s, &none, &first, hears(1, stamp(RELEASE, 0)), FC_NOTE_DIES);
    check_ignored(s, &none, &first, hears(1, stamp(GRANT, 0)), FC_NOTE_DIES);
}

/* It lets itself in without a message, and waits like any other. */
TEST(test_coordinator_needs_no_messages)
{
    struct central s = {0};
    struct central_out out = try_event(&s, &none, &first, app_wants());

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    assert_int_equal(look_at(&s, &first).role, MUTEX_INSIDE);
    assert_true(look_at(&s, &first).token == mutex_token(1, 0));
    out = try_event(&s, &none, &first, hears(3, stamp(REQUEST, 0)));
    assert_int_equal(out.fx.sends, 0);
    out = try_event(&s, &none, &first, app_leaves());
    check_sent(&out, 3, GRANT, 2);
    check_state(s, coordinator(4, 2, 0, 0, 0));
    out = try_event(&s, &none, &first, app_wants());
    assert_int_equal(look_at(&s, &first).role, MUTEX_WAITS);
    out = try_event(&s, &none, &first, hears(3, stamp(RELEASE, 0)));
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    assert_true(look_at(&s, &first).token == mutex_token(3, 0));
}

/* ---- Messages, claims ---------------------------------------------------- */

TEST(test_claims_and_limits)
{
    struct fc_world world = {.nodes = 256, .bounds = {1, 1, 0, 0}};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(central_protocol.claims(NULL, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_AT_MOST);
    assert_true(claims[0].value == 3);
    assert_null(central_protocol.prepare(NULL, &world));
    world.nodes = 257;
    assert_non_null(central_protocol.prepare(NULL, &world));
}

/* ---- Whole runs ---------------------------------------------------------- */

/* Three for every entry of the others, none for the coordinator's own. */
TEST(test_cost_is_exact)
{
    static struct mutex_lab lab;

    for (uint32_t n = 2; n <= 200; n = next_size(n)) {
        struct sim_result r;

        mutex_open(&lab, "central", n);
        r = mutex_compete(&lab, 1, n - 1, 3);
        assert_int_equal(r.messages, 3 * r.entries);
        assert_int_equal(lab.tally.messages.min, 3);
        assert_int_equal(lab.tally.messages.max, 3);
        mutex_close(&lab);
        mutex_open(&lab, "central", n);
        r = mutex_compete(&lab, 0, n - 1, 3);
        assert_int_equal(r.messages, 3 * 3 * (n - 1));
        mutex_close(&lab);
        mutex_open(&lab, "central", n);
        r = mutex_compete(&lab, 0, 0, 5);
        assert_int_equal(r.messages, 0);
        mutex_close(&lab);
    }
}

/* Without any promise on time or order. */
TEST(test_many_seeds_break_nothing)
{
    check_storms((struct storm){.protocol = "central"}, true, rounds(1200));
}

/* Whatever the order of events; how many situations there are is pinned. */
TEST(test_all_orders_of_a_few_entries)
{
    static const struct orders cases[] = {
        {2, {3, 3}, false, 160},    {2, {3, 3}, true, 180},
        {3, {2, 2, 2}, false, 912}, {3, {2, 2, 2}, true, 1054},
        {3, {3, 3, 3}, true, 3610},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_orders(&none, 1, &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_course_of_an_entry),
        cmocka_unit_test(test_what_does_not_fit_is_ignored),
        cmocka_unit_test(test_first_request_is_granted),
        cmocka_unit_test(test_others_wait_in_their_order),
        cmocka_unit_test(test_request_before_its_release_waits),
        cmocka_unit_test(test_doubles_die),
        cmocka_unit_test(test_coordinator_needs_no_messages),
        cmocka_unit_test(test_claims_and_limits),
        cmocka_unit_test(test_cost_is_exact),
        cmocka_unit_test(test_many_seeds_break_nothing),
        cmocka_unit_test(test_all_orders_of_a_few_entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
