/*
 * test_raymond.c - the rules of the token on a tree, exact costs on every
 * shape, and all orders of a few entries.
 *
 * The site of the rules has three links, and is not the root.
 */
#define MUTEX        raymond
#define MUTEX_SOURCE "protocols/mutex/raymond/raymond.c"
#define ORDERS_LINKS "tests/unit/kit/orders_tree.h"
#include "tests/unit/kit/mutexes.h"

#include "net/graph.h"

static const struct raymond_params none;
static const struct fc_rooted me = {0, 3}, root = {1, 3};
static const struct raymond_msg request = {.kind = RAYMOND_REQUEST};

static struct raymond_msg token(uint64_t number)
{
    return (struct raymond_msg){.kind = RAYMOND_TOKEN, .number = number};
}

/* A site that asked by link `holder` if anybody is in its queue. */
static struct raymond node(enum mutex_role role, uint8_t holder,
                           uint16_t queued, const uint8_t *queue)
{
    struct raymond s = {.role = (uint8_t)role,
                        .holder = holder,
                        .asked = queued > 0 && holder != SELF,
                        .queued = queued};

    for (uint32_t i = 0; i < queued; i++)
        s.queue[i] = queue[i];
    return s;
}
#define QUEUE(...)                                                             \
    (uint16_t)sizeof((uint8_t[]){__VA_ARGS__}), (uint8_t[])                    \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define NO_QUEUE 0, NULL

/* The same, with the token and its count of entries. */
static struct raymond counted(uint64_t number, struct raymond s)
{
    s.number = number;
    return s;
}

static struct raymond_out step(struct raymond *s, struct raymond_in in)
{
    return try_event(s, &none, &me, in);
}

static void check_state(struct raymond is, struct raymond wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

static void check_send(const struct raymond_out *out, uint32_t i, uint32_t link,
                       struct raymond_msg m)
{
    assert_true(i < out->fx.sends);
    assert_int_equal(out->fx.to[i], link);
    assert_memory_equal(&out->send[i], &m, sizeof m);
}

/* ---- Rules --------------------------------------------------------------- */

/* A driver's memory begins as zeroes: the root has the token, all others know
 * that it is at their parent's or beyond. */
TEST(test_root_has_the_token_at_first)
{
    struct raymond s = {0};
    struct raymond_out out = try_event(&s, &none, &root, app_wants());

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    assert_int_equal(s.role, MUTEX_INSIDE);
    assert_true(look_at(&s, &root).token == mutex_token(1, 0));
    s = (struct raymond){0};
    out = step(&s, app_wants());
    assert_int_equal(out.fx.sends, 1);
    check_send(&out, 0, 0, request);
    check_state(s, node(MUTEX_WAITS, 0, QUEUE(SELF)));
}

/* The root, too, can be without it, and have it again. */
TEST(test_root_gives_and_takes)
{
    struct raymond s = {0}, had;
    struct raymond_out out = try_event(&s, &none, &root, hears(2, request));

    assert_int_equal(out.fx.sends, 1);
    check_send(&out, 0, 2, token(0));
    out = try_event(&s, &none, &root, app_wants());
    assert_int_equal(out.fx.sends, 1);
    check_send(&out, 0, 2, request);
    had = s;
    out = try_event(&s, &none, &root, hears(2, token(4)));
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(s.role, MUTEX_INSIDE);
    assert_true(look_at(&s, &root).token == mutex_token(5, 0));
    assert_int_not_equal(had.holder, s.holder);
}

/* The link that asks first is asked for; one that asks later waits in the
 * queue. */
TEST(test_one_request_on_behalf_of_all)
{
    struct raymond s = node(MUTEX_IDLE, 1, NO_QUEUE);
    struct raymond_out out = step(&s, hears(2, request));

    assert_int_equal(out.fx.sends, 1);
    check_send(&out, 0, 1, request);
    check_state(s, node(MUTEX_IDLE, 1, QUEUE(2)));
    out = step(&s, app_wants());
    assert_int_equal(out.fx.sends, 0);
    out = step(&s, hears(0, request));
    assert_int_equal(out.fx.sends, 0);
    check_state(s, node(MUTEX_WAITS, 1, QUEUE(2, SELF, 0)));
}

/* To the first in the queue, and asked back for the others. */
TEST(test_token_is_passed_on_and_asked_back)
{
    struct raymond s = node(MUTEX_WAITS, 1, QUEUE(2, SELF, 0));
    struct raymond_out out = step(&s, hears(1, token(7)));

    assert_int_equal(out.fx.sends, 2);
    check_send(&out, 0, 2, token(7));
    check_send(&out, 1, 2, request);
    check_state(s, node(MUTEX_WAITS, 2, QUEUE(SELF, 0)));
    assert_int_equal(out.fx.notes, 0);
}

TEST(test_token_for_oneself_lets_in)
{
    struct raymond s = node(MUTEX_WAITS, 1, QUEUE(SELF, 0));
    struct raymond_out out = step(&s, hears(1, token(7)));

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_state(s, counted(8, node(MUTEX_INSIDE, SELF, QUEUE(0))));
    assert_true(look_at(&s, &me).token == mutex_token(8, 0));
}

/* Nobody gets it while the site is inside, and the first when it leaves. */
TEST(test_leaving_passes_the_token_on)
{
    struct raymond s = counted(8, node(MUTEX_INSIDE, SELF, NO_QUEUE));
    struct raymond_out out = step(&s, hears(2, request));

    assert_int_equal(out.fx.sends, 0);
    check_state(s, counted(8, node(MUTEX_INSIDE, SELF, QUEUE(2))));
    out = step(&s, app_leaves());
    assert_int_equal(out.fx.sends, 1);
    check_send(&out, 0, 2, token(8));
    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    check_state(s, node(MUTEX_IDLE, 2, NO_QUEUE));
}

/* It stays where it was, and costs nothing there. */
TEST(test_leaving_keeps_the_token_if_nobody_asks)
{
    struct raymond s = counted(8, node(MUTEX_INSIDE, SELF, NO_QUEUE));
    struct raymond_out out = step(&s, app_leaves());

    assert_int_equal(out.fx.sends, 0);
    check_state(s, counted(8, node(MUTEX_IDLE, SELF, NO_QUEUE)));
    out = step(&s, app_wants());
    assert_int_equal(out.fx.sends, 0);
    check_state(s, counted(9, node(MUTEX_INSIDE, SELF, NO_QUEUE)));
}

TEST(test_idle_holder_sends_the_token)
{
    struct raymond s = counted(8, node(MUTEX_IDLE, SELF, NO_QUEUE));
    struct raymond_out out = step(&s, hears(0, request));

    assert_int_equal(out.fx.sends, 1);
    check_send(&out, 0, 0, token(8));
    check_state(s, node(MUTEX_IDLE, 0, NO_QUEUE));
}

/* Commands out of place, and what comes twice. */
TEST(test_what_has_no_place_is_ignored)
{
    struct raymond waits = node(MUTEX_WAITS, 1, QUEUE(2, SELF));
    struct raymond in = counted(8, node(MUTEX_INSIDE, SELF, NO_QUEUE));

    check_ignored(waits, &none, &me, app_wants(), 0);
    check_ignored(waits, &none, &me, app_leaves(), 0);
    check_ignored(waits, &none, &me, hears(2, request), FC_NOTE_DIES);
    check_ignored(in, &none, &me, app_wants(), 0);
    check_ignored(in, &none, &me, hears(1, token(7)), FC_NOTE_DIES);
}

/* Or there would be two of them. */
TEST(test_restart_without_memory_is_without_token)
{
    struct raymond_in boot = {.event = {.kind = FC_BOOT}};
    struct raymond s = {0};

    (void)try_event(&s, &none, &root, boot);
    (void)try_event(&s, &none, &root, app_wants());
    assert_int_equal(s.role, MUTEX_WAITS);
    check_ignored(counted(8, node(MUTEX_INSIDE, SELF, NO_QUEUE)), &none, &me,
                  boot, 0);
    check_ignored((struct raymond){0}, &none, &me, boot, 0);
}

/* ---- Trees --------------------------------------------------------------- */

static const enum net_tree shapes[] = {NET_TREE_PATH, NET_TREE_STAR,
                                       NET_TREE_BINARY, NET_TREE_RANDOM};

/* The parent of every node, as the run of this seed will have it. */
static void find_parents(struct mutex_lab *lab, uint64_t seed,
                         uint32_t *parents)
{
    struct net_graph g;

    assert_int_equal(net_graph_begin(&g, &lab->setup.net, seed, &lab->memory),
                     0);
    for (uint32_t v = 1; v < lab->setup.net.world.nodes; v++)
        parents[v] = g.neighbour[g.first[v]];
}

static uint32_t distance(const uint32_t *parents, uint32_t a, uint32_t b)
{
    uint32_t hops = 0;

    for (; a != b; hops++)
        if (a > b) /* parents have smaller indices */
            a = parents[a];
        else
            b = parents[b];
    return hops;
}

/* The state of zero bytes relies on it: by link 0 one comes to the parent, in
 * every tree, and so to node 0. */
TEST(test_link_0_leads_to_the_parent)
{
    static struct mutex_lab lab;
    uint32_t parents[200];

    for (size_t i = 0; i < COUNT(shapes); i++)
        for (uint32_t n = 2; n <= 200; n++) {
            mutex_open(&lab, "raymond", n);
            lab.setup.net.tree = shapes[i];
            find_parents(&lab, n, parents);
            for (uint32_t v = 1; v < n; v++) {
                assert_true(parents[v] < v);
                if (shapes[i] == NET_TREE_PATH)
                    assert_int_equal(parents[v], v - 1);
                if (shapes[i] == NET_TREE_STAR)
                    assert_int_equal(parents[v], 0);
            }
            mutex_close(&lab);
        }
}

/* One after the other, each when all is quiet: twice the way from the last to
 * the next. */
LONG_TEST(test_lone_requests_cost_twice_the_distance)
{
    static struct mutex_lab lab;
    static struct net_wake wakes[200];
    uint32_t parents[200], order[200];

    for (size_t i = 0; i < COUNT(shapes); i++)
        for (uint32_t n = 2; n <= 200; n++) {
            struct dice dice = {n};
            uint64_t expected = 0;
            uint32_t at = 0;
            struct sim_result r;

            mutex_open(&lab, "raymond", n);
            lab.setup.net.tree = shapes[i];
            find_parents(&lab, n, parents);
            for (uint32_t k = 0; k < n; k++)
                order[k] = k;
            for (uint32_t k = 0; k < n; k++) {
                uint32_t j = k + throw_below(&dice, n - k), who = order[j];

                order[j] = order[k];
                expected += 2 * distance(parents, at, who);
                at = who;
                wakes[who] = (struct net_wake){.name = who + 1,
                                               .tick = 1000 * (uint64_t)k};
            }
            lab.setup.net.waking = NET_WAKE_LIST;
            lab.setup.net.wakes = wakes;
            lab.setup.net.wake_count = n;
            r = mutex_run(&lab, n);
            assert_int_equal(r.broken, 0);
            assert_true(r.entries == n && r.messages == expected);
            mutex_close(&lab);
        }
}

/* All at once.  On a star the token visits each leaf, and goes back but for
 * the last; on a path it goes once to the other end. */
LONG_TEST(test_all_at_once_cost_a_tour)
{
    static struct mutex_lab lab;

    for (uint32_t n = 2; n <= 200; n++) {
        struct sim_result r;

        mutex_open(&lab, "raymond", n);
        lab.setup.net.tree = NET_TREE_STAR;
        r = mutex_run(&lab, n);
        assert_int_equal(r.broken, 0);
        assert_true(r.entries == n && r.messages == 4 * n - 6);
        lab.setup.net.tree = NET_TREE_PATH;
        r = mutex_run(&lab, n);
        assert_int_equal(r.broken, 0);
        assert_true(r.entries == n && r.messages == 2 * n - 2);
        mutex_close(&lab);
    }
}

/* The star costs the same whatever the times. */
TEST(test_star_costs_the_same_whatever_the_times)
{
    static struct mutex_lab lab;

    for (uint64_t seed = 1; seed <= rounds(600); seed++) {
        uint32_t n = 2 + (uint32_t)seed % 30;
        struct sim_result r;

        mutex_open(&lab, "raymond", n);
        mutex_bounds(&lab, (struct fc_bounds){1, 9, 0, 30});
        lab.setup.net.tree = NET_TREE_STAR;
        lab.setup.net.any_order = seed % 2;
        lab.setup.work.section =
            (struct net_duration){NET_EXPONENTIAL, 20, 0, 0};
        r = mutex_run(&lab, seed);
        assert_int_equal(r.broken, 0);
        assert_true(r.messages == 4 * n - 6);
        mutex_close(&lab);
    }
}

/* If all want it always, at most four an entry, on every tree. */
LONG_TEST(test_full_load_costs_four_at_most)
{
    static struct mutex_lab lab;

    for (size_t i = 0; i < COUNT(shapes); i++)
        for (uint32_t n = 2; n <= 200; n += 9) {
            struct sim_result r;

            mutex_open(&lab, "raymond", n);
            lab.setup.net.tree = shapes[i];
            lab.setup.work.entries = 20;
            lab.setup.work.section =
                (struct net_duration){NET_ALWAYS, 10, 0, 0};
            r = mutex_run(&lab, n);
            assert_int_equal(r.broken, 0);
            assert_true(r.messages <= 4 * r.entries);
            mutex_close(&lab);
        }
}

TEST(test_many_seeds)
{
    static struct mutex_lab lab;
    uint64_t entries = 0;

    for (uint64_t seed = 1; seed <= rounds(9000); seed++) {
        const struct storm storm = {.protocol = "raymond",
                                    .time = (enum net_time)(seed % 3),
                                    .any_order = seed / 2 % 2};
        struct sim_result r;

        storm_open(&lab, &storm, seed / 3);
        lab.setup.net.tree = shapes[seed % COUNT(shapes)];
        r = mutex_run(&lab, seed);
        assert_int_equal(r.broken, 0);
        storm_check(&lab.setup, &r);
        assert_true(r.by_kind[RAYMOND_REQUEST] == r.by_kind[RAYMOND_TOKEN]);
        entries += r.entries;
        mutex_close(&lab);
    }
    assert_true(entries > rounds(100000));
}

/* ---- All orders ---------------------------------------------------------- */

TEST(test_all_orders)
{
    static const struct orders all[] = {
        {2, {4, 4}, false, 236},    {2, {4, 4}, true, 261},
        {3, {1, 1, 1}, false, 136}, {3, {3, 3, 3}, false, 2688},
        {3, {3, 3, 3}, true, 3250},
    };

    for (size_t i = 0; i < COUNT(all); i++)
        check_orders(&none, 1, &all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_has_the_token_at_first),
        cmocka_unit_test(test_root_gives_and_takes),
        cmocka_unit_test(test_one_request_on_behalf_of_all),
        cmocka_unit_test(test_token_is_passed_on_and_asked_back),
        cmocka_unit_test(test_token_for_oneself_lets_in),
        cmocka_unit_test(test_leaving_passes_the_token_on),
        cmocka_unit_test(test_leaving_keeps_the_token_if_nobody_asks),
        cmocka_unit_test(test_idle_holder_sends_the_token),
        cmocka_unit_test(test_what_has_no_place_is_ignored),
        cmocka_unit_test(test_restart_without_memory_is_without_token),
        cmocka_unit_test(test_link_0_leads_to_the_parent),
        cmocka_unit_test(test_lone_requests_cost_twice_the_distance),
        cmocka_unit_test(test_all_at_once_cost_a_tour),
        cmocka_unit_test(test_star_costs_the_same_whatever_the_times),
        cmocka_unit_test(test_full_load_costs_four_at_most),
        cmocka_unit_test(test_many_seeds),
        cmocka_unit_test(test_all_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
