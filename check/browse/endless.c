/*
 * endless.c - how far a run without end is, where nothing else can break.
 *
 * What counts as one is what search/cycles.c decides, over the states whose
 * future is known and breaks nothing: those from which no end can be reached;
 * with time also those on a cycle in which no coin falls, or, in problems with
 * a workload, in which one node waits all along.
 */
#include "check/browse/browsing.h"
#include "check/search/components.h"
#include "check/search/explore.h"

enum mark {
    SETTLED = 1, /* all that can follow is known, and breaks nothing */
    CAN = 2,     /* an end can be reached from here */
    CYCLIC = 4,
    OPEN = 8, /* it takes part in this search for components */
    BAD = 16, /* a run without end passes here */
};

struct hunt {
    struct check_browse *b;
    uint8_t *mark;
    bool strict, starving, failed;
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

static uint32_t next_of(void *whom, uint32_t state, uint32_t *at)
{
    struct hunt *h = whom;
    uint32_t count;
    const uint32_t *to = check_successors(h->b, state, &count);

    for (uint32_t i; (i = *at) < count;) {
        ++*at;
        if (counts(h, state, i, to[i]))
            return to[i];
    }
    return CHECK_NO_STATE;
}

/* The traits of a component. */
static void judge(void *whom, const uint32_t *states, uint32_t members)
{
    struct hunt *h = whom;
    bool can = false, all_end = true, coins = false, bad;
    bool cyclic = members > 1;

    for (uint32_t k = 0; k < members; k++) {
        uint32_t state = states[k], count;
        const uint32_t *to = check_successors(h->b, state, &count);
        bool ends = traits(h, state) & CHECK_ENDS;

        can |= ends;
        all_end &= ends;
        coins |= (traits(h, state) & CHECK_COIN) != 0;
        for (uint32_t i = 0; i < count; i++) {
            can |= (h->mark[to[i]] & CAN) != 0;
            cyclic |= to[i] == state && counts(h, state, i, to[i]);
        }
    }
    bad = h->starving ? cyclic
                      : !can || (h->strict && !coins && cyclic && !all_end);
    for (uint32_t k = 0; k < members; k++)
        h->mark[states[k]] |= (uint8_t)((bad ? BAD : 0) | (can ? CAN : 0) |
                                        (cyclic && !all_end ? CYCLIC : 0));
}

static void find_components(struct hunt *h)
{
    struct check_components c = {.memory = &h->b->model.memory,
                                 .states = h->b->numbered,
                                 .next = next_of,
                                 .complete = judge,
                                 .whom = h};

    h->failed |= !check_components_begin(&c);
    for (uint32_t root = 0; !h->failed && root < c.states; root++)
        if (h->mark[root] & OPEN)
            check_components_from(&c, root);
    h->failed |= c.stopped;
    check_components_end(&c);
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
            h->mark[s] &= (uint8_t)~OPEN;
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
    struct hunt h = {.b = b,
                     .strict = b->model.timed && !b->model.type->repeats};

    h.mark = check_grow(m, NULL, 0, b->numbered + (size_t)1);
    if (h.mark)
        hunt(&h);
    h.failed |= !h.mark;
    check_release(m, h.mark, b->numbered + (size_t)1);
    return !h.failed;
}
