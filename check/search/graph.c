/*
 * graph.c - the successors of all states, written down by several threads (see
 * explore.h).
 *
 * Finding them is most of the work of a search for endless runs, and each
 * state's are found independently; the rest is short.  It takes 4 bytes a
 * transition and 8 a state, less what the index of the states took, which is no
 * longer needed.  A single thread would gain nothing, and finds them as it
 * goes.
 */
#include <stdatomic.h>

#include "check/search/explore.h"
#include "net/sane.h"

struct writing {
    struct check_search *search;
    struct check_graph *graph;
    _Atomic uint64_t used; /* of the list */
    atomic_uint next;      /* the states that nobody has taken */
    atomic_bool failed;
};

enum { CHUNK = 128 };

static void fail(struct writing *w)
{
    /* Relaxed, as all here: each part of the list and each state is one
     * member's, and nobody reads before the round is over. */
    atomic_store_explicit(&w->failed, true, memory_order_relaxed);
}

/* The list of one state. */
static void write_down(struct writing *w, struct check_model *view,
                       struct check_nexts *nexts, uint32_t state)
{
    struct check_graph *g = w->graph;
    uint64_t at;

    check_expand(view, state, nexts);
    if (!check_sound(view)) {
        view->memory.failed = false;
        view->refusal = NULL;
        fail(w);
        return;
    }
    at = atomic_fetch_add_explicit(&w->used, nexts->count + 1,
                                   memory_order_relaxed);
    if (at + nexts->count + 1 > g->length) {
        fail(w);
        return;
    }
    g->at[state] = (uint32_t)at;
    g->list[at] = nexts->count << 2;
    if (check_is_end(view, state, nexts->quiet))
        g->list[at] |= CHECK_IS_END;
    if (nexts->noticed)
        g->list[at] |= CHECK_HAS_COIN;
    for (uint32_t i = 0; i < nexts->count; i++) {
        const struct check_next *next = &nexts->list[i];

        g->list[at + 1 + i] =
            check_tree_find(&view->tree, next->pair, next->hash);
        if (next->coin)
            g->list[at] |= CHECK_HAS_COIN;
    }
}

static void write_some(void *whom, uint32_t member, struct check_model *view,
                       struct check_nexts *nexts)
{
    struct writing *w = whom;
    uint32_t states = w->graph->states;

    while (!atomic_load_explicit(&w->failed, memory_order_relaxed)) {
        uint32_t from =
            atomic_fetch_add_explicit(&w->next, CHUNK, memory_order_relaxed);

        if (from >= states)
            return;
        for (uint32_t i = from; i < from + CHUNK && i < states; i++)
            write_down(w, view, nexts, i);
        if (member == 0 && !check_report(w->search, CHUNK))
            fail(w);
    }
}

/* Whether there is room for it beside all that the search for components may
 * need. */
static bool may_fit(const struct check_memory *m, const struct check_graph *g)
{
    uint64_t bytes = 4 * (g->states + g->length) + 64 * (uint64_t)g->states;

    return !m->limit || m->used + bytes <= m->limit;
}

bool check_graph_open(struct check_search *s, struct check_graph *g)
{
    struct check_memory *m = &s->model.memory;
    struct writing w = {.search = s, .graph = g};
    bool failed = m->failed;

    g->states = s->model.tree.roots.count;
    g->length = g->states + s->result->transitions;
    if (check_batch_threads(s) < 2 || g->length > UINT32_MAX || !may_fit(m, g))
        return false;
    g->at = check_grow(m, NULL, 0, g->states * sizeof *g->at);
    g->list = check_grow(m, NULL, 0, (size_t)g->length * sizeof *g->list);
    if (g->at && g->list)
        check_together(s, write_some, &w);
    m->failed = failed; /* it is optional */
    if (g->at && g->list &&
        !atomic_load_explicit(&w.failed, memory_order_relaxed)) {
        NET_ASSERT_SANE("the graph of states", check_graph_sane(g));
        check_table_forget(&s->model.tree.roots, m);
        return true;
    }
    check_graph_close(s, g);
    return false;
}

const char *check_graph_sane(const struct check_graph *g)
{
    uint64_t written = 0;

    for (uint32_t state = 0; state < g->states; state++) {
        uint64_t at = g->at[state];
        uint32_t count;

        if (at >= g->length || g->list[at] >> 2 >= g->length - at)
            return "the successors of a state are on the list";
        count = g->list[at] >> 2;
        written += count + 1;
        for (uint64_t i = at + 1; i <= at + count; i++)
            if (g->list[i] >= g->states)
                return "a transition leads to a state that there is";
    }
    return written == g->length ? NULL : "the list has every transition once";
}

void check_graph_close(struct check_search *s, struct check_graph *g)
{
    struct check_memory *m = &s->model.memory;

    check_release(m, g->at, g->states * sizeof *g->at);
    check_release(m, g->list, (size_t)g->length * sizeof *g->list);
    g->at = g->list = NULL;
}
