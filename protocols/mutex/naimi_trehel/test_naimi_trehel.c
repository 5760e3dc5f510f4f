/*
 * test_naimi_trehel.c - the rules of path reversal, what an entry costs, and
 * all orders of a few entries.
 *
 * The site of the rules is number 1 of 4.
 */
#define MUTEX        naimi_trehel
#define MUTEX_SOURCE "protocols/mutex/naimi_trehel/naimi_trehel.c"
#include "tests/unit/kit/mutexes.h"

static const struct naimi_trehel_params none;
static const struct fc_member me = {1, 4}, first = {0, 4};

static struct naimi_trehel_msg request(uint32_t asker)
{
    return (struct naimi_trehel_msg){.kind = NAIMI_TREHEL_REQUEST,
                                     .site = (uint16_t)asker};
}

static struct naimi_trehel_msg token(uint64_t number)
{
    return (struct naimi_trehel_msg){.kind = NAIMI_TREHEL_TOKEN,
                                     .number = number};
}

/* A site without the token: its father, and 1 + its next or 0. */
static struct naimi_trehel node(enum mutex_role role, uint16_t father,
                                uint16_t next)
{
    return (struct naimi_trehel){
        .role = (uint8_t)role, .father = father, .next = next};
}

/* A site that has it, after so many entries. */
static struct naimi_trehel holder(enum mutex_role role, uint64_t number,
                                  uint16_t father, uint16_t next)
{
    struct naimi_trehel s = node(role, father, next);

    s.moved = 1;
    s.number = number;
    return s;
}

static struct naimi_trehel_out step(struct naimi_trehel *s,
                                    struct naimi_trehel_in in)
{
    return try_event(s, &none, &me, in);
}

static void check_state(struct naimi_trehel is, struct naimi_trehel wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

static void check_send(const struct naimi_trehel_out *out, uint32_t to,
                       struct naimi_trehel_msg m)
{
    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(out->fx.to[0], to);
    assert_memory_equal(&out->send[0], &m, sizeof m);
}

/* ---- Rules --------------------------------------------------------------- */

/* A driver's memory begins as zeroes: everybody's father is site 0. */
TEST(test_first_site_has_the_token_at_first)
{
    struct naimi_trehel s = {0};
    struct naimi_trehel_out out = try_event(&s, &none, &first, app_wants());

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    assert_true(look_at(&s, &first).token == mutex_token(1, 0));
    s = (struct naimi_trehel){0};
    out = step(&s, app_wants());
    check_send(&out, 0, request(1));
    check_state(s, node(MUTEX_WAITS, 1, 0));
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
}

TEST(test_commands_out_of_place_are_ignored)
{
    check_ignored(node(MUTEX_WAITS, 1, 0), &none, &me, app_wants(), 0);
    check_ignored(node(MUTEX_WAITS, 1, 0), &none, &me, app_leaves(), 0);
    check_ignored(node(MUTEX_IDLE, 2, 0), &none, &me, app_leaves(), 0);
    check_ignored(holder(MUTEX_INSIDE, 2, 1, 0), &none, &me, app_wants(), 0);
}

/* It is passed on, and the asker is the new father. */
TEST(test_request_turns_the_path_round)
{
    struct naimi_trehel states[] = {node(MUTEX_IDLE, 2, 0),
                                    node(MUTEX_WAITS, 2, 3),
                                    holder(MUTEX_INSIDE, 5, 2, 3)};

    for (size_t i = 0; i < COUNT(states); i++) {
        struct naimi_trehel wanted = states[i];
        struct naimi_trehel_out out = step(&states[i], hears(0, request(3)));

        wanted.father = 3;
        check_send(&out, 2, request(3));
        check_state(states[i], wanted);
        assert_int_equal(out.fx.notes, 0);
    }
}

/* The last to ask, while it needs the token: the asker is its next. */
TEST(test_last_to_ask_remembers_its_next)
{
    struct naimi_trehel waits = node(MUTEX_WAITS, 1, 0);
    struct naimi_trehel in = holder(MUTEX_INSIDE, 5, 1, 0);
    struct naimi_trehel_out out = step(&waits, hears(2, request(3)));

    assert_int_equal(out.fx.sends, 0);
    check_state(waits, node(MUTEX_WAITS, 3, 4));
    out = step(&in, hears(2, request(0)));
    assert_int_equal(out.fx.sends, 0);
    check_state(in, holder(MUTEX_INSIDE, 5, 0, 1));
}

TEST(test_idle_holder_sends_the_token)
{
    struct naimi_trehel s = holder(MUTEX_IDLE, 5, 1, 0);
    struct naimi_trehel_out out = step(&s, hears(2, request(3)));

    check_send(&out, 3, token(5));
    check_state(s, node(MUTEX_IDLE, 3, 0));
    assert_int_equal(out.fx.notes, 0);
}

TEST(test_token_lets_in_who_waits)
{
    struct naimi_trehel s = node(MUTEX_WAITS, 3, 4);
    struct naimi_trehel_out out = step(&s, hears(0, token(41)));

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_state(s, holder(MUTEX_INSIDE, 42, 3, 4));
    assert_true(look_at(&s, &me).token == mutex_token(42, 1));
    check_ignored(s, &none, &me, hears(0, token(41)), FC_NOTE_DIES);
    check_ignored(node(MUTEX_IDLE, 3, 0), &none, &me, hears(0, token(41)),
                  FC_NOTE_DIES);
}

/* To the next, or to nobody: then the token stays. */
TEST(test_leaving_passes_the_token_on)
{
    struct naimi_trehel s = holder(MUTEX_INSIDE, 42, 3, 4);
    struct naimi_trehel_out out = step(&s, app_leaves());

    check_send(&out, 3, token(42));
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    check_state(s, node(MUTEX_IDLE, 3, 0));
    s = holder(MUTEX_INSIDE, 42, 1, 0);
    out = step(&s, app_leaves());
    assert_int_equal(out.fx.sends, 0);
    check_state(s, holder(MUTEX_IDLE, 42, 1, 0));
    out = step(&s, app_wants());
    assert_int_equal(out.fx.sends, 0);
    check_state(s, holder(MUTEX_INSIDE, 43, 1, 0));
}

/* Or there would be two of them. */
TEST(test_restart_without_memory_is_without_token)
{
    struct naimi_trehel_in boot = {.event = {.kind = FC_BOOT}};
    struct naimi_trehel s = {0};
    struct naimi_trehel_out out;

    (void)try_event(&s, &none, &first, boot);
    out = try_event(&s, &none, &first, hears(2, request(2)));
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_DIES);
    s = (struct naimi_trehel){0};
    (void)try_event(&s, &none, &first, boot);
    out = try_event(&s, &none, &first, app_wants());
    assert_int_equal(out.fx.sends, 0); /* to whom? */
    assert_int_equal(s.role, MUTEX_WAITS);
    check_ignored(holder(MUTEX_INSIDE, 4, 1, 0), &none, &me, boot, 0);
    check_ignored((struct naimi_trehel){0}, &none, &me, boot, 0);
}

/* ---- Runs ---------------------------------------------------------------- */

/* Sites that ask one after the other, each when all is quiet, cost what the
 * fathers say: here they are followed by hand. */
TEST(test_lone_requests_cost_the_path_and_the_token)
{
    static struct mutex_lab lab;
    static struct net_wake wakes[200];
    uint32_t father[200], order[200];

    for (uint32_t n = 2; n <= 200; n++) {
        struct dice dice = {n};
        uint64_t expected = 0, longest = 0;
        uint32_t root = 0;
        struct sim_result r;

        mutex_open(&lab, "naimi-trehel", n);
        for (uint32_t i = 0; i < n; i++) {
            order[i] = i;
            father[i] = 0;
        }
        for (uint32_t i = n - 1; i > 0; i--) { /* shuffled */
            uint32_t j = throw_below(&dice, i + 1), held = order[i];

            order[i] = order[j];
            order[j] = held;
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t who = order[i], at = who, hops = 0;

            while (at != root) {
                uint32_t up = father[at];

                father[at] = who;
                at = up;
                hops++;
            }
            father[root] = who;
            root = who;
            expected += hops ? hops + 1 : 0;
            longest = hops > longest ? hops : longest;
            wakes[who] =
                (struct net_wake){.name = who + 1, .tick = (uint64_t)i * 1000};
        }
        lab.setup.net.waking = NET_WAKE_LIST;
        lab.setup.net.wakes = wakes;
        lab.setup.net.wake_count = n;
        r = mutex_run(&lab, n);
        assert_int_equal(r.broken, 0);
        assert_true(r.entries == n);
        assert_true(r.messages == expected);
        assert_true(longest < n);
        mutex_close(&lab);
    }
}

/* All at once, and nobody has asked before: the requests all go to site 0,
 * which sends each on to the one before it: 3(n-1)-1 messages. */
TEST(test_all_at_once_cost_three_each)
{
    static struct mutex_lab lab;

    for (uint32_t n = 2; n <= 200; n++) {
        struct sim_result r;

        mutex_open(&lab, "naimi-trehel", n);
        r = mutex_run(&lab, n);
        assert_int_equal(r.broken, 0);
        assert_true(r.entries == n);
        assert_true(r.by_kind[NAIMI_TREHEL_TOKEN] == n - 1);
        assert_true(r.messages == 3 * (n - 1) - 1);
        mutex_close(&lab);
    }
}

/* Lone requests by anybody cost the harmonic number H(n-1) on average, which is
 * about ln n. */
TEST(test_mean_is_logarithmic)
{
    static const uint32_t sizes[] = {4, 16, 64, 200};
    static struct mutex_lab lab;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        uint32_t n = sizes[i];
        double harmonic = 0, mean;
        struct sim_result r;

        for (uint32_t k = 1; k < n; k++)
            harmonic += 1.0 / k;
        mutex_open(&lab, "naimi-trehel", n);
        lab.setup.work.entries = 60;
        lab.setup.work.think =
            (struct net_duration){NET_EXPONENTIAL, 2000 * n, 0, 0};
        r = mutex_run(&lab, 7);
        assert_int_equal(r.broken, 0);
        mean = (double)r.messages / (double)r.entries;
        assert_true(mean < 1.05 * harmonic);
        assert_true(mean > 0.9 * harmonic);
        mutex_close(&lab);
    }
}

TEST(test_many_seeds)
{
    check_storms((struct storm){.protocol = "naimi-trehel"}, true,
                 rounds(1500));
}

/* ---- All orders ---------------------------------------------------------- */

TEST(test_all_orders)
{
    static const struct orders all[] = {
        {2, {4, 4}, false, 236},      {2, {4, 4}, true, 261},
        {3, {1, 1, 1}, false, 154},   {3, {2, 2, 2}, false, 1432},
        {3, {4, 4, 4}, false, 14504}, {3, {4, 4, 4}, true, 15970},
    };

    for (size_t i = 0; i < COUNT(all); i++)
        check_orders(&none, 1, &all[i]);
}

TEST(test_worlds_that_do_not_fit_are_refused)
{
    const struct fc_protocol *p = sim_find("naimi-trehel")->protocol;

    assert_null(p->prepare(NULL, &(struct fc_world){.nodes = 256}));
    assert_non_null(p->prepare(NULL, &(struct fc_world){.nodes = 257}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_site_has_the_token_at_first),
        cmocka_unit_test(test_commands_out_of_place_are_ignored),
        cmocka_unit_test(test_request_turns_the_path_round),
        cmocka_unit_test(test_last_to_ask_remembers_its_next),
        cmocka_unit_test(test_idle_holder_sends_the_token),
        cmocka_unit_test(test_token_lets_in_who_waits),
        cmocka_unit_test(test_leaving_passes_the_token_on),
        cmocka_unit_test(test_restart_without_memory_is_without_token),
        cmocka_unit_test(test_lone_requests_cost_the_path_and_the_token),
        cmocka_unit_test(test_all_at_once_cost_three_each),
        cmocka_unit_test(test_mean_is_logarithmic),
        cmocka_unit_test(test_many_seeds),
        cmocka_unit_test(test_all_orders),
        cmocka_unit_test(test_worlds_that_do_not_fit_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
