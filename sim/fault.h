/*
 * fault.h - fault injection, by schedule and by chance.
 *
 * Messages are lost, duplicated, overtake others or come later than dmax; nodes
 * crash, come back with or without their memory, pause longer than rmax, or are
 * cut off from the others for a while.  Chance is drawn from the seed: the same
 * seed makes the same faults.
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include "net/names.h"
#include "net/random.h"
#include "sim/sim.h"

/* Whether any fault can occur. */
static inline bool sim_faults_any(const struct sim_faults *f)
{
    return f->count || f->strikes_count || f->crashes || f->loss ||
           f->duplicate || f->reorder || f->late;
}

/* The scheduled and drawn faults of one run, by node.  NULL with *count 0:
 * none.  Sets *failed if there is no memory. */
const struct sim_fault *sim_faults_begin(const struct sim_setup *setup,
                                         const struct net_names *names,
                                         uint64_t seed,
                                         struct net_memory *memory,
                                         uint32_t *count, bool *failed);

/* What becomes of one message. */
struct sim_mishap {
    bool lost, copied, reordered;
    uint64_t later; /* ticks beyond its delay; beyond dmax */
    uint64_t delay; /* ticks in all; 0: nobody said */
};

/* Draws it for the counter-th message of a node. */
static inline struct sim_mishap sim_mishap(const struct sim_faults *f,
                                           uint64_t key, uint32_t node,
                                           uint32_t counter)
{
    uint64_t a = net_draw(key, node, 2 * counter);
    uint64_t b = net_draw(key, node, 2 * counter + 1);
    struct sim_mishap m = {
        .lost = (a & UINT32_MAX) < f->loss,
        .copied = a >> 32 < f->duplicate,
        .reordered = (b & UINT32_MAX) < f->reorder,
    };

    if (b >> 32 < f->late)
        m.later = 1 + net_below(net_mix(a ^ b), f->late_ticks);
    return m;
}

/* What was said of the number-th message of a node goes before chance. */
static inline void sim_strike(const struct sim_faults *f, fc_name name,
                              uint32_t number, struct sim_mishap *m)
{
    for (uint32_t i = 0; i < f->strikes_count; i++)
        if (f->strikes[i].name == name && f->strikes[i].number == number)
            *m = (struct sim_mishap){.lost = !f->strikes[i].delay,
                                     .delay = f->strikes[i].delay};
}

#endif
