/*
 * test_token_mutex.c - the rules of the token on a logical ring, going round
 * or resting, what an entry costs, and all orders of a few entries.
 *
 * The site of the rules is number 1 of 4.
 */
#define MUTEX        token_mutex
#define MUTEX_SOURCE "protocols/mutex/token_mutex/token_mutex.c"
#define ORDERS_LINKS "tests/unit/kit/orders_ring.h"
#include "tests/unit/kit/mutexes.h"

static const struct token_mutex_params round_ = {.idle =
                                                     TOKEN_MUTEX_CIRCULATES},
                                       rests = {.idle = TOKEN_MUTEX_RESTS};
static const struct fc_member me = {1, 4}, first = {0, 4};

static struct token_mutex_msg call(uint32_t caller)
{
    return (struct token_mutex_msg){.kind = TOKEN_MUTEX_CALL, .round = caller};
}

static struct token_mutex_msg token(uint64_t number, uint32_t left)
{
    return (struct token_mutex_msg){
        .kind = TOKEN_MUTEX_TOKEN, .number = number, .round = left};
}

/* A site where the token is. */
static struct token_mutex holder(enum mutex_role role, uint64_t number,
                                 uint32_t left, uint32_t sought)
{
    return (struct token_mutex){.role = (uint8_t)role,
                                .number = number,
                                .left = left,
                                .sought = sought,
                                .moved = 1,
                                .seen = 1};
}

static void check_state(struct token_mutex is, struct token_mutex wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

static void check_send(const struct token_mutex_out *out,
                       struct token_mutex_msg m)
{
    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(out->fx.to[0], FC_NEXT);
    assert_memory_equal(&out->send[0], &m, sizeof m);
}

/* ---- Rules --------------------------------------------------------------- */

/* A driver's memory begins as zeroes. */
TEST(test_first_site_has_the_token_at_first)
{
    struct token_mutex s = {0};
    struct token_mutex_out out = try_event(&s, &round_, &first, app_wants());

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    assert_true(look_at(&s, &first).token == mutex_token(1, 0));
    out = try_event(&s, &round_, &first, app_leaves());
    check_send(&out, token(1, 4));
    check_state(s, (struct token_mutex){.moved = 1, .seen = 1});
}

/* If nobody at site 0 wants it, nothing would move it: whoever has never seen
 * it calls. */
TEST(test_circulating_token_is_set_going)
{
    struct token_mutex s = {0}, zero = {0};
    struct token_mutex_out out = try_event(&s, &round_, &me, app_wants());

    check_send(&out, call(1));
    check_state(s, (struct token_mutex){.role = MUTEX_WAITS});
    out = try_event(&zero, &round_, &first, hears(FC_PREVIOUS, call(1)));
    check_send(&out, token(0, 4));
    s = (struct token_mutex){.seen = 1};
    check_ignored(s, &round_, &me, hears(FC_PREVIOUS, call(3)), FC_NOTE_DIES);
    out = try_event(&s, &round_, &me, app_wants());
    assert_int_equal(out.fx.sends, 0);
    check_state(s, (struct token_mutex){.role = MUTEX_WAITS, .seen = 1});
}

TEST(test_circulating_token_is_passed_on)
{
    struct token_mutex s = {0};
    struct token_mutex_out out =
        try_event(&s, &round_, &me, hears(FC_PREVIOUS, token(6, 4)));

    check_send(&out, token(6, 4));
    assert_int_equal(out.fx.notes, 0);
    check_state(s, (struct token_mutex){.seen = 1});
}

TEST(test_token_lets_in_who_waits)
{
    const struct token_mutex_params *modes[] = {&round_, &rests};

    for (size_t i = 0; i < COUNT(modes); i++) {
        struct token_mutex s = {.role = MUTEX_WAITS, .sought = 2};
        struct token_mutex_out out =
            try_event(&s, modes[i], &me, hears(FC_PREVIOUS, token(6, 2)));

        assert_int_equal(out.fx.sends, 0);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_state(s, holder(MUTEX_INSIDE, 7, 1, 2));
        assert_true(look_at(&s, &me).token == mutex_token(7, 0));
        check_ignored(s, modes[i], &me, app_wants(), 0);
        check_ignored(s, modes[i], &me, hears(FC_PREVIOUS, token(6, 2)),
                      FC_NOTE_DIES);
    }
}

/* As far as the farthest who called: those it was sent for, those who called
 * while the site waited or was inside. */
TEST(test_resting_token_goes_as_far_as_it_is_called)
{
    struct token_mutex s = holder(MUTEX_INSIDE, 7, 1, 2);
    struct token_mutex_out out = try_event(&s, &rests, &me, app_leaves());

    check_send(&out, token(7, 2));
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    check_state(s, (struct token_mutex){.seen = 1});
    s = holder(MUTEX_INSIDE, 7, 3, 2);
    out = try_event(&s, &rests, &me, app_leaves());
    check_send(&out, token(7, 3));
    s = holder(MUTEX_INSIDE, 7, 0, 0);
    out = try_event(&s, &rests, &me, app_leaves());
    assert_int_equal(out.fx.sends, 0);
    check_state(s, holder(MUTEX_IDLE, 7, 0, 0));
    check_ignored(s, &rests, &me, app_leaves(), 0);
    s = (struct token_mutex){0};
    out = try_event(&s, &rests, &me, hears(FC_PREVIOUS, token(7, 3)));
    check_send(&out, token(7, 2));
    s = (struct token_mutex){0};
    out = try_event(&s, &rests, &me, hears(FC_PREVIOUS, token(7, 1)));
    assert_int_equal(out.fx.sends, 0);
    check_state(s, holder(MUTEX_IDLE, 7, 0, 0));
}

/* By whoever has no part in it; kept by whoever waits or is inside; obeyed by
 * the one where the token rests.  Site 0 is 3 hops from here, site 2 one. */
TEST(test_calls)
{
    struct token_mutex idle = {0}, waits = {.role = MUTEX_WAITS};
    struct token_mutex in = holder(MUTEX_INSIDE, 5, 0, 0);
    struct token_mutex at_rest = holder(MUTEX_IDLE, 5, 0, 0);
    struct token_mutex_out out;

    out = try_event(&idle, &rests, &me, hears(FC_PREVIOUS, call(0)));
    check_send(&out, call(0));
    check_state(idle, (struct token_mutex){0});
    out = try_event(&waits, &rests, &me, hears(FC_PREVIOUS, call(0)));
    assert_int_equal(out.fx.sends, 0);
    check_state(waits, (struct token_mutex){.role = MUTEX_WAITS, .sought = 3});
    out = try_event(&waits, &rests, &me, hears(FC_PREVIOUS, call(2)));
    check_state(waits, (struct token_mutex){.role = MUTEX_WAITS, .sought = 3});
    out = try_event(&in, &rests, &me, hears(FC_PREVIOUS, call(2)));
    assert_int_equal(out.fx.sends, 0);
    check_state(in, holder(MUTEX_INSIDE, 5, 0, 1));
    out = try_event(&at_rest, &rests, &me, hears(FC_PREVIOUS, call(0)));
    check_send(&out, token(5, 3));
    check_state(at_rest, (struct token_mutex){.seen = 1});
    check_ignored(waits, &rests, &me, hears(FC_PREVIOUS, call(1)),
                  FC_NOTE_DIES);
}

/* Or there would be two of them. */
TEST(test_restart_without_memory_is_without_token)
{
    struct token_mutex_in boot = {.event = {.kind = FC_BOOT}};
    struct token_mutex s = {0};

    (void)try_event(&s, &rests, &first, boot);
    (void)try_event(&s, &rests, &first, app_wants());
    assert_int_equal(s.role, MUTEX_WAITS);
    check_ignored(holder(MUTEX_INSIDE, 4, 0, 0), &rests, &me, boot, 0);
    check_ignored((struct token_mutex){0}, &rests, &me, boot, 0);
}

/* ---- Runs ---------------------------------------------------------------- */

/* All want it always: one message an entry, as the token goes from each to the
 * next; the first round is called for by all but the first. */
LONG_TEST(test_full_load_costs_one_each)
{
    static struct mutex_lab lab;

    for (uint32_t n = 2; n <= 200; n++) {
        struct sim_result r;

        mutex_open(&lab, "token-mutex", n);
        lab.setup.work.entries = 5;
        lab.setup.work.section = (struct net_duration){NET_ALWAYS, 3, 0, 0};
        r = mutex_run(&lab, n);
        assert_int_equal(r.broken, 0);
        assert_true(r.entries == 5 * n);
        assert_true(r.by_kind[TOKEN_MUTEX_TOKEN] == r.entries);
        assert_true(r.by_kind[TOKEN_MUTEX_CALL] == n - 1);
        mutex_close(&lab);
    }
}

/* One alone, with a token that rests: the call and the token together go round
 * once, and then it is there.  One that goes round comes by once in n messages,
 * and has been sent on when the run is over. */
LONG_TEST(test_one_alone_pays_a_round_once)
{
    static struct mutex_lab lab;

    for (uint32_t n = 2; n <= 200; n++)
        for (uint32_t who = 0; who<n; who += n> 8 ? n / 3 : 1) {
            struct net_wake wake = {.name = who + 1};
            struct sim_result r;

            mutex_open(&lab, "token-mutex", n);
            mutex_set(&lab, "idle", "rests");
            lab.setup.net.waking = NET_WAKE_LIST;
            lab.setup.net.wakes = &wake;
            lab.setup.net.wake_count = 1;
            lab.setup.work.entries = 3;
            r = mutex_run(&lab, n);
            assert_int_equal(r.broken, 0);
            assert_true(r.entries == 3);
            assert_true(r.messages == (who ? n : 0));
            mutex_set(&lab, "idle", "circulates");
            r = mutex_run(&lab, n);
            assert_int_equal(r.broken, 0);
            assert_true(r.entries == 3);
            assert_true(r.messages == (who ? 3 * n + 1 : 2 * n + 1));
            mutex_close(&lab);
        }
}

/* One after the other, each when all is quiet: n each, but for who has it. */
LONG_TEST(test_lone_requests_cost_a_round_each)
{
    static struct mutex_lab lab;
    static struct net_wake wakes[200];

    for (uint32_t n = 2; n <= 200; n++) {
        struct sim_result r;

        for (uint32_t i = 0; i < n; i++)
            wakes[i] = (struct net_wake){.name = i + 1,
                                         .tick = 1000 * (i * 7 % (uint64_t)n)};
        mutex_open(&lab, "token-mutex", n);
        mutex_set(&lab, "idle", "rests");
        lab.setup.net.waking = NET_WAKE_LIST;
        lab.setup.net.wakes = wakes;
        lab.setup.net.wake_count = n;
        r = mutex_run(&lab, n);
        assert_int_equal(r.broken, 0);
        assert_true(r.entries == n);
        if (n % 7)
            assert_true(r.messages == (uint64_t)n * (n - 1));
        mutex_close(&lab);
    }
}

TEST(test_many_seeds)
{
    check_storms((struct storm){.protocol = "token-mutex"}, true, rounds(1500));
    check_storms((struct storm){.protocol = "token-mutex",
                                .key = "idle",
                                .value = "rests"},
                 false, rounds(1500));
}

/* In all those runs an entry costs a round at most, on average. */
TEST(test_resting_token_costs_a_round_at_most)
{
    static struct mutex_lab lab;
    static const struct storm storm = {.protocol = "token-mutex",
                                       .key = "idle",
                                       .value = "rests",
                                       .time = NET_ARCHIMEDEAN};

    for (uint64_t seed = 1; seed <= rounds(2000); seed++) {
        struct sim_result r;

        storm_open(&lab, &storm, seed);
        r = mutex_run(&lab, seed);
        assert_true(r.messages <= r.entries * lab.setup.net.world.nodes);
        mutex_close(&lab);
    }
}

/* ---- All orders ---------------------------------------------------------- */

TEST(test_all_orders)
{
    static const struct orders all[] = {
        {2, {4, 4}, false, 236},
        {3, {1, 1, 1}, false, 222},
        {3, {3, 3, 3}, false, 25319},
        {3, {0, 4, 4}, false, 578},
    };

    for (size_t i = 0; i < COUNT(all); i++)
        check_orders(&rests, 1, &all[i]);
}

/* A call can then miss the token it runs after, and its caller waits for ever
 * if nobody else calls. */
TEST(test_resting_token_needs_links_in_order)
{
    static const uint8_t entries[] = {2, 2, 2};
    struct explored found = explore(&rests, 3, entries, 1, true);

    assert_true(found.overlaps == 0);
    assert_true(found.stuck > 0);
}

TEST(test_claims)
{
    const struct fc_protocol *p = sim_find("token-mutex")->protocol;
    struct fc_world world = {.nodes = 9};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(p->claims(&round_, &world, claims), 0);
    assert_int_equal(p->claims(&rests, &world, claims), 1);
    assert_true(claims[0].value == 9);
    assert_true(p->restless(&round_));
    assert_false(p->restless(&rests));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_site_has_the_token_at_first),
        cmocka_unit_test(test_circulating_token_is_set_going),
        cmocka_unit_test(test_circulating_token_is_passed_on),
        cmocka_unit_test(test_token_lets_in_who_waits),
        cmocka_unit_test(test_resting_token_goes_as_far_as_it_is_called),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_restart_without_memory_is_without_token),
        cmocka_unit_test(test_full_load_costs_one_each),
        cmocka_unit_test(test_one_alone_pays_a_round_once),
        cmocka_unit_test(test_lone_requests_cost_a_round_each),
        cmocka_unit_test(test_many_seeds),
        cmocka_unit_test(test_resting_token_costs_a_round_at_most),
        cmocka_unit_test(test_all_orders),
        cmocka_unit_test(test_resting_token_needs_links_in_order),
        cmocka_unit_test(test_claims),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
