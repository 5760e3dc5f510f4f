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

/* The tick by which `tours` round the ring are over.  One more, since a sleeper
 * may begin N u late; and all of that twice, because messages queue up. */
static inline uint64_t phases_horizon(uint64_t tours, const struct fc_world *w)
{
    return fc_times(fc_times(2 * (tours + 1), w->nodes), fc_hop(w));
}

/* fc_protocol.horizon of those on rings of one direction.  Each link carries
 * two messages per phase, one to find out and one to announce.  A chain of
 * messages that cause each other goes round once for each of them at most. */
static inline uint64_t phases_of_two_horizon(const void *params,
                                             const struct fc_world *w)
{
    (void)params;
    return phases_horizon(2 * (uint64_t)phases_of(w->nodes) + 2, w);
}

/* Their bound on messages: two on each link in each phase, and this many tours
 * to find out, which the formulas with and without an announcement name. */
static inline uint32_t phases_claims(const struct fc_world *w, bool announce,
                                     uint32_t tours, const char *with,
                                     const char *without,
                                     struct fc_claim out[FC_CLAIMS_MAX])
{
    double n = (double)w->nodes, phases = (double)phases_of(w->initiators);

    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                               2 * n * phases + (tours + announce) * n,
                               announce ? with : without};
    return 1;
}

#endif
