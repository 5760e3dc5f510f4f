/*
 * test_raymond_k.c - k at once: the rules, replies that come late and in one,
 * the cost, all orders for a few sites, many seeds for more.
 *
 * The site of the rules is number 2 of 5, and two may be inside.
 */
#define MUTEX        raymond_k
#define MUTEX_SOURCE "protocols/mutex/raymond_k/raymond_k.c"
#include "tests/unit/kit/mutexes.h"

#include <stdio.h>

static const struct fc_member me = {2, 5};
static const struct raymond_k_params one = {1}, two = {2}, three = {3},
                                     five = {5};

static struct fc_stamp request(uint64_t number)
{
    return (struct fc_stamp){.kind = REQUEST, .number = number};
}

static struct fc_stamp reply_of(uint32_t count)
{
    return (struct fc_stamp){.kind = REPLY, .round = count};
}

static struct raymond_k_out step(struct raymond_k *s, struct raymond_k_in in)
{
    return try_event(s, &two, &me, in);
}

/* Everybody owes it this many replies. */
static struct raymond_k site(enum mutex_role role, uint64_t number,
                             uint32_t missing)
{
    struct raymond_k s = {
        .role = (uint8_t)role, .number = number, .highest = 7};

    for (uint32_t i = 0; i < me.nodes; i++)
        s.missing[i] = i == me.index ? 0 : missing;
    s.owing = missing ? me.nodes - 1 : 0;
    return s;
}

static void check_reply(const struct raymond_k_out *out, uint32_t i,
                        uint32_t to, uint32_t count)
{
    struct fc_stamp wanted = reply_of(count);

    assert_true(i < out->fx.sends);
    assert_int_equal(out->fx.to[i], to);
    assert_memory_equal(&out->send[i], &wanted, sizeof wanted);
}

static void check_state(struct raymond_k is, struct raymond_k wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

/* ---- Rules --------------------------------------------------------------- */

TEST(test_want_asks_everybody)
{
    struct raymond_k s = site(MUTEX_IDLE, 0, 0);
    struct raymond_k wanted = site(MUTEX_WAITS, 8, 1);
    struct raymond_k_out out = step(&s, app_wants());
    struct fc_stamp asked = request(8);

    wanted.highest = 8;
    assert_int_equal(out.fx.sends, 1);
    assert_int_equal(out.fx.to[0], FC_EVERYONE);
    assert_memory_equal(&out.send[0], &asked, sizeof asked);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_state(s, wanted);
}

/* n-1 others, all but k-1 of them. */
TEST(test_all_replies_but_k_minus_1_let_in)
{
    const struct raymond_k_params *params[] = {&one, &two, &three};

    for (uint32_t k = 1; k <= 3; k++) {
        struct raymond_k s = site(MUTEX_WAITS, 7, 1);
        uint32_t needed = 0;

        for (uint32_t i = 0; i < 5; i++) {
            if (i == 2 || s.role == MUTEX_INSIDE)
                continue;
            needed++;
            (void)try_event(&s, params[k - 1], &me, hears(i, reply_of(1)));
        }
        assert_int_equal(needed, 5 - k);
        assert_int_equal(look_at(&s, &me).role, MUTEX_INSIDE);
        assert_true(look_at(&s, &me).token == 0);
    }
}

/* As many as there are: in at once, though everybody is asked. */
TEST(test_room_for_all_lets_in_at_once)
{
    struct raymond_k s = {0};
    struct raymond_k_out out = try_event(&s, &five, &me, app_wants());

    assert_int_equal(out.fx.sends, 1);
    assert_int_equal(look_at(&s, &me).role, MUTEX_INSIDE);
}

TEST(test_commands_out_of_place_are_ignored)
{
    check_ignored(site(MUTEX_WAITS, 7, 1), &two, &me, app_wants(), 0);
    check_ignored(site(MUTEX_INSIDE, 7, 0), &two, &me, app_wants(), 0);
    check_ignored(site(MUTEX_WAITS, 7, 1), &two, &me, app_leaves(), 0);
    check_ignored(site(MUTEX_IDLE, 0, 0), &two, &me, app_leaves(), 0);
    check_ignored(site(MUTEX_INSIDE, 7, 0), &two, &me, goes_on(), 0);
}

/* A reply counts for the request it was for: one that is late must be followed
 * by one for the present request. */
TEST(test_late_replies_count_for_old_requests)
{
    struct raymond_k s = site(MUTEX_WAITS, 7, 1);
    struct raymond_k_out out;

    s.missing[4] = s.missing[3] = 2;
    for (uint32_t i = 0; i < 5; i++)
        if (i != 2)
            out = step(&s, hears(i, reply_of(1)));
    assert_int_equal(out.fx.notes, 0);
    assert_int_equal(s.owing, 2);
    assert_int_equal(look_at(&s, &me).role, MUTEX_WAITS);
    out = step(&s, hears(4, reply_of(1)));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    assert_int_equal(look_at(&s, &me).role, MUTEX_INSIDE);
}

/* Several at once, and in whatever role. */
TEST(test_replies_come_in_one_and_at_any_time)
{
    static const enum mutex_role roles[] = {MUTEX_IDLE, MUTEX_INSIDE};

    for (size_t i = 0; i < COUNT(roles); i++) {
        struct raymond_k s = site(roles[i], 0, 0);

        s.missing[4] = 3;
        s.owing = 1;
        (void)step(&s, hears(4, reply_of(2)));
        assert_int_equal(s.owing, 1);
        (void)step(&s, hears(4, reply_of(1)));
        check_state(s, site(roles[i], 0, 0));
    }
}

/* More than are owed, or none. */
TEST(test_replies_to_nothing_die)
{
    struct raymond_k s = site(MUTEX_WAITS, 7, 1);

    check_ignored(s, &two, &me, hears(4, reply_of(2)), FC_NOTE_DIES);
    check_ignored(s, &two, &me, hears(4, reply_of(0)), FC_NOTE_DIES);
    check_ignored(site(MUTEX_IDLE, 0, 0), &two, &me, hears(4, reply_of(1)),
                  FC_NOTE_DIES);
}

/* In the order of (number, site), even inside: who is earlier may be inside
 * as well. */
TEST(test_requests_are_judged_by_number_and_site)
{
    static const struct {
        enum mutex_role role;
        uint32_t from;
        uint64_t number;
        bool deferred;
    } cases[] = {
        {MUTEX_IDLE, 1, 9, false},  {MUTEX_WAITS, 1, 7, false},
        {MUTEX_WAITS, 3, 7, true},  {MUTEX_WAITS, 4, 6, false},
        {MUTEX_INSIDE, 0, 8, true}, {MUTEX_INSIDE, 4, 6, false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct raymond_k s = site(cases[i].role, cases[i].role ? 7 : 0, 0);
        struct raymond_k_out out =
            step(&s, hears(cases[i].from, request(cases[i].number)));

        assert_int_equal(s.deferred[cases[i].from], cases[i].deferred);
        assert_int_equal(out.fx.sends, !cases[i].deferred);
        if (!cases[i].deferred)
            check_reply(&out, 0, cases[i].from, 1);
        assert_true(s.highest == (cases[i].number > 7 ? cases[i].number : 7));
    }
}

/* One message for all requests of one site. */
TEST(test_leaving_replies_to_many_requests_in_one)
{
    struct raymond_k s = site(MUTEX_INSIDE, 7, 0);
    struct raymond_k_out out;

    for (uint64_t number = 8; number < 11; number++)
        (void)step(&s, hears(4, request(number)));
    (void)step(&s, hears(0, request(9)));
    out = step(&s, app_leaves());
    assert_int_equal(out.fx.sends, 2);
    check_reply(&out, 0, 0, 1);
    check_reply(&out, 1, 4, 3);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    assert_int_equal(s.deferred[4] + s.deferred[0], 0);
    assert_int_equal(look_at(&s, &me).role, MUTEX_IDLE);
}

/* What does not fit in one outbox goes on in the same step. */
TEST(test_many_replies_leave_in_one_step)
{
    const struct fc_member last = {15, 16};
    struct raymond_k s = {.role = MUTEX_INSIDE, .number = 7, .highest = 7};
    struct raymond_k_out out;
    uint32_t next = 0;

    for (uint32_t i = 0; i < 15; i++)
        (void)try_event(&s, &two, &last, hears(i, request(9)));
    out = try_event(&s, &two, &last, app_leaves());
    for (;;) {
        for (uint32_t i = 0; i < out.fx.sends; i++)
            check_reply(&out, i, next++, 1);
        assert_int_equal(out.fx.choose, 0);
        if (!out.fx.go_on)
            break;
        out = try_event(&s, &two, &last, goes_on());
    }
    assert_int_equal(next, 15);
    check_ignored(s, &two, &last, goes_on(), 0);
}

/* ---- Messages, claims ---------------------------------------------------- */

TEST(test_claims_and_limits)
{
    struct fc_world world = {.nodes = 9, .bounds = {1, 1, 0, 0}};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(raymond_k_protocol.claims(&two, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_AT_MOST);
    assert_true(claims[0].value == 16);
    assert_int_equal(mutex_terms_of(&raymond_k_protocol).capacity(&three), 3);
    world.nodes = 256;
    assert_null(raymond_k_protocol.prepare(NULL, &world));
    world.nodes = 257;
    assert_non_null(raymond_k_protocol.prepare(NULL, &world));
}

/* ---- Whole runs ---------------------------------------------------------- */

static void check_cost(uint32_t n, uint32_t k)
{
    static struct mutex_lab lab;
    char text[8];
    struct sim_result r;

    (void)snprintf(text, sizeof text, "%u", k);
    mutex_open(&lab, "raymond-k", n);
    mutex_set(&lab, "k", text);
    r = mutex_compete(&lab, n / 2, n / 2, 4);
    assert_int_equal(r.messages, 4 * 2 * (n - 1));
    mutex_close(&lab);
    mutex_open(&lab, "raymond-k", n);
    mutex_set(&lab, "k", text);
    r = mutex_compete(&lab, 0, n - 1, n > 40 ? 1 : 3);
    assert_int_equal(r.by_kind[REQUEST], r.entries * (n - 1));
    assert_true(r.by_kind[REPLY] <= r.by_kind[REQUEST]);
    if (k == 1)
        assert_int_equal(r.messages, r.entries * 2 * (n - 1));
    mutex_close(&lab);
}

/* n-1 requests an entry and no more replies; exactly as many if one is alone,
 * or only one may be inside. */
LONG_TEST(test_cost_is_within_the_bounds)
{
    for (uint32_t n = 1; n <= 200; n = next_size(n)) {
        check_cost(n, 1);
        check_cost(n, 1 + n / 2);
    }
}

/* A site inside for long owes the same site several replies, and sends them as
 * one: some storms have fewer replies than requests, if more than one may be
 * inside. */
TEST(test_late_replies_are_sent_in_one)
{
    struct storm storm = {"raymond-k", "k", "3", NET_ARCHIMEDEAN, false, 8, 8};
    struct stormed all = storm_runs(&storm, rounds_from(10, 300));

    assert_int_equal(all.broken, 0);
    assert_true(all.messages < all.entries * 2 * 7);
    storm.value = "1";
    all = storm_runs(&storm, rounds(300));
    assert_int_equal(all.messages, all.entries * 2 * 7);
}

/* A reply that comes after its entry is charged to it, and not to the next: no
 * entry costs more than n-1 requests and as many replies, and all messages are
 * charged to some entry, also those that come when a site has made its last. */
TEST(test_late_replies_are_charged_to_the_entry_that_asked)
{
    static struct mutex_lab lab;

    for (uint64_t seed = 1; seed <= rounds(50); seed++) {
        struct sim_result r;

        mutex_open(&lab, "raymond-k", 9);
        mutex_bounds(&lab, (struct fc_bounds){2, 3, 1, 4});
        lab.setup.work.entries = 20;
        lab.setup.work.section = (struct net_duration){NET_UNIFORM, 1, 50, 0};
        r = mutex_run(&lab, seed);
        assert_int_equal(r.entries, 9 * 20);
        assert_int_equal(lab.tally.messages.max, 2 * 8);
        assert_int_equal(lab.tally.messages.sum, r.messages);
        assert_int_equal(lab.tally.unbilled, 0);
        mutex_close(&lab);
    }
}

TEST(test_many_seeds_break_nothing)
{
    static const char *const k[] = {"1", "2", "5"};

    for (size_t i = 0; i < COUNT(k); i++)
        check_storms((struct storm){"raymond-k", "k", k[i], 0, false, 0, 0},
                     true, rounds(500));
}

/* Two are inside together, and not by accident; never three. */
TEST(test_as_many_as_may_be_are_inside)
{
    struct explored found = explore(&two, 3, (uint8_t[]){1, 1, 1}, 1, false);

    assert_true(found.overlaps > 0);
    found = explore(&three, 3, (uint8_t[]){1, 1, 1}, 2, false);
    assert_true(found.overlaps > 0);
}

/* Whatever the order of events; how many situations there are is pinned. */
TEST(test_all_orders_of_a_few_entries)
{
    static const struct orders with_one[] = {{2, {3, 3}, true, 400},
                                             {3, {1, 1, 1}, true, 2822}};
    static const struct orders with_two[] = {
        {2, {3, 3}, true, 30016},
        {3, {1, 1, 1}, false, 6578},
        {3, {1, 1, 1}, true, 9701},
        {3, {2, 1, 1}, true, 72964},
    };

    for (size_t i = 0; i < COUNT(with_one); i++)
        check_orders(&one, 1, &with_one[i]);
    for (size_t i = 0; i < COUNT(with_two); i++)
        check_orders(&two, 2, &with_two[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_want_asks_everybody),
        cmocka_unit_test(test_all_replies_but_k_minus_1_let_in),
        cmocka_unit_test(test_room_for_all_lets_in_at_once),
        cmocka_unit_test(test_commands_out_of_place_are_ignored),
        cmocka_unit_test(test_late_replies_count_for_old_requests),
        cmocka_unit_test(test_replies_come_in_one_and_at_any_time),
        cmocka_unit_test(test_replies_to_nothing_die),
        cmocka_unit_test(test_requests_are_judged_by_number_and_site),
        cmocka_unit_test(test_leaving_replies_to_many_requests_in_one),
        cmocka_unit_test(test_many_replies_leave_in_one_step),
        cmocka_unit_test(test_claims_and_limits),
        cmocka_unit_test(test_cost_is_within_the_bounds),
        cmocka_unit_test(test_late_replies_are_sent_in_one),
        cmocka_unit_test(test_late_replies_are_charged_to_the_entry_that_asked),
        cmocka_unit_test(test_many_seeds_break_nothing),
        cmocka_unit_test(test_as_many_as_may_be_are_inside),
        cmocka_unit_test(test_all_orders_of_a_few_entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
