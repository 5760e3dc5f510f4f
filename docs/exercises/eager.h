/*
 * eager.h - the types of eager.c, for exercise 9.
 */
#ifndef EAGER_H
#define EAGER_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum eager_status {
    EAGER_ASLEEP,
    EAGER_CANDIDATE,
    EAGER_LOST,
    EAGER_LEADER,
    EAGER_DONE,
};

enum eager_kind { EAGER_TOKEN = 1, EAGER_ELECTED, EAGER_KINDS };

struct eager {
    fc_name leader; /* FC_NOBODY until it is known */
    uint8_t status; /* enum eager_status */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct eager) == 8, "flat and without padding");

#define eager_msg      fc_word
#define eager_params   fc_no_params
#define eager_site     fc_named
#define eager_problem  election
#define eager_topology FC_RING
#define eager_timers   0
#define eager_traits   FC_NO_TRAITS

FC_PROTOCOL(eager);

#endif
