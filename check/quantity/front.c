/*
 * front.c - how far each node is, beside every state (see weigh.h).
 *
 * How often each node has begun a phase is not part of a state, and runs that
 * come to the same state may differ in it.  What matters is how far each node
 * is behind the one that is furthest: a few bits for each node, which are put
 * beside the state here.  In most protocols the state tells it, and the graph
 * becomes no larger.
 *
 * A node that is LOST or more phases behind, as one that lost long ago, is only
 * known to be; if it begins another phase all the same, that is refused.  So a
 * phase that is followed for so long is never complete.
 *
 * For CHECK_APART one phase is followed, any of them: from the arc by which the
 * first node begins it, to the one after which no node is behind it.
 */
#include "check/quantity/weigh.h"

enum { LAG_BITS = 4, LOST = (1 << LAG_BITS) - 1, NODES_MAX = 15 };

/* Beside a state: how far each node is behind, and, if a phase is followed, 1 +
 * how far that is behind. */
struct front {
    uint64_t lags;
};

static uint32_t lag_of(struct front f, uint32_t node)
{
    return (uint32_t)(f.lags >> (node * LAG_BITS)) & LOST;
}

static struct front with_lag(struct front f, uint32_t node, uint32_t lag)
{
    uint32_t shift = node * LAG_BITS;

    f.lags &= ~((uint64_t)LOST << shift);
    f.lags |= (uint64_t)lag << shift;
    return f;
}

/* The phase that is followed stands where another node could. */
static uint32_t followed(struct front f)
{
    return lag_of(f, NODES_MAX);
}

struct unfolding {
    const struct check_weighted *graph;
    struct check_memory *memory;
    struct check_unfolded *out;
    struct check_table table; /* of states, each with a front */
    enum check_span span;
    uint32_t nodes;
};

static uint32_t number_of(struct unfolding *u, uint32_t state, struct front f)
{
    uint64_t key[2] = {state, f.lags};
    bool fresh;

    return check_table_put(&u->table, u->memory, key, 2,
                           check_table_hash(key, 2), &fresh);
}

/* A node begins a phase.  Returns whether it is the first to begin it. */
static bool begin(struct unfolding *u, struct front *f, uint32_t node)
{
    uint32_t lag = lag_of(*f, node);

    if (lag == LOST)
        u->out->refusal = "a node that was more than 14 phases behind begins "
                          "another";
    if (lag > 0) {
        *f = with_lag(*f, node, lag - 1);
        return false;
    }
    for (uint32_t i = 0; i < u->nodes; i++)
        if (i != node && lag_of(*f, i) < LOST)
            *f = with_lag(*f, i, lag_of(*f, i) + 1);
    if (followed(*f) && followed(*f) < LOST)
        *f = with_lag(*f, NODES_MAX, followed(*f) + 1);
    return true;
}

/* Whether all nodes have begun the phase that is so far behind. */
static bool all_began(const struct unfolding *u, struct front f, uint32_t lag)
{
    for (uint32_t i = 0; i < u->nodes; i++)
        if (lag_of(f, i) > lag)
            return false;
    return true;
}

static void add_arc(struct unfolding *u, uint32_t arc, struct front f,
                    uint32_t cost)
{
    struct check_unfolded *o = u->out;
    uint32_t to = number_of(u, u->graph->to[arc], f);

    if (!check_make_room(u->memory, &o->graph.to, &o->to_room, o->arcs_count,
                         sizeof *o->graph.to) ||
        !check_make_room(u->memory, &o->graph.cost, &o->cost_room,
                         o->arcs_count, sizeof *o->graph.cost) ||
        !check_make_room(u->memory, &o->arc_of, &o->of_room, o->arcs_count,
                         sizeof *o->arc_of))
        return;
    o->graph.to[o->arcs_count] = to;
    o->graph.cost[o->arcs_count] = cost;
    o->arc_of[o->arcs_count++] = arc;
}

/* What becomes of an arc, in as many ways as phases may be followed. */
static void unfold_arc(struct unfolding *u, uint32_t arc, struct front f)
{
    uint32_t cost = u->graph->cost[arc];
    uint32_t weight = cost >> 8, node = (cost & CHECK_ARC_NODE) - 1;
    uint32_t event = cost & CHECK_ARC_EVENT;
    bool begins = (cost & CHECK_ARC_DONE) != 0;
    bool first = begins && begin(u, &f, node);

    if (u->span == CHECK_FURTHEST) {
        add_arc(u, arc, f, (uint32_t)first << 8 | event);
        return;
    }
    cost = weight << 8 | event;
    if (followed(f) && all_began(u, f, followed(f) - 1)) {
        f = with_lag(f, NODES_MAX, 0); /* the last node began it */
        add_arc(u, arc, f, cost | CHECK_ARC_DONE | 1);
        return;
    }
    add_arc(u, arc, f, cost);
    if (!first || followed(f))
        return;
    if (all_began(u, f, 0))
        add_arc(u, arc, f, cost | CHECK_ARC_DONE | 1);
    else
        add_arc(u, arc, with_lag(f, NODES_MAX, 1), cost);
}

static bool room_for_state(struct unfolding *u, uint32_t state)
{
    struct check_unfolded *o = u->out;

    return check_make_room(u->memory, &o->graph.first, &o->first_room,
                           state + 1, sizeof *o->graph.first) &&
           check_make_room(u->memory, &o->graph.marks, &o->states_room, state,
                           sizeof *o->graph.marks);
}

static void unfold_state(struct unfolding *u, uint32_t number)
{
    struct check_unfolded *o = u->out;
    size_t key = 2 * (size_t)number;
    uint32_t state = (uint32_t)u->table.keys[key];
    struct front f = {u->table.keys[key + 1]};

    if (!room_for_state(u, number))
        return;
    o->graph.states = number + 1;
    o->graph.first[number] = o->arcs_count;
    o->graph.marks[number] =
        (u->graph->marks[state] & CHECK_RUN_ENDS) | (followed(f) != 0);
    for (uint32_t i = u->graph->first[state];
         i < u->graph->first[state + 1] && !u->memory->failed; i++)
        unfold_arc(u, i, f);
    o->graph.first[number + 1] = o->arcs_count;
}

/* Where the states of the table come from; it is not needed any more. */
static bool keep_states(struct unfolding *u)
{
    struct check_unfolded *o = u->out;

    o->state_of = check_grow(u->memory, NULL, 0,
                             (o->graph.states + 1) * sizeof *o->state_of);
    for (uint32_t i = 0; o->state_of && u->table.keys && i < o->graph.states;
         i++)
        o->state_of[i] = (uint32_t)u->table.keys[2 * (size_t)i];
    return o->state_of != NULL;
}

bool check_unfold(const struct check_weighted *g, enum check_span span,
                  uint32_t nodes, struct check_memory *memory,
                  struct check_unfolded *out)
{
    struct unfolding u = {
        .graph = g, .memory = memory, .out = out, .span = span, .nodes = nodes};

    memset(out, 0, sizeof *out);
    if (nodes > NODES_MAX)
        out->refusal = "phases are followed for at most 15 nodes";
    for (uint32_t i = 0; i < g->initial && !out->refusal; i++)
        (void)number_of(&u, i, (struct front){0});
    out->graph.initial = u.table.count;
    for (uint32_t i = 0; i < u.table.count && !memory->failed && !out->refusal;
         i++)
        unfold_state(&u, i);
    if (!memory->failed && !out->refusal)
        (void)keep_states(&u);
    check_table_free(&u.table, memory, 2);
    return !memory->failed && !out->refusal;
}

void check_unfolded_free(struct check_unfolded *u, struct check_memory *memory)
{
    check_release(memory, u->graph.first,
                  u->first_room * sizeof *u->graph.first);
    check_release(memory, u->graph.marks,
                  u->states_room * sizeof *u->graph.marks);
    check_release(memory, u->graph.to, u->to_room * sizeof *u->graph.to);
    check_release(memory, u->graph.cost, u->cost_room * sizeof *u->graph.cost);
    check_release(memory, u->arc_of, u->of_room * sizeof *u->arc_of);
    check_release(memory, u->state_of,
                  (u->graph.states + 1) * sizeof *u->state_of);
}
