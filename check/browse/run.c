/*
 * run.c - runs by hand (see browse.h).
 */
#include <stdlib.h>

#include "check/browse/browsing.h"
#include "check/search/explore.h"
#include "check/tell/listen.h"

static const char no_run[] = "there is no such run: it begins or goes on with "
                             "a move that is not possible";

/* Goes one move on; the move itself is noted if it is asked for. */
static bool go_on(struct check_browse *b, uint32_t *state, uint32_t index,
                  struct check_move *move)
{
    uint32_t count;

    if (!check_browse_visit(b, *state))
        return false;
    (void)check_successors(b, *state, &count);
    if (index >= count) {
        b->why = no_run;
        return false;
    }
    if (move) {
        if (!check_browse_expand(b, *state))
            return false;
        *move = b->nexts.list[index].move;
    }
    *state = check_successors(b, *state, &count)[index] & ~CHECK_BREAKS;
    return true;
}

static bool follow(struct check_browse *b, const struct check_run_by_hand *run,
                   uint32_t *end, uint32_t *states, struct check_move *moves)
{
    b->model.memory.limit = 0;
    *end = run->first;
    if (run->first >= b->initial) {
        b->why = no_run;
        return false;
    }
    for (uint32_t i = 0; i < run->moves_count; i++) {
        if (!go_on(b, end, run->moves[i], moves ? &moves[i] : NULL))
            return false;
        if (states)
            states[i] = *end;
    }
    return check_browse_visit(b, *end);
}

bool check_browse_follow(struct check_browse *b,
                         const struct check_run_by_hand *run, uint32_t *end,
                         uint32_t *states)
{
    return follow(b, run, end, states, NULL);
}

bool check_browse_trace(struct check_browse *b,
                        const struct check_run_by_hand *run,
                        struct trace_listener *trace)
{
    struct check_result told = {
        .moves = calloc(run->moves_count + 1u, sizeof *told.moves),
        .moves_count = run->moves_count,
        .first = run->first,
    };
    bool written = false;
    uint32_t end;

    if (!told.moves)
        b->why = "no memory for the run";
    if (told.moves && follow(b, run, &end, NULL, told.moves)) {
        told.at_end = b->edges.list[b->at[end]] & CHECK_QUIET;
        if (told.at_end)
            told.broken = check_broken_at_end(&b->model, end);
        written = check_trace_in(&b->model, &told, trace);
        if (!written)
            b->why = "no memory to write the run";
    }
    free(told.moves);
    return written;
}
