/*
 * twin.h - whether a node can tell two networks apart by all it has seen.
 *
 * The local history of a node is what its protocol is told and what comes of
 * it: each event, with the message that is read, the state that it leads to,
 * which shows its coins, and, once it is awake, the ends of its own steps.  It
 * sees no ticks, and nothing of what others do.  Where clocks drift, only the
 * steps that a timer counts are seen.
 *
 * After a history a network can be in any of a set of states.  Two networks are
 * followed together, one history after the other, as long as both allow it, and
 * the same two sets are followed once.  So every history is compared with every
 * other, under all delays, speeds and coins of both networks.
 *
 * They are told apart if no history by which the node comes to a role, leader
 * or inside, is allowed by both: then, in that role, it knows in which it is.
 */
#ifndef CHECK_TWIN_H
#define CHECK_TWIN_H

#include "check/browse/browse.h"

struct check_twin_setup {
    struct check_browse *network[2];
    uint32_t node;    /* whose history it is, in both */
    const char *role; /* that it comes to: "leader", "inside" */
    /* Of both together, and bytes of all tables; 0: no limit. */
    uint64_t states_max, memory_max;
    atomic_bool *stop; /* or NULL */
};

/* What the node sees of a move. */
enum check_sight {
    CHECK_SEES_NOTHING,
    CHECK_SEES_STEP, /* that a step of its own ends */
    CHECK_SEES_EVENT,
};

/* A run of one of the networks, move by move. */
struct check_twin_run {
    uint32_t first, moves_count;
    uint32_t *moves, *states; /* the index of each, and the state before it */
    uint8_t *sights;          /* enum check_sight */
};

struct check_twin {
    enum check_limit limit; /* why it is not known */
    const char *refusal;    /* CHECK_REFUSED: a sentence */
    bool apart;             /* they are told apart; else the runs show it */
    bool reached;       /* the node comes to the role in the first network */
    uint64_t histories; /* that both allow, but for those that leave both
                             * networks in the same states as others */
    uint32_t seen;      /* how much is seen in the history of the runs; else in
                         * the last that was compared, a longest of these */
    uint64_t states[2]; /* of each network */
    struct check_twin_run run[2]; /* in which the node has the same history */
};

/* Compares.  What comes out is to be freed. */
void check_twin(const struct check_twin_setup *setup, struct check_twin *out);
void check_twin_free(struct check_twin *t);

#endif
