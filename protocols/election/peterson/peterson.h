/*
 * peterson.h - the types of peterson.c; the story is in README.md.
 */
#ifndef PETERSON_H
#define PETERSON_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum peterson_status {
    PETERSON_ASLEEP,
    PETERSON_RELAY,  /* out of the race, or never in it */
    PETERSON_FIRST,  /* active, waits for the name of the active one before */
    PETERSON_SECOND, /* active, waits for what that one has heard */
    PETERSON_ALONE,  /* the only active one; announces */
    PETERSON_LEADER,
};

enum peterson_kind {
    PETERSON_TID = 1,
    PETERSON_ELECTED,
    PETERSON_KINDS,
};

struct peterson {
    fc_name tid;    /* temporary name; the leader's, once told */
    fc_name ntid;   /* the active node before, in the second half */
    uint8_t status; /* enum peterson_status */
    uint8_t told;   /* knows the leader */
    uint16_t unused;
};
_Static_assert(sizeof(struct peterson) == 12, "flat, without padding");

/* Which node finds out that it is over. */
enum peterson_test { PETERSON_TEST_ALONE, PETERSON_TEST_NAME };

struct peterson_params {
    uint8_t announce;
    uint8_t test; /* enum peterson_test */
};

#define peterson_msg      fc_word
#define peterson_site     fc_named
#define peterson_problem  election
#define peterson_topology FC_RING
#define peterson_timers   0
#define peterson_traits   FC_MEASURED

FC_PROTOCOL(peterson);

#endif
