/*
 * step.h - what an event does to a local state (step.c).
 */
#ifndef CHECK_STEP_H
#define CHECK_STEP_H

#include "check/model/model.h"

struct check_send {
    uint32_t port, msg;
};

/* One way an event can go; there are several if coins fall. */
struct check_outcome {
    uint32_t local;
    uint32_t sends; /* the first of them */
    uint32_t odds;  /* with probability 1/odds it goes this way */
    uint32_t cells; /* number of the contents of the shared cells */
    uint16_t sends_count;
    bool last;       /* of the ways */
    bool seen;       /* others see a change, or a return */
    bool obeyed;     /* a command */
    bool odd;        /* the change breaks something whatever the others do */
    uint8_t counted; /* notes of the protocol's own, from bit 0 on */
    bool hit;        /* its first draw came out as given... */
    uint32_t
        range; /* ...out of this number; 0: no first draw, or no condition */
};
#define CHECK_NO_OUTCOME UINT32_MAX

/* The outcomes of an event at a node, or CHECK_NO_OUTCOME.  `what` is the
 * command, the timer, or the port by which it comes; `msg` the message that is
 * read, or else the contents of the shared cells. */
static inline uint64_t check_step_question(uint32_t local,
                                           enum check_move_kind kind,
                                           uint32_t what, uint32_t msg)
{
    return (uint64_t)local << 36 | (uint64_t)kind << 32 | (uint64_t)what << 24 |
           msg;
}

uint32_t check_compute_step(struct check_model *m, uint32_t node,
                            uint32_t local, enum check_move_kind kind,
                            uint32_t what, uint32_t msg);

static inline uint32_t check_outcomes(struct check_model *m, uint32_t node,
                                      uint32_t local, enum check_move_kind kind,
                                      uint32_t what, uint32_t msg)
{
    const uint32_t *known =
        check_recall(&check_locals_of(m, node)->steps,
                     check_step_question(local, kind, what, msg));

    return known ? *known : check_compute_step(m, node, local, kind, what, msg);
}

/* Makes a local state ready for an event, as the driver does before the
 * protocol sees it, and returns the event; its clock is the head's. */
struct fc_event check_prepare(const struct check_model *m, uint8_t *local,
                              enum check_move_kind kind, uint32_t what);

/* The local state a tick later (see timed.c). */
uint32_t check_grown_older(struct check_model *m, uint32_t node, uint32_t local,
                           bool may_end);

#endif
