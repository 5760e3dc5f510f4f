/*
 * weigh.c - all states once more, with what every transition adds; then the
 * longest or the shortest path (see weigh.h, docs/check.md).
 *
 * The search goes on past violations, since what breaks a property is a run
 * like any other.  No order of events is left out.
 */
#include "check/quantity/weigh.h"

#include <stdlib.h>

struct building {
    struct check_search search;
    struct check_result scratch;
    const struct check_measure *measure;
    struct check_weighted graph;
    uint32_t arcs_count, first_room, marks_room, arcs_room;
    bool cut_off;
};

/* ---- Marks --------------------------------------------------------------- */

static bool is_down(const struct check_info *info)
{
    return (info->head.flags & CHECK_DOWN) != 0;
}

/* The nodes that wait; and whether a run may end here in which something was
 * asked: some node has started, or every application has asked as often as it
 * may. */
uint32_t check_marks(const struct check_model *m,
                     const struct check_spread *base, bool quiet)
{
    bool started = false, satisfied = true;
    uint32_t marks = 0;

    for (uint32_t i = 0; i < m->nodes; i++) {
        const struct check_info *info =
            check_info_of(m, i, base->id[m->local_at[i]]);

        started |= (info->head.flags & CHECK_STARTED) != 0;
        satisfied &= is_down(info) || info->head.left == 0;
        if (info->phase == FC_WAITING && !is_down(info))
            marks |= 1u << i;
    }
    if (quiet && (m->type->repeats ? satisfied : started))
        marks |= CHECK_RUN_ENDS;
    return marks;
}

/* 1 + the node that enters by a move, or 0. */
static uint32_t entered(const struct check_model *m,
                        const struct check_spread *base,
                        const struct check_move *move,
                        const struct check_outcome *outcome)
{
    uint32_t local = base->id[m->local_at[move->node]];

    return outcome && check_info_of(m, move->node, local)->phase != FC_INSIDE &&
                   check_info_of(m, move->node, outcome->local)->phase ==
                       FC_INSIDE
               ? move->node + 1u
               : 0;
}

static bool reaches_goal(struct check_model *m, const struct check_spread *base,
                         const struct check_move *move)
{
    struct check_spread after;
    struct net_news news;

    check_apply(m, base, move, &after);
    check_judge(m, base->id, move, after.id, &news);
    return news.reached;
}

/* What a transition adds, and its marks. */
uint32_t check_cost(struct check_model *m, const struct check_measure *measure,
                    const struct check_spread *base,
                    const struct check_next *next)
{
    const struct check_quantity *of = measure->of;
    bool acts = next->move.kind < CHECK_MISS && next->move.kind != CHECK_TICK;
    struct check_weighing w = {
        .model = m,
        .move = &next->move,
        .outcome = acts ? check_outcome_of(m, base, &next->move) : NULL,
        .argument = measure->argument,
    };
    uint32_t weight = of->weight ? of->weight(&w) : 0, marks = 0;

    if (weight > CHECK_WEIGHT_MAX)
        m->refusal = "a step adds more than can be counted";
    if (next->move.kind != CHECK_TICK)
        marks |= CHECK_ARC_EVENT;
    if (of->span == CHECK_WAIT)
        marks |= entered(m, base, &next->move, w.outcome);
    if (of->span == CHECK_TO_GOAL && next->seen &&
        reaches_goal(m, base, &next->move))
        marks |= CHECK_ARC_GOAL;
    return weight << 8 | marks;
}

/* ---- The graph ----------------------------------------------------------- */

static void add_state(void *whom, uint32_t state)
{
    struct building *b = whom;
    struct check_search *s = &b->search;
    struct check_weighted *g = &b->graph;
    struct check_spread base;
    bool fresh;

    if (!check_make_room(&b->search.model.memory, &g->first, &b->first_room,
                         state + 1, sizeof *g->first) ||
        !check_make_room(&b->search.model.memory, &g->marks, &b->marks_room,
                         state, sizeof *g->marks))
        return;
    g->first[state] = b->arcs_count;
    g->states = state + 1;
    if (!check_visit(s, state))
        return;
    check_tree_load(&s->model.tree, state, &base);
    g->marks[state] = check_marks(&s->model, &base, s->nexts.quiet);
    b->cut_off |= s->nexts.last && !s->nexts.quiet;
    for (uint32_t i = 0; i < s->nexts.count; i++) {
        const struct check_next *next = &s->nexts.list[i];
        struct check_arc arc = {
            .cost = check_cost(&s->model, b->measure, &base, next)};

        arc.to = check_tree_put(&s->model.tree, next->pair, next->hash, &fresh);
        if (!check_make_room(&b->search.model.memory, &g->arcs, &b->arcs_room,
                             b->arcs_count, sizeof *g->arcs))
            return;
        g->arcs[b->arcs_count++] = arc;
    }
    g->first[state + 1] = b->arcs_count;
}

/* ---- The parts ----------------------------------------------------------- */

/* Where a part begins: where runs do, or where a node begins to wait. */
static void find_begins(const struct check_part *p, uint8_t *begins)
{
    const struct check_weighted *g = p->graph;

    for (uint32_t state = 0; state < g->states; state++)
        begins[state] = p->of->span != CHECK_WAIT && state < g->initial;
    for (uint32_t state = 0; p->of->span == CHECK_WAIT && state < g->states;
         state++)
        for (uint32_t i = g->first[state];
             !check_part_has(p, state) && i < g->first[state + 1]; i++)
            begins[g->arcs[i].to] |= check_part_has(p, g->arcs[i].to);
}

static bool is_initial(const void *whom, uint32_t state)
{
    return state < ((const struct check_part *)whom)->graph->initial;
}

static bool any_arc(const void *whom, uint32_t state,
                    const struct check_arc *arc)
{
    (void)whom;
    (void)state;
    (void)arc;
    return true;
}

/* A node enters without having waited. */
static bool enters_at_once(const void *whom, uint32_t state,
                           const struct check_arc *arc)
{
    const struct check_part *p = whom;

    return arc && !check_part_has(p, state) && check_part_stops(p, arc);
}

static bool any_enters_at_once(const struct check_part *p)
{
    const struct check_weighted *g = p->graph;

    for (uint32_t state = 0; state < g->states; state++)
        for (uint32_t i = g->first[state]; i < g->first[state + 1]; i++)
            if (enters_at_once(p, state, &g->arcs[i]))
                return true;
    return false;
}

/* A state at which one track is joined to another. */
struct joint {
    struct check_part part; /* first: is_initial() is told of it */
    uint32_t state;
};

static bool begins_there(const void *whom, uint32_t state,
                         const struct check_arc *arc)
{
    const struct joint *b = whom;

    return arc && arc->to == b->state && !check_part_has(&b->part, state);
}

/* Puts before a track how the run comes to where the track begins. */
static bool lead_there(const struct check_part *p, struct check_memory *memory,
                       struct check_track *track)
{
    struct joint there = {*p, track->first};
    struct check_quest quest = {p->graph, &there, is_initial, begins_there,
                                any_arc};
    struct check_track whole = {.first = 0};
    bool good = check_quest(&quest, memory, &whole);

    whole.loop_at = whole.count + track->loop_at;
    for (uint32_t i = 0; good && i < track->count; i++)
        good = check_track_add(&whole, track->arcs[i]);
    free(track->arcs);
    *track = whole;
    return good;
}

static bool is_there(const void *whom, uint32_t state)
{
    return state == ((const struct joint *)whom)->state;
}

static bool ends_run(const void *whom, uint32_t state,
                     const struct check_arc *arc)
{
    const struct joint *b = whom;

    return !arc && (b->part.graph->marks[state] & CHECK_RUN_ENDS);
}

/* A run that has the greatest amount goes on to its end, if it can: nothing
 * more is added. */
static void finish(const struct check_part *p, struct check_memory *memory,
                   struct check_track *track)
{
    struct joint there = {*p, check_track_end(p->graph, track)};
    struct check_quest quest = {p->graph, &there, is_there, ends_run, any_arc};

    (void)check_quest(&quest, memory, track);
}

/* The amount of one part; with a track, the run that has it. */
static bool find_amount(const struct check_part *p, struct check_memory *memory,
                        struct check_amount *out, struct check_track *track)
{
    struct check_quest quest = {p->graph, p, is_initial, enters_at_once,
                                any_arc};
    bool good = false;
    uint8_t *begins = check_grow(memory, NULL, 0, p->graph->states);

    if (begins) {
        find_begins(p, begins);
        good = (p->greatest ? check_longest : check_shortest)(p, begins, memory,
                                                              out, track);
    }
    check_release(memory, begins, p->graph->states);
    if (!good || p->of->span != CHECK_WAIT)
        return good;
    if ((out->none || (!p->greatest && out->value > 0)) &&
        any_enters_at_once(p)) {
        *out = (struct check_amount){.value = 0};
        if (track)
            track->count = 0;
        return !track || check_quest(&quest, memory, track);
    }
    return !track || out->none || lead_there(p, memory, track);
}

static bool exceeds(const struct check_amount *a, const struct check_amount *b,
                    bool greatest)
{
    if (a->none || b->none || a->unbounded || b->unbounded)
        return b->none ? !a->none : a->unbounded && !b->unbounded;
    return greatest ? a->value > b->value : a->value < b->value;
}

/* Over all nodes that wait; elsewhere there is one part. */
static bool find_part(struct building *b, struct check_part *best,
                      struct check_amount *amount)
{
    struct check_memory *memory = &b->search.model.memory;
    bool waits = best->of->span == CHECK_WAIT;
    uint32_t nodes = waits ? b->search.model.nodes : 1;
    uint32_t first = best->of->of_one ? 0 : CHECK_NODES_MAX;
    uint32_t last = best->of->of_one ? nodes : first + 1;
    struct check_part p = *best;

    *amount = (struct check_amount){.none = true};
    for (p.node = 0; p.node < nodes; p.node++)
        for (p.other = first; p.other < last; p.other++) {
            struct check_amount found;

            if (waits && p.other == p.node)
                continue;
            if (!find_amount(&p, memory, &found, NULL))
                return false;
            if (exceeds(&found, amount, p.greatest)) {
                *amount = found;
                *best = p;
            }
        }
    return true;
}

/* ---- The run ------------------------------------------------------------- */

/* The moves of a track. */
static bool tell_moves(struct building *b, const struct check_track *track,
                       bool endless)
{
    struct check_search *s = &b->search;
    struct check_result *r = s->result;
    uint32_t state = track->first;

    r->moves = calloc(track->count + 1, sizeof *r->moves);
    if (!r->moves)
        return false;
    r->first = state;
    for (uint32_t i = 0; i < track->count; i++) {
        if (!check_visit(s, state))
            return false;
        r->moves[r->moves_count++] =
            s->nexts.list[track->arcs[i] - b->graph.first[state]].move;
        state = b->graph.arcs[track->arcs[i]].to;
    }
    if (!check_visit(s, state))
        return false;
    r->endless = endless;
    r->at_end = !endless && s->nexts.quiet;
    r->loop_at = track->loop_at;
    check_unturn(s);
    return true;
}

static bool work_out(struct building *b, bool greatest,
                     struct check_extreme *out)
{
    struct check_memory *memory = &b->search.model.memory;
    struct check_part part = {&b->graph, b->measure->of, 0, CHECK_NODES_MAX,
                              greatest};
    struct check_track track = {.first = 0};
    struct check_amount amount;
    bool good = find_part(b, &part, &amount);

    out->none = amount.none;
    out->unbounded = amount.unbounded;
    out->value = amount.value;
    if (good && !amount.none)
        good = find_amount(&part, memory, &amount, &track);
    if (good && part.of->span == CHECK_WHOLE && greatest && !amount.unbounded)
        finish(&part, memory, &track);
    if (good && !amount.none)
        good = tell_moves(b, &track, amount.unbounded);
    free(track.arcs);
    return good;
}

static void end(struct building *b)
{
    struct check_memory *m = &b->search.model.memory;
    struct check_weighted *g = &b->graph;

    check_release(m, g->first, b->first_room * sizeof *g->first);
    check_release(m, g->marks, b->marks_room * sizeof *g->marks);
    check_release(m, g->arcs, b->arcs_room * sizeof *g->arcs);
    check_release(m, b->search.nexts.list,
                  b->search.nexts.room * sizeof *b->search.nexts.list);
    check_model_free(&b->search.model);
}

/* False: something stopped it, and `scratch` says what, or nothing. */
static bool run(struct building *b, bool greatest, struct check_extreme *out)
{
    struct check_search *s = &b->search;

    if (!check_model_begin(&s->model, s->setup))
        return false;
    check_initial(&s->model);
    b->graph.initial = s->model.tree.roots.count;
    return !s->model.refusal && !s->model.memory.failed &&
           check_everywhere(s, add_state, b) && work_out(b, greatest, out);
}

void check_extreme(const struct check_setup *setup,
                   const struct check_measure *measure, bool greatest,
                   struct check_extreme *out)
{
    struct check_setup all = *setup;
    struct building *b = calloc(1, sizeof *b);

    memset(out, 0, sizeof *out);
    if (!b) {
        out->limit = CHECK_MEMORY;
        return;
    }
    all.reduce = false;
    b->measure = measure;
    b->search.setup = &all;
    b->search.result = &b->scratch;
    b->search.began = check_cpu_seconds();
    if (!run(b, greatest, out)) {
        check_free(&b->scratch);
        out->refusal = b->search.model.refusal;
        out->limit = out->refusal       ? CHECK_REFUSED
                     : b->scratch.limit ? b->scratch.limit
                                        : CHECK_MEMORY;
    }
    out->run = b->scratch;
    out->cut_off = b->cut_off;
    out->states = b->graph.states;
    out->transitions = b->arcs_count;
    out->seconds = check_cpu_seconds() - b->search.began;
    end(b);
    free(b);
}
