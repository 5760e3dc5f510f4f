/*
 * near.c - the states near another (see browse.h).
 */
#include "check/browse/browsing.h"

enum { FOLDED_MAX = 1 << 12 }; /* ticks in one edge */

struct vicinity {
    struct check_browse *b;
    struct check_near *out;
    uint32_t states_max;
};

/* Whether time passes next, whatever anybody chooses. */
static bool only_waits(struct check_browse *b, uint32_t state, uint32_t *to)
{
    const uint32_t *list;
    uint32_t count;

    if (!check_browse_visit(b, state))
        return false;
    list = check_successors(b, state, &count);
    if (count != 1 || (*list & CHECK_BREAKS))
        return false;
    *to = *list;
    return check_browse_expand(b, state) &&
           b->nexts.list[0].move.kind == CHECK_TICK;
}

/* The first state from this one on in which there is a choice, or the end. */
static uint32_t fold(struct check_browse *b, uint32_t state, uint32_t *ticks)
{
    uint32_t to, began = state;

    for (*ticks = 0; *ticks < FOLDED_MAX && only_waits(b, state, &to);
         ++*ticks) {
        if (to == began)
            break;
        state = to;
    }
    return state;
}

/* The place of a state in the list, where it is added if there is room;
 * CHECK_UNSEEN if there is none. */
static uint32_t place_of(const struct vicinity *v, uint32_t state,
                         uint32_t moves, bool broken)
{
    struct check_browse *b = v->b;
    uint32_t i = 0;

    while (i < v->out->states_count && b->near_states[i].state != state)
        i++;
    if (i < v->out->states_count) {
        b->near_states[i].behind &= broken;
        return i;
    }
    if (i == v->states_max ||
        !check_make_room(&b->model.memory, &b->near_states,
                         &b->near_states_room, i, sizeof *b->near_states))
        return CHECK_UNSEEN;
    b->near_states[i] = (struct check_near_state){
        .state = state, .moves = moves, .behind = broken};
    v->out->states_count++;
    return i;
}

static bool add_edges(const struct vicinity *v, uint32_t from)
{
    struct check_browse *b = v->b;
    uint32_t state = b->near_states[from].state, count;

    (void)check_successors(b, state, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = check_successors(b, state, &count)[i], ticks = 0, place;
        bool broken = (to & CHECK_BREAKS) != 0;

        to &= ~CHECK_BREAKS;
        if (!broken)
            to = fold(b, to, &ticks);
        place = place_of(v, to, b->near_states[from].moves + 1, broken);
        if (place == CHECK_UNSEEN) {
            b->near_states[from].more = true;
            continue;
        }
        if (!check_make_room(&b->model.memory, &b->near_edges,
                             &b->near_edges_room, v->out->edges_count,
                             sizeof *b->near_edges))
            return false;
        b->near_edges[v->out->edges_count++] =
            (struct check_near_edge){from, place, i, ticks, broken};
    }
    return true;
}

bool check_browse_near(struct check_browse *b, uint32_t state, uint32_t moves,
                       uint32_t states_max, struct check_near *out)
{
    struct vicinity v = {b, out, states_max ? states_max : 1};

    *out = (struct check_near){.states_count = 0};
    b->model.memory.limit = 0;
    if (!check_browse_visit(b, state) ||
        place_of(&v, state, 0, false) == CHECK_UNSEEN)
        return check_browse_sound(b);
    for (uint32_t i = 0; i < out->states_count; i++) {
        struct check_near_state *at = &b->near_states[i];
        uint32_t count;

        if (!check_browse_visit(b, at->state))
            return false;
        (void)check_successors(b, at->state, &count);
        if (at->behind || at->moves == moves)
            at->more = count > 0;
        else if (!add_edges(&v, i))
            return check_browse_sound(b);
    }
    out->states = b->near_states;
    out->edges = b->near_edges;
    return check_browse_sound(b);
}
