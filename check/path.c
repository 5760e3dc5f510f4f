/*
 * path.c - the shortest way to a state (see explore.h).
 *
 * Nothing was kept for it but where each depth begins: a state's predecessor is
 * the first state one level up that has it as a successor, and is found by
 * looking at that level once more.  That costs at most another search, and only
 * when there is something to show; keeping it would cost every search.
 */
#include <stdlib.h>

#include "check/explore.h"

/* The level of a state. */
static uint32_t depth_of(const struct check_search *s, uint32_t state)
{
    uint32_t depth = s->levels_count - 1;

    while (s->levels[depth] > state)
        depth--;
    return depth;
}

/* Finds a predecessor in the level above; false if that failed. */
static bool find_before(struct check_search *s, uint32_t depth, uint32_t *state,
                        struct check_move *move)
{
    uint64_t wanted = s->model.tree.roots.keys[*state];

    for (uint32_t b = s->levels[depth - 1]; b < s->levels[depth]; b++) {
        if (!check_visit(s, b))
            return false;
        for (uint32_t i = 0; i < s->nexts.count; i++)
            if (s->nexts.list[i].pair == wanted) {
                *move = s->nexts.list[i].move;
                *state = b;
                return true;
            }
    }
    return false;
}

bool check_path(struct check_search *s, uint32_t state, uint32_t more)
{
    struct check_result *r = s->result;
    uint32_t depth = depth_of(s, state);

    /* What comes now need not fit any more limits. */
    s->model.memory.limit = 0;
    s->model.memory.failed = false;
    r->moves = calloc(depth + more + 1, sizeof *r->moves);
    if (!r->moves)
        return false;
    r->moves_count = depth;
    r->first = state;
    for (; depth > 0; depth--) {
        if (!find_before(s, depth, &r->first, &r->moves[depth - 1])) {
            r->moves_count = 0;
            return false;
        }
    }
    return true;
}

void check_unturn(struct check_search *s)
{
    struct check_model *m = &s->model;
    struct check_result *r = s->result;
    struct check_spread base, after;
    uint32_t turned = 0, each = m->links_count / m->nodes;

    if (!s->setup->symmetry || !r->moves)
        return;
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
