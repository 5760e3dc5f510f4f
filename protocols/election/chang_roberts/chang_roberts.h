/*
 * chang_roberts.h - the types of chang_roberts.c; the story is in README.md.
 */
#ifndef CHANG_ROBERTS_H
#define CHANG_ROBERTS_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum chang_roberts_status {
    CHANG_ROBERTS_ASLEEP,
    CHANG_ROBERTS_RELAY, /* woken by a token: lost from the start */
    CHANG_ROBERTS_CANDIDATE,
    CHANG_ROBERTS_LOST,
    CHANG_ROBERTS_LEADER,
};

enum chang_roberts_kind {
    CHANG_ROBERTS_TOKEN = 1,
    CHANG_ROBERTS_ELECTED,
    CHANG_ROBERTS_KINDS,
};

struct chang_roberts {
    fc_name least;  /* of the names seen; the leader's, once told */
    uint8_t status; /* enum chang_roberts_status */
    uint8_t told;   /* the elected message was here */
    uint16_t unused;
};
_Static_assert(sizeof(struct chang_roberts) == 8, "flat, without padding");

/* What the lecture's prose and code leave open, a switch each. */
enum chang_roberts_drop { CHANG_ROBERTS_LARGER, CHANG_ROBERTS_SMALLER };
enum chang_roberts_compare { CHANG_ROBERTS_OWN, CHANG_ROBERTS_LEAST };
enum chang_roberts_loser {
    CHANG_ROBERTS_FILTERS,
    CHANG_ROBERTS_FORWARDS,
    CHANG_ROBERTS_STOPS,
};
enum chang_roberts_relays {
    CHANG_ROBERTS_RELAY_ALL,
    CHANG_ROBERTS_RELAY_OWN,
    CHANG_ROBERTS_RELAY_LEAST,
};

struct chang_roberts_params {
    uint8_t announce;
    uint8_t drop;
    uint8_t compare;
    uint8_t loser;
    uint8_t relays;
};

#define chang_roberts_msg      fc_word
#define chang_roberts_site     fc_named
#define chang_roberts_problem  election
#define chang_roberts_topology FC_RING
#define chang_roberts_timers   0
#define chang_roberts_traits   FC_NO_TRAITS

FC_PROTOCOL(chang_roberts);

#endif
