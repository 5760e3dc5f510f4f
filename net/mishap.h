/*
 * mishap.h - the fate of one message under the faults that were asked for: the
 * same draws wherever it is sent.
 */
#ifndef NET_MISHAP_H
#define NET_MISHAP_H

#include "net/fault.h"
#include "net/random.h"

/* What becomes of one message. */
struct net_mishap {
    bool lost, copied, reordered;
    uint64_t later; /* ticks beyond its delay; beyond dmax */
    uint64_t delay; /* ticks in all; 0: nobody said */
};

/* Draws it for the counter-th message of a node. */
static inline struct net_mishap net_mishap(const struct net_faults *f,
                                           uint64_t key, uint32_t node,
                                           uint32_t counter)
{
    uint64_t a = net_draw(key, node, 2 * counter);
    uint64_t b = net_draw(key, node, 2 * counter + 1);
    struct net_mishap m = {
        .lost = (a & UINT32_MAX) < f->loss,
        .copied = a >> 32 < f->duplicate,
        .reordered = (b & UINT32_MAX) < f->reorder,
    };

    if (b >> 32 < f->late)
        m.later = 1 + net_below(net_mix(a ^ b), f->late_ticks);
    return m;
}

/* A fault of the number-th message of a node overrides chance. */
static inline void net_strike(const struct net_faults *f, fc_name name,
                              uint32_t number, struct net_mishap *m)
{
    for (uint32_t i = 0; i < f->strikes_count; i++)
        if (f->strikes[i].name == name && f->strikes[i].number == number)
            *m = (struct net_mishap){.lost = !f->strikes[i].delay,
                                     .delay = f->strikes[i].delay};
}

#endif
