/*
 * test_tree_names.c - counting and naming with a leader on a tree: the rules,
 * the exact count, and all orders of all small trees.
 */
#include "protocols/election/tree_names/tree_names.h"
#include "tests/unit/kit/checking.h"
#include "tests/unit/kit/testing.h"

#define naming      tree_names
#define naming_in   tree_names_in
#define naming_out  tree_names_out
#define naming_step tree_names_step
#define naming_sane tree_names_sane
#define naming_view tree_names_view
#define NUMBER      TREE_NAMES_NUMBER
#include "tests/unit/kit/naming.inc"

/* ---- Rules --------------------------------------------------------------- */

static const struct fc_marked leader = {1, 3}, other = {0, 3}, leaf = {0, 1},
                              alone = {1, 0};

/* TN-1. */
TEST(test_leader_sends_one)
{
    struct tree_names s = {0};
    struct tree_names_out out = step(&s, leader, starts());

    check_sent(&out, 0, 1);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_view(s, leader, ELECTION_LEADER, 0);
    check_ignored(s, leader, starts(), 0);
    check_ignored((struct tree_names){0}, other, starts(), 0);
    s = (struct tree_names){0};
    out = step(&s, alone, starts());
    assert_int_equal(out.fx.sends, 0);
    check_view(s, alone, ELECTION_LEADER, 1);
}

/* TN-2, TN-3: through all other links in turn, and back, wherever it came
 * from. */
TEST(test_number_takes_every_link)
{
    for (uint16_t parent = 0; parent < 3; parent++) {
        struct tree_names s = {0};
        struct tree_names_out out = step(&s, other, reads(parent, 7));
        uint16_t one = parent == 0, two = parent == 2 ? 1 : 2;

        check_sent(&out, one, 8);
        check_view(s, other, ELECTION_DONE, 7);
        check_ignored(s, other, reads(two, 9), FC_NOTE_DIES);
        check_ignored(s, other, reads(parent, 9), FC_NOTE_DIES);
        out = step(&s, other, reads(one, 11));
        check_sent(&out, two, 11);
        out = step(&s, other, reads(two, 12));
        check_sent(&out, parent, 12);
        check_view(s, other, ELECTION_DONE, 7);
        check_ignored(s, other, reads(parent, 9), FC_NOTE_DIES);
    }
}

TEST(test_leaf_sends_the_next_number_back)
{
    struct tree_names s = {0};
    struct tree_names_out out = step(&s, leaf, reads(0, 7));

    check_sent(&out, 0, 8);
    check_view(s, leaf, ELECTION_DONE, 7);
}

/* TN-3 of the leader. */
TEST(test_what_comes_back_by_the_last_link_is_the_size)
{
    struct tree_names s = {0};
    struct tree_names_out out = step(&s, leader, starts());

    check_ignored(s, leader, reads(1, 4), FC_NOTE_DIES);
    out = step(&s, leader, reads(0, 4));
    check_sent(&out, 1, 4);
    out = step(&s, leader, reads(1, 6));
    check_sent(&out, 2, 6);
    check_view(s, leader, ELECTION_LEADER, 0);
    out = step(&s, leader, reads(2, 9));
    assert_int_equal(out.fx.sends, 0);
    check_view(s, leader, ELECTION_LEADER, 9);
    check_ignored(s, leader, reads(2, 9), FC_NOTE_DIES);
}

/* ---- All together -------------------------------------------------------- */

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

/* Every tree, with the leader at any node, has such a numbering in which the
 * leader is first.  All orders, with links that keep none: one number is under
 * way, so that the runs differ in when the others are told to start. */
TEST(test_all_orders_of_all_small_trees)
{
    static const struct fc_bounds any;
    uint64_t trees = 0, states = 0;

    for (uint32_t n = 2; n <= 5; n++) {
        uint32_t parents[5] = {0};

        do {
            struct check_result r;
            struct search s;

            search_open(&s, "tree-names", n, NET_ASYNC, any, "");
            s.sim.net.any_order = true;
            s.sim.net.tree = NET_TREE_LIST;
            s.sim.net.parents = parents;
            r = search_run(&s);
            assert_int_equal(r.verdict, CHECK_HOLDS);
            trees++;
            states += r.states;
            search_close(&s);
        } while (next_tree(n, parents));
    }
    assert_int_equal(trees, 1 + 2 + 6 + 24);
    assert_int_equal(states, 1554);
}

/* 2(N-1) messages, whatever the tree and the time. */
TEST(test_cost_is_exact)
{
    static const enum net_tree shapes[] = {NET_TREE_PATH, NET_TREE_STAR,
                                           NET_TREE_BINARY, NET_TREE_RANDOM};
    static const enum net_time times[] = {NET_SYNC, NET_ARCHIMEDEAN, NET_ASYNC};

    for (uint64_t seed = 0; seed < rounds(600); seed++) {
        uint32_t n = 2 + (uint32_t)(seed * 7 % 64);
        struct sim_result r;
        struct lab lab;

        lab_open(&lab, "tree-names", n);
        lab.setup.net.tree = shapes[seed % COUNT(shapes)];
        if (times[seed / 4 % 3] != NET_SYNC)
            lab_bounds(&lab, 2, 7, 0, 11);
        lab.setup.net.time = times[seed / 4 % 3];
        lab.setup.net.any_order = seed / 12 % 2;
        lab_prepare(&lab);
        r = lab_run(&lab, seed);
        assert_int_equal(r.broken, 0);
        assert_int_equal(r.messages, 2 * (n - 1));
        assert_int_equal(r.answer, n);
        lab_close(&lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leader_sends_one),
        cmocka_unit_test(test_number_takes_every_link),
        cmocka_unit_test(test_leaf_sends_the_next_number_back),
        cmocka_unit_test(test_what_comes_back_by_the_last_link_is_the_size),
        cmocka_unit_test(test_all_orders_of_all_small_trees),
        cmocka_unit_test(test_cost_is_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
