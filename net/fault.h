/*
 * fault.h - fault injection, by schedule and by chance.
 *
 * Messages are lost, duplicated, overtake others or come later than dmax; nodes
 * crash, come back with or without their memory, pause longer than rmax, or are
 * cut off from the others for a while.  Chance is drawn from the seed: the same
 * seed makes the same faults.
 */
#ifndef NET_FAULT_H
#define NET_FAULT_H

#include "net/net.h"

struct net_fault {
    enum net_fault_kind kind;
    union {
        fc_name name;  /* in a setup: a name; 1 + index where there is none */
        uint32_t node; /* in a run */
    };
    uint64_t tick;
    uint64_t ticks; /* NET_FAULT_PAUSE: how long; NET_FAULT_CHANGE: which of
                     * the lists that are planned, from 0 */
};

/* What becomes of one message: the number-th that a node sends, from 1. */
struct net_strike {
    fc_name name; /* as in struct net_fault */
    uint32_t number;
    uint64_t delay; /* ticks, whatever the bounds; 0: it is lost */
};

/* A chance in 2^32nds. */
typedef uint64_t net_chance;

struct net_faults {
    const struct net_fault *list; /* by schedule, sorted by name */
    uint32_t count;
    const struct net_strike *strikes;
    uint32_t strikes_count;
    net_chance loss, duplicate, reorder, late;
    uint64_t late_ticks; /* how much later than dmax at most */
    uint32_t crashes; /* number of nodes that crash at random and come back */
    bool blank;       /* without their memory */
};

/* Whether any fault can occur. */
static inline bool net_faults_any(const struct net_faults *f)
{
    return f->count || f->strikes_count || f->crashes || f->loss ||
           f->duplicate || f->reorder || f->late;
}

#endif
