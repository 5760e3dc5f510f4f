/*
 * leads.c - runs that break a typed property of what comes later: some instance
 * wants, and does not get (see explore.h, net/asked.h).
 *
 * The states and transitions that the search has found are written down, and
 * each instance is judged on its own.  A state is a *trap* if the instance does
 * not get there, and some run from it, of those that count, never does:
 *
 *  - nothing that must happen leads to a state in which it gets.  What must
 *    happen is what does not depend on anybody's wish: messages are read,
 *    timers expire, a section ends, time passes; no application need ask, no
 *    node that only may start need start, and nothing need go wrong or come
 *    back.
 *  - there is a cycle of states in which it does not get, and the cycle need
 *    not be left: with time none in which a coin falls; where nothing is fair,
 *    any.
 *
 * The first alone is a property of fair runs: take one that keeps away for
 * ever.  The states that it passes again and again are closed under all that
 * must happen, because a fair run leaves a cycle by whatever must be done
 * there; so all that must happen from them leads to them again, and they are
 * traps.
 * Conversely, from a trap a fair run keeps away by doing only what it must.
 *
 * A run that breaks the property reaches a state in which the instance wants,
 * keeps away from all in which it gets, and comes to a trap.  The shortest one
 * is found breadth-first, over states and whether something is wanted.
 */
#include <stdlib.h>
#include <string.h>

#include "check/model/judge.h"
#include "check/search/components.h"
#include "check/search/explore.h"

/* A transition: where it leads, and what it is. */
#define OPTIONAL (UINT32_C(1) << 31)
#define COIN     (UINT32_C(1) << 30)
#define TO(edge) ((edge) & ~(OPTIONAL | COIN))

enum { STATES_MAX = 1 << 30 };

enum mark {
    WANTS = 1,
    GETS = 2,
    QUIET = 4, /* nothing has to happen any more */
    CAN = 8,   /* it is led to a state in which it gets */
    LOOPS = 16,
    CYCLE = 32, /* on a cycle that need not be left */
};

struct leads {
    struct check_search *search;
    struct check_memory *memory;
    const struct net_property *property;
    uint32_t states, starts; /* the first of them are initial */
    uint64_t *at;            /* of each state: its first transition */
    uint32_t *edge;
    uint32_t edges, edges_room;
    uint8_t *mark;
    uint32_t banned; /* transitions that cycles and runs do not take */
    /* Of a way: 1 + the place before each, or 0; and the places in turn.  A
     * place is twice a state, and one more if something is wanted. */
    uint32_t *before, *turn;
    uint32_t *way; /* the states of the run that is found */
    uint32_t way_count, loop_at;
    bool ended;
};

/* ---- The graph ----------------------------------------------------------- */

static bool is_optional(const struct check_model *m,
                        const struct check_spread *base,
                        const struct check_move *move)
{
    const struct check_info *info;

    switch ((enum check_move_kind)move->kind) {
    case CHECK_CRASH:
    case CHECK_RESTART:
    case CHECK_PAUSE:
    case CHECK_LOSE:
    case CHECK_COPY:
    case CHECK_DELAY:
    case CHECK_CUT:
        return true;
    case CHECK_START:
    case CHECK_COMMAND:
        break;
    default:
        return false;
    }
    if (move->place != CHECK_BY_APPLICATION)
        return move->place == CHECK_BY_OPERATOR;
    info = check_info_of(m, move->node, base->id[m->local_at[move->node]]);
    return !(info->head.flags & CHECK_STARTS) &&
           !(m->type->repeats && info->phase == FC_INSIDE);
}

static bool write_down(struct leads *l, uint32_t state)
{
    struct check_search *s = l->search;
    struct check_spread base;

    if (!check_visit(s, state) || !check_report(s, 1))
        return false;
    check_tree_load(&s->model.tree, state, &base);
    l->at[state] = l->edges;
    l->mark[state] = s->nexts.quiet ? QUIET : 0;
    for (uint32_t i = 0; i < s->nexts.count; i++) {
        const struct check_next *next = &s->nexts.list[i];
        uint32_t to = check_tree_find(&s->model.tree, next->pair, next->hash);

        if (!check_make_room(l->memory, &l->edge, &l->edges_room, l->edges,
                             sizeof *l->edge))
            return false;
        /* What is noticed will end a cycle, as if by a coin. */
        if (next->coin || s->nexts.noticed)
            to |= COIN;
        if (is_optional(&s->model, &base, &next->move))
            to |= OPTIONAL;
        l->edge[l->edges++] = to;
    }
    return true;
}

static bool write_all(struct leads *l)
{
    size_t states = l->states;

    l->at = check_grow(l->memory, NULL, 0, (states + 1) * sizeof *l->at);
    l->mark = check_grow(l->memory, NULL, 0, states);
    l->before = check_grow(l->memory, NULL, 0, 2 * states * sizeof *l->before);
    l->turn = check_grow(l->memory, NULL, 0, 2 * states * sizeof *l->turn);
    l->way = check_grow(l->memory, NULL, 0, (3 * states + 1) * sizeof *l->way);
    if (!l->at || !l->mark || !l->before || !l->turn || !l->way)
        return false;
    for (uint32_t state = 0; state < l->states; state++)
        if (!write_down(l, state))
            return false;
    l->at[l->states] = l->edges;
    return true;
}

static void free_all(struct leads *l)
{
    size_t states = l->states;

    check_release(l->memory, l->at, (states + 1) * sizeof *l->at);
    check_release(l->memory, l->mark, states);
    check_release(l->memory, l->before, 2 * states * sizeof *l->before);
    check_release(l->memory, l->turn, 2 * states * sizeof *l->turn);
    check_release(l->memory, l->way, (3 * states + 1) * sizeof *l->way);
    check_release(l->memory, l->edge, l->edges_room * sizeof *l->edge);
}

/* ---- Where one instance stands ------------------------------------------- */

static bool mark_all(struct leads *l, uint32_t instance)
{
    const struct net_property *p = l->property;
    struct check_model *m = &l->search->model;

    for (uint32_t state = 0; state < l->states; state++) {
        bool wants = false, gets = false;
        struct check_spread base;

        check_tree_load(&m->tree, state, &base);
        l->mark[state] &= QUIET;
        if (!check_stands(m, base.id, l->mark[state] & QUIET, p, instance,
                          &wants, &gets))
            return false;
        l->mark[state] |= (uint8_t)((wants ? WANTS : 0) | (gets ? GETS : 0));
    }
    return true;
}

/* ---- Traps --------------------------------------------------------------- */

/* All that a state must do leads to where its instance gets, or not. */
static uint32_t next_must(void *whom, uint32_t state, uint32_t *at)
{
    struct leads *l = whom;
    uint64_t first = l->at[state], count = l->at[state + 1] - first;
    uint32_t i = *at;

    if (i > 0)
        l->mark[state] |= l->mark[TO(l->edge[first + i - 1])] & CAN;
    while (i < count) {
        uint32_t edge = l->edge[first + i++];

        if (edge & OPTIONAL)
            continue;
        *at = i;
        return TO(edge);
    }
    return CHECK_NO_STATE;
}

static void complete_must(void *whom, const uint32_t *states, uint32_t count)
{
    struct leads *l = whom;
    uint8_t any = 0;

    for (uint32_t i = 0; i < count; i++)
        any |= l->mark[states[i]];
    for (uint32_t i = 0; i < count && (any & (CAN | GETS)); i++)
        l->mark[states[i]] |= CAN;
}

/* Where it does not get, by what cycles may take. */
static uint32_t next_on_cycle(void *whom, uint32_t state, uint32_t *at)
{
    struct leads *l = whom;
    uint64_t first = l->at[state], count = l->at[state + 1] - first;

    while (*at < count) {
        uint32_t edge = l->edge[first + (*at)++];

        if ((edge & l->banned) || (l->mark[TO(edge)] & GETS))
            continue;
        if (TO(edge) == state)
            l->mark[state] |= LOOPS;
        return TO(edge);
    }
    return CHECK_NO_STATE;
}

static void complete_cycle(void *whom, const uint32_t *states, uint32_t count)
{
    struct leads *l = whom;

    for (uint32_t i = 0; i < count; i++)
        if (count > 1 || (l->mark[states[i]] & LOOPS))
            l->mark[states[i]] |= CYCLE;
}

/* Components of all states, or of those in which it does not get. */
static bool mark_components(struct leads *l, bool cycles)
{
    struct check_components c = {
        .memory = l->memory,
        .states = l->states,
        .next = cycles ? next_on_cycle : next_must,
        .complete = cycles ? complete_cycle : complete_must,
        .whom = l,
    };
    bool fine = check_components_begin(&c);

    for (uint32_t i = 0; fine && i < l->states; i++)
        if (!cycles || !(l->mark[i] & GETS))
            check_components_from(&c, i);
    fine = fine && !c.stopped;
    check_components_end(&c);
    return fine;
}

static bool is_trap(const struct leads *l, uint32_t state)
{
    uint8_t mark = l->mark[state];

    return !(mark & GETS) && (!(mark & CAN) || (mark & CYCLE));
}

/* ---- The shortest way to one --------------------------------------------- */

/* The place that follows a place by a transition. */
static uint32_t place_after(const struct leads *l, bool wanted, uint32_t state)
{
    uint8_t mark = l->mark[state];

    wanted |= !l->property->at_start && (mark & WANTS);
    return 2 * state + (wanted && !(mark & GETS));
}

/* Adds what comes after one place of a way, up to another; to the same place it
 * is the whole of a cycle. */
static void add_way(struct leads *l, uint32_t from, uint32_t to)
{
    uint32_t count = 0, place = to;

    do {
        count++;
        place = l->before[place] - 1;
    } while (place != from);
    l->way_count += count;
    for (uint32_t i = 1; i <= count; i++, to = l->before[to] - 1)
        l->way[l->way_count - i] = to / 2;
}

static void write_way(struct leads *l, uint32_t place)
{
    uint32_t start = place;

    while (l->before[start] != UINT32_MAX)
        start = l->before[start] - 1;
    l->way[0] = start / 2;
    l->way_count = 1;
    if (place != start)
        add_way(l, start, place);
}

/* Breadth-first; true: a trap is reached in which something is wanted, of those
 * at which nothing more has to happen, or of all. */
static bool find_way(struct leads *l, bool quiet)
{
    uint32_t first = 0, last = 0;

    memset(l->before, 0, 2 * (size_t)l->states * sizeof *l->before);
    for (uint32_t i = 0; i < l->starts; i++) {
        uint32_t place = place_after(l, l->property->at_start, i);

        l->before[place] = UINT32_MAX;
        l->turn[last++] = place;
    }
    for (; first < last; first++) {
        uint32_t place = l->turn[first], state = place / 2;

        if ((place & 1) && is_trap(l, state) &&
            (!quiet || (l->mark[state] & QUIET))) {
            write_way(l, place);
            return true;
        }
        for (uint64_t i = l->at[state]; i < l->at[state + 1]; i++) {
            uint32_t to = place_after(l, place & 1, TO(l->edge[i]));

            if (l->before[to])
                continue;
            l->before[to] = place + 1;
            l->turn[last++] = to;
        }
    }
    return false;
}

/* The shortest cycle through a state, without getting; adds it to the way. */
static void go_round(struct leads *l, uint32_t from)
{
    uint32_t first = 0, last = 0;

    memset(l->before, 0, 2 * (size_t)l->states * sizeof *l->before);
    l->turn[last++] = 2 * from;
    for (; first < last && !l->before[2 * from]; first++) {
        uint32_t state = l->turn[first] / 2;

        for (uint64_t i = l->at[state]; i < l->at[state + 1]; i++) {
            uint32_t to = 2 * TO(l->edge[i]);

            if ((l->edge[i] & l->banned) || (l->mark[to / 2] & GETS) ||
                l->before[to])
                continue;
            l->before[to] = 2 * state + 1;
            l->turn[last++] = to;
        }
    }
    add_way(l, 2 * from, 2 * from);
}

/* Only what must happen, one thing after the other, until it repeats itself: in
 * none of these states it gets. */
static void walk_on(struct leads *l, uint32_t state)
{
    memset(l->before, 0, 2 * (size_t)l->states * sizeof *l->before);
    while (!l->before[state]) {
        uint64_t i = l->at[state];

        l->before[state] = l->way_count; /* 1 + its place there */
        while (i < l->at[state + 1] && (l->edge[i] & OPTIONAL))
            i++;
        if (i == l->at[state + 1]) {
            l->ended = true; /* the last tick, or a condition */
            return;
        }
        state = TO(l->edge[i]);
        l->way[l->way_count++] = state;
    }
    l->loop_at = l->before[state] - 1;
}

/* A run that comes to its end is shown before one that does not. */
static bool find_run(struct leads *l)
{
    uint32_t trap;

    if (find_way(l, true)) {
        l->ended = true;
        return true;
    }
    if (!find_way(l, false))
        return false;
    trap = l->way[l->way_count - 1];
    l->loop_at = l->way_count - 1;
    if (l->mark[trap] & CYCLE)
        go_round(l, trap);
    else
        walk_on(l, trap);
    return true;
}

/* ---- The run ------------------------------------------------------------- */

/* A move from one state to the next; of several, one that cycles may take. */
static bool find_move(struct leads *l, uint32_t from, uint32_t to,
                      struct check_move *move)
{
    struct check_search *s = l->search;
    uint64_t wanted = s->model.tree.roots.keys[to];
    bool found = false;

    if (!check_visit(s, from))
        return false;
    for (uint32_t i = 0; i < s->nexts.count; i++) {
        const struct check_next *next = &s->nexts.list[i];

        if (next->pair != wanted || (found && next->coin))
            continue;
        *move = next->move;
        found = true;
        if (!next->coin)
            break;
    }
    return found;
}

static void show(struct leads *l, uint32_t bit)
{
    struct check_result *r = l->search->result;

    r->broken = bit;
    r->at_end = l->ended;
    r->endless = !l->ended;
    r->loop_at = l->loop_at;
    r->first = l->way[0];
    r->moves = calloc(l->way_count, sizeof *r->moves);
    if (!r->moves) {
        r->broken = 0; /* nothing is said that cannot be shown */
        l->memory->failed = true;
        return;
    }
    while (r->moves_count + 1 < l->way_count &&
           find_move(l, l->way[r->moves_count], l->way[r->moves_count + 1],
                     &r->moves[r->moves_count]))
        r->moves_count++;
}

/* Whether an instance is broken, by a run that is left; `*failed` if nobody
 * knows. */
static bool breaks(struct leads *l, uint32_t instance, bool *failed)
{
    l->ended = false;
    *failed = !mark_all(l, instance) || !mark_components(l, false) ||
              (l->property->fairness != NET_FAIR && !mark_components(l, true));
    return !*failed && find_run(l);
}

/* Whether a property is broken, by the shortest run of those that end, or else
 * of all; false also if that failed. */
static bool is_broken(struct leads *l, const struct net_property *p)
{
    uint32_t best = UINT32_MAX, least = UINT32_MAX;
    bool failed = false, ended = false;

    l->property = p;
    l->banned = p->fairness == NET_BY_CHANCE ? COIN : 0;
    for (uint32_t i = 0; i < p->instances && !failed; i++) {
        if (!breaks(l, i, &failed) || l->ended < ended ||
            (l->ended == ended && l->way_count >= least))
            continue;
        best = i;
        least = l->way_count;
        ended = l->ended;
    }
    return !failed && best != UINT32_MAX && breaks(l, best, &failed);
}

void check_leads(struct check_search *s)
{
    const struct net_asked *asked = net_asked(&s->setup->net);
    struct leads l = {
        .search = s,
        .memory = &s->model.memory,
        .states = s->model.tree.roots.count,
        .starts = s->levels[1],
    };
    bool fine;

    if (l.states >= STATES_MAX) {
        s->model.refusal = "there are more than 2^30 states, too many for a "
                           "property of what comes later";
        return;
    }
    fine = write_all(&l);
    for (uint32_t i = 0; fine && i < asked->count && !s->result->broken; i++)
        if (asked->property[i].form == NET_LEADS_TO &&
            is_broken(&l, &asked->property[i]))
            show(&l, UINT32_C(1) << (NET_ASKED_BIT + i));
    free_all(&l);
}
