/*
 * make_tree.c - how nodes are linked (see maker.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "net/graph.h"
#include "net/maker.h"

/* The number of links that a node may have. */
static uint32_t links_max(const struct maker *m)
{
    uint32_t most = m->made->net.protocol->links_max;

    return most ? most : NET_PORTS_MAX;
}

/* A file has the position of the parent of each node except the first; parents
 * stand before their children. */
static bool load_parents(struct maker *m, const char *path)
{
    struct net_made *made = m->made;
    uint32_t n = made->net.world.nodes, *links;
    const struct maker_kind parents = {
        "tree", "a parent", 0, UINT32_MAX,
        "; or choose path, star, binary or random"};
    bool fine;

    if (!maker_file(m, path, &parents))
        return false;
    links = calloc(n, sizeof *links);
    made->parents = calloc(n, sizeof *made->parents);
    fine = links && made->parents;
    if (!fine)
        net_no_memory(m->why, "the tree");
    for (uint32_t i = 0; fine && i < m->count; i++) {
        uint64_t parent = m->read[i].value;
        uint32_t node = i + 1;

        if (node >= n || parent >= node || ++links[parent] > links_max(m) ||
            ++links[node] > links_max(m))
            fine =
                net_refuse(m->why,
                           "%s, line %" PRIu32 ": %" PRIu64
                           " is not a parent of node %" PRIu32
                           "; write a position before it, with at most %" PRIu32
                           " links each",
                           path, m->read[i].line, parent, node, links_max(m));
        else
            made->parents[node] = (uint32_t)parent;
    }
    if (fine && m->count + 1 != n)
        fine = net_refuse(m->why,
                          "%s: parents listed: %" PRIu32 "; a tree of %" PRIu32
                          " nodes has %" PRIu32,
                          path, m->count, n, n - 1);
    free(links);
    made->net.tree = NET_TREE_LIST;
    made->net.parents = made->parents;
    return fine;
}

bool maker_topology(struct maker *m)
{
    const struct net_words *w = m->words;
    struct net *net = &m->made->net;
    enum fc_topology topology = net->protocol->topology;
    uint32_t n = net->world.nodes;
    const char *word = w->topology ? w->topology : "random";
    int choice = fc_find_choice("path|star|binary|random", word);

    if (topology == FC_COMPLETE && n > 4096)
        return net_refuse(m->why,
                          "%s runs on complete networks of up to 4096 nodes",
                          w->protocol);
    if (topology != FC_TREE)
        return !w->topology ||
               net_refuse(
                   m->why,
                   "--topology is for protocols on trees; %s has its own",
                   w->protocol);
    if (choice < 0 && !strchr(word, '/') && access(word, F_OK) != 0)
        return net_refuse(m->why,
                          "--topology %s: there is neither such a tree nor "
                          "such a file; choose path, star, binary or random",
                          word);
    if (choice < 0)
        return load_parents(m, word);
    net->tree = (enum net_tree)choice;
    if (net->tree == NET_TREE_STAR && n > links_max(m) + 1)
        return net_refuse(m->why,
                          "a star of %" PRIu32
                          " nodes has too many links at its centre: %" PRIu32
                          " at most",
                          n, links_max(m));
    return true;
}
