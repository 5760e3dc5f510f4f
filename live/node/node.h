/*
 * node.h - a node: its protocol and its desk, as one machine without a clock, a
 * socket or a process.  Whatever happens to it is one of the calls below, with
 * the time; its actions are appended to a list, in order.
 *
 *     wait; what happened -> a step of the protocol -> steps of the desk ->
 *     carry out; wait
 *
 * Between protocol and desk: before anything happens to the protocol, holders
 * whose deadline is over are stopped; afterwards the desk hears which locks
 * have changed, and what it commands is obeyed at once, until nothing changes
 * any more.  live/daemon/ drives it in real time, live/rehearse/ in virtual
 * time.
 */
#ifndef LIVE_NODE_H
#define LIVE_NODE_H

#include "live/desk/desk.h"
#include "live/mode/mode.h"

struct live_node {
    struct live_mode *mode;
    struct live_desk desk;
    bool over;                   /* the desk knows that the mode has ended */
    char unfit[LIVE_REASON_MAX]; /* K6: why; or "" */
    char elder[LIVE_REASON_MAX]; /* P6: the node that still runs; or "" */
    uint64_t elder_until;        /* when that will be forgotten, unless one is
                                  * heard; and so long it is kept in mind */
    uint64_t elder_for;
    bool dead; /* it is broken: nothing happens any more */
    char why[NET_WHY_SIZE];
};

/* Takes over the mode. */
void live_node_open(struct live_node *node, struct live_mode *mode,
                    uint8_t without);
void live_node_close(struct live_node *node);

/* See struct live_mode_kind. */
void live_node_boot(struct live_node *node, uint64_t now,
                    struct live_effects *out);
void live_node_take(struct live_node *node, uint32_t from, uint64_t life,
                    struct live_unread bytes, uint64_t now,
                    struct live_effects *out);
void live_node_due(struct live_node *node, uint64_t now,
                   struct live_effects *out);
void live_node_written(struct live_node *node, const struct live_kept *kept,
                       uint64_t now, struct live_effects *out);

/* R4: a change of the list is asked for; false: not now. */
bool live_node_change(struct live_node *node, const struct live_change *change,
                      uint64_t now, struct live_effects *out);

/* Something of the desk's: a client, or the time that it wanted to hear of. */
void live_node_serve(struct live_node *node, const struct live_desk_in *in,
                     struct live_effects *out);

/* K6: this clock cannot be relied on, for the reason; NULL: it can again. */
void live_node_unfit(struct live_node *node, const char *why, uint64_t now,
                     struct live_effects *out);

/* P6: a node of a lower generation runs, in these words.  This one takes no
 * part for some time, unless it has a lease: then it was there before, and the
 * other one stops.  Not in mode silence, where silence would be consent. */
void live_node_defer(struct live_node *node, const char *why, uint64_t time,
                     uint64_t now, struct live_effects *out);

/* When live_node_due() is to be called. */
uint64_t live_node_wake(const struct live_node *node);

/* The node will be stopped, and tells the others: for one that holds
 * nothing. */
void live_node_leave(struct live_node *node, uint64_t now,
                     struct live_effects *out);

#endif
