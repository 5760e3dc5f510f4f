/*
 * ring_names.h - the types of ring_names.c; the story is in README.md.
 */
#ifndef RING_NAMES_H
#define RING_NAMES_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum ring_names_kind { RING_NAMES_NUMBER = 1, RING_NAMES_KINDS };

struct ring_names {
    fc_name name;  /* that it was given; FC_NOBODY: none yet */
    uint8_t begun; /* the leader has sent the first number */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct ring_names) == 8, "flat, without padding");

#define ring_names_msg      fc_word
#define ring_names_params   fc_no_params
#define ring_names_site     fc_marked
#define ring_names_problem  election
#define ring_names_topology FC_RING
#define ring_names_timers   0
#define ring_names_traits   FC_NO_TRAITS

FC_PROTOCOL(ring_names);

#endif
