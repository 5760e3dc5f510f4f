/*
 * weigh.c - all states once more, with what every transition adds; then the
 * longest or the shortest path (see weigh.h, docs/check-inside.md).
 *
 * The search goes on past violations, since what breaks a property is a run
 * like any other.  No order of events is left out.
 */
#include "check/quantity/weigh.h"

#include <stdlib.h>

struct building {
    struct check_search search;
    struct check_result scratch;
    struct check_wanted *wanted;
    uint32_t wanted_count;
    /* The quantities that are weighed, each with costs of its own. */
    struct check_scale scale[CHECK_WANTED_MAX];
    uint32_t *costs[CHECK_WANTED_MAX], costs_room[CHECK_WANTED_MAX];
    uint32_t scales_count;
    uint32_t scale_of[CHECK_WANTED_MAX]; /* of each that is wanted */
    struct check_weighted graph;
    uint32_t arcs_count, first_room, marks_room, to_room;
    uint32_t depth, level_end; /* the states before it are no deeper */
    bool cut_off;
};

/* ---- The graph ----------------------------------------------------------- */

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

static bool room_for_state(struct building *b, uint32_t state)
{
    struct check_memory *memory = &b->search.model.memory;
    struct check_weighted *g = &b->graph;

    return check_make_room(memory, &g->first, &b->first_room, state + 1,
                           sizeof *g->first) &&
           check_make_room(memory, &g->marks, &b->marks_room, state,
                           sizeof *g->marks);
}

static bool room_for_arc(struct building *b)
{
    struct check_memory *memory = &b->search.model.memory;

    for (uint32_t i = 0; i < b->scales_count; i++)
        if (!check_make_room(memory, &b->costs[i], &b->costs_room[i],
                             b->arcs_count, sizeof *b->costs[i]))
            return false;
    return check_make_room(memory, &b->graph.to, &b->to_room, b->arcs_count,
                           sizeof *b->graph.to);
}

/* Where an arc leads; nothing is asked about what follows the last goal. */
static uint32_t lead(struct building *b, uint32_t state,
                     const struct check_next *next)
{
    bool fresh;

    for (uint32_t k = 0; k < b->scales_count; k++)
        if (!(b->costs[k][b->arcs_count] & CHECK_ARC_GOAL))
            return check_tree_put(&b->search.model.tree, next->pair, next->hash,
                                  &fresh);
    return state;
}

static void add_arcs(struct building *b, uint32_t state,
                     const struct check_spread *base)
{
    struct check_search *s = &b->search;

    for (uint32_t i = 0; i < s->nexts.count && room_for_arc(b); i++) {
        const struct check_next *next = &s->nexts.list[i];

        for (uint32_t k = 0; k < b->scales_count; k++)
            b->costs[k][b->arcs_count] = check_weigh(&b->scale[k], base, next);
        b->graph.to[b->arcs_count] = lead(b, state, next);
        b->arcs_count++;
    }
}

/* States come in the order of their depth. */
static bool is_too_deep(struct building *b, uint32_t state)
{
    uint32_t most = b->search.setup->depth_max;

    if (state == b->level_end) {
        b->depth++;
        b->level_end = b->search.model.tree.roots.count;
    }
    return most && b->depth > most;
}

static void add_state(void *whom, uint32_t state)
{
    struct building *b = whom;
    struct check_search *s = &b->search;
    struct check_spread base;

    if (is_too_deep(b, state)) {
        b->scratch.limit = CHECK_DEPTH;
        return;
    }
    if (!room_for_state(b, state))
        return;
    b->graph.first[state] = b->arcs_count;
    b->graph.states = state + 1;
    if (!check_visit(s, state))
        return;
    check_tree_load(&s->model.tree, state, &base);
    b->graph.marks[state] = check_marks(&s->model, &base, s->nexts.quiet);
    b->cut_off |= s->nexts.last && !s->nexts.quiet;
    add_arcs(b, state, &base);
    b->graph.first[state + 1] = b->arcs_count;
}

/* ---- Amounts ------------------------------------------------------------- */

static bool exceeds(const struct check_amount *a, const struct check_amount *b,
                    bool greatest)
{
    if (a->none || b->none || a->unbounded || b->unbounded)
        return b->none ? !a->none : a->unbounded && !b->unbounded;
    return greatest ? a->value > b->value : a->value < b->value;
}

/* Whether anything this node does counts: of one whose requests are not what
 * the quantity is about, there is no amount. */
static bool ever_counts(const struct building *b, const struct check_part *p)
{
    for (uint32_t i = 0; i < b->arcs_count; i++) {
        struct check_arc arc = check_arc_at(p->graph, i);

        if (check_part_weight(p, &arc) > 0)
            return true;
    }
    return false;
}

/* Over all nodes that wait; elsewhere there is one part. */
static bool find_part(struct building *b, const struct check_quantity *of,
                      struct check_part *best, struct check_amount *amount)
{
    struct check_memory *memory = &b->search.model.memory;
    bool waits = check_part_waits(best);
    uint32_t nodes = waits ? b->search.model.nodes : 1;
    uint32_t first = of->of_one ? 0 : CHECK_NODES_MAX;
    uint32_t last = of->of_one ? nodes : first + 1;
    struct check_part p = *best;

    *amount = (struct check_amount){.none = true};
    for (p.node = 0; p.node < nodes; p.node++)
        for (p.other = first; p.other < last; p.other++) {
            struct check_amount found;

            if ((waits && p.other == p.node) ||
                (p.span == CHECK_TURN && !ever_counts(b, &p)))
                continue;
            if (!check_amount(&p, memory, &found, NULL))
                return false;
            if (exceeds(&found, amount, p.greatest)) {
                *amount = found;
                *best = p;
            }
        }
    return true;
}

/* The moves of a track. */
static bool tell_moves(struct building *b, const struct check_track *track,
                       bool endless, struct check_result *r)
{
    struct check_search *s = &b->search;
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
        state = b->graph.to[track->arcs[i]];
    }
    if (!check_visit(s, state))
        return false;
    r->endless = endless;
    r->at_end = !endless && s->nexts.quiet;
    r->loop_at = track->loop_at;
    s->result = r;
    check_unturn(s);
    s->result = &b->scratch;
    return true;
}

/* One that is wanted, in the graph, or in one that knows how far nodes are. */
static bool look_for(struct building *b, struct check_wanted *w,
                     const struct check_unfolded *unfolded)
{
    struct check_memory *memory = &b->search.model.memory;
    const struct check_quantity *of = w->measure.of;
    struct check_part part = {.graph = &b->graph,
                              .span = w->measure.span,
                              .entries = !of->weight,
                              .greatest = w->greatest};
    struct check_amount amount,
        before = {w->found.none, w->found.unbounded, w->found.value};
    struct check_track track = {.first = 0};
    struct check_result run = {.moves = NULL};
    bool good;

    if (unfolded) {
        part.graph = &unfolded->graph;
        part.span = w->measure.span == CHECK_APART ? CHECK_WAIT : CHECK_WHOLE;
        part.other = CHECK_NODES_MAX;
        good = check_amount(&part, memory, &amount, NULL);
    } else {
        good = find_part(b, of, &part, &amount);
    }
    if (!good || (w->found_any && !exceeds(&amount, &before, w->greatest)))
        return good;
    if (!amount.none)
        good = check_amount(&part, memory, &amount, &track);
    for (uint32_t i = 0; good && unfolded && i < track.count; i++)
        track.arcs[i] = unfolded->arc_of[track.arcs[i]];
    if (unfolded)
        track.first = unfolded->state_of[track.first];
    if (good && !amount.none)
        good = tell_moves(b, &track, amount.unbounded, &run);
    free(track.arcs);
    check_free(&w->found.run);
    w->found = (struct check_extreme){.none = amount.none,
                                      .unbounded = amount.unbounded,
                                      .value = amount.value,
                                      .run = run};
    w->improved = true;
    return good;
}

static bool compute(struct building *b, uint32_t i)
{
    struct check_memory *memory = &b->search.model.memory;
    struct check_wanted *w = &b->wanted[i];
    enum check_span span = w->measure.span;
    struct check_unfolded unfolded;
    bool good;

    b->graph.cost = b->costs[b->scale_of[i]];
    if (span != CHECK_FURTHEST && span != CHECK_APART)
        return look_for(b, w, NULL);
    good = check_unfold(&b->graph, span, b->search.model.nodes, memory,
                        &unfolded) &&
           look_for(b, w, &unfolded);
    if (unfolded.refusal)
        b->search.model.refusal = unfolded.refusal;
    check_unfolded_free(&unfolded, memory);
    return good;
}

/* ---- All of it ----------------------------------------------------------- */

/* A quantity that is wanted twice, by --max and --min, is weighed once. */
static void set_up_scales(struct building *b)
{
    for (uint32_t i = 0; i < b->wanted_count; i++) {
        uint32_t k = 0;

        while (k < b->scales_count && strcmp(b->scale[k].measure->name,
                                             b->wanted[i].measure.name) != 0)
            k++;
        b->scale_of[i] = k;
        if (k == b->scales_count)
            b->scale[b->scales_count++] = (struct check_scale){
                .model = &b->search.model, .measure = &b->wanted[i].measure};
    }
}

static void end(struct building *b)
{
    struct check_memory *m = &b->search.model.memory;
    struct check_weighted *g = &b->graph;

    for (uint32_t i = 0; i < b->scales_count; i++) {
        check_scale_free(&b->scale[i]);
        check_release(m, b->costs[i], b->costs_room[i] * sizeof *b->costs[i]);
    }
    check_release(m, g->first, b->first_room * sizeof *g->first);
    check_release(m, g->marks, b->marks_room * sizeof *g->marks);
    check_release(m, g->to, b->to_room * sizeof *g->to);
    check_release(m, b->search.nexts.list,
                  b->search.nexts.room * sizeof *b->search.nexts.list);
    check_model_free(&b->search.model);
}

/* False: something stopped it, and `scratch` says what, or nothing. */
static bool build(struct building *b)
{
    struct check_search *s = &b->search;

    if (!check_model_begin(&s->model, s->setup))
        return false;
    check_initial(&s->model);
    b->graph.initial = s->model.tree.roots.count;
    return !s->model.refusal && !s->model.memory.failed &&
           check_everywhere(s, add_state, b);
}

/* Something stopped it: that is all that is known. */
static void give_up(const struct building *b, struct check_wanted *w)
{
    check_free(&w->found.run);
    w->found = (struct check_extreme){.refusal = b->search.model.refusal};
    w->found.limit = w->found.refusal   ? CHECK_REFUSED
                     : b->scratch.limit ? b->scratch.limit
                                        : CHECK_MEMORY;
    w->improved = true;
}

static void run(struct building *b)
{
    bool built = build(b);

    for (uint32_t i = 0; i < b->wanted_count; i++) {
        struct check_wanted *w = &b->wanted[i];
        bool cut_off = b->cut_off || w->found.cut_off;

        w->improved = false;
        if (!built || !compute(b, i))
            give_up(b, w);
        if (built) { /* what fails for one may do for another */
            b->search.model.refusal = NULL;
            b->search.model.memory.failed = false;
            b->scratch.limit = CHECK_NO_LIMIT;
        }
        w->found_any = true;
        w->found.cut_off = cut_off;
        w->found.states = b->graph.states;
        w->found.transitions = b->arcs_count;
        w->found.seconds = check_cpu_seconds() - b->search.began;
        w->found.bytes = b->search.model.memory.most;
    }
}

void check_extremes(const struct check_setup *setup, struct check_wanted *list,
                    uint32_t count)
{
    struct check_setup all = *setup;
    struct building *b = calloc(1, sizeof *b);

    if (!b) {
        for (uint32_t i = 0; i < count; i++)
            list[i].found = (struct check_extreme){.limit = CHECK_MEMORY};
        return;
    }
    all.reduce = false;
    b->wanted = list;
    b->wanted_count = count;
    b->search.setup = &all;
    b->search.result = &b->scratch;
    b->search.began = check_cpu_seconds();
    b->search.wall_began = check_wall_seconds();
    set_up_scales(b);
    run(b);
    end(b);
    free(b);
}
