/*
 * test_tree.c - the rules of the election on a tree, its exact costs on all
 * small trees, and big ones.  The node is called 5.
 */
#include "protocols/election/tree/tree.h"
#include "tests/unit/kit/testing.h"

enum { ME = 5 };
static const struct tree_params others = {TREE_OTHERS}, all = {TREE_ALL};

static struct tree_in start(void)
{
    return (struct tree_in){
        .event = {.kind = FC_COMMAND, .command = ELECTION_START}};
}

static struct tree_in reads(enum tree_kind kind, uint32_t port, fc_name name)
{
    return (struct tree_in){
        .event = {.kind = FC_MESSAGE, .port = (uint16_t)port},
        .msg = fc_word(kind, name)};
}

/* The same messages, each to one link, if so many fit. */
static struct tree_out spread(struct tree_out out)
{
    struct tree_out each = out;

    each.fx.sends = 0;
    for (uint32_t i = 0; i < out.fx.sends; i++) {
        bool many = out.fx.to[i] == FC_SET;
        uint64_t left = many ? out.fx.set.word[0] : UINT64_C(1) << out.fx.to[i];

        for (; left; left &= left - 1) {
            if (each.fx.sends == FC_SENDS)
                return out;
            each.fx.to[each.fx.sends] = (uint16_t)__builtin_ctzll(left);
            each.send[each.fx.sends++] = out.send[i];
        }
    }
    return each;
}

/* A step over `dirt`: drivers clear the effects up to steps[] alone. */
static struct tree_out step_over(int dirt, struct tree *s,
                                 const struct tree_params *p, uint32_t ports,
                                 struct tree_in in)
{
    const struct fc_joint me = {ME, ports};
    struct tree_out out;

    memset(&out, dirt, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    tree_step(s, p, &me, &in, &out);
    assert_true(out.fx.sends <= COUNT(out.send));
    return spread(out);
}

static struct tree_out step(struct tree *s, uint32_t ports, struct tree_in in)
{
    return step_over(0xaa, s, &others, ports, in);
}

static struct election_view view_of(const struct tree *s)
{
    struct election_view view;

    tree_view(s, &(struct fc_joint){ME, 3}, &view);
    return view;
}

static void check_view(const struct tree *s, enum election_role role,
                       fc_name leader)
{
    assert_int_equal(view_of(s).role, role);
    assert_int_equal(view_of(s).leader, leader);
}

static void check_send(const struct tree_out *out, uint32_t i,
                       enum tree_kind kind, uint32_t link, fc_name name)
{
    assert_true(i < out->fx.sends);
    assert_int_equal(fc_word_kind(out->send[i]), kind);
    assert_int_equal(fc_word_name(out->send[i]), name);
    assert_int_equal(out->fx.to[i], link);
}

static void check_ignored(struct tree s, struct tree_in in, uint32_t notes)
{
    static const struct fc_effects none;
    struct tree before = s;
    struct tree_out out = step(&s, 3, in);

    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(out.fx.notes, notes);
    out.fx.notes = 0;
    assert_memory_equal(&out.fx, &none, offsetof(struct fc_effects, steps));
}

/* A node with three links that has heard from links 0 and 2, and reported. */
static struct tree saturating(fc_name least)
{
    return (struct tree){.heard = 5, .least = least, .status = TREE_SENT};
}

/* ---- Rules --------------------------------------------------------------- */

/* An inner node that starts wakes all its neighbours. */
TEST(test_start_wakes_all_neighbours)
{
    struct tree s = {0};
    struct tree_out out = step(&s, 3, start());

    assert_int_equal(out.fx.sends, 3);
    for (uint32_t i = 0; i < 3; i++)
        check_send(&out, i, TREE_WAKEUP, i, FC_NOBODY);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    assert_int_equal(s.status, TREE_AWAKE);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
    check_ignored(s, start(), 0);
}

/* The wave goes on, not back; unless wakeup=all. */
TEST(test_wakeup_passes_on)
{
    struct tree s = {0};
    struct tree_out out = step(&s, 3, reads(TREE_WAKEUP, 1, 0));

    assert_int_equal(out.fx.sends, 2);
    check_send(&out, 0, TREE_WAKEUP, 0, FC_NOBODY);
    check_send(&out, 1, TREE_WAKEUP, 2, FC_NOBODY);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_ignored(s, reads(TREE_WAKEUP, 0, 0), 0);
    s = (struct tree){0};
    out = step_over(0, &s, &all, 3, reads(TREE_WAKEUP, 1, 0));
    assert_int_equal(out.fx.sends, 3);
    check_send(&out, 1, TREE_WAKEUP, 1, FC_NOBODY);
}

/* A leaf has nobody to wait for. */
TEST(test_leaf_reports_at_once)
{
    struct tree s = {0};
    struct tree_out out = step(&s, 1, start());

    assert_int_equal(out.fx.sends, 2);
    check_send(&out, 0, TREE_WAKEUP, 0, FC_NOBODY);
    check_send(&out, 1, TREE_REPORT, 0, ME);
    assert_int_equal(s.status, TREE_SENT);
    s = (struct tree){0};
    out = step(&s, 1, reads(TREE_WAKEUP, 0, 0));
    assert_int_equal(out.fx.sends, 1);
    check_send(&out, 0, TREE_REPORT, 0, ME);
}

/* All but one have reported: the least of them goes to that one. */
TEST(test_inner_node_reports_to_the_last)
{
    struct tree s = {0}, wanted;
    struct tree_out out;

    step(&s, 3, start());
    out = step(&s, 3, reads(TREE_REPORT, 2, 8));
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, 0);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
    out = step(&s, 3, reads(TREE_REPORT, 0, 3));
    assert_int_equal(out.fx.sends, 1);
    check_send(&out, 0, TREE_REPORT, 1, 3);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LOST, FC_NOBODY);
    wanted = saturating(3);
    assert_memory_equal(&s, &wanted, sizeof s);
}

/* A report comes by the link that its own took: all names are in. */
TEST(test_two_that_report_to_each_other_decide)
{
    static const struct {
        fc_name mine, theirs, leader;
    } cases[] = {{3, 4, 3}, {3, 2, 2}, {ME, 2, 2}, {ME, 9, ME}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tree s = saturating(cases[i].mine);
        struct tree_out out =
            step(&s, 3, reads(TREE_REPORT, 1, cases[i].theirs));

        assert_int_equal(out.fx.sends, 2);
        check_send(&out, 0, TREE_ELECTED, 0, cases[i].leader);
        check_send(&out, 1, TREE_ELECTED, 2, cases[i].leader);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&s, cases[i].leader == ME ? ELECTION_LEADER : ELECTION_DONE,
                   cases[i].leader);
    }
}

/* The news goes outwards, and whose name it is leads. */
TEST(test_elected_tells_and_goes_on)
{
    for (fc_name name = 3; name <= ME; name += 2) {
        struct tree s = saturating(name);
        struct tree_out out = step(&s, 3, reads(TREE_ELECTED, 1, name));

        assert_int_equal(out.fx.sends, 2);
        check_send(&out, 0, TREE_ELECTED, 0, name);
        check_send(&out, 1, TREE_ELECTED, 2, name);
        check_view(&s, name == ME ? ELECTION_LEADER : ELECTION_DONE, name);
        check_ignored(s, reads(TREE_ELECTED, 1, name), FC_NOTE_DIES);
        check_ignored(s, reads(TREE_REPORT, 1, name), FC_NOTE_DIES);
        check_ignored(s, reads(TREE_WAKEUP, 1, 0), 0);
        check_ignored(s, start(), 0);
    }
}

/* A report that overtook the wake-up wakes, and counts. */
TEST(test_report_wakes)
{
    struct tree s = {0};
    struct tree_out out = step(&s, 2, reads(TREE_REPORT, 1, 3));

    assert_int_equal(out.fx.sends, 2);
    check_send(&out, 0, TREE_WAKEUP, 0, FC_NOBODY);
    check_send(&out, 1, TREE_REPORT, 0, 3);
    assert_int_equal(s.status, TREE_SENT);
    s = (struct tree){0};
    out = step(&s, 1, reads(TREE_REPORT, 0, 3));
    assert_int_equal(out.fx.sends, 1);
    check_send(&out, 0, TREE_REPORT, 0, ME);
    check_view(&s, ELECTION_DONE, 3);
}

/* Alone it is the least. */
TEST(test_node_without_links_leads)
{
    struct tree s = {0};
    struct tree_out out = step(&s, 0, start());

    assert_int_equal(out.fx.sends, 0);
    check_view(&s, ELECTION_LEADER, ME);
}

/* All links are one set, however many. */
TEST(test_many_links_are_served_in_one_step)
{
    static const uint32_t ports[] = {5, 8, 63, 64};

    for (size_t i = 0; i < COUNT(ports); i++) {
        struct tree s = {0};
        struct tree_out out = step(&s, ports[i], start());

        check_send(&out, 0, TREE_WAKEUP, FC_SET, FC_NOBODY);
        assert_int_equal(out.fx.sends, 1);
        assert_true(out.fx.set.word[0] == UINT64_MAX >> (64 - ports[i]));
        assert_int_equal(out.fx.go_on | out.fx.choose, 0);
        for (uint32_t j = 1; j < ports[i]; j++)
            out = step(&s, ports[i], reads(TREE_REPORT, j, 10 + j));
        check_send(&out, 0, TREE_REPORT, 0, ME);
    }
}

/* ---- Messages and claims ------------------------------------------------- */

TEST(test_claims)
{
    struct fc_world world = {10, 1, 1, 10, {1, 1, 0, 0}, true, false};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(tree_protocol.claims(&others, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_EXACTLY);
    assert_true(claims[0].value == 27);
    world.initiators = 4;
    assert_int_equal(tree_protocol.claims(&others, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_AT_MOST);
    assert_true(claims[0].value == 30);
    assert_int_equal(tree_protocol.claims(&all, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_EXACTLY);
    assert_true(claims[0].value == 36);
    world.initiators = 0;
    assert_int_equal(tree_protocol.claims(&all, &world, claims), 0);
}

/* ---- Whole elections ----------------------------------------------------- */

enum { SMALL = 6 };

/* wakeup=others: N+k-2, and twice the N-1 links with wakeup=all; a report
 * each; elected by all links but one. */
static void check_counts(const struct sim_result *r, uint32_t n, uint64_t k,
                         bool wakes_all)
{
    assert_int_equal(r->broken, 0);
    assert_int_equal(r->leader, 1);
    assert_int_equal(r->initiators, k);
    assert_int_equal(r->by_kind[TREE_WAKEUP],
                     wakes_all ? 2 * n - 2 : n + k - 2);
    assert_int_equal(r->by_kind[TREE_REPORT], n);
    assert_int_equal(r->by_kind[TREE_ELECTED], n - 2);
}

/* One set of initiators, under one rule of waking, in lockstep or with
 * messages in any order. */
static void try_initiators(struct lab *lab, uint32_t set, uint32_t variant)
{
    uint32_t n = lab->setup.net.world.nodes, k = 0;
    struct net_wake wakes[SMALL];
    struct sim_result r;

    for (uint32_t i = 0; i < n; i++)
        if (set & 1u << i)
            wakes[k++] = (struct net_wake){.name = i + 1, .tick = 0};
    lab_set(lab, "wakeup", variant & 1 ? "all" : "others");
    lab_bounds(lab, 3, 3, 0, 9);
    lab->setup.net.time = variant & 2 ? NET_ARCHIMEDEAN : NET_SYNC;
    lab->setup.net.any_order = variant & 2;
    lab->setup.net.waking = NET_WAKE_LIST;
    lab->setup.net.wakes = wakes;
    lab->setup.net.wake_count = k;
    lab_prepare(lab);
    r = lab_run(lab, set);
    /* Some may be woken before their first step, in which they start. */
    check_counts(&r, n, variant & 2 ? r.initiators : k, variant & 1);
}

static void try_tree(uint32_t n, const uint32_t *parents, const fc_name *names)
{
    struct lab lab;

    lab_open(&lab, "tree", n);
    lab.setup.net.naming = NET_NAMES_LIST;
    lab.setup.net.names = names;
    lab.setup.net.tree = NET_TREE_LIST;
    lab.setup.net.parents = parents;
    for (uint32_t set = 1; set < 1u << n; set++)
        try_initiators(&lab, set, (set + names[0]) % 4);
    lab_close(&lab);
}

/* The next tree whose nodes hang on earlier ones; false after the last. */
static bool next_tree(uint32_t n, uint32_t *parents)
{
    for (uint32_t i = 1; i < n; i++) {
        if (++parents[i] < i)
            return true;
        parents[i] = 0;
    }
    return false;
}

/* Every tree has such a numbering, so these are all trees; and every placement
 * of the names, but of the largest one in 24. */
TEST(test_all_small_trees_all_names_all_initiators)
{
    const uint32_t some = is_sanitized() ? SMALL - 2 : SMALL;

    for (uint32_t n = 2; n <= some; n++) {
        uint32_t parents[SMALL] = {0}, turn = 0;

        do {
            fc_name names[SMALL];
            uint32_t placement = turn++;

            first_order(names, n);
            do {
                if (n < some || placement++ % 24 == 0)
                    try_tree(n, parents, names);
            } while (next_order(names, n));
        } while (next_tree(n, parents));
    }
}

/* Shapes and sizes up to the limit of links, under every timing. */
TEST(test_larger_trees_cost_the_same)
{
    static const enum net_tree shapes[] = {NET_TREE_PATH, NET_TREE_STAR,
                                           NET_TREE_BINARY, NET_TREE_RANDOM};
    static const enum net_time times[] = {NET_SYNC, NET_ARCHIMEDEAN, NET_ASYNC};

    for (uint64_t seed = 0; seed < rounds(3000); seed++) {
        uint32_t n = 2 + (uint32_t)(seed * 7 % 64);
        struct sim_result r;
        struct lab lab;

        lab_open(&lab, "tree", n);
        lab.setup.net.tree = shapes[seed % COUNT(shapes)];
        lab.setup.net.naming = NET_NAMES_RANDOM;
        if (times[seed / 4 % 3] != NET_SYNC)
            lab_bounds(&lab, 2, 7, 0, 11);
        lab.setup.net.time = times[seed / 4 % 3];
        lab.setup.net.any_order = seed / 12 % 2;
        lab.setup.net.waking = seed / 5 % 2 ? NET_WAKE_RANDOM : NET_WAKE_SOME;
        lab.setup.net.wake_count = 1 + (uint32_t)(seed / 3) % n;
        lab_prepare(&lab);
        r = lab_run(&lab, seed);
        check_counts(&r, n, r.initiators, false);
        lab_close(&lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_wakes_all_neighbours),
        cmocka_unit_test(test_wakeup_passes_on),
        cmocka_unit_test(test_leaf_reports_at_once),
        cmocka_unit_test(test_inner_node_reports_to_the_last),
        cmocka_unit_test(test_two_that_report_to_each_other_decide),
        cmocka_unit_test(test_elected_tells_and_goes_on),
        cmocka_unit_test(test_report_wakes),
        cmocka_unit_test(test_node_without_links_leads),
        cmocka_unit_test(test_many_links_are_served_in_one_step),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_all_small_trees_all_names_all_initiators),
        cmocka_unit_test(test_larger_trees_cost_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
