/*
 * franklin.h - the types of franklin.c; the story is in README.md.
 */
#ifndef FRANKLIN_H
#define FRANKLIN_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum franklin_status {
    FRANKLIN_ASLEEP,
    FRANKLIN_RELAY, /* out of the race, or never in it */
    FRANKLIN_ACTIVE,
    FRANKLIN_LEADER,
};

enum franklin_kind {
    FRANKLIN_NAME = 1,
    FRANKLIN_ELECTED,
    FRANKLIN_KINDS,
};

struct franklin {
    fc_name got[2]; /* by port: what came in this round */
    fc_name ahead;  /* came for the next round, where this one's is already */
    fc_name leader; /* or FC_NOBODY */
    uint32_t status;
};
_Static_assert(sizeof(struct franklin) == 20, "flat, without padding");

struct franklin_params {
    uint8_t announce;
};

#define franklin_msg      fc_word
#define franklin_site     fc_named
#define franklin_problem  election
#define franklin_topology FC_RING_BOTH
#define franklin_timers   0
#define franklin_traits   FC_MEASURED

FC_PROTOCOL(franklin);

#endif
