/*
 * node.h - a node of view-lock on a bus: clock, record, guard, and the repair
 * of a record that was lost.
 */
#ifndef BUS_NODE_H
#define BUS_NODE_H

#include "core/counter.h"
#include "core/set.h"
#include "frames.h"
#include "record.h"

/* What a letter is: its first byte; then receivers, a bit each. */
enum {
    BUS_MESSAGE = 1, /* of view-lock; behind a frame, its echo of each */
    BUS_ASK,         /* a question of a stranger, with its number */
    BUS_TELL,        /* that number; the highest view voted for; the latest life
                      * of the stranger that was met */
    BUS_LETTER_HEAD = 3,
    BUS_ASK_SIZE = BUS_LETTER_HEAD + 4,
    BUS_TELL_SIZE = BUS_LETTER_HEAD + 12,
};

enum bus_standing {
    BUS_STRANGER, /* has lost its record, and asks all others */
    BUS_MEMBER,   /* takes part */
    BUS_BROKEN, /* its flash or its state is bad: holds nothing, says nothing */
};

/* A message and whom it is for.  What differs between them, the echoes of a
 * frame, is apart: so a frame to all others is one letter. */
struct bus_outgoing {
    struct view_lock_msg msg;
    uint16_t to; /* 0: none */
    uint64_t echo_inc[VIEW_LOCK_NODES], echo_stamp[VIEW_LOCK_NODES];
};

struct bus_node {
    struct board *board;
    struct view_lock state;
    struct view_lock_params params;
    struct fc_member me;
    struct fc_counter clock;
    uint64_t now;
    uint64_t due;  /* of the timer, or FC_NEVER */
    uint64_t held; /* the token for which the actuator is on, or 0 */
    struct view_lock_out out;
    struct bus_outgoing outgoing;
    struct bus_inbox inbox[VIEW_LOCK_NODES];
    struct bus_record record;
    enum bus_standing standing;
    const char *broken; /* why */
    uint8_t number;     /* of the last letter */

    /* A stranger: what it was told */
    uint32_t question;
    uint16_t lacking;
    struct view_lock_record told;
    uint64_t again_at, done_at;
};

/* A new board, once in its life, before it is wired to others: without this a
 * board with empty flash is one that has lost its record. */
bool bus_node_begin_flash(struct board *b);

/* After each start, with the node's memory zero.  The parameters are the same
 * on all boards. */
void bus_node_start(struct bus_node *n, struct board *b, struct fc_member me,
                    const struct view_lock_params *params);

/* In the main loop: first every frame that has come, then the clock. */
void bus_node_take(struct bus_node *n, uint32_t from, const uint8_t *frame,
                   size_t size);
void bus_node_run(struct bus_node *n);

/* The application.  It holds while the actuator is on, not before. */
void bus_node_want(struct bus_node *n);
void bus_node_leave(struct bus_node *n);

#endif
