/*
 * cycles.c - runs without end (see explore.h).
 *
 * Strongly connected components by depth-first search (Tarjan 1972), successors
 * found again; where there are several threads, they are written down before
 * (graph.c), since the rest is one thread's work.  Components are complete in
 * the order in which none leads to a later one, so that whether a state can
 * still come to an end is known when its component is.
 *
 * What is decided: from every state an end can be reached (if not, it is a
 * livelock).  With time more: there is no component with a cycle in which no
 * coin falls, since delays and speeds within the bounds can follow that for
 * ever; in problems with a workload, none in which one node waits all along.
 * Without time, or where a coin may end it, a cycle that can be left is
 * not a violation: it is left if messages do not wait for ever, or by chance.
 */
#include <stdlib.h>

#include "check/search/explore.h"

struct frame {
    uint32_t state;
    uint32_t low; /* the earliest state on the stack that is reached from it */
    uint32_t begin, next, end; /* its successors; those still to be looked at */
    bool can;                  /* an end can be reached from here */
    bool loops;                /* it is its own successor */
    bool ends;                 /* it is an end itself */
};

enum mark {
    CAN = 1,
    TRAPPED = 2,
    COIN = 4,
    DONE = 8,
    CYCLIC = 16,
    ON_PATH = 32,
};

struct hunt {
    struct check_search *search;
    uint32_t *order; /* 1 + when a state was first met; 0: never */
    uint8_t *mark;   /* DONE: its component is complete */
    struct frame *frames;
    uint32_t frames_count, frames_room;
    struct check_graph graph; /* if it is there; else, of the frames: */
    uint32_t *successors;
    uint32_t successors_count, successors_room;
    uint32_t *stack; /* states of components that are not complete */
    uint32_t stack_count, stack_room, met;
    bool strict, any_cycle, failed;
    bool starving; /* the trapped states are those of a node that starves */
    uint32_t closes_at; /* where the path closes to a cycle */
};

/* No application waits or is inside. */
static bool all_idle(const struct check_model *m, const uint32_t *vector)
{
    for (uint32_t i = 0; i < m->nodes; i++) {
        const struct check_info *info =
            check_info_of(m, i, vector[m->local_at[i]]);

        if (!(info->head.flags & CHECK_DOWN) && info->phase != FC_IDLE)
            return false;
    }
    return true;
}

bool check_is_end(struct check_model *m, uint32_t state, bool quiet)
{
    struct check_spread base;
    struct net_scene scene;

    if (quiet || (!m->type->repeats && !m->type->counts_flying))
        return quiet;
    check_tree_load(&m->tree, state, &base);
    /* Applications are served, whatever the protocol does on its own. */
    if (m->type->repeats)
        return all_idle(m, base.id);
    /* A problem whose runs never end asks that all is well at last. */
    check_look(m, base.id, &scene);
    return (m->type->end(&scene) & m->setup->properties) == 0;
}

static bool grow_list(struct hunt *h, void *list, uint32_t *room,
                      uint32_t wanted, size_t size)
{
    uint32_t more = *room ? *room : 1024;
    void **at = list, *block;

    if (wanted <= *room)
        return true;
    while (more < wanted)
        more *= 2;
    block =
        check_grow(&h->search->model.memory, *at, *room * size, more * size);
    if (!block) {
        h->failed = true;
        return false;
    }
    *at = block;
    *room = more;
    return true;
}

/* Finds the successors of a state and keeps them while it is looked at. */
static bool find_successors(struct hunt *h, struct frame *f)
{
    struct check_search *s = h->search;

    if (!check_revisit(s, f->state) ||
        !grow_list(h, &h->successors, &h->successors_room,
                   h->successors_count + s->nexts.count, sizeof *h->successors))
        return false;
    f->ends = check_is_end(&s->model, f->state, s->nexts.quiet);
    if (s->nexts.noticed) /* it will be left, as if by a coin */
        h->mark[f->state] = COIN;
    f->begin = f->next = h->successors_count;
    for (uint32_t i = 0; i < s->nexts.count; i++) {
        const struct check_next *next = &s->nexts.list[i];

        h->successors[h->successors_count++] =
            check_tree_find(&s->model.tree, next->pair, next->hash);
        if (next->coin)
            h->mark[f->state] = COIN; /* while it is on the stack */
    }
    f->end = h->successors_count;
    return true;
}

/* The same, if they are written down. */
static void read_successors(struct hunt *h, struct frame *f)
{
    uint32_t at = h->graph.at[f->state], what = h->graph.list[at];

    f->ends = what & CHECK_IS_END;
    if (what & CHECK_HAS_COIN)
        h->mark[f->state] = COIN;
    f->begin = f->next = at + 1;
    f->end = f->begin + (what >> 2);
    for (uint32_t i = f->begin; i < f->end; i++)
        __builtin_prefetch(&h->order[h->graph.list[i]]);
}

static void enter(struct hunt *h, uint32_t state)
{
    struct frame f = {.state = state};

    if (h->graph.at)
        read_successors(h, &f);
    else
        h->failed = !find_successors(h, &f);
    f.can = f.ends;
    if (!check_report(h->search, 1) || h->failed ||
        !grow_list(h, &h->frames, &h->frames_room, h->frames_count + 1,
                   sizeof *h->frames) ||
        !grow_list(h, &h->stack, &h->stack_room, h->stack_count + 1,
                   sizeof *h->stack)) {
        h->failed = true;
        return;
    }
    h->order[state] = f.low = ++h->met;
    h->frames[h->frames_count++] = f;
    h->stack[h->stack_count++] = state;
}

/* A component is complete: `f` is where it was entered. */
static void complete(struct hunt *h, const struct frame *f, bool all_end,
                     bool coins)
{
    bool cyclic = h->stack[h->stack_count - 1] != f->state || f->loops;
    bool trapped = !f->can || (h->strict && !coins && cyclic && !all_end);
    uint32_t state;

    h->any_cycle |= cyclic && !all_end;
    do {
        state = h->stack[--h->stack_count];
        h->mark[state] =
            (uint8_t)(DONE | (f->can ? CAN : 0) | (trapped ? TRAPPED : 0) |
                      (cyclic ? CYCLIC : 0));
    } while (state != f->state);
}

/* All successors of a state have been looked at. */
static void leave(struct hunt *h)
{
    struct frame f = h->frames[--h->frames_count];
    bool all_end = true, coins = false;

    if (!f.ends)
        h->mark[f.state] |= TRAPPED; /* for now: not an end itself */
    h->successors_count = f.begin;
    if (f.low == h->order[f.state]) {
        for (uint32_t i = h->stack_count; i-- > 0;) {
            all_end &= !(h->mark[h->stack[i]] & TRAPPED);
            coins |= (h->mark[h->stack[i]] & COIN) != 0;
            if (h->stack[i] == f.state)
                break;
        }
        complete(h, &f, all_end, coins);
    }
    if (h->frames_count > 0) {
        struct frame *up = &h->frames[h->frames_count - 1];

        up->can |= f.can;
        if (f.low < up->low)
            up->low = f.low;
    }
}

static void go_on(struct hunt *h)
{
    struct frame *f = &h->frames[h->frames_count - 1];
    uint32_t next;

    if (f->next == f->end) {
        leave(h);
        return;
    }
    next = (h->graph.at ? h->graph.list : h->successors)[f->next++];
    f->loops |= next == f->state;
    if (!h->order[next])
        enter(h, next);
    else if (h->mark[next] & DONE)
        f->can |= (h->mark[next] & CAN) != 0;
    else if (h->order[next] < f->low)
        f->low = h->order[next];
}

uint32_t check_broken_without_end(struct check_model *m, uint32_t state)
{
    const struct net_type *type = m->type;
    struct check_spread base;
    struct net_scene scene;
    uint32_t broken;

    check_tree_load(&m->tree, state, &base);
    check_look(m, base.id, &scene);
    broken = type->end(&scene) & m->setup->properties;
    if (type->counts_flying) /* somewhere on the cycle */
        return m->setup->properties &
               ((1u << type->protocol->problem->properties_count) - 1);
    if (type->repeats && broken)
        return broken;
    return type->protocol->problem->ends & m->setup->properties;
}

static uint32_t successor(const struct hunt *h, uint32_t state, uint32_t i)
{
    const struct check_search *s = h->search;

    if (h->graph.at)
        return h->graph.list[h->graph.at[state] + 1 + i];
    return check_tree_find(&s->model.tree, s->nexts.list[i].pair,
                           s->nexts.list[i].hash);
}

/* ---- Waiting for ever ---------------------------------------------------- */

bool check_is_waiting(const struct check_model *m, const uint32_t *vector,
                      uint32_t node)
{
    for (uint32_t i = 0; i < m->nodes; i++) {
        const struct check_info *info =
            check_info_of(m, i, vector[m->local_at[i]]);
        bool down = info->head.flags & CHECK_DOWN;

        if (down && m->setup->back != CHECK_RETURN_NEVER)
            return false;
        if (i == node && (down || info->phase != FC_WAITING))
            return false;
    }
    return true;
}

/* Keeps the marked successors of a marked state that no coin leads to. */
static void meet(struct hunt *h, uint32_t state)
{
    struct check_search *s = h->search;
    struct frame f = {.state = state, .begin = h->successors_count};

    if (!check_revisit(s, state) || !check_report(s, 1) ||
        !grow_list(h, &h->frames, &h->frames_room, h->frames_count + 1,
                   sizeof *h->frames) ||
        !grow_list(h, &h->successors, &h->successors_room,
                   h->successors_count + s->nexts.count,
                   sizeof *h->successors)) {
        h->failed = true;
        return;
    }
    for (uint32_t i = 0; i < s->nexts.count; i++) {
        uint32_t next = successor(h, state, i);

        if (!s->nexts.list[i].coin && (h->mark[next] & TRAPPED))
            h->successors[h->successors_count++] = next;
    }
    f.next = f.begin;
    f.end = h->successors_count;
    h->mark[state] |= ON_PATH;
    h->frames[h->frames_count++] = f;
}

/* Looks for a cycle among the marked states, depth first; those from which none
 * is reached are no longer marked.  Leaves the path to one in the frames. */
static bool finds_cycle(struct hunt *h, uint32_t root)
{
    h->frames_count = h->successors_count = 0;
    meet(h, root);
    while (h->frames_count > 0 && !h->failed) {
        struct frame *f = &h->frames[h->frames_count - 1];
        uint32_t next;

        if (f->next == f->end) {
            h->mark[f->state] &= (uint8_t) ~(TRAPPED | ON_PATH);
            h->successors_count = f->begin;
            h->frames_count--;
            continue;
        }
        next = h->successors[f->next++];
        if (h->mark[next] & ON_PATH) {
            h->closes_at = next;
            return true;
        }
        if (h->mark[next] & TRAPPED)
            meet(h, next);
    }
    return false;
}

/* Whether a node may wait for ever while time passes and no coin falls: there
 * is a cycle in all of whose states it waits.  Marks the states of one, and no
 * others. */
static bool starves(struct hunt *h, uint32_t states, uint32_t node)
{
    struct check_model *m = &h->search->model;
    bool found = false;

    for (uint32_t i = 0; i < states; i++) {
        struct check_spread base;

        if (!(h->mark[i] & CYCLIC))
            continue;
        check_tree_load(&m->tree, i, &base);
        if (check_is_waiting(m, base.id, node))
            h->mark[i] |= TRAPPED;
    }
    for (uint32_t i = 0; i < states && !found && !h->failed; i++)
        found = (h->mark[i] & TRAPPED) && finds_cycle(h, i);
    for (uint32_t i = 0; i < states; i++)
        h->mark[i] &= (uint8_t) ~(TRAPPED | ON_PATH);
    while (found && h->frames_count > 0) {
        uint32_t state = h->frames[--h->frames_count].state;

        h->mark[state] |= TRAPPED;
        if (state == h->closes_at)
            break;
    }
    return found;
}

/* The run goes on from a trapped state until it comes back to where it was. */
static void walk(struct hunt *h, uint32_t state)
{
    struct check_search *s = h->search;
    struct check_result *r = s->result;
    uint32_t *seen;

    r->broken = check_broken_without_end(&s->model, state);
    if (!r->broken)
        return; /* of no interest */
    r->endless = true;
    seen = calloc(s->model.tree.roots.count + 1, sizeof *seen);
    if (!seen || !check_path(s, state, s->model.tree.roots.count + 1)) {
        free(seen);
        return;
    }
    while (!seen[state] && check_revisit(s, state)) {
        uint32_t best = UINT32_MAX, best_number = UINT32_MAX;

        seen[state] = r->moves_count + 1;
        for (uint32_t i = 0; i < s->nexts.count; i++) {
            uint32_t number = successor(h, state, i);

            if (number < best_number && (h->mark[number] & TRAPPED) &&
                !(h->starving && s->nexts.list[i].coin)) {
                best = i;
                best_number = number;
            }
        }
        if (best == UINT32_MAX)
            break;
        r->moves[r->moves_count++] = s->nexts.list[best].move;
        state = best_number;
    }
    r->loop_at = seen[state] ? seen[state] - 1 : r->moves_count;
    free(seen);
}

/* With time, in problems with a workload: the first state from which some node
 * may wait for ever, or `states`. */
static uint32_t find_starving(struct hunt *h, uint32_t states)
{
    uint32_t first = 0;

    h->starving = true;
    for (uint32_t i = 0; i < h->search->model.nodes; i++)
        if (starves(h, states, i)) {
            while (!(h->mark[first] & TRAPPED))
                first++;
            return first;
        }
    return states;
}

static bool begin(struct hunt *h, uint32_t states)
{
    struct check_memory *m = &h->search->model.memory;

    /* First, so that the index of states can be freed before more is
     * allocated. */
    (void)check_graph_open(h->search, &h->graph);
    h->order = check_grow(m, NULL, 0, states * sizeof *h->order);
    h->mark = check_grow(m, NULL, 0, states);
    return h->order && h->mark;
}

static void end(struct hunt *h, uint32_t states)
{
    struct check_memory *m = &h->search->model.memory;

    check_graph_close(h->search, &h->graph);
    check_release(m, h->order, states * sizeof *h->order);
    check_release(m, h->mark, states);
    check_release(m, h->stack, h->stack_room * sizeof *h->stack);
    check_release(m, h->frames, h->frames_room * sizeof *h->frames);
    check_release(m, h->successors, h->successors_room * sizeof *h->successors);
}

void check_cycles(struct check_search *s)
{
    const struct check_model *m = &s->model;
    uint32_t states = m->tree.roots.count;
    struct hunt h = {
        .search = s,
        .strict = s->model.timed && !s->model.type->repeats,
    };
    uint32_t trapped = 0;

    if (begin(&h, states))
        for (uint32_t root = 0; root < states && !h.failed; root++) {
            if (h.order[root])
                continue;
            enter(&h, root);
            while (h.frames_count > 0 && !h.failed)
                go_on(&h);
        }
    if (!h.failed && h.order && h.mark) {
        while (trapped < states && !(h.mark[trapped] & TRAPPED))
            trapped++;
        s->result->cycles_known = true;
        s->result->acyclic = !h.any_cycle;
        /* Where states are merged, a node is not the same all along. */
        if (trapped == states && m->timed && m->type->repeats && h.any_cycle &&
            !s->setup->symmetry)
            trapped = find_starving(&h, states);
        if (trapped < states)
            walk(&h, trapped);
    }
    end(&h, states);
}
