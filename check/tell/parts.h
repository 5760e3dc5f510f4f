/*
 * parts.h - the step behind a move, part by part: what the protocol is asked,
 * and by which choices it comes to the outcome that the move names.
 */
#ifndef CHECK_PARTS_H
#define CHECK_PARTS_H

#include "check/model/model.h"
#include "check/tell/telling.h"

/* A step that is about to be made. */
struct check_making {
    struct check_model *model;
    struct net_place place;
    struct fc_event event;
    const void *msg; /* that is read, or NULL */
    _Alignas(8) uint8_t local[CHECK_LOCAL_MAX];
    uint32_t cells[CHECK_CELLS_MAX]; /* as they are before it */
};

static inline uint8_t *check_making_state(struct check_making *w)
{
    return w->local + sizeof(struct check_head);
}

/* Prepares the step of a move that asks the protocol, in this state. */
void check_making_begin(struct check_making *w, struct check_model *m,
                        const uint32_t *vector, const struct check_move *move,
                        const void *msg);

/* Goes through the choices of the step in the order of the search until it
 * reaches the outcome `branch`.  Fills the parts that lead there, without their
 * letters, and returns their number; 0: there is no such outcome. */
uint32_t check_find_parts(const struct check_making *w, uint32_t branch,
                          struct trace_part part[CHECK_PARTS_MAX]);

#endif
