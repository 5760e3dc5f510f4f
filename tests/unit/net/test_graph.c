/*
 * test_graph.c - trees: that they are trees, that both ends of a link agree
 * on it, and that a seed is a tree.
 */
#include "net/graph.h"
#include "tests/unit/kit/testing.h"

enum { TREE_MAX = 3000 };

static struct net tree_of(enum net_tree kind, uint32_t nodes)
{
    return (struct net){.tree = kind, .world = {.nodes = nodes}};
}

/* Both ends call the link by the numbers that the other has for it. */
static void check_links(const struct net_graph *g, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++) {
        assert_in_range(net_graph_ports(g, v), 1, NET_PORTS_MAX);
        for (uint32_t port = 0; port < net_graph_ports(g, v); port++) {
            uint32_t link = g->first[v] + port;
            uint32_t w = g->neighbour[link], back = g->back[link];

            assert_true(w < n && w != v);
            assert_true(back < net_graph_ports(g, w));
            assert_int_equal(g->neighbour[g->first[w] + back], v);
            assert_int_equal(g->back[g->first[w] + back], port);
        }
    }
}

/* n-1 links that reach everybody: a tree. */
static void check_tree(const struct net_graph *g, uint32_t n)
{
    static uint32_t reached[TREE_MAX];
    bool seen[TREE_MAX] = {[0] = true};
    uint32_t count = 1;

    assert_int_equal(g->first[0], 0);
    assert_int_equal(g->first[n], 2 * (n - 1));
    check_links(g, n);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t port = 0; port < net_graph_ports(g, reached[i]); port++) {
            uint32_t w = g->neighbour[g->first[reached[i]] + port];

            if (!seen[w])
                reached[count++] = w;
            seen[w] = true;
        }
    assert_int_equal(count, n);
}

static void open_tree(struct net_graph *g, const struct net *setup,
                      uint64_t seed, struct net_memory *memory)
{
    assert_int_equal(net_graph_begin(g, setup, seed, memory), 0);
    check_tree(g, setup->world.nodes);
}

TEST(test_path_is_a_path)
{
    struct net_memory memory = {0};
    struct net_graph g;

    for (uint32_t n = 2; n <= TREE_MAX; n += 1 + n / 3) {
        struct net s = tree_of(NET_TREE_PATH, n);

        open_tree(&g, &s, 1, &memory);
        for (uint32_t v = 0; v < n; v++)
            assert_int_equal(net_graph_ports(&g, v), 2 - !v - (v + 1 == n));
        for (uint32_t v = 0; v + 1 < n; v++)
            assert_int_equal(g.neighbour[g.first[v + 1] - 1], v + 1);
    }
    net_memory_free(&memory);
}

/* As large as one node has links. */
TEST(test_star_has_one_centre)
{
    struct net_memory memory = {0};
    struct net_graph g;

    for (uint32_t n = 2; n <= NET_PORTS_MAX + 1; n++) {
        struct net s = tree_of(NET_TREE_STAR, n);

        open_tree(&g, &s, 1, &memory);
        assert_int_equal(net_graph_ports(&g, 0), n - 1);
        for (uint32_t v = 1; v < n; v++) {
            assert_int_equal(net_graph_ports(&g, v), 1);
            assert_int_equal(g.neighbour[v - 1], v);
        }
    }
    net_memory_free(&memory);
}

/* Node v hangs on (v-1)/2. */
TEST(test_binary_tree_is_balanced)
{
    struct net_memory memory = {0};
    struct net_graph g;

    for (uint32_t n = 2; n <= TREE_MAX; n += 1 + n / 3) {
        struct net s = tree_of(NET_TREE_BINARY, n);

        open_tree(&g, &s, 1, &memory);
        for (uint32_t v = 0; v < n; v++) {
            assert_int_equal(net_graph_ports(&g, v),
                             (v > 0) + (2 * v + 1 < n) + (2 * v + 2 < n));
            if (v)
                assert_int_equal(g.neighbour[g.first[v]], (v - 1) / 2);
        }
    }
    net_memory_free(&memory);
}

/* Parents have smaller positions, whatever the seed. */
TEST(test_random_trees_are_trees)
{
    struct net_memory memory = {0};
    struct net_graph g;

    for (uint64_t seed = 0; seed < rounds(300); seed++) {
        uint32_t n = 2 + (uint32_t)(seed * 37) % 500;
        struct net s = tree_of(NET_TREE_RANDOM, n);

        open_tree(&g, &s, seed, &memory);
        for (uint32_t v = 1; v < n; v++)
            assert_true(g.neighbour[g.first[v]] < v);
    }
    net_memory_free(&memory);
}

static uint32_t differing(const struct net_graph *a, const struct net_graph *b,
                          uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t v = 1; v < n; v++)
        count += a->neighbour[a->first[v]] != b->neighbour[b->first[v]];
    return count;
}

/* Also in memory that has held another. */
TEST(test_seed_is_a_tree)
{
    struct net s = tree_of(NET_TREE_RANDOM, 200);
    struct net larger = tree_of(NET_TREE_RANDOM, TREE_MAX);
    struct net_memory one = {0}, two = {0};
    struct net_graph a, b;

    for (uint64_t seed = 0; seed < 100; seed++) {
        open_tree(&a, &s, seed, &one);
        if (seed % 10 == 0)
            open_tree(&b, &larger, seed, &two);
        open_tree(&b, &s, seed, &two);
        assert_int_equal(differing(&a, &b, 200), 0);
        assert_memory_equal(a.back, b.back, 2 * 199 * sizeof *a.back);
        open_tree(&b, &s, seed + 1, &two);
        assert_true(differing(&a, &b, 200) > 100);
    }
    net_memory_free(&one);
    net_memory_free(&two);
}

/* Drawn from those before it: the second half of the nodes hang on the first
 * half about as often as chance has it, 1 - ln 2 apart from that. */
TEST(test_random_parents_are_uniform)
{
    struct net s = tree_of(NET_TREE_RANDOM, TREE_MAX);
    struct net_memory memory = {0};
    uint32_t first_half = 0, trees = 20;
    struct net_graph g;

    for (uint64_t seed = 0; seed < trees; seed++) {
        open_tree(&g, &s, seed, &memory);
        for (uint32_t v = TREE_MAX / 2; v < TREE_MAX; v++)
            first_half += g.neighbour[g.first[v]] < TREE_MAX / 2;
    }
    /* The mean of (n/2)/v over v in n/2..n is ln 2 = 0.693. */
    assert_in_range(first_half, trees * TREE_MAX / 2 * 68 / 100,
                    trees * TREE_MAX / 2 * 71 / 100);
    net_memory_free(&memory);
}

TEST(test_listed_parents_are_kept)
{
    struct net_memory memory = {0};
    struct dice dice = {11};
    struct net_graph g;

    for (uint32_t round = 0; round < rounds(300); round++) {
        uint32_t parents[50] = {0}, n = 2 + throw_below(&dice, 49);
        struct net s = tree_of(NET_TREE_LIST, n);

        for (uint32_t v = 1; v < n; v++)
            parents[v] = throw_below(&dice, v);
        s.parents = parents;
        open_tree(&g, &s, 1, &memory);
        for (uint32_t v = 1; v < n; v++)
            assert_int_equal(g.neighbour[g.first[v]], parents[v]);
    }
    net_memory_free(&memory);
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t held = *a;

    *a = *b;
    *b = held;
}

/* Node 1 of a binary tree counts its links to 0 and 3 the other way round. */
static void swap_first_links(struct net_graph *g)
{
    uint32_t link = g->first[1];

    swap(&g->neighbour[link], &g->neighbour[link + 1]);
    swap(&g->back[link], &g->back[link + 1]);
    swap(&g->back[0], &g->back[g->first[3]]);
}

/* Each rule broken once; what is broken is put right again. */
TEST(test_a_broken_tree_says_what_is_broken)
{
    struct net_memory memory = {0};
    struct net s = tree_of(NET_TREE_BINARY, 7);
    struct net_graph g;

    open_tree(&g, &s, 1, &memory);
    assert_null(net_graph_sane(&g, 7));
    g.first[7]--;
    assert_string_equal(net_graph_sane(&g, 7),
                        "a tree has a link less than nodes, of two ends each");
    g.first[7]++;
    g.first[1] = 0;
    assert_string_equal(net_graph_sane(&g, 7),
                        "a node has a link, and no more than can be numbered");
    g.first[1] = 2;
    g.neighbour[0] = 7;
    assert_string_equal(
        net_graph_sane(&g, 7),
        "the first link leads to the parent, others to children");
    g.neighbour[0] = 1;
    swap_first_links(&g); /* and each leads back */
    assert_string_equal(
        net_graph_sane(&g, 7),
        "the first link leads to the parent, others to children");
    swap_first_links(&g);
    g.neighbour[g.first[3]] = 2;
    assert_string_equal(net_graph_sane(&g, 7),
                        "the other end of a link leads back");
    g.neighbour[g.first[3]] = 1;
    g.back[g.first[1] + 1]++; /* as if node 3 had two links */
    assert_string_equal(net_graph_sane(&g, 7),
                        "the other end of a link leads back");
    g.back[g.first[1] + 1]--;
    assert_null(net_graph_sane(&g, 7));
    net_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_is_a_path),
        cmocka_unit_test(test_star_has_one_centre),
        cmocka_unit_test(test_binary_tree_is_balanced),
        cmocka_unit_test(test_random_trees_are_trees),
        cmocka_unit_test(test_seed_is_a_tree),
        cmocka_unit_test(test_random_parents_are_uniform),
        cmocka_unit_test(test_listed_parents_are_kept),
        cmocka_unit_test(test_a_broken_tree_says_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
