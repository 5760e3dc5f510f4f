/*
 * phases.h - for ring elections in phases, each of which leaves at most half of
 * the candidates.
 */
#ifndef PHASES_H
#define PHASES_H

#include "core/fc.h"

/* How often n candidates can be halved: the logarithm, rounded down. */
static inline uint32_t phases_of(uint32_t n)
{
    return 31u - (uint32_t)__builtin_clz(n | 1u);
}

/* By when so many tours round the ring are over.  One more, since a sleeper may
 * begin N u late; and all twice, for messages that queue up. */
static inline uint64_t phases_horizon(uint64_t tours, const struct fc_world *w)
{
    uint64_t u = fc_add(w->bounds.rmax, w->bounds.dmax);

    return fc_times(fc_times(2 * (tours + 1), w->nodes), u);
}

#endif
