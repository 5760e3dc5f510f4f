/*
 * cycles.c - runs without end (see explore.h).
 *
 * Strongly connected components (components.h), successors found again; where
 * there are several threads, they are written down before (graph.c), since the
 * rest is one thread's work.  Whether a state can still come to an end is known
 * when its component is complete.
 *
 * What is decided: from every state an end can be reached (if not, it is a
 * livelock).  With time more: there is no component with a cycle in which no
 * coin falls, since delays and speeds within the bounds can follow that for
 * ever; in problems with a workload, none in which one node waits all along.
 * Without time, or where a coin may end it, a cycle that can be left is
 * not a violation: it is left if messages do not wait for ever, or by chance.
 */
#include <stdlib.h>

#include "check/model/judge.h"
#include "check/search/components.h"
#include "check/search/explore.h"

enum mark {
    CAN = 1,     /* an end can be reached from here */
    TRAPPED = 2, /* a run without end that counts passes here; until its
                  * component is complete: it is not an end itself */
    COIN = 4,
    LOOPS = 8, /* it is its own successor */
    CYCLIC = 16,
    ON_PATH = 32,
};

struct hunt {
    struct check_search *search;
    struct check_components components;
    uint8_t *mark;
    struct check_graph graph; /* if it is there */
    /* Else, of states on the path: successors still to be looked at, the next
     * one last; before those of each state stands CHECK_NO_STATE. */
    uint32_t *successors;
    uint32_t *path; /* in a search for a single cycle */
    uint32_t successors_count, successors_room, path_count, path_room;
    bool strict, any_cycle, failed;
    bool starving;      /* the trapped states starve a node */
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

/* The successor number `i` of a state, which was visited last if no graph is
 * there. */
static inline uint32_t successor(const struct hunt *h, uint32_t state,
                                 uint32_t i)
{
    const struct check_search *s = h->search;

    if (h->graph.at)
        return h->graph.list[h->graph.at[state] + 1 + i];
    return check_tree_find(&s->model.tree, s->nexts.list[i].pair,
                           s->nexts.list[i].hash);
}

/* Finds the successors of a state and keeps them while it is looked at; or only
 * those that are trapped, and to which no coin leads. */
static bool push_successors(struct hunt *h, uint32_t state, bool only_trapped)
{
    struct check_search *s = h->search;
    uint32_t *room = &h->successors_room, *list;

    if (!check_revisit(s, state))
        return false;
    while (*room < h->successors_count + s->nexts.count + 1)
        if (!check_make_room(&s->model.memory, &h->successors, room, *room,
                             sizeof *h->successors))
            return false;
    list = h->successors + h->successors_count;
    *list++ = CHECK_NO_STATE;
    for (uint32_t i = s->nexts.count; i-- > 0;) {
        const struct check_next *next = &s->nexts.list[i];

        *list = successor(h, state, i);
        if (!only_trapped)
            h->mark[state] |= next->coin ? COIN : 0;
        else if (next->coin || !(h->mark[*list] & TRAPPED))
            continue;
        list++;
    }
    h->successors_count = (uint32_t)(list - h->successors);
    return true;
}

/* ---- Components ---------------------------------------------------------- */

/* A state is met: its own traits. */
static bool look_at(struct hunt *h, uint32_t state)
{
    struct check_search *s = h->search;
    bool ends, coin;

    if (h->graph.at) {
        const uint32_t *list = h->graph.list + h->graph.at[state];

        ends = *list & CHECK_IS_END;
        coin = *list & CHECK_HAS_COIN;
        for (uint32_t i = *list >> 2; i > 0; i--)
            __builtin_prefetch(&h->components.met[list[i]]);
    } else {
        if (!push_successors(h, state, false))
            return false;
        ends = check_is_end(&s->model, state, s->nexts.quiet);
        coin = s->nexts.noticed; /* it will be left, as if by a coin */
    }
    h->mark[state] |= (uint8_t)((ends ? CAN : TRAPPED) | (coin ? COIN : 0));
    return check_report(s, 1);
}

/* All that a successor leads to was met. */
static inline void look_back(struct hunt *h, uint32_t state, uint32_t from)
{
    if (check_is_complete(&h->components, from))
        h->mark[state] |= h->mark[from] & CAN;
    else if (from == state)
        h->mark[state] |= LOOPS;
}

static uint32_t next_of(void *whom, uint32_t state, uint32_t *at)
{
    struct hunt *h = whom;
    bool back = *at > 0;
    uint32_t to;

    if (!back && !look_at(h, state)) {
        h->components.stopped = true;
        return CHECK_NO_STATE;
    }
    if (h->graph.at) {
        const uint32_t *list = h->graph.list + h->graph.at[state];
        uint32_t i = *at, last = *list >> 2;

        if (back)
            look_back(h, state, list[i]);
        while (i < last && check_is_complete(&h->components, list[i + 1]))
            h->mark[state] |= h->mark[list[++i]] & CAN;
        *at = i + 1;
        return i == last ? CHECK_NO_STATE : list[i + 1];
    }
    *at = 1;
    if (back)
        look_back(h, state, h->successors[--h->successors_count]);
    while ((to = h->successors[h->successors_count - 1]) != CHECK_NO_STATE &&
           check_is_complete(&h->components, to)) {
        h->mark[state] |= h->mark[to] & CAN;
        h->successors_count--;
    }
    if (to == CHECK_NO_STATE)
        h->successors_count--;
    return to;
}

static void complete(void *whom, const uint32_t *states, uint32_t count)
{
    struct hunt *h = whom;
    uint8_t any = 0;
    bool cyclic, trapped;

    for (uint32_t i = 0; i < count; i++)
        any |= h->mark[states[i]];
    cyclic = count > 1 || (any & LOOPS);
    trapped = !(any & CAN) ||
              (h->strict && !(any & COIN) && cyclic && (any & TRAPPED));
    h->any_cycle |= cyclic && (any & TRAPPED);
    for (uint32_t i = 0; i < count; i++)
        h->mark[states[i]] = (uint8_t)((any & CAN) | (trapped ? TRAPPED : 0) |
                                       (cyclic ? CYCLIC : 0));
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

/* A marked state is on the path. */
static void meet(struct hunt *h, uint32_t state)
{
    struct check_search *s = h->search;

    if (!push_successors(h, state, true) || !check_report(s, 1) ||
        !check_make_room(&s->model.memory, &h->path, &h->path_room,
                         h->path_count, sizeof *h->path)) {
        h->failed = true;
        return;
    }
    h->mark[state] |= ON_PATH;
    h->path[h->path_count++] = state;
}

/* Looks for a cycle among the marked states, depth first; those from which none
 * is reached are no longer marked.  Leaves the path to one. */
static bool finds_cycle(struct hunt *h, uint32_t root)
{
    h->path_count = h->successors_count = 0;
    meet(h, root);
    while (h->path_count > 0 && !h->failed) {
        uint32_t next = h->successors[--h->successors_count];

        if (next == CHECK_NO_STATE) {
            h->mark[h->path[--h->path_count]] &= (uint8_t) ~(TRAPPED | ON_PATH);
        } else if (h->mark[next] & ON_PATH) {
            h->closes_at = next;
            return true;
        } else if (h->mark[next] & TRAPPED) {
            meet(h, next);
        }
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
    while (found && h->path_count > 0) {
        uint32_t state = h->path[--h->path_count];

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
    h->components = (struct check_components){.memory = m,
                                              .states = states,
                                              .next = next_of,
                                              .complete = complete,
                                              .whom = h};
    h->mark = check_grow(m, NULL, 0, states);
    return check_components_begin(&h->components) && h->mark;
}

static void end(struct hunt *h, uint32_t states)
{
    struct check_memory *m = &h->search->model.memory;

    check_graph_close(h->search, &h->graph);
    check_release(m, h->mark, states);
    check_release(m, h->path, h->path_room * sizeof *h->path);
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
    bool known = begin(&h, states);
    uint32_t trapped = 0;

    for (uint32_t i = 0; known && i < states; i++)
        check_components_from(&h.components, i);
    known = known && !h.components.stopped;
    check_components_end(&h.components);
    if (known) {
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
