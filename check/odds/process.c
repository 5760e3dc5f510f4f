/*
 * process.c - see process.h, docs/check-inside.md.
 *
 * Where violations count, a transition that breaks a property ends the run,
 * badly; so does an end that is judged so.  Where nothing has to happen any
 * more, the run may end.  Where a quantity counts, every way has its weight,
 * violations are runs like others, and a run may end where --min lets it.
 */
#include "check/odds/process.h"

#include <assert.h>
#include <math.h>

#include "check/model/judge.h"
#include "check/odds/given.h"
#include "net/sane.h"

/* ---- Writing down -------------------------------------------------------- */

static void add_way(struct check_building *b, uint32_t to, uint32_t odds,
                    uint32_t weight)
{
    struct check_memory *m = &b->search.model.memory;

    if (!check_make_room(m, &b->ways, &b->ways_room, b->ways_count,
                         sizeof *b->ways) ||
        (b->measure && !check_make_room(m, &b->weights, &b->weights_room,
                                        b->ways_count, sizeof *b->weights)))
        return;
    if (b->measure)
        b->weights[b->ways_count] = weight;
    b->ways[b->ways_count++] = (struct check_way){to, odds};
}

/* An action begins; the ways that are added from now on are its own. */
static void add_action(struct check_building *b)
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

uint32_t check_lead(struct check_building *b, const struct check_spread *base,
                    const struct check_next *next, uint32_t *weight)
{
    struct check_search *s = &b->search;
    uint32_t cost;
    bool fresh;

    if (!b->measure && is_judged_bad(s, base, next))
        return CHECK_BAD_END;
    if (b->measure) {
        cost = check_weigh(&b->scale, base, next);
        *weight = cost >> 8;
        if (cost & CHECK_ARC_GOAL)
            return CHECK_GOOD_END;
    }
    return check_tree_put(&s->model.tree, next->pair, next->hash, &fresh);
}

static void add_next(struct check_building *b, uint32_t state,
                     const struct check_spread *base,
                     const struct check_next *next)
{
    struct check_model *m = &b->search.model;
    const struct check_outcome *outcome =
        next->coin ? check_outcome_of(m, base, &next->move) : NULL;
    struct check_odds_given given = {1, 1};
    uint32_t weight = 0, to;

    if (outcome && outcome->range) {
        struct check_budget budget = check_budget_of(m, base->id);

        if (b->range && b->range != outcome->range)
            m->refusal = "nodes draw first from ranges of different sizes";
        b->range = outcome->range;
        given = check_given_odds(m, &budget, outcome);
    } else if (outcome) {
        given.odds = outcome->odds;
    }
    if (given.odds == 0)
        m->refusal = "a step has more than 2^32 outcomes";
    to = check_lead(b, base, next, &weight);
    if (b->leads)
        b->leads(b->whom, state, to);
    for (; given.times > 0; given.times--)
        add_way(b, to, given.odds, weight);
}

bool check_same_action(const struct check_move *a, const struct check_move *b)
{
    return a->kind == b->kind && a->what == b->what && a->node == b->node &&
           a->link == b->link && a->place == b->place;
}

/* Whether a run may end in a state, and how. */
static void add_end(struct check_building *b, const struct check_spread *base)
{
    struct check_search *s = &b->search;
    struct net_scene scene;
    bool bad = false;

    if (b->measure) {
        if (b->measure->span == CHECK_TO_GOAL ||
            !(check_marks(&s->model, base, true) & CHECK_RUN_ENDS))
            return;
    } else {
        check_look(&s->model, base->id, &scene);
        bad = (s->model.type->end(&scene) & s->setup->properties) != 0;
    }
    add_action(b);
    add_way(b, bad ? CHECK_BAD_END : CHECK_GOOD_END, 1, 0);
}

/* Where a protocol never comes to rest, a run with amounts is over when the
 * applications have what they asked for. */
static bool is_served(const struct check_building *b,
                      const struct check_spread *base)
{
    const struct check_model *m = &b->search.model;
    const struct fc_protocol *p = m->type->protocol;
    uint32_t marks;

    if (!b->measure || !p->restless || !p->restless(m->setup->net.params))
        return false;
    marks = check_marks(m, base, true);
    return (marks & CHECK_RUN_ENDS) && !(marks & (CHECK_RUN_ENDS - 1));
}

/* Whether every node has drawn. */
static bool has_come(const struct check_building *b,
                     const struct check_spread *base)
{
    const struct check_model *m = &b->search.model;
    struct check_budget budget = check_budget_of(m, base->id);

    return check_has_come(m, &budget);
}

/* What can happen in a state, and whether it may stay as it is. */
static void add_state(void *whom, uint32_t state)
{
    struct check_building *b = whom;
    struct check_search *s = &b->search;
    const struct check_next *next;
    struct check_spread base;

    if (!check_make_room(&s->model.memory, &b->first, &b->first_room, state + 1,
                         sizeof *b->first))
        return;
    b->first[state] = b->actions;
    b->states = state + 1;
    check_tree_load(&s->model.tree, state, &base);
    if (b->trial && has_come(b, &base)) {
        add_action(b);
        add_way(b, CHECK_GOOD_END, 1, 0);
        return;
    }
    if (!check_visit(s, state))
        return;
    if (s->nexts.gone)
        s->model.refusal = "it never comes to that";
    next = s->nexts.list;
    for (uint32_t i = 0; i < s->nexts.count; i++) {
        if (b->chooses && !b->chooses(b->whom, state, &next[i].move))
            continue;
        if (i == 0 || !check_same_action(&next[i].move, &next[i - 1].move))
            add_action(b);
        add_next(b, state, &base, &next[i]);
    }
    if ((s->nexts.quiet || is_served(b, &base)) &&
        (!b->chooses || b->chooses(b->whom, state, NULL)))
        add_end(b, &base);
}

/* ---- The whole ----------------------------------------------------------- */

bool check_build_begin(struct check_building *b,
                       const struct check_setup *setup)
{
    struct check_search *s = &b->search;

    b->setup = *setup;
    b->setup.reduce = false; /* the coins that are seen depend on the order */
    if (b->trial)
        b->setup.properties = 0;
    s->setup = &b->setup;
    s->result = &b->scratch;
    s->began = check_cpu_seconds();
    b->started = true;
    b->scale = (struct check_scale){.model = &s->model, .measure = b->measure};
    if (!check_model_begin(&s->model, s->setup))
        return false;
    check_initial(&s->model);
    b->initial = s->model.tree.roots.count;
    return !s->model.refusal && !s->model.memory.failed;
}

bool check_build(struct check_building *b)
{
    struct check_process p;

    if (!check_everywhere(&b->search, add_state, b) || b->states == 0)
        return false;
    add_action(b); /* closes the last one: room for it, at least */
    if (b->search.model.memory.failed)
        return false;
    b->actions--;
    b->first[b->states] = b->actions;
    b->begin[b->actions] = b->ways_count;
    p = check_built(b);
    NET_ASSERT_SANE("the process", check_process_sane(&p));
    return true;
}

/* Of one action: chance takes one of its ways, for sure. */
static const char *sane_action(const struct check_process *p, uint32_t action)
{
    double sum = 0;

    for (uint32_t i = p->begin[action]; i < p->begin[action + 1]; i++) {
        const struct check_way *way = &p->ways[i];

        if (way->to >= p->states && way->to != CHECK_BAD_END &&
            way->to != CHECK_GOOD_END)
            return "a way leads to a state that there is, or to an end";
        sum += way->odds ? 1.0 / way->odds : 0;
    }
    return fabs(sum - 1) < 1e-9 ? NULL
                                : "the odds of the ways of an action add up";
}

const char *check_process_sane(const struct check_process *p)
{
    for (uint32_t s = 0; s < p->states; s++)
        if (p->first[s] > p->first[s + 1])
            return "the actions of a state stand behind those of the one "
                   "before";
    for (uint32_t a = p->first[0]; a < p->first[p->states]; a++) {
        const char *broken = p->begin[a] < p->begin[a + 1]
                                 ? sane_action(p, a)
                                 : "an action has a way at least";

        if (broken)
            return broken;
    }
    return NULL;
}

enum check_limit check_build_limit(const struct check_building *b,
                                   const char **refusal)
{
    *refusal = b->search.model.refusal;
    return *refusal           ? CHECK_REFUSED
           : b->scratch.limit ? b->scratch.limit
                              : CHECK_MEMORY;
}

struct check_process check_built(const struct check_building *b)
{
    return (struct check_process){.states = b->states,
                                  .first = b->first,
                                  .begin = b->begin,
                                  .ways = b->ways,
                                  .weights = b->weights};
}

void check_build_forget(struct check_building *b)
{
    struct check_nexts *nexts = &b->search.nexts;

    if (b->forgotten || !b->started)
        return;
    check_scale_free(&b->scale);
    check_release(&b->search.model.memory, nexts->list,
                  nexts->room * sizeof *nexts->list);
    check_model_free(&b->search.model);
    b->forgotten = true;
}

void check_build_end(struct check_building *b)
{
    struct check_memory *m = &b->search.model.memory;

    check_release(m, b->first, b->first_room * sizeof *b->first);
    check_release(m, b->begin, b->begin_room * sizeof *b->begin);
    check_release(m, b->ways, b->ways_room * sizeof *b->ways);
    check_release(m, b->weights, b->weights_room * sizeof *b->weights);
    check_build_forget(b);
    assert(m->used == 0);
}
