/*
 * endless.c - how far a run without end is, where nothing else can break.
 *
 * What counts as one is what search/cycles.c decides, over the states whose
 * future is known and breaks nothing: those from which no end can be reached;
 * with time also those on a cycle in which no coin falls, or, in problems with
 * a workload, in which one node waits all along.  Components are found by
 * depth-first search (Tarjan 1972).
 */
#include <string.h>

#include "check/browse/browsing.h"
#include "check/search/explore.h"

enum mark {
    SETTLED = 1, /* all that can follow is known, and breaks nothing */
    DONE = 2,    /* its component is complete */
    CAN = 4,     /* an end can be reached from here */
    CYCLIC = 8,
    OPEN = 16, /* it takes part in this search for components */
    BAD = 32,  /* a run without end passes here */
};

struct hunt {
    struct check_browse *b;
    uint8_t *mark;
    uint32_t *order, *low; /* when a state was met, from 1; what it leads to */
    uint32_t *stack;       /* states of components that are not complete */
    uint32_t *path, *next; /* states on the way, and their next successor */
    uint32_t stack_count, path_count, met;
    bool strict, starving;
};

static uint32_t traits(const struct hunt *h, uint32_t state)
{
    return h->b->edges.list[h->b->at[state]];
}

/* Whether a move of a state counts in this search. */
static bool counts(struct hunt *h, uint32_t state, uint32_t i, uint32_t to)
{
    if (!(h->mark[to] & OPEN))
        return false;
    /* What a coin decides cannot be had for ever. */
    return !h->starving || !(traits(h, state) & CHECK_COIN) ||
           (check_browse_expand(h->b, state) && !h->b->nexts.list[i].coin);
}

static void enter(struct hunt *h, uint32_t state)
{
    h->order[state] = h->low[state] = ++h->met;
    h->stack[h->stack_count++] = state;
    h->path[h->path_count] = state;
    h->next[h->path_count++] = 0;
}

/* What is true of a component: the states from `first` on the stack. */
static void judge(struct hunt *h, uint32_t first)
{
    bool can = false, all_end = true, coins = false, loops = false, bad;
    bool cyclic = h->stack_count - first > 1;

    for (uint32_t k = first; k < h->stack_count; k++) {
        uint32_t state = h->stack[k], count;
        const uint32_t *to = check_successors(h->b, state, &count);
        bool ends = traits(h, state) & CHECK_ENDS;

        can |= ends;
        all_end &= ends;
        coins |= (traits(h, state) & CHECK_COIN) != 0;
        for (uint32_t i = 0; i < count; i++) {
            can |= (h->mark[to[i]] & CAN) != 0;
            loops |= to[i] == state && counts(h, state, i, to[i]);
        }
    }
    cyclic |= loops;
    bad = h->starving ? cyclic
                      : !can || (h->strict && !coins && cyclic && !all_end);
    while (h->stack_count > first) {
        uint32_t state = h->stack[--h->stack_count];

        h->mark[state] |= (uint8_t)(DONE | (bad ? BAD : 0) | (can ? CAN : 0) |
                                    (cyclic && !all_end ? CYCLIC : 0));
    }
}

/* All successors of the last state of the path have been looked at. */
static void leave(struct hunt *h)
{
    uint32_t state = h->path[--h->path_count], first = h->stack_count;

    if (h->low[state] == h->order[state]) {
        while (h->stack[--first] != state)
            ;
        judge(h, first);
    }
    if (h->path_count > 0) {
        uint32_t up = h->path[h->path_count - 1];

        if (h->low[state] < h->low[up])
            h->low[up] = h->low[state];
    }
}

static void go_on(struct hunt *h)
{
    uint32_t state = h->path[h->path_count - 1], count, to;
    const uint32_t *all = check_successors(h->b, state, &count);
    uint32_t i = h->next[h->path_count - 1]++;

    if (i == count) {
        leave(h);
        return;
    }
    to = all[i];
    if (!counts(h, state, i, to))
        return;
    if (!h->order[to])
        enter(h, to);
    else if (!(h->mark[to] & DONE) && h->order[to] < h->low[state])
        h->low[state] = h->order[to];
}

static void find_components(struct hunt *h)
{
    memset(h->order, 0, h->b->numbered * sizeof *h->order);
    h->met = 0;
    for (uint32_t root = 0; root < h->b->numbered; root++) {
        if (!(h->mark[root] & OPEN) || h->order[root])
            continue;
        enter(h, root);
        while (h->path_count > 0)
            go_on(h);
    }
}

static bool waits(struct hunt *h, uint32_t state, uint32_t node)
{
    struct check_spread base;

    check_tree_load(&h->b->model.tree, state, &base);
    return check_is_waiting(&h->b->model, base.id, node);
}

/* A node may wait for ever while time passes and no coin falls: there is a
 * cycle in all of whose states it waits. */
static void find_starving(struct hunt *h)
{
    uint32_t states = h->b->numbered;

    h->starving = true;
    for (uint32_t node = 0; node < h->b->model.nodes; node++) {
        for (uint32_t s = 0; s < states; s++) {
            h->mark[s] &= (uint8_t) ~(OPEN | DONE);
            if ((h->mark[s] & (SETTLED | CYCLIC)) == (SETTLED | CYCLIC) &&
                waits(h, s, node))
                h->mark[s] |= OPEN;
        }
        find_components(h);
    }
}

static void hunt(struct hunt *h)
{
    struct check_browse *b = h->b;
    bool any = false, cyclic = false;

    for (uint32_t s = 0; s < b->numbered; s++)
        if (b->at[s] != CHECK_UNSEEN && b->to_bad.list[s] == CHECK_UNSEEN &&
            b->to_unknown.list[s] == CHECK_UNSEEN)
            h->mark[s] = SETTLED | OPEN;
    find_components(h);
    for (uint32_t s = 0; s < b->numbered; s++) {
        any |= (h->mark[s] & BAD) != 0;
        cyclic |= (h->mark[s] & CYCLIC) != 0;
    }
    if (!any && cyclic && b->model.timed && b->model.type->repeats)
        find_starving(h);
    for (uint32_t s = 0; s < b->numbered; s++)
        b->to_endless.list[s] =
            (h->mark[s] & BAD) && check_broken_without_end(&b->model, s)
                ? 0
                : CHECK_UNSEEN;
}

bool check_browse_hunt(struct check_browse *b)
{
    struct check_memory *m = &b->model.memory;
    size_t size = (b->numbered + (size_t)1) * sizeof(uint32_t);
    struct hunt h = {.b = b,
                     .strict = b->model.timed && !b->model.type->repeats};
    uint32_t **lists[] = {&h.order, &h.low, &h.stack, &h.path, &h.next};
    enum { LISTS = sizeof lists / sizeof lists[0] };
    bool room = true;

    for (uint32_t i = 0; i < LISTS; i++)
        room &= (*lists[i] = check_grow(m, NULL, 0, size)) != NULL;
    h.mark = check_grow(m, NULL, 0, b->numbered + (size_t)1);
    room &= h.mark != NULL;
    if (room)
        hunt(&h);
    for (uint32_t i = 0; i < LISTS; i++)
        check_release(m, *lists[i], size);
    check_release(m, h.mark, b->numbered + (size_t)1);
    return room;
}
