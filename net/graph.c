/*
 * graph.c - see graph.h.
 *
 * A tree is given by the parent of each node but the first; parents have
 * smaller indices.  So the first link of a node is that to its parent, and
 * those to its children come after it (struct fc_rooted relies on that).
 */
#include "net/graph.h"

#include "net/random.h"
#include "net/sane.h"

static uint32_t parent_of(const struct net *s, uint32_t node, uint64_t key,
                          const uint32_t *links)
{
    uint32_t tries = 0, parent;

    switch (s->tree) {
    case NET_TREE_PATH:
        return node - 1;
    case NET_TREE_STAR:
        return 0;
    case NET_TREE_BINARY:
        return (node - 1) / 2;
    case NET_TREE_LIST:
        return s->parents[node];
    case NET_TREE_RANDOM:
        break;
    }
    /* A random recursive tree, with room for one more link at the parent. */
    do
        parent = (uint32_t)net_below(net_draw(key, node, tries++), node);
    while (links[parent] >= NET_PORTS_MAX - 1);
    return parent;
}

int net_graph_begin(struct net_graph *g, const struct net *net, uint64_t seed,
                    struct net_memory *memory)
{
    size_t n = net->world.nodes, links = 2 * (n - 1);
    uint32_t *parent = net_memory_zero(
        memory, NET_BUFFER_GRAPH, (3 * n + 1 + 2 * links) * sizeof *parent);
    uint64_t key = net_key(seed, NET_STREAM_GRAPH);
    uint32_t *used;

    if (!parent)
        return -1;
    used = parent + n;
    g->first = used + n;
    g->neighbour = g->first + n + 1;
    g->back = g->neighbour + links;
    for (uint32_t v = 1; v < n; v++) {
        parent[v] = parent_of(net, v, key, used);
        used[parent[v]]++;
        used[v]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        g->first[v + 1] = g->first[v] + used[v];
        used[v] = 0;
    }
    for (uint32_t v = 1; v < n; v++) {
        uint32_t up = g->first[v] + used[v]++;
        uint32_t down = g->first[parent[v]] + used[parent[v]]++;

        g->neighbour[up] = parent[v];
        g->neighbour[down] = v;
        g->back[up] = down - g->first[parent[v]];
        g->back[down] = up - g->first[v];
    }
    NET_ASSERT_SANE("a tree", net_graph_sane(g, (uint32_t)n));
    return 0;
}

const char *net_graph_sane(const struct net_graph *g, uint32_t nodes)
{
    if (g->first[0] != 0 || g->first[nodes] != 2 * (nodes - 1))
        return "a tree has a link less than nodes, of two ends each";
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t ports = net_graph_ports(g, v);

        if (g->first[v] > g->first[v + 1] || ports == 0 || ports > UINT16_MAX)
            return "a node has a link, and no more than can be numbered";
        for (uint32_t port = 0; port < ports; port++) {
            uint32_t link = g->first[v] + port, to = g->neighbour[link], other;

            if (to >= nodes || (v > 0 && port == 0) != (to < v))
                return "the first link leads to the parent, others to children";
            other = g->first[to] + g->back[link];
            if (other >= g->first[to + 1] || g->neighbour[other] != v ||
                g->back[other] != port)
                return "the other end of a link leads back";
        }
    }
    return NULL;
}
