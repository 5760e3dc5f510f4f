/*
 * amounts.h - what a replayed run amounts to, in the quantities of fulcrum
 * check --max.
 */
#ifndef TRACE_AMOUNTS_H
#define TRACE_AMOUNTS_H

#include "net/type.h"

/* Quantities of a problem and of a protocol. */
enum { TRACE_OWN_MAX = 8, TRACE_APART_MAX = 16 };

struct trace_own {
    bool any; /* a wait is over, or all nodes have come to something */
    uint64_t value;
    uint64_t count[NET_SCENE_MAX];   /* of each node; in its wait */
    uint64_t first[TRACE_APART_MAX]; /* FC_APART: ticks, by count */
};

/* What nodes sent; copies do not count. */
struct trace_sums {
    uint64_t messages, paper_bits;
    uint64_t kinds[FC_KINDS_MAX];
    uint64_t passes[NET_SCENE_MAX]; /* on a ring: that carry a node's name */
};

struct trace_amounts {
    struct trace_sums sums, at_goal; /* at_goal: until it was reached */
    fc_name name[NET_SCENE_MAX];     /* where nodes have names */
    uint64_t end;                    /* tick of the last event */
    uint64_t start_at;               /* the first start; or FC_NEVER */
    uint64_t goal_at; /* what the problem is about; or FC_NEVER */
    /* The greatest of all waits: ticks of those that are over; entries of all
     * others, and of one. */
    uint64_t granting, overtaken, overtaken_one;

    struct trace_own own[TRACE_OWN_MAX]; /* the problem's first */

    enum fc_phase phase[NET_SCENE_MAX];             /* of each node, now */
    uint64_t since[NET_SCENE_MAX];                  /* it waits */
    uint32_t entries[NET_SCENE_MAX][NET_SCENE_MAX]; /* of others, by node */
};

/* A node sends a message. */
void trace_amounts_send(struct trace_amounts *a, const struct net_type *type,
                        uint32_t nodes, const void *msg);

/* A node has made a step at this tick: where its application stands now. */
void trace_amounts_phase(struct trace_amounts *a, uint32_t nodes, uint32_t node,
                         enum fc_phase phase, uint64_t tick);

/* A whole step of a node: the notes of all its parts, the views and phases
 * before and after it, and the state. */
struct trace_turn {
    uint32_t node, notes;
    bool reaches; /* what the problem is about, for the first time */
    const uint8_t *before, *after;
    enum fc_phase was, is;
    const void *state;
    uint64_t tick;
};
void trace_amounts_turn(struct trace_amounts *a, const struct net_type *type,
                        uint32_t nodes, const struct trace_turn *step);

/* The i-th quantity of the problem and the protocol, or NULL. */
const struct fc_quantity *trace_own_quantity(const struct net_type *type,
                                             uint32_t i);

#endif
