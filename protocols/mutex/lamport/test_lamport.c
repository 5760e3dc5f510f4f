/*
 * test_lamport.c - a queue that everybody keeps: the rules, both sorts of
 * acknowledgement, the exact cost, and what becomes of it without order.
 *
 * The site of the rules is number 2 of 5.
 */
#define MUTEX        lamport
#define MUTEX_SOURCE "protocols/mutex/lamport/lamport.c"
#include "tests/unit/kit/mutexes.h"

static const struct fc_member me = {2, 5};
static const struct lamport_params always = {LAMPORT_ALWAYS},
                                   spared = {LAMPORT_SPARED};

static struct fc_stamp stamp(uint32_t kind, uint64_t number)
{
    return (struct fc_stamp){.kind = (uint8_t)kind, .number = number};
}

static struct lamport_out step(struct lamport *s, struct lamport_in in)
{
    return try_event(s, &always, &me, in);
}

/* Waits with request 7; heard nothing since. */
static struct lamport waiting(void)
{
    return (struct lamport){
        .clock = 7, .number = 7, .told = 7, .role = MUTEX_WAITS};
}

static void check_sent(const struct lamport_out *out, uint32_t to,
                       uint32_t kind, uint64_t number)
{
    struct fc_stamp wanted = stamp(kind, number);

    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(out->fx.to[0], to);
    assert_memory_equal(&out->send[0], &wanted, sizeof wanted);
}

/* ---- Rules --------------------------------------------------------------- */

/* LA-1. */
TEST(test_want_tells_everybody)
{
    struct lamport s = {.clock = 6}, wanted = waiting();
    struct lamport_out out = step(&s, app_wants());

    check_sent(&out, FC_EVERYONE, REQUEST, 7);
    assert_memory_equal(&s, &wanted, sizeof s);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
}

TEST(test_commands_out_of_place_are_ignored)
{
    struct lamport inside = waiting();

    inside.role = MUTEX_INSIDE;
    check_ignored(waiting(), &always, &me, app_wants(), 0);
    check_ignored(inside, &always, &me, app_wants(), 0);
    check_ignored(waiting(), &always, &me, app_leaves(), 0);
    check_ignored((struct lamport){0}, &always, &me, app_leaves(), 0);
}

/* LA-2: with a number later than the request's, whatever the clock was. */
TEST(test_request_is_queued_and_acknowledged)
{
    struct lamport s = {.clock = 4};
    struct lamport_out out = step(&s, hears(1, stamp(REQUEST, 9)));

    check_sent(&out, 1, ACK, 10);
    assert_true(s.queue[1] == 9);
    assert_true(s.clock == 10);
    out = step(&s, hears(3, stamp(REQUEST, 2)));
    check_sent(&out, 3, ACK, 11);
    assert_true(s.queue[3] == 2);
}

/* The footnote: something later is under way already.  Of equal numbers the
 * site decides. */
TEST(test_acknowledgement_may_be_spared)
{
    static const struct {
        uint32_t from;
        uint32_t number;
        bool acked;
    } cases[] = {{0, 6, false}, {4, 6, false}, {1, 7, false},
                 {3, 7, true},  {4, 8, true},  {0, 8, true}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lamport s = waiting();
        struct lamport_out out =
            try_event(&s, &spared, &me,
                      hears(cases[i].from, stamp(REQUEST, cases[i].number)));

        assert_int_equal(out.fx.sends, cases[i].acked);
        assert_true(s.queue[cases[i].from] == cases[i].number);
    }
}

/* LA-4, and the clock goes on. */
TEST(test_release_empties_the_queue)
{
    struct lamport s = {.clock = 4};
    struct lamport_out out;

    s.queue[1] = 3;
    s.queue[3] = 2;
    out = step(&s, hears(1, stamp(RELEASE, 9)));
    assert_int_equal(out.fx.sends, 0);
    assert_true(s.queue[1] == 0 && s.queue[3] == 2);
    assert_true(s.clock == 9);
}

/* LA-5: something later from everybody, of whatever kind. */
TEST(test_later_messages_from_everybody_let_in)
{
    struct lamport s = waiting();
    struct lamport_out out = step(&s, hears(0, stamp(ACK, 8)));

    assert_int_equal(out.fx.notes, 0);
    (void)step(&s, hears(1, stamp(REQUEST, 12)));
    (void)step(&s, hears(4, stamp(RELEASE, 9)));
    (void)step(&s, hears(3, stamp(RELEASE, 6))); /* too early */
    assert_int_equal(look_at(&s, &me).role, MUTEX_WAITS);
    (void)step(&s, hears(0, stamp(ACK, 20))); /* known */
    assert_int_equal(look_at(&s, &me).role, MUTEX_WAITS);
    out = step(&s, hears(3, stamp(ACK, 8)));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    assert_int_equal(look_at(&s, &me).role, MUTEX_INSIDE);
    assert_true(look_at(&s, &me).token == mutex_token(7, 2));
    assert_true(fc_set_empty(&s.later));
}

/* Of equal numbers the site decides, on both sides. */
TEST(test_later_than_the_own_request_is_by_number_and_site)
{
    struct lamport s = waiting();

    (void)step(&s, hears(1, stamp(ACK, 7)));
    assert_false(fc_set_has(&s.later, 1));
    (void)step(&s, hears(3, stamp(ACK, 7)));
    assert_true(fc_set_has(&s.later, 3));
}

/* LA-5: an earlier request must be released first. */
TEST(test_earlier_requests_go_first)
{
    static const uint32_t others[] = {0, 1, 3, 4};

    for (size_t early = 0; early < COUNT(others); early++) {
        struct lamport s = waiting();

        (void)step(&s, hears(others[early], stamp(REQUEST, 6)));
        for (size_t i = 0; i < COUNT(others); i++)
            (void)step(&s, hears(others[i], stamp(ACK, 30)));
        assert_int_equal(look_at(&s, &me).role, MUTEX_WAITS);
        (void)step(&s, hears(others[early], stamp(RELEASE, 31)));
        assert_int_equal(look_at(&s, &me).role, MUTEX_INSIDE);
    }
}

/* LA-3. */
TEST(test_leaving_tells_everybody)
{
    struct lamport s = waiting();
    struct lamport_out out;

    s.role = MUTEX_INSIDE;
    s.clock = 12;
    out = step(&s, app_leaves());
    check_sent(&out, FC_EVERYONE, RELEASE, 13);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    assert_int_equal(look_at(&s, &me).role, MUTEX_IDLE);
    assert_true(s.number == 0 && s.told == 13);
}

TEST(test_alone_in_the_world)
{
    const struct fc_member alone = {0, 1};
    struct lamport s = {0};

    (void)try_event(&s, &always, &alone, app_wants());
    assert_int_equal(look_at(&s, &alone).role, MUTEX_INSIDE);
}

/* LA-6: an earlier request keeps a reader out exactly if it is a writer's, and
 * a writer in any case. */
TEST(test_readers_wait_for_writers_alone)
{
    static const uint32_t others[] = {0, 1, 3, 4};

    for (uint32_t own = 0; own < 2; own++)
        for (uint32_t other = 0; other < 2; other++) {
            struct lamport s = {.clock = 6};
            struct lamport_out out =
                step(&s, own ? app_wants_to_read() : app_wants());

            check_sent(&out, FC_EVERYONE, own ? READ : REQUEST, 7);
            assert_int_equal(look_at(&s, &me).shared, own);
            out = step(&s, hears(3, stamp(other ? READ : REQUEST, 6)));
            check_sent(&out, 3, ACK, 8);
            for (size_t i = 0; i < COUNT(others); i++)
                (void)step(&s, hears(others[i], stamp(ACK, 30)));
            assert_int_equal(look_at(&s, &me).role,
                             own && other ? MUTEX_INSIDE : MUTEX_WAITS);
        }
}

/* A request to read is one no longer when the next one of its site is to write,
 * or when it is released; and leaving ends the site's own reading. */
TEST(test_who_reads_is_known_of_each_request)
{
    struct lamport s = {.clock = 6};

    (void)step(&s, hears(1, stamp(READ, 3)));
    assert_true(fc_set_has(&s.readers, 1));
    (void)step(&s, hears(1, stamp(RELEASE, 9)));
    assert_false(fc_set_has(&s.readers, 1));
    (void)step(&s, hears(1, stamp(READ, 10)));
    (void)step(&s, hears(1, stamp(REQUEST, 11)));
    assert_false(fc_set_has(&s.readers, 1));
    s = waiting();
    s.role = MUTEX_INSIDE;
    s.shared = 1;
    (void)step(&s, app_leaves());
    assert_int_equal(look_at(&s, &me).shared, 0);
}

/* ---- Messages, claims ---------------------------------------------------- */

TEST(test_claims_and_limits)
{
    struct fc_world world = {.nodes = 9, .bounds = {1, 1, 0, 0}};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_true(lamport_protocol.needs & FC_NEEDS_FIFO);
    assert_int_equal(lamport_protocol.claims(&always, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_AT_MOST);
    assert_true(claims[0].value == 24);
    world.nodes = 256;
    assert_null(lamport_protocol.prepare(NULL, &world));
    world.nodes = 257;
    assert_non_null(lamport_protocol.prepare(NULL, &world));
}

/* ---- Whole runs ---------------------------------------------------------- */

/* 3(n-1) for every single entry of one alone; with everybody competing, as many
 * in all, though an acknowledgement may come when its entry is over. */
LONG_TEST(test_cost_is_exact)
{
    static struct mutex_lab lab;

    for (uint32_t n = 1; n <= 200; n = next_size(n)) {
        for (uint32_t all = 0; all < 2; all++) {
            struct sim_result r;

            mutex_open(&lab, "lamport", n);
            r = mutex_compete(&lab, 0, all ? n - 1 : 0, n > 40 ? 1 : 3);
            assert_int_equal(r.messages, r.entries * 3 * (n - 1));
            if (!all) {
                assert_int_equal(lab.tally.messages.min, 3 * (n - 1));
                assert_int_equal(lab.tally.messages.max, 3 * (n - 1));
            }
            for (uint32_t kind = REQUEST; kind <= RELEASE; kind++)
                assert_int_equal(r.by_kind[kind], r.entries * (n - 1));
            mutex_close(&lab);
        }
    }
}

/* If all ask in the same tick with the same number, of every two the greater
 * site spares its acknowledgement.  One alone spares nothing. */
LONG_TEST(test_cost_with_spared_acknowledgements)
{
    static struct mutex_lab lab;

    for (uint32_t n = 2; n <= 60; n++) {
        struct sim_result r;

        mutex_open(&lab, "lamport", n);
        mutex_set(&lab, "acks", "spared");
        r = mutex_run(&lab, 1);
        assert_int_equal(r.broken, 0);
        assert_int_equal(r.by_kind[REQUEST], n * (n - 1));
        assert_int_equal(r.by_kind[RELEASE], n * (n - 1));
        assert_int_equal(r.by_kind[ACK], n * (n - 1) / 2);
        mutex_close(&lab);
        mutex_open(&lab, "lamport", n);
        mutex_set(&lab, "acks", "spared");
        r = mutex_compete(&lab, 1, 1, 4);
        assert_int_equal(r.messages, 4 * 3 * (n - 1));
        mutex_close(&lab);
    }
}

TEST(test_many_seeds_break_nothing)
{
    check_storms((struct storm){.protocol = "lamport"}, false, rounds(1200));
    check_storms((struct storm){"lamport", "acks", "spared", 0, false, 0, 0},
                 false, rounds(1200));
}

/* Without order of messages two are inside together, somebody waits for ever,
 * tokens fall. */
TEST(test_without_order_it_breaks)
{
    struct storm storm = {
        .protocol = "lamport", .time = NET_ARCHIMEDEAN, .any_order = true};
    struct stormed all = storm_runs(&storm, 120);

    assert_true(all.broken & MUTEX_EXCLUSION);
    assert_true(all.broken & MUTEX_EVERYONE_ENTERS);
    assert_true(all.broken & MUTEX_TOKEN_GROWS);
}

/* Whatever the order of events; how many situations there are is pinned. */
TEST(test_all_orders_of_a_few_entries)
{
    static const struct orders cases[] = {
        {2, {3, 3}, false, 4906},
        {3, {1, 1, 1}, false, 126420},
        {3, {2, 1, 0}, false, 6379},
    };
    static const struct orders fewer[] = {
        {2, {3, 3}, false, 3444},
        {3, {1, 1, 1}, false, 33509},
        {3, {2, 1, 0}, false, 3590},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_orders(&always, 1, &cases[i]);
    for (size_t i = 0; i < COUNT(fewer); i++)
        check_orders(&spared, 1, &fewer[i]);
}

/* The least that goes wrong without order: two sites, one entry each. */
TEST(test_two_sites_fail_without_order)
{
    struct explored found = explore(&always, 2, (uint8_t[]){1, 1}, 1, true);

    assert_true(found.overlaps > 0);
    found = explore(&always, 2, (uint8_t[]){1, 0}, 1, true);
    assert_true(found.overlaps + found.stuck == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_want_tells_everybody),
        cmocka_unit_test(test_commands_out_of_place_are_ignored),
        cmocka_unit_test(test_request_is_queued_and_acknowledged),
        cmocka_unit_test(test_acknowledgement_may_be_spared),
        cmocka_unit_test(test_release_empties_the_queue),
        cmocka_unit_test(test_later_messages_from_everybody_let_in),
        cmocka_unit_test(test_later_than_the_own_request_is_by_number_and_site),
        cmocka_unit_test(test_earlier_requests_go_first),
        cmocka_unit_test(test_leaving_tells_everybody),
        cmocka_unit_test(test_readers_wait_for_writers_alone),
        cmocka_unit_test(test_who_reads_is_known_of_each_request),
        cmocka_unit_test(test_alone_in_the_world),
        cmocka_unit_test(test_claims_and_limits),
        cmocka_unit_test(test_cost_is_exact),
        cmocka_unit_test(test_cost_with_spared_acknowledgements),
        cmocka_unit_test(test_many_seeds_break_nothing),
        cmocka_unit_test(test_without_order_it_breaks),
        cmocka_unit_test(test_all_orders_of_a_few_entries),
        cmocka_unit_test(test_two_sites_fail_without_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
