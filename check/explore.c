/*
 * explore.c - breadth-first through all states (see check.h).
 */
#include "check/explore.h"

#include <stdlib.h>
#include <time.h>

#include "core/text.h"
#include "protocols/all.h"

#define DECLARE(P) extern const struct check_type P##_check;
FC_PROTOCOLS(DECLARE)

#define ENTRY(P) &P##_check,
const struct check_type *const check_types[] = {FC_PROTOCOLS(ENTRY) NULL};

const struct check_type *check_find(const struct fc_protocol *protocol)
{
    for (uint32_t i = 0; check_types[i]; i++)
        if (check_types[i]->protocol == protocol)
            return check_types[i];
    return NULL;
}

enum { REPORT_EVERY = 1 << 12 };

static double seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void take_stock(struct check_search *s)
{
    struct check_result *r = s->result;

    r->states = s->model.tree.roots.count;
    r->frontier = r->states - s->looked_at;
    r->depth = s->levels_count ? s->levels_count - 1 : 0;
    r->seconds =
        seconds(CLOCK_THREAD_CPUTIME_ID) - s->began + check_batch_seconds(s);
    r->threads = check_batch_threads(s);
    r->wall_seconds = seconds(CLOCK_MONOTONIC) - s->wall_began;
    r->bytes = s->model.memory.most;
    r->coins = s->model.coins;
}

bool check_report(struct check_search *s, uint32_t states)
{
    const struct check_setup *setup = s->setup;

    s->unreported += states;
    if (s->unreported < REPORT_EVERY)
        return true;
    s->unreported = 0;
    take_stock(s);
    if (setup->tell)
        setup->tell(setup->whom, s->result);
    if (!setup->stop ||
        !atomic_load_explicit(setup->stop, memory_order_relaxed))
        return true;
    s->result->limit = CHECK_STOPPED;
    return false;
}

/* Why it must not be believed, if so. */
static bool sound(struct check_search *s)
{
    if (s->model.memory.failed)
        s->result->limit = CHECK_MEMORY;
    else if (s->model.refusal)
        s->result->limit = CHECK_REFUSED;
    s->result->refusal = s->model.refusal;
    return s->result->limit == CHECK_NO_LIMIT;
}

bool check_visit(struct check_search *s, uint32_t state)
{
    check_expand(&s->model, state, &s->nexts);
    return sound(s);
}

void check_news_of(struct check_model *m, uint32_t state,
                   const struct check_move *move, struct check_news *news)
{
    struct check_spread base, after;

    check_tree_load(&m->tree, state, &base);
    check_apply(m, &base, move, &after);
    check_judge(m, base.id, move, after.id, news);
    news->reached |= m->type->counts_tokens;
}

uint32_t check_broken_at_end(struct check_model *m, uint32_t state)
{
    struct check_spread base;
    struct check_scene scene;

    check_tree_load(&m->tree, state, &base);
    check_look(m, base.id, &scene);
    return m->type->end(&scene) & m->setup->properties;
}

/* Whether a transition breaks something. */
static bool breaks(struct check_search *s, uint32_t state,
                   const struct check_next *next)
{
    struct check_news news;

    check_news_of(&s->model, state, &next->move, &news);
    s->result->reached |= news.reached;
    if (!news.broken)
        return false;
    s->result->broken = news.broken;
    s->bad = state;
    s->bad_move = next->move;
    return true;
}

/* Whether it is bad that nothing more happens here. */
static bool ends_badly(struct check_search *s, uint32_t state)
{
    s->result->terminal++;
    s->result->broken = check_broken_at_end(&s->model, state);
    s->result->at_end = s->result->broken != 0;
    s->bad = state;
    return s->result->at_end;
}

/* Looks at one state; false: the search is over. */
static bool look_at(struct check_search *s, uint32_t state, uint32_t level_end)
{
    struct check_tree *tree = &s->model.tree;

    if (!check_visit(s, state))
        return false;
    if (s->nexts.quiet && ends_badly(s, state))
        return false;
    s->result->transitions += s->nexts.count;
    for (uint32_t i = 0; i < s->nexts.count; i++) {
        const struct check_next *next = &s->nexts.list[i];
        bool fresh;
        uint32_t number = check_tree_put(tree, next->pair, next->hash, &fresh);

        if (!sound(s))
            return false;
        if (!fresh && number < level_end)
            s->back_edges = true;
        if (((fresh && next->seen) || next->odd) && breaks(s, state, next))
            return false;
    }
    return true;
}

static bool begin_level(struct check_search *s, uint32_t first)
{
    if (s->levels_count + 1 >= s->levels_room) {
        uint32_t room = s->levels_room ? 2 * s->levels_room : 256;
        uint32_t *levels =
            check_grow(&s->model.memory, s->levels,
                       s->levels_room * sizeof *levels, room * sizeof *levels);

        if (!levels)
            return sound(s);
        s->levels = levels;
        s->levels_room = room;
    }
    s->levels[s->levels_count++] = first;
    s->levels[s->levels_count] = s->model.tree.roots.count;
    return true;
}

/* Level by level.  False: something stopped it. */
static bool search(struct check_search *s)
{
    const struct check_setup *setup = s->setup;
    uint32_t state = 0;

    while (state < s->model.tree.roots.count) {
        uint32_t end = s->model.tree.roots.count;

        if (!begin_level(s, state))
            return false;
        if (setup->depth_max && s->levels_count > setup->depth_max) {
            s->result->limit = CHECK_DEPTH;
            return false;
        }
        while (state < end) {
            uint32_t together = check_batch(s, state, end);

            if (!together && !look_at(s, state, end))
                return false;
            state += together ? together : 1;
            s->looked_at = state;
            if (!check_report(s, together ? together : 1))
                return false;
            if (setup->states_max &&
                s->model.tree.roots.count > setup->states_max) {
                s->result->limit = CHECK_STATES;
                return false;
            }
        }
    }
    return true;
}

static void conclude(struct check_search *s, bool complete)
{
    struct check_result *r = s->result;

    if (complete && !s->back_edges) {
        r->acyclic = r->cycles_known = true;
    } else if (complete && s->setup->cycles) {
        check_cycles(s);
        if (!sound(s) && !r->broken)
            complete = false;
    }
    if (!r->broken) {
        r->verdict = complete ? CHECK_HOLDS : CHECK_INCOMPLETE;
        return;
    }
    r->verdict = CHECK_VIOLATED;
    if (!r->endless && check_path(s, s->bad, 1) && !r->at_end)
        r->moves[r->moves_count++] = s->bad_move;
    check_unturn(s);
}

void check_run(const struct check_setup *setup, struct check_result *result)
{
    struct check_search *s = calloc(1, sizeof *s);
    bool complete = false;

    memset(result, 0, sizeof *result);
    if (!s) {
        result->verdict = CHECK_INCOMPLETE;
        result->limit = CHECK_MEMORY;
        return;
    }
    s->setup = setup;
    s->result = result;
    s->began = seconds(CLOCK_THREAD_CPUTIME_ID);
    s->wall_began = seconds(CLOCK_MONOTONIC);
    if (check_model_begin(&s->model, setup)) {
        check_initial(&s->model);
        complete = sound(s) && search(s);
    } else if (sound(s)) {
        result->limit = CHECK_MEMORY;
    }
    take_stock(s);
    conclude(s, complete);
    take_stock(s);
    check_batch_close(s);
    check_release(&s->model.memory, s->nexts.list,
                  s->nexts.room * sizeof *s->nexts.list);
    check_release(&s->model.memory, s->levels,
                  s->levels_room * sizeof *s->levels);
    check_model_free(&s->model);
    free(s);
}

void check_free(struct check_result *result)
{
    free(result->moves);
    result->moves = NULL;
}
