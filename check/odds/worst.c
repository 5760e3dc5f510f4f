/*
 * worst.c - all states once more, now with chance kept apart from choice (see
 * worst.h, docs/check.md).
 *
 * In a state an adversary chooses what happens next: which message is read,
 * whether time advances, which node crashes.  It knows everything so far,
 * including how coins fell.  If it is a step in which coins fall, chance
 * decides how it goes.  A transition that breaks a property ends the run,
 * badly; so does an end that is judged so.  Where nothing has to happen any
 * more, the run may end.
 *
 * With time, if the property that runs end is asked, one that never does counts
 * as broken too: what is worked out then is the probability of a good end.
 * Without time it does not, because the adversary could let a message wait for
 * ever.
 */
#include "check/odds/worst.h"

#include <stdlib.h>

#include "check/search/explore.h"

struct building {
    struct check_search search;
    struct check_result scratch;
    uint32_t *first, *begin;
    struct check_way *ways;
    uint32_t states, actions, ways_count; /* so far */
    uint32_t first_room, begin_room, ways_room;
    bool forgotten; /* the model, once all states are written down */
};

const char *check_no_odds(const struct check_setup *setup)
{
    return net_type_of(&setup->net)->counts_tokens
               ? "its property is about what becomes of runs without end"
               : NULL;
}

static void add_way(struct building *b, uint32_t to, uint32_t odds)
{
    if (!check_make_room(&b->search.model.memory, &b->ways, &b->ways_room,
                         b->ways_count, sizeof *b->ways))
        return;
    b->ways[b->ways_count++] = (struct check_way){to, odds};
}

/* An action begins; the ways that are added from now on are its own. */
static void add_action(struct building *b)
{
    if (!check_make_room(&b->search.model.memory, &b->begin, &b->begin_room,
                         b->actions + 1, sizeof *b->begin))
        return;
    b->begin[b->actions++] = b->ways_count;
}

static bool is_judged_bad(struct check_search *s,
                          const struct check_spread *base,
                          const struct check_next *next)
{
    struct check_spread after;
    struct net_news news;

    if (!next->seen && !s->setup->net.predicates)
        return false;
    check_apply(&s->model, base, &next->move, &after);
    check_judge(&s->model, base->id, &next->move, after.id, &news);
    return news.broken != 0;
}

static void add_next(struct building *b, const struct check_spread *base,
                     const struct check_next *next)
{
    struct check_search *s = &b->search;
    const struct check_outcome *outcome =
        next->coin ? check_outcome_of(&s->model, base, &next->move) : NULL;
    uint32_t odds = outcome ? outcome->odds : 1, to = CHECK_BAD_END;
    bool fresh;

    if (!is_judged_bad(s, base, next))
        to = check_tree_put(&s->model.tree, next->pair, next->hash, &fresh);
    if (next->move.branch == 0)
        add_action(b);
    add_way(b, to, odds);
}

/* What can happen in a state, and whether it may stay as it is. */
static void add_state(void *whom, uint32_t state)
{
    struct building *b = whom;
    struct check_search *s = &b->search;
    struct check_spread base;
    struct net_scene scene;

    if (!check_make_room(&b->search.model.memory, &b->first, &b->first_room,
                         state + 1, sizeof *b->first))
        return;
    b->first[state] = b->actions;
    b->states = state + 1;
    if (!check_visit(s, state))
        return;
    check_tree_load(&s->model.tree, state, &base);
    for (uint32_t i = 0; i < s->nexts.count; i++)
        add_next(b, &base, &s->nexts.list[i]);
    if (s->nexts.quiet) {
        check_look(&s->model, base.id, &scene);
        add_action(b);
        add_way(b,
                s->model.type->end(&scene) & s->setup->properties
                    ? CHECK_BAD_END
                    : CHECK_GOOD_END,
                1);
    }
}

static bool build(struct building *b)
{
    if (!check_everywhere(&b->search, add_state, b) || b->states == 0 ||
        b->actions == 0)
        return false;
    b->first[b->states] = b->actions;
    b->begin[b->actions] = b->ways_count;
    return true;
}

/* Over all states in which runs begin. */
static void sum_up(const struct check_chance *value, uint32_t initial,
                   bool greatest, struct check_chance *out)
{
    *out = value[0];
    for (uint32_t i = 1; i < initial; i++)
        if (greatest ? check_less(out, &value[i]) : check_less(&value[i], out))
            *out = value[i];
}

static bool work_out(struct building *b, uint32_t initial,
                     struct check_worst *r)
{
    struct check_memory *memory = &b->search.model.memory;
    struct check_process p = {.states = b->states,
                              .first = b->first,
                              .begin = b->begin,
                              .ways = b->ways};
    uint32_t end = r->endless ? CHECK_GOOD_END : CHECK_BAD_END;
    size_t size = initial * sizeof(struct check_chance);
    struct check_chance *value = check_grow(memory, NULL, 0, size);
    struct check_chance extreme[2] = {{.most = 1}, {.most = 1}};

    for (uint32_t i = 0; value && i < 2; i++) {
        if (!check_odds(&p, memory, end, i == 1, value, initial))
            break;
        sum_up(value, initial, i == 1, &extreme[i]);
    }
    check_release(memory, value, size);
    if (memory->failed)
        return false;
    r->best = r->endless ? check_other(extreme[1]) : extreme[0];
    r->worst = r->endless ? check_other(extreme[0]) : extreme[1];
    return true;
}

/* Makes room for the numbers: only the memory's accounts are kept. */
static void forget_model(struct building *b)
{
    struct check_nexts *nexts = &b->search.nexts;

    if (b->forgotten)
        return;
    check_release(&b->search.model.memory, nexts->list,
                  nexts->room * sizeof *nexts->list);
    check_model_free(&b->search.model);
    b->forgotten = true;
}

static void end(struct building *b)
{
    struct check_memory *m = &b->search.model.memory;

    check_release(m, b->first, b->first_room * sizeof *b->first);
    check_release(m, b->begin, b->begin_room * sizeof *b->begin);
    check_release(m, b->ways, b->ways_room * sizeof *b->ways);
    forget_model(b);
}

/* False: something stopped it, and `scratch` says what, or nothing. */
static bool run(struct building *b, struct check_worst *r)
{
    struct check_search *s = &b->search;
    const struct fc_problem *problem;
    uint32_t initial;

    if (!check_model_begin(&s->model, s->setup))
        return false;
    s->model.refusal = check_no_odds(s->setup);
    problem = s->model.type->protocol->problem;
    r->endless = s->model.timed && !problem->repeats && s->setup->cycles &&
                 (problem->ends & s->setup->properties);
    check_initial(&s->model);
    initial = s->model.tree.roots.count;
    if (s->model.refusal || s->model.memory.failed || !build(b))
        return false;
    forget_model(b);
    return work_out(b, initial, r);
}

void check_worst(const struct check_setup *setup, struct check_worst *result)
{
    struct check_setup all = *setup;
    struct building *b = calloc(1, sizeof *b);

    memset(result, 0, sizeof *result);
    if (!b) {
        result->limit = CHECK_MEMORY;
        return;
    }
    all.reduce = false; /* what is seen of coins depends on the order */
    b->search.setup = &all;
    b->search.result = &b->scratch;
    b->search.began = check_cpu_seconds();
    if (!run(b, result)) {
        result->refusal = b->search.model.refusal;
        result->limit = result->refusal    ? CHECK_REFUSED
                        : b->scratch.limit ? b->scratch.limit
                                           : CHECK_MEMORY;
    }
    result->states = b->states;
    result->actions = b->actions;
    result->ways = b->ways_count;
    result->seconds = check_cpu_seconds() - b->search.began;
    end(b);
    free(b);
}
