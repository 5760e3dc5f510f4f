/*
 * make_tree.c - how nodes are linked (see maker.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "net/graph.h"
#include "net/maker.h"

/* How many links a node may have. */
static uint32_t links_max(const struct maker *m)
{
    uint32_t most = m->made->net.protocol->links_max;

    return most ? most : NET_PORTS_MAX;
}

/* One line for each node but the first, with the position of its parent, which
 * stands before it. */
static bool read_parents(struct maker *m, FILE *file, const char *path,
                         uint32_t *links)
{
    uint32_t node = 0, n = m->made->net.world.nodes;
    char line[64];

    while (fgets(line, sizeof line, file)) {
        uint64_t parent;

        line[strcspn(line, "\r\n")] = '\0';
        if (++node >= n || !fc_read_number(line, &parent) || parent >= node ||
            ++links[parent] > links_max(m) || ++links[node] > links_max(m))
            return maker_refuse(
                m->refusal,
                "%s, line %" PRIu32 ": '%s' is no parent of node %" PRIu32
                "; write a position before it, with at most %" PRIu32
                " links each",
                path, node, line, node, links_max(m));
        m->made->parents[node] = (uint32_t)parent;
    }
    if (node + 1 != n)
        return maker_refuse(m->refusal,
                            "%s has %" PRIu32 " lines, but a tree of %" PRIu32
                            " nodes has %" PRIu32,
                            path, node, n, n - 1);
    return true;
}

static bool load_parents(struct maker *m, const char *path)
{
    struct net_made *made = m->made;
    FILE *file = fopen(path, "r");
    uint32_t *links;
    bool fine;

    if (!file)
        return maker_fail(m->refusal, "cannot read the tree %s: %s", path,
                          strerror(errno));
    links = calloc(made->net.world.nodes, sizeof *links);
    made->parents = calloc(made->net.world.nodes, sizeof *made->parents);
    fine = links && made->parents
               ? read_parents(m, file, path, links)
               : maker_fail(m->refusal, "no memory for the tree %s", path);
    fclose(file);
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
    int choice;

    if (topology == FC_COMPLETE && n > 4096)
        return maker_refuse(m->refusal,
                            "%s runs on complete networks of up to 4096 nodes",
                            w->protocol);
    if (topology != FC_TREE)
        return !w->topology ||
               maker_refuse(m->refusal,
                            "--topology is for protocols on trees; %s has its "
                            "own",
                            w->protocol);
    choice = fc_find_choice("path|star|binary|random",
                            w->topology ? w->topology : "random");
    if (choice < 0)
        return load_parents(m, w->topology);
    net->tree = (enum net_tree)choice;
    if (net->tree == NET_TREE_STAR && n > links_max(m) + 1)
        return maker_refuse(m->refusal,
                            "a star of %" PRIu32 " nodes has too many links at "
                            "its centre: %" PRIu32 " at most",
                            n, links_max(m));
    return true;
}
