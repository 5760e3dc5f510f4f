/*
 * svg_tree.c - the tree beside the lanes, which shows neighbours.
 *
 * Lanes stand in the order of the nodes, which says nothing of a tree.  The
 * drawing hangs from its middle, so that it is low, and a node stands over the
 * middle of what hangs from it.
 */
#include <assert.h>

#include "draw/svg/pen.h"
#include "draw/svg/picture.h"

enum { NODES_MAX = 32, LINKS_MAX = NODES_MAX - 1 };

struct tree {
    const struct picture *p;
    uint32_t nodes, count;
    struct svg_link links[LINKS_MAX];
    uint32_t depth[NODES_MAX];
    double x[NODES_MAX]; /* in places, from 0 on */
    double places;       /* taken so far */
    uint32_t levels;
};

/* A link that is not there yet; false if there are too many for a tree. */
static bool add_link(struct tree *tree, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < tree->count; i++)
        if ((tree->links[i].a == a && tree->links[i].b == b) ||
            (tree->links[i].a == b && tree->links[i].b == a))
            return true;
    if (tree->count + 1 >= tree->nodes)
        return false;
    tree->links[tree->count++] = (struct svg_link){a, b};
    return true;
}

/* The links that are told, or those that messages took.  False if they are
 * not all the links of a tree. */
static bool find_links(struct tree *tree)
{
    const struct svg_options *o = tree->p->options;
    const struct trace *t = tree->p->t;
    bool fits = true;

    for (uint32_t i = 0; o->links && fits && i < o->links_count; i++)
        fits = add_link(tree, o->links[i].a, o->links[i].b);
    for (uint32_t i = 0; !o->links && fits && i < t->messages_count; i++)
        fits =
            add_link(tree, t->event.lane[t->message.by[i]], t->message.to[i]);
    return fits && tree->count + 1 == tree->nodes;
}

/* Places a node and all that hangs from it; returns the greatest depth. */
static uint32_t hang(struct tree *tree, uint32_t node, uint32_t from,
                     uint32_t depth)
{
    double first = -1, last = -1;
    uint32_t deepest = depth;

    tree->depth[node] = depth;
    /* A graph with a cycle would go round for ever. */
    for (uint32_t i = 0; i < tree->count && depth < tree->nodes; i++) {
        uint32_t other = tree->links[i].a == node   ? tree->links[i].b
                         : tree->links[i].b == node ? tree->links[i].a
                                                    : from;
        uint32_t below;

        if (other == from)
            continue;
        below = hang(tree, other, node, depth + 1);
        deepest = below > deepest ? below : deepest;
        first = first < 0 ? tree->x[other] : first;
        last = tree->x[other];
    }
    tree->x[node] = first < 0 ? tree->places++ : (first + last) / 2;
    return deepest;
}

static bool layout(struct tree *tree, const struct picture *p)
{
    uint32_t best = 0, least = NODES_MAX;

    *tree = (struct tree){.p = p, .nodes = p->t->head.nodes};
    if (p->t->head.topology != TRACE_TREE || p->t->head.nodes < 2 ||
        p->t->head.nodes > NODES_MAX || p->s.regime == SCALE_SHARES ||
        !find_links(tree))
        return false;
    for (uint32_t root = 0; root < tree->nodes; root++) {
        uint32_t deepest = hang(tree, root, TRACE_NONE, 0);

        best = deepest < least ? root : best;
        least = deepest < least ? deepest : least;
    }
    tree->places = 0;
    tree->levels = hang(tree, best, TRACE_NONE, 0) + 1;
    return tree->levels <= tree->nodes;
}

static const double radius = 12, place_px = 32, level_px = 44;

double tree_width(const struct picture *p)
{
    const double title = 56;
    struct tree tree;
    double width;

    if (!layout(&tree, p))
        return 0;
    width = tree.places * place_px;
    return (width < title ? title : width) + 32;
}

static double node_x(const struct tree *tree, uint32_t node)
{
    const struct picture *p = tree->p;
    double spare = p->inset - 32 - tree->places * place_px;

    return p->width - p->margin - p->inset + 32 + spare / 2 +
           (tree->x[node] + 0.5) * place_px;
}

static double node_y(const struct tree *tree, uint32_t node)
{
    double room = tree->p->s.axis - tree->p->s.top - 2 * radius - 24;
    double level = tree->levels > 1 ? room / (tree->levels - 1) : 0;

    return tree->p->s.top + 24 + radius +
           tree->depth[node] * (level < level_px ? level : level_px);
}

void tree_draw(const struct picture *p)
{
    struct tree tree;
    bool fits = layout(&tree, p);

    assert(fits);
    (void)fits;
    pen_line(p->file, "small", p->width - p->margin - (p->inset - 32) / 2,
             p->s.top + 10, "middle", "the tree");
    for (uint32_t i = 0; i < tree.count; i++) {
        uint32_t a = tree.links[i].a, b = tree.links[i].b;

        pen(p->file, "<path class='axis' d='M@ @L@ @'/>\n", node_x(&tree, a),
            node_y(&tree, a), node_x(&tree, b), node_y(&tree, b));
    }
    for (uint32_t node = 0; node < tree.nodes; node++) {
        char name[24];

        snprintf(name, sizeof name, "%u", trace_name(&p->t->head, node));
        pen(p->file, "<circle class='node' cx='@' cy='@' r='@'/>",
            node_x(&tree, node), node_y(&tree, node), radius);
        pen_line(p->file, "lane2", node_x(&tree, node), node_y(&tree, node) + 4,
                 "middle", name);
    }
}
