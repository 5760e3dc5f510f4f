/*
 * chang_roberts_max.h - the types of chang_roberts_max.c; the story is in
 * README.md.
 */
#ifndef CHANG_ROBERTS_MAX_H
#define CHANG_ROBERTS_MAX_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum chang_roberts_max_status {
    CHANG_ROBERTS_MAX_IDLE,      /* not a participant, knows no leader */
    CHANG_ROBERTS_MAX_CANDIDATE, /* participant, its name is in flight */
    CHANG_ROBERTS_MAX_LOST,      /* participant, a greater name went by */
    CHANG_ROBERTS_MAX_LEADER,    /* coordinator, no longer a participant */
    CHANG_ROBERTS_MAX_DONE,      /* was told, no longer a participant */
};

enum chang_roberts_max_kind {
    CHANG_ROBERTS_MAX_ELECTION = 1,
    CHANG_ROBERTS_MAX_ELECTED,
    CHANG_ROBERTS_MAX_KINDS,
};

struct chang_roberts_max {
    fc_name leader; /* FC_NOBODY until told */
    uint8_t status; /* enum chang_roberts_max_status */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct chang_roberts_max) == 8, "flat, no padding");

struct chang_roberts_max_params {
    uint8_t forwards; /* the coordinator passes its own elected on */
};

#define chang_roberts_max_msg      fc_word
#define chang_roberts_max_site     fc_named
#define chang_roberts_max_problem  election
#define chang_roberts_max_topology FC_RING
#define chang_roberts_max_timers   0
#define chang_roberts_max_traits   FC_NO_TRAITS

FC_PROTOCOL(chang_roberts_max);

#endif
