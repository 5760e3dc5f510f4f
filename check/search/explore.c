/*
 * explore.c - breadth-first through all states (see check.h).
 */
#include "check/search/explore.h"

#include <assert.h>
#include <stdlib.h>

#include "check/model/judge.h"
#include "net/sane.h"
#include "net/seconds.h"

enum { REPORT_EVERY = 1 << 12 };

double check_cpu_seconds(void)
{
    return net_seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double check_wall_seconds(void)
{
    return net_seconds();
}

static void take_stock(struct check_search *s)
{
    struct check_result *r = s->result;

    r->states = s->model.tree.roots.count;
    r->frontier = r->states - s->looked_at;
    r->depth = s->levels_count ? s->levels_count - 1 : 0;
    r->seconds = check_cpu_seconds() - s->began + check_batch_seconds(s);
    r->threads = check_batch_threads(s);
    r->wall_seconds = check_wall_seconds() - s->wall_began;
    r->bytes = s->model.memory.most;
    r->coins = s->model.coins;
    r->partly = s->reducer.partly;
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

/* Why the result must not be believed, if so. */
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

bool check_everywhere(struct check_search *s,
                      void (*look)(void *whom, uint32_t state), void *whom)
{
    uint64_t most = s->setup->states_max;

    for (uint32_t state = 0; state < s->model.tree.roots.count; state++) {
        s->looked_at = state;
        if (!check_report(s, 1))
            return false;
        look(whom, state);
        if (!sound(s))
            return false;
        if (most && s->model.tree.roots.count > most)
            s->result->limit = CHECK_STATES;
        if (s->result->limit != CHECK_NO_LIMIT)
            return false;
    }
    return true;
}

bool check_revisit(struct check_search *s, uint32_t state)
{
    uint32_t level_end, enough;

    if (!check_visit(s, state) || !s->setup->reduce)
        return sound(s);
    level_end = s->levels[check_depth_of(s, state) + 1];
    enough = check_reduce(&s->model, &s->reducer, state, &s->nexts);
    for (uint32_t i = 0; i < enough; i++) {
        const struct check_next *next = &s->nexts.list[i];
        bool fresh;

        if (check_is_free(&next->move) &&
            check_tree_put(&s->model.tree, next->pair, next->hash, &fresh) >=
                level_end) {
            s->nexts.count = enough;
            break;
        }
    }
    return sound(s);
}

void check_news_of(struct check_model *m, uint32_t state,
                   const struct check_move *move, struct net_news *news)
{
    struct check_spread base, after;

    check_tree_load(&m->tree, state, &base);
    check_apply(m, &base, move, &after);
    check_judge(m, base.id, move, after.id, news);
    news->reached |= m->type->counts_flying;
}

/* What the protocol says of the local state to which a move leads. */
static const char *check_insane(struct check_model *m, uint32_t state,
                                const struct check_move *move)
{
    struct net_place place = {&m->setup->net, &m->names, &m->graph, move->node};
    _Alignas(8) uint8_t local[CHECK_LOCAL_MAX];
    struct check_spread base, after;

    check_tree_load(&m->tree, state, &base);
    check_apply(m, &base, move, &after);
    check_local_load(m, move->node, after.id[m->local_at[move->node]], local);
    /* cppcheck-suppress returnDanglingLifetime; it is a sentence */
    return m->type->sane(&place, local + sizeof(struct check_head));
}

uint32_t check_broken_at_end(struct check_model *m, uint32_t state)
{
    struct check_spread base;
    struct net_scene scene;
    uint32_t broken;

    check_tree_load(&m->tree, state, &base);
    check_look(m, base.id, &scene);
    broken = m->type->end(&scene) & m->setup->properties;
    if (net_asked(&m->setup->net) && net_asked(&m->setup->net)->sees_end)
        broken |= check_judge_asked(m, NULL, NULL, base.id, true);
    return broken;
}

/* Whether a transition breaks something. */
static bool breaks(struct check_search *s, uint32_t state,
                   const struct check_next *next)
{
    struct net_news news;

    check_news_of(&s->model, state, &next->move, &news);
    s->result->reached |= news.reached;
    if (!news.broken)
        return false;
    s->result->broken = news.broken;
    s->result->insane = news.broken & FC_SANE
                            ? check_insane(&s->model, state, &next->move)
                            : NULL;
    s->bad = state;
    s->bad_move = next->move;
    return true;
}

/* Whether a predicate does not hold in an initial state. */
static bool begins_badly(struct check_search *s)
{
    const struct net *net = &s->setup->net;
    struct check_spread base;

    for (uint32_t i = 0; s->model.judged && i < s->model.tree.roots.count;
         i++) {
        check_tree_load(&s->model.tree, i, &base);
        if (net->predicates)
            s->result->broken = check_judge_network(&s->model, base.id);
        if (net_asked(net))
            s->result->broken |=
                check_judge_asked(&s->model, NULL, NULL, base.id, false);
        s->result->at_start = s->result->broken != 0;
        s->bad = i;
        if (s->result->at_start)
            return true;
    }
    return false;
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

/* The run continues beyond the last tick that is tried: properties that would
 * be broken if it ended there stay open. */
static void cut_off(struct check_search *s, uint32_t state)
{
    s->result->cut_off = true;
    s->result->open |= check_broken_at_end(&s->model, state) |
                       s->model.type->protocol->problem->ends;
}

/* Expands one state; false: the search is over. */
static bool look_at(struct check_search *s, uint32_t state, uint32_t level_end)
{
    struct check_tree *tree = &s->model.tree;
    bool leads_down = false;
    uint32_t enough;

    if (!check_visit(s, state))
        return false;
    if (s->nexts.quiet && ends_badly(s, state))
        return false;
    if (s->nexts.last && !s->nexts.quiet)
        cut_off(s, state);
    if (s->setup->reduce)
        enough = check_reduce(&s->model, &s->reducer, state, &s->nexts);
    else
        enough = s->nexts.count;
    for (uint32_t i = 0; i < s->nexts.count; i++) {
        const struct check_next *next = &s->nexts.list[i];
        uint32_t number;
        bool fresh;

        if (i == enough && leads_down) {
            s->reducer.partly++;
            s->nexts.count = enough;
            break;
        }
        number = check_tree_put(tree, next->pair, next->hash, &fresh);
        if (!sound(s))
            return false;
        if (number < level_end)
            s->back_edges = true;
        else if (check_is_free(&next->move))
            leads_down = true;
        if (check_is_judged(&s->model, next->seen, next->odd, fresh) &&
            breaks(s, state, next))
            return false;
    }
    s->result->transitions += s->nexts.count;
    return sound(s);
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
    bool later = net_asked(&s->setup->net) && net_asked(&s->setup->net)->leads;

    if (complete && later && !r->cut_off && s->setup->cycles)
        check_leads(s);
    complete = complete && sound(s);
    if (r->broken || (complete && r->cut_off)) {
        /* Not looked for any more; or no run was followed to its end. */
        r->cycles_known = false;
    } else if (complete && !s->back_edges) {
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
    if (!r->endless && !r->moves && check_path(s, s->bad, 1) && !r->at_end &&
        !r->at_start)
        r->moves[r->moves_count++] = s->bad_move;
    check_unturn(s);
}

const char *check_search_sane(const struct check_search *s)
{
    uint32_t states = s->model.tree.roots.count;

    if (s->looked_at > states)
        return "no state is looked at that was not found";
    for (uint32_t i = 0; i < s->levels_count; i++)
        if (s->levels[i] >= s->levels[i + 1] || s->levels[i + 1] > states)
            return "each level has states, behind those of the level before";
    if (s->levels_count && s->levels[0] != 0)
        return "the first level begins with the first state";
    return check_model_sane(&s->model);
}

static void end(struct check_search *s)
{
    if (check_sound(&s->model) && s->model.tree.levels)
        NET_ASSERT_SANE("the search", check_search_sane(s));
    check_batch_close(s);
    check_release(&s->model.memory, s->nexts.list,
                  s->nexts.room * sizeof *s->nexts.list);
    check_release(&s->model.memory, s->levels,
                  s->levels_room * sizeof *s->levels);
    check_model_free(&s->model);
    assert(s->model.memory.used == 0);
}

/* One search from the beginning; what the last one learnt of the network is
 * kept.  False: it has to be done once more. */
static bool run(struct check_search *s, bool first)
{
    struct check_result *r = s->result;
    bool complete = false;

    if (check_model_begin(&s->model, s->setup)) {
        if (s->setup->reduce && first) {
            s->model.refusal = check_irreducible(s->setup);
            check_reducer_begin(&s->reducer, &s->model);
        }
        check_initial(&s->model);
        complete = sound(s) && !begins_badly(s) && search(s);
    } else if (sound(s)) {
        r->limit = CHECK_MEMORY;
    }
    if (complete && s->setup->reduce && check_reducer_again(&s->reducer))
        return false;
    take_stock(s);
    conclude(s, complete);
    take_stock(s);
    return true;
}

/* A run found with successors left out need not be the shortest.  Looks for one
 * without, no deeper than that and as long as it costs little. */
static void shorten(const struct check_setup *setup, struct check_result *r)
{
    struct check_setup all = *setup;
    struct check_result found;

    r->longer = true;
    if (r->endless || !r->moves_count)
        return;
    all.reduce = all.cycles = false;
    all.depth_max = r->moves_count + r->at_end;
    all.states_max = 4 * r->states + (1 << 16);
    all.tell = NULL;
    check_run(&all, &found);
    r->seconds += found.seconds;
    r->wall_seconds += found.wall_seconds;
    if (found.verdict == CHECK_VIOLATED && found.moves) {
        free(r->moves);
        r->moves = found.moves;
        r->moves_count = found.moves_count;
        r->first = found.first;
        r->broken = found.broken;
        r->at_end = found.at_end;
        r->longer = false;
        return;
    }
    check_free(&found);
}

void check_run(const struct check_setup *setup, struct check_result *result)
{
    struct check_search *s = calloc(1, sizeof *s);
    struct check_setup own = *setup;
    double began = check_cpu_seconds(), wall_began = check_wall_seconds();

    memset(result, 0, sizeof *result);
    if (!s) {
        result->verdict = CHECK_INCOMPLETE;
        result->limit = CHECK_MEMORY;
        return;
    }
    if (own.reduce)
        own.threads = 1; /* moves are left out state by state */
    for (bool first = true; s; first = false) {
        struct check_reducer learnt = s->reducer;

        memset(s, 0, sizeof *s);
        memset(result, 0, sizeof *result);
        s->setup = &own;
        s->result = result;
        s->began = began;
        s->wall_began = wall_began;
        s->reducer = learnt;
        if (run(s, first))
            break;
        end(s);
    }
    end(s);
    free(s);
    if (setup->reduce && result->verdict == CHECK_VIOLATED)
        shorten(setup, result);
}

void check_free(struct check_result *result)
{
    free(result->moves);
    result->moves = NULL;
}
