/*
 * test_route.c - where links lead, in every topology, against a table that is
 * filled edge by edge from what fc.h says of ports.
 */
#include "net/route.h"
#include "tests/unit/kit/testing.h"

enum { NODES_MAX = 12, NO_NODE = 255 };

/* By node and port: the node at the other end, and the port there. */
struct table {
    uint8_t to[NODES_MAX][NODES_MAX], comes_by[NODES_MAX][NODES_MAX];
};

static void join(struct table *t, uint32_t a, uint32_t port_a, uint32_t b,
                 uint32_t port_b)
{
    t->to[a][port_a] = (uint8_t)b;
    t->comes_by[a][port_a] = (uint8_t)port_b;
}

static void compare(const struct table *t, enum fc_topology topology,
                    const struct net_graph *graph, uint32_t n)
{
    uint64_t next = 0; /* links are counted in this very order */

    for (uint32_t i = 0; i < n; i++) {
        uint32_t ports = net_ports(topology, graph, n, i), links = 0;

        for (uint32_t p = 0; p < NODES_MAX; p++)
            links += t->to[i][p] != NO_NODE;
        assert_int_equal(ports - (topology == FC_COMPLETE), links);
        for (uint16_t p = 0; p < ports; p++) {
            struct net_route way;

            if (t->to[i][p] == NO_NODE)
                continue;
            way = net_route(topology, graph, n, i, p);
            assert_int_equal(way.to, t->to[i][p]);
            assert_int_equal(way.comes_by, t->comes_by[i][p]);
            assert_int_equal(net_link(topology, graph, n, i, p), next);
            next++;
        }
    }
    assert_int_equal(net_links(topology, n), next);
}

static struct table no_links(void)
{
    struct table t;

    memset(&t, NO_NODE, sizeof t);
    return t;
}

TEST(test_rings)
{
    for (uint32_t n = 2; n <= NODES_MAX; n++) {
        struct table one = no_links(), both = no_links();

        for (uint32_t i = 0; i < n; i++) {
            join(&one, i, 0, (i + 1) % n, FC_PREVIOUS);
            join(&both, i, FC_NEXT, (i + 1) % n, FC_PREVIOUS);
            join(&both, (i + 1) % n, FC_PREVIOUS, i, FC_NEXT);
        }
        compare(&one, FC_RING, NULL, n);
        compare(&both, FC_RING_BOTH, NULL, n);
    }
}

TEST(test_complete)
{
    for (uint32_t n = 2; n <= NODES_MAX; n++) {
        struct table t = no_links();

        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if (i != j)
                    join(&t, i, j, j, i);
        compare(&t, FC_COMPLETE, NULL, n);
    }
}

/* Every tree of up to six nodes whose parents stand before their children: a
 * node's first link is that to its parent, then come its children in order. */
TEST(test_trees)
{
    struct net_memory memory = {0};
    uint32_t tried = 0;

    for (uint32_t n = 2; n <= 6; n++)
        for (uint32_t code = 0; code < 720; code++) {
            uint32_t parents[6] = {0}, used[6] = {0}, rest = code;
            struct net net = {.tree = NET_TREE_LIST, .world = {.nodes = n}};
            struct table t = no_links();
            struct net_graph graph;

            for (uint32_t v = 1; v < n; v++) {
                parents[v] = rest % v;
                rest /= v;
                used[v] = 1;
            }
            if (rest)
                continue; /* that is all of this size */
            for (uint32_t v = 1; v < n; v++) {
                uint32_t down = used[parents[v]]++;

                join(&t, v, 0, parents[v], down);
                join(&t, parents[v], down, v, 0);
            }
            net.parents = parents;
            assert_int_equal(net_graph_begin(&graph, &net, 1, &memory), 0);
            compare(&t, FC_TREE, &graph, n);
            tried++;
        }
    assert_int_equal(tried, 1 + 2 + 6 + 24 + 120);
    net_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_trees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
