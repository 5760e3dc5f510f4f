/*
 * test_ricart_agrawala.c - everybody's permission: the rules, the exact cost,
 * all orders for a few sites, many seeds for more.
 *
 * The site of the rules is number 2 of 5.
 */
#define MUTEX        ricart_agrawala
#define MUTEX_SOURCE "protocols/mutex/ricart_agrawala/ricart_agrawala.c"
#include "tests/unit/kit/mutexes.h"

static const struct fc_member me = {2, 5};
static const struct ricart_agrawala_params none;

static struct fc_stamp stamp(uint32_t kind, uint64_t number)
{
    return (struct fc_stamp){.kind = (uint8_t)kind, .number = number};
}

static struct ricart_agrawala_out step(struct ricart_agrawala *s,
                                       struct ricart_agrawala_in in)
{
    return try_event(s, &none, &me, in);
}

/* Waits with this number, for all replies. */
static struct ricart_agrawala waiting(uint64_t number)
{
    struct ricart_agrawala s = {
        .number = number, .highest = number, .role = MUTEX_WAITS};

    fc_set_others(&s.missing, me.nodes, me.index);
    return s;
}

static struct ricart_agrawala inside(uint64_t number)
{
    return (struct ricart_agrawala){
        .number = number, .highest = number, .role = MUTEX_INSIDE};
}

static void check_reply(const struct ricart_agrawala_out *out, uint32_t to)
{
    struct fc_stamp reply = stamp(REPLY, 0);

    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(out->fx.to[0], to);
    assert_memory_equal(&out->send[0], &reply, sizeof reply);
}

/* ---- Rules --------------------------------------------------------------- */

/* A number above all that it has seen, to everybody in one broadcast. */
TEST(test_want_asks_everybody)
{
    struct ricart_agrawala s = {.highest = 6}, wanted = waiting(7);
    struct ricart_agrawala_out out = step(&s, app_wants());
    struct fc_stamp request = stamp(REQUEST, 7);

    assert_memory_equal(&s, &wanted, sizeof s);
    assert_int_equal(out.fx.sends, 1);
    assert_int_equal(out.fx.to[0], FC_EVERYONE);
    assert_memory_equal(&out.send[0], &request, sizeof request);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    assert_int_equal(look_at(&s, &me).role, MUTEX_WAITS);
}

/* A site that waits or is inside does not ask again; one that is not inside
 * cannot leave. */
TEST(test_commands_out_of_place_are_ignored)
{
    check_ignored(waiting(3), &none, &me, app_wants(), 0);
    check_ignored(inside(3), &none, &me, app_wants(), 0);
    check_ignored(waiting(3), &none, &me, app_leaves(), 0);
    check_ignored((struct ricart_agrawala){0}, &none, &me, app_leaves(), 0);
}

/* Every single reply is needed. */
TEST(test_last_reply_lets_in)
{
    struct ricart_agrawala s = waiting(7), wanted = inside(7);
    static const uint32_t from[] = {4, 0, 3, 1};

    for (size_t i = 0; i < COUNT(from); i++) {
        struct ricart_agrawala_out out;

        assert_int_equal(look_at(&s, &me).role, MUTEX_WAITS);
        out = step(&s, hears(from[i], stamp(REPLY, 0)));
        assert_int_equal(out.fx.notes, i == 3 ? FC_NOTE_VIEW : 0);
        assert_int_equal(out.fx.sends, 0);
    }
    assert_memory_equal(&s, &wanted, sizeof s);
    assert_true(look_at(&s, &me).token == mutex_token(7, 2));
}

/* A second reply of one site is not a reply of another. */
TEST(test_second_reply_of_one_dies)
{
    struct ricart_agrawala s = waiting(7);

    (void)step(&s, hears(4, stamp(REPLY, 0)));
    check_ignored(s, &none, &me, hears(4, stamp(REPLY, 0)), FC_NOTE_DIES);
    check_ignored(inside(7), &none, &me, hears(4, stamp(REPLY, 0)),
                  FC_NOTE_DIES);
}

/* A site that wants nothing replies, and remembers the number. */
TEST(test_idle_replies_at_once)
{
    struct ricart_agrawala s = {.highest = 3};
    struct ricart_agrawala_out out = step(&s, hears(4, stamp(REQUEST, 9)));

    check_reply(&out, 4);
    assert_true(s.highest == 9);
    assert_int_equal(out.fx.notes, 0);
    out = step(&s, hears(1, stamp(REQUEST, 5)));
    check_reply(&out, 1);
    assert_true(s.highest == 9);
}

/* In the order of (number, site): the site decides among equals. */
TEST(test_waiting_defers_whoever_comes_later)
{
    static const struct {
        uint32_t from;
        uint32_t number;
        bool deferred;
    } cases[] = {{1, 7, false},
                 {3, 7, true},
                 {4, 6, false},
                 {0, 8, true},
                 {4, 1, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ricart_agrawala s = waiting(7);
        struct ricart_agrawala_out out =
            step(&s, hears(cases[i].from, stamp(REQUEST, cases[i].number)));

        assert_int_equal(fc_set_has(&s.deferred, cases[i].from),
                         cases[i].deferred);
        if (cases[i].deferred)
            assert_int_equal(out.fx.sends, 0);
        else
            check_reply(&out, cases[i].from);
    }
}

/* Whoever asks while one is inside comes later: its number is greater, for it
 * has seen this one.  And is replied to on leaving. */
TEST(test_leaving_replies_to_all_who_wait)
{
    struct ricart_agrawala s = inside(7), wanted = {.highest = 9};
    struct ricart_agrawala_out out;

    (void)step(&s, hears(4, stamp(REQUEST, 8)));
    (void)step(&s, hears(0, stamp(REQUEST, 9)));
    out = step(&s, app_leaves());
    check_sent_to_set(&out, UINT64_C(1) << 0 | UINT64_C(1) << 4);
    assert_int_equal(out.send[0].kind, REPLY);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    assert_memory_equal(&s, &wanted, sizeof s);
}

/* However many wait, one message to a set is enough. */
TEST(test_many_replies_leave_in_one_step)
{
    const struct fc_member last = {15, 16};
    struct ricart_agrawala s = inside(7);
    struct ricart_agrawala_out out;

    for (uint32_t i = 0; i < 15; i++)
        (void)step_over(0, &s, &none, &last, hears(i, stamp(REQUEST, 9)));
    out = try_event(&s, &none, &last, app_leaves());
    check_sent_to_set(&out, (1u << 15) - 1);
    check_ignored(s, &none, &last, goes_on(), 0);
}

/* Nobody to ask: in at once. */
TEST(test_alone_in_the_world)
{
    const struct fc_member alone = {0, 1};
    struct ricart_agrawala s = {0};

    (void)try_event(&s, &none, &alone, app_wants());
    assert_int_equal(look_at(&s, &alone).role, MUTEX_INSIDE);
    (void)try_event(&s, &none, &alone, app_leaves());
    assert_int_equal(look_at(&s, &alone).role, MUTEX_IDLE);
}

/* RA-5: "Readers never give a negative answer to a request of another reader";
 * any other pair goes by the numbers, and the number is noted by all. */
TEST(test_only_readers_let_readers_in)
{
    for (uint32_t inside = 0; inside < 2; inside++)
        for (uint32_t own = 0; own < 2; own++)
            for (uint32_t other = 0; other < 2; other++) {
                struct ricart_agrawala s = {.highest = 6};
                struct ricart_agrawala_out out =
                    step(&s, own ? app_wants_to_read() : app_wants());

                assert_int_equal(out.send[0].kind, own ? READ : REQUEST);
                assert_true(out.send[0].number == 7);
                assert_int_equal(look_at(&s, &me).shared, own);
                if (inside)
                    s.role = MUTEX_INSIDE;
                out = step(&s, hears(4, stamp(other ? READ : REQUEST, 9)));
                assert_int_equal(out.fx.sends, own && other);
                assert_int_equal(fc_set_has(&s.deferred, 4), !(own && other));
                assert_true(s.highest == 9);
            }
}

/* Leaving ends the reading: what it asks next is its own affair. */
TEST(test_leaving_ends_the_reading)
{
    struct ricart_agrawala s = inside(7);
    struct ricart_agrawala_out out;

    s.shared = 1;
    (void)step(&s, app_leaves());
    assert_int_equal(look_at(&s, &me).shared, 0);
    out = step(&s, app_wants());
    assert_int_equal(out.send[0].kind, REQUEST);
}

/* ---- Messages, claims ---------------------------------------------------- */

/* A bit for the kind, and the seven digits of 77. */
TEST(test_paper_bits_of_a_request)
{
    struct fc_stamp request = stamp(REQUEST, 77);

    assert_int_equal(ricart_agrawala_paper_bits(&request), 1 + 7);
}

TEST(test_claims_and_limits)
{
    struct fc_world world = {.nodes = 9, .bounds = {1, 1, 0, 0}};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(ricart_agrawala_protocol.claims(NULL, &world, claims), 1);
    assert_int_equal(claims[0].cost, FC_COST_PER_ENTRY);
    assert_int_equal(claims[0].relation, FC_EXACTLY);
    assert_true(claims[0].value == 16);
    world.nodes = 256;
    assert_null(ricart_agrawala_protocol.prepare(NULL, &world));
    world.nodes = 257;
    assert_non_null(ricart_agrawala_protocol.prepare(NULL, &world));
}

/* ---- Whole runs ---------------------------------------------------------- */

/* 2(n-1) for every single entry, alone or with everybody competing. */
LONG_TEST(test_cost_is_exact)
{
    static struct mutex_lab lab;

    for (uint32_t n = 1; n <= 200; n = next_size(n)) {
        for (uint32_t all = 0; all < 2; all++) {
            struct sim_result r;

            mutex_open(&lab, "ricart-agrawala", n);
            r = mutex_compete(&lab, 0, all ? n - 1 : 0, 3);
            assert_int_equal(r.messages, r.entries * 2 * (n - 1));
            assert_int_equal(r.by_kind[REQUEST], r.by_kind[REPLY]);
            assert_int_equal(lab.tally.messages.min, 2 * (n - 1));
            assert_int_equal(lab.tally.messages.max, 2 * (n - 1));
            mutex_close(&lab);
        }
    }
}

/* Without any promise on time or order. */
TEST(test_many_seeds_break_nothing)
{
    check_storms((struct storm){.protocol = "ricart-agrawala"}, true,
                 rounds(1200));
}

/* Whatever the order of events; how many situations there are is pinned. */
TEST(test_all_orders_of_a_few_entries)
{
    static const struct orders cases[] = {
        {2, {3, 3}, false, 431},      {2, {3, 3}, true, 523},
        {3, {1, 1, 1}, false, 2089},  {3, {1, 1, 1}, true, 2867},
        {3, {2, 1, 1}, false, 5110},  {3, {2, 1, 1}, true, 7605},
        {3, {2, 2, 2}, false, 39180}, {3, {2, 2, 2}, true, 58849},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_orders(&none, 1, &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_want_asks_everybody),
        cmocka_unit_test(test_commands_out_of_place_are_ignored),
        cmocka_unit_test(test_last_reply_lets_in),
        cmocka_unit_test(test_second_reply_of_one_dies),
        cmocka_unit_test(test_idle_replies_at_once),
        cmocka_unit_test(test_waiting_defers_whoever_comes_later),
        cmocka_unit_test(test_leaving_replies_to_all_who_wait),
        cmocka_unit_test(test_many_replies_leave_in_one_step),
        cmocka_unit_test(test_only_readers_let_readers_in),
        cmocka_unit_test(test_leaving_ends_the_reading),
        cmocka_unit_test(test_alone_in_the_world),
        cmocka_unit_test(test_paper_bits_of_a_request),
        cmocka_unit_test(test_claims_and_limits),
        cmocka_unit_test(test_cost_is_exact),
        cmocka_unit_test(test_many_seeds_break_nothing),
        cmocka_unit_test(test_all_orders_of_a_few_entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
