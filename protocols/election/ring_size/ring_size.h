/*
 * ring_size.h - the types of ring_size.c; the story is in README.md.
 */
#ifndef RING_SIZE_H
#define RING_SIZE_H

#include "protocols/election/vitanyi/vitanyi_linked.h"

struct ring_size {
    struct vitanyi election;
    uint32_t size;     /* N, as the winner computed it; or 0 */
    uint32_t counting; /* its own steps, since M_l left or came back */
    uint64_t steps;    /* counted so far */
    uint64_t tour;     /* A: steps that M_l took to come back; or 0 */
};
_Static_assert(sizeof(struct ring_size) == 32, "flat and without padding");

/* Messages and parameters come from the election. */
#define ring_size_msg      fc_word
#define ring_size_site     fc_named
#define ring_size_problem  election
#define ring_size_topology FC_RING
#define ring_size_timers   2
#define ring_size_traits   FC_NAME_ONCE
#define ring_size_params   vitanyi_params
#define ring_size_in       vitanyi_in
#define ring_size_out      vitanyi_out

FC_FUNCTIONS(ring_size);

#endif
