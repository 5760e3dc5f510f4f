/*
 * path.c - the shortest way to a state (see explore.h).
 *
 * Nothing was kept for it except where each depth begins: a state's predecessor
 * is the first state one level up that has it as a successor, and is found by
 * looking at that level once more.  That costs at most another search, and only
 * when there is something to show; keeping it would cost every search.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "check/model/links.h"
#include "check/model/symmetry.h"
#include "check/search/explore.h"

uint32_t check_depth_of(const struct check_search *s, uint32_t state)
{
    uint32_t depth = s->levels_count - 1;

    while (s->levels[depth] > state)
        depth--;
    return depth;
}

/* ---- The first state that leads to another ------------------------------- */

struct quest {
    uint64_t wanted;
    uint32_t end;
    atomic_uint next;  /* states that nobody has taken */
    atomic_uint found; /* the first so far */
    atomic_bool failed;
};

enum { CHUNK = 64, PAYS_FROM = 512 };

static bool leads_to(const struct check_nexts *nexts, uint64_t wanted,
                     struct check_move *move)
{
    for (uint32_t i = 0; i < nexts->count; i++)
        if (nexts->list[i].pair == wanted) {
            *move = nexts->list[i].move;
            return true;
        }
    return false;
}

/* Relaxed, all of it: it is read when the round is over. */
static void note(struct quest *q, uint32_t state)
{
    unsigned first = atomic_load_explicit(&q->found, memory_order_relaxed);

    while (state < first && !atomic_compare_exchange_weak_explicit(
                                &q->found, &first, state, memory_order_relaxed,
                                memory_order_relaxed)) {
    }
}

static void seek(void *whom, uint32_t member, struct check_model *view,
                 struct check_nexts *nexts)
{
    struct quest *q = whom;
    struct check_move move;

    (void)member;
    for (;;) {
        uint32_t at =
            atomic_fetch_add_explicit(&q->next, CHUNK, memory_order_relaxed);

        if (at >= q->end ||
            at > atomic_load_explicit(&q->found, memory_order_relaxed))
            return;
        for (uint32_t b = at; b < at + CHUNK && b < q->end; b++) {
            check_expand(view, b, nexts);
            if (!check_sound(view)) {
                view->memory.failed = !view->home; /* else try alone */
                atomic_store_explicit(&q->failed, true, memory_order_relaxed);
                return;
            }
            if (leads_to(nexts, q->wanted, &move)) {
                note(q, b);
                break;
            }
        }
    }
}

/* The first state from `begin` on that leads to the wanted one, alone or with
 * all threads; false if that failed. */
static bool find_first(struct check_search *s, struct quest *q, uint32_t begin,
                       bool together)
{
    atomic_store_explicit(&q->next, begin, memory_order_relaxed);
    atomic_store_explicit(&q->found, UINT32_MAX, memory_order_relaxed);
    atomic_store_explicit(&q->failed, false, memory_order_relaxed);
    if (together)
        check_together(s, seek, q);
    else
        seek(q, 0, &s->model, &s->nexts);
    return !atomic_load_explicit(&q->failed, memory_order_relaxed);
}

/* Finds a predecessor in the level above; false if that failed. */
static bool find_predecessor(struct check_search *s, uint32_t depth,
                             uint32_t *state, struct check_move *move)
{
    uint32_t begin = s->levels[depth - 1];
    struct quest q = {
        .wanted = s->model.tree.roots.keys[*state],
        .end = s->levels[depth],
    };

    if ((q.end - begin < PAYS_FROM || !find_first(s, &q, begin, true)) &&
        !find_first(s, &q, begin, false))
        return false;
    *state = atomic_load_explicit(&q.found, memory_order_relaxed);
    return *state != UINT32_MAX && check_visit(s, *state) &&
           leads_to(&s->nexts, q.wanted, move);
}

/* ---- The way ------------------------------------------------------------- */

bool check_path(struct check_search *s, uint32_t state, uint32_t more)
{
    struct check_result *r = s->result;
    uint32_t depth = check_depth_of(s, state);

    /* What follows is not subject to the limits. */
    s->model.memory.limit = 0;
    s->model.memory.failed = false;
    r->moves = calloc(depth + more + 1, sizeof *r->moves);
    if (!r->moves)
        return false;
    r->moves_count = depth;
    r->first = state;
    for (; depth > 0; depth--) {
        if (!find_predecessor(s, depth, &r->first, &r->moves[depth - 1])) {
            r->moves_count = 0;
            return false;
        }
    }
    return true;
}

static void unturn(struct check_search *s)
{
    struct check_model *m = &s->model;
    struct check_result *r = s->result;
    struct check_spread base, after;
    uint32_t turned = 0, each = m->links_count / m->nodes;

    check_tree_load(&m->tree, r->first, &base);
    for (uint32_t i = 0; i < r->moves_count; i++) {
        struct check_move *move = &r->moves[i];
        uint32_t by;

        check_apply(m, &base, move, &after);
        by = check_rotation(m, after.id);
        check_rotate(m, &after, by);
        base = after;
        move->node = (uint16_t)((move->node + turned) % m->nodes);
        move->link = (uint16_t)((move->link + turned * each) % m->links_count);
        turned = (turned + by) % m->nodes;
    }
}

/* Where links keep no order, messages are sorted, and a renamed message may
 * stand in another place: the place from which taking it leaves the right
 * rest. */
static uint16_t find_place(struct check_model *m,
                           const struct check_spread *run,
                           const struct check_move *move, uint32_t left)
{
    uint32_t count, place = m->link_at[move->link];

    (void)check_mails(m, run->id[place], &count);
    for (uint32_t i = 0; i < count; i++)
        if (check_changed(m, run->id[place], CHECK_MAIL_TAKE, i) == left)
            return (uint16_t)i;
    return move->place;
}

/* The run has the names `to` in place of `base`, in which the move is made. */
static void rename_move(struct check_model *m, const struct check_spread *base,
                        const struct check_spread *run, const uint16_t *to,
                        struct check_move *move)
{
    uint32_t naming = 0, place = m->link_at[move->link];
    bool takes = check_takes_mail((enum check_move_kind)move->kind);
    struct check_spread rest = *base;

    while (memcmp(m->namings[naming].to, to, m->nodes * sizeof *to) != 0)
        naming++;
    if (takes) {
        uint32_t left =
            check_changed(m, base->id[place], CHECK_MAIL_TAKE, move->place);

        check_set(&m->tree, &rest, place, left);
        check_rename(m, &rest, naming);
        move->link = (uint16_t)check_link_named(m, move->link, to);
        if (m->any_order)
            move->place =
                find_place(m, run, move, rest.id[m->link_at[move->link]]);
    }
    move->node = to[move->node];
}

static void unname(struct check_search *s)
{
    struct check_model *m = &s->model;
    struct check_result *r = s->result;
    struct check_spread base, after, run;
    uint16_t to[CHECK_NODES_MAX], was[CHECK_NODES_MAX];

    memcpy(to, m->namings[0].to, sizeof to);
    check_tree_load(&m->tree, r->first, &base);
    run = base;
    for (uint32_t i = 0; i < r->moves_count; i++) {
        uint32_t best;

        check_apply(m, &base, &r->moves[i], &after);
        rename_move(m, &base, &run, to, &r->moves[i]);
        check_apply(m, &run, &r->moves[i], &base);
        run = base;
        best = check_best_naming(m, after.id);
        check_rename(m, &after, best);
        base = after;
        memcpy(was, to, sizeof was);
        for (uint32_t n = 0; n < m->nodes; n++)
            to[n] = was[m->namings[best].from[n]];
    }
}

void check_unturn(struct check_search *s)
{
    if (!s->setup->symmetry || !s->result->moves)
        return;
    if (s->model.namings_count)
        unname(s);
    else
        unturn(s);
}
