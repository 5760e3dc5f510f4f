/*
 * test_carvalho_roucairol.c - permissions that are kept: the rules, the exact
 * cost, all orders for a few sites, many seeds for more.
 *
 * The site of the rules is number 2 of 5.
 */
#define MUTEX        carvalho_roucairol
#define MUTEX_SOURCE "protocols/mutex/carvalho_roucairol/carvalho_roucairol.c"
#include "tests/unit/kit/mutexes.h"

static const struct fc_member me = {2, 5};
static const struct carvalho_roucairol_params none;

static struct fc_stamp stamp(uint32_t kind, uint64_t number)
{
    return (struct fc_stamp){.kind = (uint8_t)kind, .number = number};
}

static struct carvalho_roucairol_out step(struct carvalho_roucairol *s,
                                          struct carvalho_roucairol_in in)
{
    return try_event(s, &none, &me, in);
}

/* In this role, with this number and the permissions of these, a bit each. */
static struct carvalho_roucairol site(enum mutex_role role, uint64_t number,
                                      uint64_t permitted)
{
    return (struct carvalho_roucairol){.role = (uint8_t)role,
                                       .number = number,
                                       .highest = 7,
                                       .permitted.word[0] = permitted};
}

static void check_sent(const struct carvalho_roucairol_out *out, uint32_t i,
                       uint32_t to, uint32_t kind, uint64_t number)
{
    struct fc_stamp wanted = stamp(kind, number);

    assert_true(i < out->fx.sends);
    assert_int_equal(out->fx.to[i], to);
    assert_memory_equal(&out->send[i], &wanted, sizeof wanted);
}

static void check_state(struct carvalho_roucairol is,
                        struct carvalho_roucairol wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

/* ---- Rules --------------------------------------------------------------- */

/* Only those whose permission it has not. */
TEST(test_want_asks_those_who_have_not_permitted)
{
    struct carvalho_roucairol s = site(MUTEX_IDLE, 0, 1 << 1 | 1 << 3);
    struct carvalho_roucairol wanted = site(MUTEX_WAITS, 8, 1 << 1 | 1 << 3);
    struct carvalho_roucairol_out out = step(&s, app_wants());

    wanted.highest = 8;
    check_sent_to_set(&out, 1 << 0 | 1 << 4);
    check_sent(&out, 0, FC_SET, REQUEST, 8);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_state(s, wanted);
}

/* With all permissions it is in, and nobody hears of it. */
TEST(test_all_permissions_let_in_without_a_message)
{
    struct carvalho_roucairol s = site(MUTEX_IDLE, 0, 0x1b);
    struct carvalho_roucairol_out out = step(&s, app_wants());

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(look_at(&s, &me).role, MUTEX_INSIDE);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    assert_true(look_at(&s, &me).token == 0);
}

TEST(test_last_reply_lets_in)
{
    struct carvalho_roucairol s = site(MUTEX_WAITS, 7, 0x11);
    struct carvalho_roucairol_out out = step(&s, hears(3, stamp(REPLY, 0)));

    assert_int_equal(out.fx.notes, 0);
    check_ignored(s, &none, &me, hears(3, stamp(REPLY, 0)), FC_NOTE_DIES);
    out = step(&s, hears(1, stamp(REPLY, 0)));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_state(s, site(MUTEX_INSIDE, 7, 0x1b));
}

TEST(test_what_does_not_fit_is_ignored)
{
    check_ignored(site(MUTEX_WAITS, 7, 0), &none, &me, app_wants(), 0);
    check_ignored(site(MUTEX_INSIDE, 7, 0x1b), &none, &me, app_wants(), 0);
    check_ignored(site(MUTEX_WAITS, 7, 0), &none, &me, app_leaves(), 0);
    check_ignored(site(MUTEX_IDLE, 0, 0), &none, &me, app_leaves(), 0);
    check_ignored(site(MUTEX_IDLE, 0, 0), &none, &me, hears(1, stamp(REPLY, 0)),
                  FC_NOTE_DIES);
    check_ignored(site(MUTEX_INSIDE, 7, 0x1b), &none, &me,
                  hears(1, stamp(REPLY, 0)), FC_NOTE_DIES);
}

/* Whoever gets our permission has it instead of us having theirs. */
TEST(test_idle_replies_and_forgets_the_permission)
{
    struct carvalho_roucairol s = site(MUTEX_IDLE, 0, 0x1b);
    struct carvalho_roucairol wanted = site(MUTEX_IDLE, 0, 0x19);
    struct carvalho_roucairol_out out = step(&s, hears(1, stamp(REQUEST, 9)));

    wanted.highest = 9;
    assert_int_equal(out.fx.sends, 1);
    check_sent(&out, 0, 1, REPLY, 0);
    check_state(s, wanted);
}

/* Inside it defers even an earlier request: it may be in by old permissions,
 * and nobody may have heard of its number. */
TEST(test_inside_defers_everybody)
{
    for (uint64_t number = 1; number <= 9; number++) {
        struct carvalho_roucairol s = site(MUTEX_INSIDE, 7, 0x1b);
        struct carvalho_roucairol_out out =
            step(&s, hears(1, stamp(REQUEST, number)));

        assert_int_equal(out.fx.sends, 0);
        assert_true(fc_set_has(&s.deferred, 1));
        assert_true(fc_set_has(&s.permitted, 1));
    }
}

/* Later requests wait; earlier ones are replied to, and if that gives up an
 * old permission, it is asked for in the same step. */
TEST(test_waiting_yields_to_earlier_requests)
{
    static const struct {
        uint32_t from;
        uint32_t number;
        uint32_t sends; /* 0: deferred */
    } cases[] = {{1, 7, 2}, {3, 7, 0}, {4, 6, 1}, {4, 8, 0},
                 {1, 8, 0}, {0, 2, 2}, {3, 6, 1}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct carvalho_roucairol s = site(MUTEX_WAITS, 7, 0x03);
        struct carvalho_roucairol_out out =
            step(&s, hears(cases[i].from, stamp(REQUEST, cases[i].number)));

        assert_int_equal(out.fx.sends, cases[i].sends);
        assert_int_equal(fc_set_has(&s.deferred, cases[i].from),
                         cases[i].sends == 0);
        if (cases[i].sends > 0) {
            check_sent(&out, 0, cases[i].from, REPLY, 0);
            assert_false(fc_set_has(&s.permitted, cases[i].from));
        }
        if (cases[i].sends > 1)
            check_sent(&out, 1, cases[i].from, REQUEST, 7);
    }
}

/* Those who waited get their replies, and we lose theirs. */
TEST(test_leaving_replies_to_all_who_wait)
{
    struct carvalho_roucairol s = site(MUTEX_INSIDE, 7, 0x1b);
    struct carvalho_roucairol_out out;

    s.deferred.word[0] = 1 << 4 | 1 << 0;
    out = step(&s, app_leaves());
    check_sent_to_set(&out, 1 << 0 | 1 << 4);
    check_sent(&out, 0, FC_SET, REPLY, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_state(s, site(MUTEX_IDLE, 0, 0x0a));
}

/* However many there are, one message to a set is enough, be it requests or
 * replies. */
TEST(test_many_messages_leave_in_one_step)
{
    const struct fc_member last = {15, 16};
    struct carvalho_roucairol s = {0};
    struct carvalho_roucairol_out out =
        try_event(&s, &none, &last, app_wants());

    for (uint32_t kind = REQUEST; kind <= REPLY; kind++) {
        check_sent_to_set(&out, 0x7fff);
        check_sent(&out, 0, FC_SET, kind, kind == REQUEST);
        for (uint32_t i = 0; kind == REQUEST && i < 15; i++) {
            (void)try_event(&s, &none, &last, hears(i, stamp(REPLY, 0)));
            (void)try_event(&s, &none, &last, hears(i, stamp(REQUEST, 2)));
        }
        out = try_event(&s, &none, &last, app_leaves());
    }
}

/* CV-5: a reader lends to a reader at once, and what it has of it, or gets,
 * ends when it leaves; a writer is answered by the numbers. */
TEST(test_readers_lend_to_readers)
{
    for (uint32_t inside = 0; inside < 2; inside++)
        for (uint32_t has = 0; has < 2; has++) {
            struct carvalho_roucairol s =
                site(MUTEX_WAITS, 3, has ? 1 << 4 : 0);
            struct carvalho_roucairol_out out;

            s.shared = 1;
            if (inside) {
                s.role = MUTEX_INSIDE;
                s.permitted.word[0] = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4;
            }
            out = step(&s, hears(4, stamp(READ, 9)));
            assert_int_equal(out.fx.sends, 1);
            check_sent(&out, 0, 4, LOAN, 0);
            assert_true(fc_set_has(&s.lent, 4));
            out = step(&s, hears(3, stamp(REQUEST, 9)));
            assert_int_equal(out.fx.sends, 0);
            assert_true(fc_set_has(&s.deferred, 3));
            s.role = MUTEX_INSIDE;
            s.permitted.word[0] = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4;
            (void)step(&s, app_leaves());
            assert_true(s.permitted.word[0] == (1 << 0 | 1 << 1));
            assert_true(fc_set_empty(&s.lent));
            assert_int_equal(look_at(&s, &me).shared, 0);
        }
}

/* CV-5: a loan lets in like a reply, and is void after. */
TEST(test_loan_is_for_one_entry)
{
    struct carvalho_roucairol s = site(MUTEX_IDLE, 0, 1 << 0 | 1 << 1 | 1 << 3);
    struct carvalho_roucairol_out out = step(&s, app_wants_to_read());

    assert_int_equal(out.send[0].kind, READ);
    (void)step(&s, hears(4, stamp(LOAN, 0)));
    assert_int_equal(look_at(&s, &me).role, MUTEX_INSIDE);
    assert_int_equal(look_at(&s, &me).shared, 1);
    (void)step(&s, app_leaves());
    assert_true(s.permitted.word[0] == (1 << 0 | 1 << 1 | 1 << 3));
}

/* ---- Messages, claims ---------------------------------------------------- */

TEST(test_claims_and_limits)
{
    struct fc_world world = {.nodes = 9, .bounds = {1, 1, 0, 0}};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(carvalho_roucairol_protocol.claims(NULL, &world, claims),
                     1);
    assert_int_equal(claims[0].relation, FC_AT_MOST);
    assert_true(claims[0].value == 16);
    world.nodes = 256;
    assert_null(carvalho_roucairol_protocol.prepare(NULL, &world));
    world.nodes = 257;
    assert_non_null(carvalho_roucairol_protocol.prepare(NULL, &world));
}

/* ---- Whole runs ---------------------------------------------------------- */

/* A site alone pays once for all its entries; with everybody competing no entry
 * costs more than 2(n-1), and every request is replied to. */
LONG_TEST(test_cost_is_within_the_bounds)
{
    static struct mutex_lab lab;

    for (uint32_t n = 1; n <= 200; n = next_size(n)) {
        struct sim_result r;

        mutex_open(&lab, "carvalho-roucairol", n);
        r = mutex_compete(&lab, n / 2, n / 2, 9);
        assert_int_equal(r.messages, 2 * (n - 1));
        assert_int_equal(lab.tally.messages.max, 2 * (n - 1));
        assert_int_equal(lab.tally.messages.min, 0);
        mutex_close(&lab);
        mutex_open(&lab, "carvalho-roucairol", n);
        r = mutex_compete(&lab, 0, n - 1, 3);
        assert_true(r.messages <= r.entries * 2 * (n - 1));
        assert_true(lab.tally.messages.max <= 2 * (n - 1));
        assert_int_equal(r.by_kind[REQUEST], r.by_kind[REPLY]);
        mutex_close(&lab);
    }
}

/* Only s of n compete: after the first round each asks the other s-1 alone. */
TEST(test_those_who_want_nothing_are_asked_once)
{
    static struct mutex_lab lab;

    for (uint32_t s = 2; s <= 20; s++) {
        struct sim_result r;
        uint32_t n = 3 * s;

        mutex_open(&lab, "carvalho-roucairol", n);
        r = mutex_compete(&lab, 0, s - 1, 10);
        assert_true(r.messages <= 2 * (s * (n - s) + r.entries * (s - 1)));
        assert_true(r.messages >= 2 * s * (n - s));
        mutex_close(&lab);
    }
}

TEST(test_many_seeds_break_nothing)
{
    check_storms((struct storm){.protocol = "carvalho-roucairol"}, true,
                 rounds(1200));
}

/* Whatever the order of events; how many situations there are is pinned. */
TEST(test_all_orders_of_a_few_entries)
{
    static const struct orders cases[] = {
        {2, {3, 3}, false, 342},     {2, {3, 3}, true, 397},
        {3, {1, 1, 1}, false, 2096}, {3, {1, 1, 1}, true, 2874},
        {3, {3, 1, 1}, true, 6882},  {3, {2, 2, 2}, true, 19831},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_orders(&none, 1, &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_want_asks_those_who_have_not_permitted),
        cmocka_unit_test(test_all_permissions_let_in_without_a_message),
        cmocka_unit_test(test_last_reply_lets_in),
        cmocka_unit_test(test_what_does_not_fit_is_ignored),
        cmocka_unit_test(test_idle_replies_and_forgets_the_permission),
        cmocka_unit_test(test_inside_defers_everybody),
        cmocka_unit_test(test_waiting_yields_to_earlier_requests),
        cmocka_unit_test(test_leaving_replies_to_all_who_wait),
        cmocka_unit_test(test_many_messages_leave_in_one_step),
        cmocka_unit_test(test_readers_lend_to_readers),
        cmocka_unit_test(test_loan_is_for_one_entry),
        cmocka_unit_test(test_claims_and_limits),
        cmocka_unit_test(test_cost_is_within_the_bounds),
        cmocka_unit_test(test_those_who_want_nothing_are_asked_once),
        cmocka_unit_test(test_many_seeds_break_nothing),
        cmocka_unit_test(test_all_orders_of_a_few_entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
