/*
 * lelann.h - the types of lelann.c; the story is in README.md.
 */
#ifndef LELANN_H
#define LELANN_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum lelann_status {
    LELANN_ASLEEP,
    LELANN_RELAY, /* woken by a token: lost from the start */
    LELANN_CANDIDATE,
    LELANN_LOST,
    LELANN_LEADER,
};

enum lelann_kind { LELANN_TOKEN = 1, LELANN_ELECTED, LELANN_KINDS };

struct lelann {
    fc_name least;  /* of the names seen; the leader's, once told */
    uint8_t status; /* enum lelann_status */
    uint8_t told;   /* the elected message was here, or will be: it leads */
    uint8_t closed; /* again=told: a leader's elected message is back */
    uint8_t unused;
};
_Static_assert(sizeof(struct lelann) == 8, "flat and without padding");

/* When a node that has taken part starts another election. */
enum lelann_again { LELANN_NEVER, LELANN_TOLD, LELANN_EARLY };

struct lelann_params {
    uint8_t announce;
    uint8_t again;
};

#define lelann_msg      fc_word
#define lelann_site     fc_named
#define lelann_problem  election
#define lelann_topology FC_RING
#define lelann_timers   0
#define lelann_traits   FC_NO_TRAITS

FC_PROTOCOL(lelann);

#endif
