/*
 * batch.c - several threads look at some thousand states of one level at a time
 * (see explore.h).
 *
 * The result is the one that a single thread finds, down to the number of each
 * state, however the threads are scheduled:
 *
 * (1) Expand.  Threads take states and write down the successors of each, in
 *     the order in which a single thread meets them.
 * (2) Claim.  Each successor that is not a known state takes its slot of the
 *     index with a number that says where it is written down.  If the slot has
 *     been taken for an equal state, the one that comes first, by state and
 *     then by successor, stays: a slot, once taken, keeps its state, and its
 *     number only sinks.  At the end, of all equal successors the first one is
 *     there, and that is the one at which a single thread meets a new state.
 * (3) Judge.  Each successor that is still in its slot is new; transitions to
 *     it, and ends, are judged.
 * (4) Commit.  New states get their numbers in the order in which they are
 *     written down: the numbers that a single thread gives them.
 *
 * If anything in a batch would stop the search (a violation, a limit, the end
 * of memory), or does not fit, all slots are emptied again, and the batch is
 * expanded by one thread after all.  So there is one place in which a search
 * ends, and it knows nothing of threads.  A batch that passes has nothing to
 * stop at, and what it adds up does not depend on the order.
 *
 * What differs from run to run are the numbers of local states, messages,
 * contents and groups, which are given out in the order of arrival; nothing
 * that is shown depends on them.
 */
#include "check/search/batch.h"

#include "net/sane.h"

enum { PAYS_FROM = 1024 }; /* states; below that, waiting costs more */

/* ---- Sharing the work ---------------------------------------------------- */

/* The next states that nobody has taken in this round. */
static bool take(struct check_batch *b, uint32_t *chunk, uint32_t *from,
                 uint32_t *to)
{
    uint32_t chunks = (b->count + b->chunk_states - 1) / b->chunk_states;

    /* Relaxed: each number comes once; all else waits for the round's end. */
    *chunk = atomic_fetch_add_explicit(&b->next, 1, memory_order_relaxed);
    if (*chunk >= chunks)
        return false;
    if (b->search->setup->backwards)
        *chunk = chunks - 1 - *chunk;
    *from = *chunk * b->chunk_states;
    *to =
        *from + b->chunk_states < b->count ? *from + b->chunk_states : b->count;
    return true;
}

static void run(struct check_batch *b, void (*work)(void *, uint32_t))
{
    atomic_store_explicit(&b->next, 0, memory_order_relaxed); /* see take() */
    check_barrier_run(b->barrier, work, b);
}

static void spoil(struct check_batch *b)
{
    /* Relaxed: it is read after the round. */
    atomic_store_explicit(&b->spoilt, true, memory_order_relaxed);
}

static bool is_spoilt(const struct check_batch *b)
{
    return atomic_load_explicit(&b->spoilt, memory_order_relaxed);
}

/* A round in which views are asked and may add to their home. */
static void run_with_views(struct check_batch *b,
                           void (*work)(void *, uint32_t))
{
    check_batch_refresh(b);
    b->search->model.memory.steady = true;
    run(b, work);
    b->search->model.memory.steady = false;
}

/* Whether the view is complete; then it is as before. */
static bool believe(struct check_model *view)
{
    bool sound = check_sound(view);

    view->memory.failed = false;
    view->refusal = NULL;
    return sound;
}

/* ---- (1) Expand ---------------------------------------------------------- */

static struct check_found *room_for(struct check_batch *b,
                                    struct check_member *m, uint32_t count)
{
    uint32_t block = count > b->block ? count : b->block;

    if (m->end - m->at < count) {
        /* Relaxed: each block is given to one member. */
        m->at =
            atomic_fetch_add_explicit(&b->used, block, memory_order_relaxed);
        m->end = m->at + block;
        if (m->end > b->found_room || m->end < m->at) {
            m->at = m->end = 0;
            spoil(b);
            return NULL;
        }
    }
    m->at += count;
    return &b->found[m->at - count];
}

static void write_down(struct check_batch *b, struct check_member *m,
                       uint32_t i, const struct check_nexts *nexts)
{
    struct check_found *list = room_for(b, m, nexts->count);

    if (!list)
        return;
    b->states[i] = (struct check_looked_at){
        .first = (uint32_t)(list - b->found),
        .count = nexts->count,
        .quiet = nexts->quiet,
        .last = nexts->last,
    };
    for (uint32_t k = 0; k < nexts->count; k++) {
        const struct check_next *next = &nexts->list[k];

        list[k] = (struct check_found){
            .pair = next->pair,
            .move = next->move,
            .from = (uint16_t)i,
            .seen = next->seen,
            .odd = next->odd,
        };
    }
}

static void expand(void *whom, uint32_t index)
{
    struct check_batch *b = whom;
    struct check_member *m = &b->members[index];
    uint32_t chunk, i, to;

    m->at = m->end = 0;
    while (!is_spoilt(b) && take(b, &chunk, &i, &to))
        for (; i < to; i++) {
            check_expand(&m->view, b->first + i, &m->nexts);
            b->states[i].missed = !believe(&m->view);
            if (!b->states[i].missed)
                write_down(b, m, i, &m->nexts);
        }
}

/* Alone, this thread can add anything. */
static bool expand_missed(struct check_batch *b)
{
    struct check_search *s = b->search;

    for (uint32_t i = 0; i < b->count && !is_spoilt(b); i++) {
        if (!b->states[i].missed)
            continue;
        check_expand(&s->model, b->first + i, &s->nexts);
        if (!check_sound(&s->model))
            return false;
        write_down(b, &b->members[0], i, &s->nexts);
    }
    return !is_spoilt(b);
}

/* ---- (2) Claim ----------------------------------------------------------- */

/* Whether a successor comes before another, which is equal. */
static bool is_before(const struct check_batch *b, uint32_t x, uint32_t y)
{
    const struct check_found *p = &b->found[x], *q = &b->found[y];

    return p->from != q->from ? p->from < q->from : x < y;
}

static void claim(struct check_batch *b, struct check_member *m, uint32_t index,
                  const struct check_table *t)
{
    struct check_found *f = &b->found[index];
    uint64_t hash = check_pair_hash(f->pair),
             mask = (UINT64_C(1) << t->bits) - 1;
    uint32_t low = (uint32_t)mask, tag = check_table_tag(t, hash);
    uint32_t mine = tag | (b->base + index + 1);
    uint64_t at = hash & mask;
    /* Relaxed, all of it: what slots lead to was written in earlier rounds. */
    uint32_t slot = atomic_load_explicit(&t->slots[at], memory_order_relaxed);

    for (;;) {
        uint32_t number = (slot & low) - 1;
        bool old = slot && number < b->base;

        if (slot && ((slot & ~low) != tag ||
                     (old ? t->keys[number]
                          : b->found[number - b->base].pair) != f->pair)) {
            at = (at + 1) & mask;
            slot = atomic_load_explicit(&t->slots[at], memory_order_relaxed);
            continue;
        }
        if (old) {
            m->back_edges |= number < b->level_end;
            return;
        }
        if (slot && is_before(b, number - b->base, index))
            return;
        if (atomic_compare_exchange_weak_explicit(&t->slots[at], &slot, mine,
                                                  memory_order_relaxed,
                                                  memory_order_relaxed)) {
            f->slot = (uint32_t)at;
            f->first = true;
            return;
        }
    }
}

static void prefetch(const struct check_batch *b, uint32_t i,
                     const struct check_table *t)
{
    if (i >= b->count)
        return;
    for (uint32_t k = 0; k < b->states[i].count; k++)
        check_table_prefetch(
            t, check_pair_hash(b->found[b->states[i].first + k].pair));
}

static void claim_all(void *whom, uint32_t index)
{
    struct check_batch *b = whom;
    struct check_member *m = &b->members[index];
    struct check_table roots = b->search->model.tree.roots;
    uint32_t chunk, i, to;

    m->back_edges = false;
    while (take(b, &chunk, &i, &to)) {
        prefetch(b, i, &roots);
        for (; i < to; i++) {
            prefetch(b, i + 1, &roots);
            for (uint32_t k = 0; k < b->states[i].count; k++)
                claim(b, m, b->states[i].first + k, &roots);
        }
    }
}

static void index_all(void *whom, uint32_t index)
{
    struct check_batch *b = whom;
    struct check_table *t = &b->search->model.tree.roots;
    uint64_t members = b->members_count;

    check_table_index_together(t, (uint32_t)(t->count * index / members),
                               (uint32_t)(t->count * (index + 1) / members));
}

/* Makes the index large enough for all successors, and for their numbers. */
static bool reserve(struct check_batch *b)
{
    struct check_model *m = &b->search->model;
    struct check_table *t = &m->tree.roots;
    uint64_t most = (uint64_t)t->count +
                    atomic_load_explicit(&b->used, memory_order_relaxed) + 1;
    bool doubled = false;

    while (most > check_table_full(t) && check_table_double(t, &m->memory))
        doubled = true;
    if (doubled) {
        run(b, index_all);
        NET_ASSERT_SANE("an index made together", check_table_sane(t, 1));
    }
    return most <= check_table_full(t);
}

/* ---- (3) Judge ----------------------------------------------------------- */

static bool is_still_there(const struct check_batch *b, uint32_t index,
                           const struct check_table *t)
{
    uint32_t low = (UINT32_C(1) << t->bits) - 1;
    /* Relaxed: it was written in an earlier round. */
    uint32_t slot = atomic_load_explicit(&t->slots[b->found[index].slot],
                                         memory_order_relaxed);

    return (slot & low) == b->base + index + 1;
}

static void judge(struct check_batch *b, struct check_member *m, uint32_t i,
                  uint32_t *fresh)
{
    const struct check_table *roots = &b->search->model.tree.roots;
    const struct check_looked_at *s = &b->states[i];

    if (s->quiet) {
        m->terminal++;
        if (check_broken_at_end(&m->view, b->first + i))
            spoil(b);
    }
    if (s->last && !s->quiet) {
        m->cut_off = true;
        m->open |= check_broken_at_end(&m->view, b->first + i) |
                   m->view.type->protocol->problem->ends;
    }
    m->transitions += s->count;
    for (uint32_t index = s->first; index < s->first + s->count; index++) {
        struct check_found *f = &b->found[index];
        struct net_news news;

        f->first = f->first && is_still_there(b, index, roots);
        *fresh += f->first;
        if (!check_is_judged(&b->search->model, f->seen, f->odd, f->first))
            continue;
        check_news_of(&m->view, b->first + i, &f->move, &news);
        m->reached |= news.reached;
        if (news.broken)
            spoil(b);
    }
}

static void judge_all(void *whom, uint32_t index)
{
    struct check_batch *b = whom;
    struct check_member *m = &b->members[index];
    uint32_t chunk, i, to;

    m->transitions = m->terminal = 0;
    m->reached = m->cut_off = false;
    m->open = 0;
    while (take(b, &chunk, &i, &to)) {
        uint32_t fresh = 0;

        for (; i < to; i++)
            judge(b, m, i, &fresh);
        b->chunks[chunk].fresh = fresh;
    }
    if (!believe(&m->view))
        spoil(b);
}

/* ---- (4) Commit, or undo ------------------------------------------------- */

/* Gives the chunks their first numbers; returns the last one. */
static uint64_t number_chunks(struct check_batch *b)
{
    uint64_t number = b->base;

    for (uint32_t c = 0; c * b->chunk_states < b->count; c++) {
        uint32_t fresh = b->chunks[c].fresh;

        b->chunks[c].fresh = (uint32_t)number;
        number += fresh;
    }
    return number;
}

/* The new states of a chunk get their numbers, or their slots are emptied.
 * Relaxed: each slot is one member's now, and nobody looks before the round is
 * over. */
static void settle(struct check_batch *b, const struct check_looked_at *s,
                   uint32_t *number, bool commit)
{
    struct check_table *t = &b->search->model.tree.roots;
    uint32_t low = (UINT32_C(1) << t->bits) - 1;
    const struct check_found *f = &b->found[s->first], *end = f + s->count;

    for (; f < end; f++) {
        uint32_t slot = 0;

        if (!f->first)
            continue;
        if (commit) {
            t->keys[*number] = f->pair;
            slot =
                atomic_load_explicit(&t->slots[f->slot], memory_order_relaxed);
            slot = (slot & ~low) | ++*number;
        }
        atomic_store_explicit(&t->slots[f->slot], slot, memory_order_relaxed);
    }
}

static void settle_all(struct check_batch *b, bool commit)
{
    uint32_t chunk, i, to;

    while (take(b, &chunk, &i, &to)) {
        uint32_t number = b->chunks[chunk].fresh;

        for (; i < to; i++)
            settle(b, &b->states[i], &number, commit);
    }
}

static void commit_all(void *whom, uint32_t index)
{
    (void)index;
    settle_all(whom, true);
}

static void undo_all(void *whom, uint32_t index)
{
    (void)index;
    settle_all(whom, false);
}

static void add_up(struct check_batch *b)
{
    struct check_search *s = b->search;

    for (uint32_t i = 0; i < b->members_count; i++) {
        const struct check_member *m = &b->members[i];

        s->result->transitions += m->transitions;
        s->result->terminal += m->terminal;
        s->result->reached |= m->reached;
        s->result->cut_off |= m->cut_off;
        s->result->open |= m->open;
        s->back_edges |= m->back_edges;
    }
}

/* ---- One batch ----------------------------------------------------------- */

/* As many states as have room for their successors, if they are like those
 * before. */
static uint32_t fitting(struct check_batch *b, uint32_t wanted)
{
    uint32_t most = b->found_room / (b->successors + b->successors / 2 + 1);

    if (most > b->states_room)
        most = b->states_room;
    if (most == 0)
        most = 1;
    return wanted < most ? wanted : most;
}

static void learn(struct check_batch *b)
{
    uint32_t used = atomic_load_explicit(&b->used, memory_order_relaxed);

    if (used > b->found_room)
        b->successors *= 2;
    else
        b->successors = 1 + used / b->count;
}

/* Nothing of the batch is left; one thread will expand it. */
static uint32_t leave_alone(struct check_batch *b)
{
    struct check_search *s = b->search;

    s->model.memory.failed = false;
    s->model.refusal = NULL;
    s->alone_until = b->first + b->count;
    return 0;
}

static bool is_within(const struct check_search *s, uint64_t states)
{
    return states <= UINT32_MAX &&
           (!s->setup->states_max || states <= s->setup->states_max);
}

static uint32_t look_together(struct check_batch *b)
{
    struct check_search *s = b->search;
    struct check_table *roots = &s->model.tree.roots;
    uint64_t states;
    bool fits;

    check_batch_limit(b);
    run_with_views(b, expand);
    check_batch_count(b); /* entries added now are added to all of it */
    fits = expand_missed(b);
    learn(b);
    if (!fits || !reserve(b))
        return leave_alone(b);
    run(b, claim_all);
    run_with_views(b, judge_all);
    states = number_chunks(b);
    if (is_spoilt(b) || !is_within(s, states) ||
        !check_table_room(roots, &s->model.memory, 1, (uint32_t)states)) {
        run(b, undo_all);
        return leave_alone(b);
    }
    run(b, commit_all);
    roots->count = (uint32_t)states;
    add_up(b);
    return b->count;
}

uint32_t check_batch(struct check_search *s, uint32_t state, uint32_t end)
{
    uint32_t pays = s->setup->batch ? 2 : PAYS_FROM;
    struct check_batch *b;

    if (s->setup->threads < 2 || state < s->alone_until || end - state < pays)
        return 0;
    if (!s->batch && !check_batch_open(s))
        return 0;
    b = s->batch;
    b->first = state;
    b->count = fitting(b, end - state);
    b->level_end = end;
    b->base = s->model.tree.roots.count;
    atomic_store_explicit(&b->used, 0, memory_order_relaxed);
    atomic_store_explicit(&b->spoilt, false, memory_order_relaxed);
    return look_together(b);
}
