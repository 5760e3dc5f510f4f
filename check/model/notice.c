/*
 * notice.c - after the last crash one node is told to start (see model.h).
 *
 * Elections begin when a node notices that the leader has failed, and no
 * protocol here says how.  So the checker plays the failure detector: once, at
 * any moment after a crash, some node that is up is told.  No crash comes after
 * that.  A node that would ignore it, because it leads or is in an election
 * already, is not told; it may be later.
 */
#include "check/model/model.h"

void check_give_notice(struct check_expansion *x, uint32_t node)
{
    struct check_model *m = x->model;
    uint32_t local = x->base->id[m->local_at[node]];
    struct check_move move = {
        .kind = CHECK_COMMAND, .node = (uint16_t)node, .place = 1};

    (void)check_emit(x, move,
                     check_outcomes(m, node, local, CHECK_COMMAND, 0,
                                    check_cells(m, x->base->id)));
}

bool check_notice_is_due(const struct check_expansion *x)
{
    struct check_model *m = x->model;

    if (x->budget.notice != CHECK_NOTICE_DUE)
        return false;
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t local = x->base->id[m->local_at[i]];

        if (!(check_info_of(m, i, local)->head.flags & CHECK_DOWN) &&
            check_outcomes(m, i, local, CHECK_COMMAND, 0,
                           check_cells(m, x->base->id)) != CHECK_NO_OUTCOME)
            return true;
    }
    return false;
}
