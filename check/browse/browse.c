/*
 * browse.c - see browse.h: states are looked at, by the search and by hand.
 */
#include "check/browse/browse.h"

#include <assert.h>
#include <stdlib.h>

#include "check/browse/browsing.h"
#include "check/model/judge.h"
#include "check/model/step.h"
#include "check/odds/given.h"
#include "check/search/explore.h"

static const char no_memory[] = "no memory for more states";
static const char no_state[] = "there is no such state";

bool check_browse_sound(struct check_browse *b)
{
    struct check_model *m = &b->model;

    b->why = m->memory.failed ? no_memory : m->refusal;
    m->memory.failed = false;
    m->refusal = NULL;
    return !b->why;
}

bool check_browse_add(struct check_browse *b, struct check_numbers *n,
                      uint32_t number)
{
    if (!check_make_room(&b->model.memory, &n->list, &n->room, n->count,
                         sizeof *n->list))
        return false;
    n->list[n->count++] = number;
    return true;
}

void check_browse_drop(struct check_browse *b, struct check_numbers *n)
{
    check_release(&b->model.memory, n->list, n->room * sizeof *n->list);
}

/* All states of the tree get their places in the lists. */
static bool number_states(struct check_browse *b)
{
    uint32_t **lists[] = {&b->at, &b->depth, &b->predicates};
    uint32_t count = b->model.tree.roots.count;
    uint32_t used = b->setup.net.predicates ? 3 : 2;

    for (; b->numbered < count; b->numbered++) {
        for (uint32_t i = 0; i < used; i++)
            if (!check_make_room(&b->model.memory, lists[i], &b->rooms[i],
                                 b->numbered, sizeof **lists[i]))
                return false;
        b->at[b->numbered] = b->depth[b->numbered] = CHECK_UNSEEN;
        if (used == 3) {
            struct check_spread base;

            check_tree_load(&b->model.tree, b->numbered, &base);
            b->predicates[b->numbered] =
                check_judge_network(&b->model, base.id);
        }
    }
    return true;
}

/* ---- Opening and closing ------------------------------------------------- */

static bool begin(struct check_browse *b)
{
    check_initial(&b->model);
    b->initial = b->model.tree.roots.count;
    if (!number_states(b))
        return false;
    for (uint32_t i = 0; i < b->initial; i++) {
        b->depth[i] = 0;
        if (!check_browse_add(b, &b->queue, i))
            return false;
    }
    return true;
}

struct check_browse *check_browse_open(const struct check_setup *setup,
                                       const char **why)
{
    struct check_browse *b = calloc(1, sizeof *b);

    *why = "no memory for the initial states";
    if (!b)
        return NULL;
    b->setup = *setup;
    b->setup.symmetry = b->setup.reduce = false;
    b->setup.threads = 1;
    b->setup.tell = NULL;
    b->setup.stop = NULL;
    b->stale = true;
    if (check_model_begin(&b->model, &b->setup) && begin(b) &&
        check_browse_sound(b))
        return b;
    if (b->model.refusal || b->why)
        *why = b->model.refusal ? b->model.refusal : b->why;
    check_browse_close(b);
    return NULL;
}

void check_browse_close(struct check_browse *b)
{
    struct check_memory *m = &b->model.memory;
    uint32_t *lists[] = {b->at, b->depth, b->predicates};
    struct check_numbers *numbers[] = {
        &b->edges,      &b->queue, &b->to_bad, &b->to_unknown,
        &b->to_endless, &b->way,   &b->run};

    for (uint32_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        check_release(m, lists[i], b->rooms[i] * sizeof *lists[i]);
    for (uint32_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        check_browse_drop(b, numbers[i]);
    check_release(m, b->locals, b->locals_size);
    check_release(m, b->enabled, b->enabled_room * sizeof *b->enabled);
    check_release(m, b->mail, b->mail_room * sizeof *b->mail);
    check_release(m, b->near_states,
                  b->near_states_room * sizeof *b->near_states);
    check_release(m, b->near_edges, b->near_edges_room * sizeof *b->near_edges);
    check_release(m, b->nexts.list, b->nexts.room * sizeof *b->nexts.list);
    check_model_free(&b->model);
    assert(m->used == 0);
    free(b);
}

uint32_t check_browse_initial(const struct check_browse *b)
{
    return b->initial;
}

const char *check_browse_why(const struct check_browse *b)
{
    return b->why;
}

/* ---- Looking at a state -------------------------------------------------- */

/* Whether the network can do the same to an equal message of the link: the move
 * is on the list already. */
static bool is_double(const struct check_next *list, uint32_t count,
                      const struct check_next *next)
{
    const struct check_move *move = &next->move;

    if (move->kind == CHECK_READ ||
        !check_takes_mail((enum check_move_kind)move->kind))
        return false;
    while (count-- > 0 && list[count].move.link == move->link &&
           check_takes_mail((enum check_move_kind)list[count].move.kind))
        if (list[count].move.kind == move->kind &&
            list[count].pair == next->pair)
            return true;
    return false;
}

bool check_browse_expand(struct check_browse *b, uint32_t state)
{
    struct check_next *list;
    uint32_t kept = 0;

    if (state >= b->numbered) {
        b->why = no_state;
        return false;
    }
    check_expand(&b->model, state, &b->nexts);
    if (!check_browse_sound(b))
        return false;
    list = b->nexts.list;
    for (uint32_t i = 0; i < b->nexts.count; i++)
        if (!is_double(list, kept, &list[i]))
            list[kept++] = list[i];
    b->nexts.count = kept;
    return true;
}

/* What a move breaks, to a state that has its place in the lists. */
static uint32_t broken_by(struct check_browse *b, uint32_t state,
                          const struct check_next *next, uint32_t to)
{
    struct check_spread base, after;
    struct net_news news = {.broken = 0};

    if (next->seen) {
        check_tree_load(&b->model.tree, state, &base);
        check_apply(&b->model, &base, &next->move, &after);
        check_judge_change(&b->model, base.id, &next->move, after.id, &news);
    }
    if (b->setup.net.predicates)
        news.broken |= b->predicates[to];
    return news.broken;
}

/* The state that a move leads to, which gets a number if it has none. */
static bool number_of(struct check_browse *b, const struct check_next *next,
                      uint32_t *to)
{
    bool fresh;

    *to = check_tree_put(&b->model.tree, next->pair, next->hash, &fresh);
    return !b->model.memory.failed && number_states(b);
}

/* A coin decides what comes next, or a notice will, sooner or later. */
static bool has_coin(const struct check_nexts *nexts)
{
    bool found = nexts->noticed;

    for (uint32_t i = 0; i < nexts->count; i++)
        found |= nexts->list[i].coin;
    return found;
}

/* Writes down the successors of a state that was expanded. */
static bool write_down(struct check_browse *b, uint32_t state)
{
    const struct check_nexts *nexts = &b->nexts;
    uint32_t word = nexts->count << CHECK_TRAITS_BITS, to;

    if (nexts->quiet)
        word |= check_broken_at_end(&b->model, state)
                    ? CHECK_QUIET | CHECK_BAD_END
                    : CHECK_QUIET;
    if (nexts->last)
        word |= CHECK_LAST;
    if (check_is_end(&b->model, state, nexts->quiet))
        word |= CHECK_ENDS;
    if (has_coin(nexts))
        word |= CHECK_COIN;
    if (!check_browse_add(b, &b->edges, word))
        return false;
    for (uint32_t i = 0; i < nexts->count; i++) {
        const struct check_next *next = &nexts->list[i];

        if (!number_of(b, next, &to))
            return false;
        if (broken_by(b, state, next, to))
            to |= CHECK_BREAKS;
        if (!check_browse_add(b, &b->edges, to))
            return false;
    }
    return true;
}

bool check_browse_visit(struct check_browse *b, uint32_t state)
{
    uint32_t begins = b->edges.count;

    if (state < b->numbered && b->at[state] != CHECK_UNSEEN)
        return true;
    if (!check_browse_expand(b, state))
        return false;
    b->stale = true; /* even if it fails: there are new states */
    if (!write_down(b, state) || !check_sound(&b->model)) {
        b->edges.count = begins;
        (void)check_browse_sound(b);
        return false;
    }
    b->at[state] = begins;
    b->edges_count += b->nexts.count;
    return true;
}

/* ---- Moves --------------------------------------------------------------- */

static uint32_t traits_of(const struct check_next *next)
{
    switch ((enum check_move_kind)next->move.kind) {
    case CHECK_TICK:
        return CHECK_MOVE_TICK;
    case CHECK_CRASH:
    case CHECK_PAUSE:
    case CHECK_LOSE:
    case CHECK_COPY:
    case CHECK_DELAY:
    case CHECK_CUT:
        return CHECK_MOVE_FAULT;
    default:
        return next->coin ? CHECK_MOVE_COIN : 0;
    }
}

static double chance_of(struct check_browse *b, uint32_t state,
                        const struct check_next *next)
{
    struct check_budget budget;
    const struct check_outcome *o;
    struct check_odds_given g;
    struct check_spread base;

    if (!next->coin)
        return 1;
    check_tree_load(&b->model.tree, state, &base);
    budget = check_budget_of(&b->model, base.id);
    o = check_outcome_of(&b->model, &base, &next->move);
    if (!o->range)
        return 1.0 / o->odds;
    g = check_given_odds(&b->model, &budget, o);
    return g.odds ? (double)g.times / g.odds : 0;
}

const struct check_enabled *check_browse_moves(struct check_browse *b,
                                               uint32_t state, uint32_t *count)
{
    *count = 0;
    b->model.memory.limit = 0; /* that is for the search */
    if (!check_browse_visit(b, state) || !check_browse_expand(b, state))
        return NULL;
    for (uint32_t i = 0; i <= b->nexts.count; i++) {
        const struct check_next *next = &b->nexts.list[i];
        uint32_t to;

        if (!check_make_room(&b->model.memory, &b->enabled, &b->enabled_room, i,
                             sizeof *b->enabled)) {
            (void)check_browse_sound(b);
            return NULL;
        }
        if (i == b->nexts.count)
            break; /* there is room for one, so that a list is never NULL */
        to = check_tree_find(&b->model.tree, next->pair, next->hash);
        b->enabled[i] = (struct check_enabled){
            .move = next->move,
            .to = to,
            .broken = broken_by(b, state, next, to),
            .traits = traits_of(next),
            .chance = chance_of(b, state, next),
        };
    }
    *count = b->nexts.count;
    return b->enabled;
}

/* ---- The search ---------------------------------------------------------- */

/* The successors of a state are found by the search, unless a violation comes
 * before them. */
static bool find_successors(struct check_browse *b, uint32_t state)
{
    uint32_t count;
    const uint32_t *to = check_successors(b, state, &count);

    for (uint32_t i = 0; i < count; i++) {
        if ((to[i] & CHECK_BREAKS) || b->depth[to[i]] != CHECK_UNSEEN)
            continue;
        if (!check_browse_add(b, &b->queue, to[i]))
            return check_browse_sound(b);
        b->depth[to[i]] = b->depth[state] + 1;
    }
    return true;
}

/* Why the search must not look at its next state. */
static enum check_limit limit_of(const struct check_browse *b)
{
    const struct check_setup *s = &b->setup;

    if (s->states_max && b->queue.count > s->states_max)
        return CHECK_STATES;
    if (s->depth_max && b->depth[b->queue.list[b->queue_at]] >= s->depth_max)
        return CHECK_DEPTH;
    return CHECK_NO_LIMIT;
}

static void explore(struct check_browse *b, uint32_t more)
{
    b->model.memory.limit = b->setup.memory_max;
    for (; more && b->queue_at < b->queue.count; more--) {
        uint32_t state = b->queue.list[b->queue_at];

        b->limit = limit_of(b);
        if (b->limit != CHECK_NO_LIMIT)
            break;
        if (!check_browse_visit(b, state) || !find_successors(b, state)) {
            b->limit = b->why == no_memory ? CHECK_MEMORY : CHECK_REFUSED;
            b->refusal = b->why;
            break;
        }
        b->queue_at++;
    }
    b->model.memory.limit = 0;
}

void check_browse_explore(struct check_browse *b, uint32_t more,
                          struct check_known *known)
{
    uint32_t last;

    if (b->limit == CHECK_NO_LIMIT)
        explore(b, more);
    last = b->queue.list[b->queue.count - 1];
    *known = (struct check_known){
        .states = b->queue.count,
        .looked_at = b->queue_at,
        .edges = b->edges_count,
        .all = b->queue_at == b->queue.count,
        .levels = b->queue_at == b->queue.count
                      ? b->depth[last] + 1
                      : b->depth[b->queue.list[b->queue_at]],
        .limit = b->limit,
        .refusal = b->limit == CHECK_REFUSED ? b->refusal : NULL,
        .bytes = b->model.memory.used,
    };
}

bool check_browse_look_around(struct check_browse *b, uint32_t state)
{
    uint32_t count;

    b->model.memory.limit = 0;
    if (!check_browse_visit(b, state))
        return false;
    (void)check_successors(b, state, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!check_browse_visit(b, check_successors(b, state, &count)[i] &
                                       ~CHECK_BREAKS))
            return false;
    return true;
}
