/*
 * halves.c - successors put together from two halves (see
 * check/model/expand.h).
 *
 * A state is a pair of numbers, each of one half of the network.  What the
 * nodes of a half can do depends on that half alone, because their mail is part
 * of it; only messages cross.  So for every half that occurs, what can happen
 * in it is computed once, and then the successors of a state are read off two
 * lists.  Halves are few: about the square root of the number of states.
 */
#include <stdatomic.h>

#include "check/model/expand.h"
#include "check/model/links.h"

struct check_half_state {
    uint32_t first, count; /* of its moves */
    uint32_t ticked;       /* the half after a tick */
    bool quiet, busy, open, lets_pass;
    atomic_bool known; /* all of the above */
};

struct check_half_move {
    struct check_move move;
    uint32_t number; /* the half after it */
    uint32_t crossings;
    uint16_t crossings_count;
    bool seen, odd, coin;
};

static bool room_for(struct check_model *m, struct check_half *h,
                     uint32_t number, uint32_t moves)
{
    if (number >= h->states_room) {
        uint32_t room = number + number / 4 + 64;
        struct check_half_state *list =
            check_grow(&m->memory, h->states, h->states_room * sizeof *list,
                       room * sizeof *list);

        if (!list)
            return false;
        memset(list + h->states_room, 0,
               (room - h->states_room) * sizeof *list);
        h->states = list;
        h->states_room = room;
    }
    if (h->moves_count + moves > h->moves_room) {
        uint32_t room = h->moves_room + h->moves_room / 4 + moves + 64;
        struct check_half_move *list =
            check_grow(&m->memory, h->moves, h->moves_room * sizeof *list,
                       room * sizeof *list);

        if (!list)
            return false;
        h->moves = list;
        h->moves_room = room;
    }
    return true;
}

static void keep(struct check_half *h, uint32_t number,
                 const struct check_expansion *x, uint32_t which)
{
    struct check_half_state *s = &h->states[number];

    s->first = h->moves_count;
    s->count = x->out->count;
    s->quiet = x->out->quiet;
    s->busy = x->busy;
    s->open = x->open;
    for (uint32_t i = 0; i < x->out->count; i++) {
        const struct check_next *next = &x->out->list[i];

        h->moves[h->moves_count++] = (struct check_half_move){
            .move = next->move,
            .number = (uint32_t)(next->pair >> 32 * which),
            .crossings = next->crossings,
            .crossings_count = (uint16_t)next->crossings_count,
            .seen = next->seen,
            .odd = next->odd,
            .coin = next->coin,
        };
    }
}

static void compute(struct check_model *m, uint32_t which, uint32_t number)
{
    struct check_half *h = &m->halves[which];
    struct check_spread base = {.id = {0}}, after;
    struct check_nexts out = {.quiet = true};
    struct check_expansion x = {
        .model = m,
        .base = &base,
        .out = &out,
        .half = h,
        .first_node = which ? m->left_nodes : 0,
        .last_node = which ? m->nodes : m->left_nodes,
    };
    bool lets_pass;

    check_tree_load_half(&m->tree, which, number, &base);
    check_expand_nodes(&x);
    after = base;
    lets_pass =
        m->timed && check_tick(m, &base, x.first_node, x.last_node, &after);
    if (lets_pass)
        check_tree_fold(&m->tree, &after);
    if (room_for(m, h, number, out.count) && check_sound(m)) {
        keep(h, number, &x, which);
        h->states[number].lets_pass = lets_pass;
        h->states[number].ticked =
            (uint32_t)(check_pair(&m->tree, &after) >> 32 * which);
        /* Release: a thread that sees it sees all of it; pairs with
         * is_known(). */
        atomic_store_explicit(&h->states[number].known, true,
                              memory_order_release);
    }
    check_release(&m->memory, out.list, out.room * sizeof *out.list);
}

static bool is_known(const struct check_half *h, uint32_t number)
{
    /* Acquire: the entry was written before; pairs with compute(). */
    return number < h->states_room &&
           atomic_load_explicit(&h->states[number].known, memory_order_acquire);
}

static const struct check_half_state *known(struct check_model *m,
                                            uint32_t which, uint32_t number)
{
    static const struct check_half_state nothing;

    if (!is_known(&m->halves[which], number)) {
        struct check_model *home = check_model_enter(m);

        if (!is_known(&home->halves[which], number))
            compute(home, which, number);
        check_model_leave(m);
    }
    return check_sound(m) ? &m->halves[which].states[number] : &nothing;
}

struct pushing {
    uint32_t which, number;
    const struct check_crossing *crossing;
};

static uint32_t compute_push(struct check_model *m, const void *asked)
{
    const struct pushing *p = asked;
    const struct check_crossing *c = p->crossing;
    struct check_spread s;

    check_tree_load_half(&m->tree, p->which, p->number, &s);
    check_set(&m->tree, &s, c->place,
              check_changed(m, s.id[c->place], CHECK_MAIL_PUSH, c->msg));
    check_tree_fold(&m->tree, &s);
    return (uint32_t)(check_pair(&m->tree, &s) >> 32 * p->which);
}

/* A half after a message came into it. */
static uint32_t push(struct check_model *m, uint32_t which, uint32_t number,
                     const struct check_crossing *c)
{
    uint64_t question =
        (uint64_t)number << 32 | (uint64_t)c->place << 24 | c->msg;
    const struct check_memo *pushes = &m->halves[which].pushes;
    const uint32_t *known_by = check_recall(pushes, question);

    return known_by ? *known_by
                    : check_memoised(m, pushes, question, compute_push,
                                     &(struct pushing){which, number, c});
}

static bool room_for_all(struct check_model *m, struct check_nexts *out,
                         uint32_t count)
{
    struct check_next *list;

    if (count <= out->room)
        return true;
    list = check_grow_own(&m->memory, out->list, out->room * sizeof *list,
                          2 * count * sizeof *list);
    if (!list)
        return false;
    out->list = list;
    out->room = 2 * count;
    return true;
}

static inline void put(struct check_model *m, struct check_nexts *out,
                       uint64_t pair, const struct check_half_move *move)
{
    struct check_next *next = &out->list[out->count++];

    next->pair = pair;
    next->hash = check_pair_hash(pair);
    next->move = move->move;
    next->seen = move->seen;
    next->odd = move->odd;
    next->coin = move->coin;
    check_table_prefetch(&m->tree.roots, next->hash);
}

static inline void expand_half(struct check_model *m, uint32_t which,
                               const struct check_half_state *s, uint32_t other,
                               struct check_nexts *out)
{
    const struct check_half *h = &m->halves[which];

    for (uint32_t i = 0; i < s->count; i++) {
        const struct check_half_move *move = &h->moves[s->first + i];
        uint32_t beside = other;

        for (uint32_t c = 0; c < move->crossings_count; c++)
            beside =
                push(m, !which, beside, &h->crossings[move->crossings + c]);
        put(m, out,
            which ? beside | (uint64_t)move->number << 32
                  : move->number | (uint64_t)beside << 32,
            move);
    }
}

void check_expand_halves(struct check_model *m, uint32_t state,
                         struct check_nexts *out)
{
    static const struct check_half_move tick = {.move.kind = CHECK_TICK};
    uint64_t pair = m->tree.roots.keys[state];
    uint32_t left = (uint32_t)pair, right = (uint32_t)(pair >> 32);
    const struct check_half_state *a = known(m, 0, left);
    const struct check_half_state *b = known(m, 1, right);

    if (!check_sound(m) || !room_for_all(m, out, a->count + b->count + 1))
        return;
    out->quiet = a->quiet && b->quiet;
    expand_half(m, 0, a, right, out);
    expand_half(m, 1, b, left, out);
    if (m->timed && a->lets_pass && b->lets_pass &&
        (a->busy || b->busy || a->open || b->open))
        put(m, out, a->ticked | (uint64_t)b->ticked << 32, &tick);
}

void check_halves_free(struct check_model *m)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct check_half *h = &m->halves[i];

        check_release(&m->memory, h->states,
                      h->states_room * sizeof *h->states);
        check_release(&m->memory, h->moves, h->moves_room * sizeof *h->moves);
        check_release(&m->memory, h->crossings,
                      h->crossings_room * sizeof *h->crossings);
        check_memo_free(&h->pushes, &m->memory);
    }
}
