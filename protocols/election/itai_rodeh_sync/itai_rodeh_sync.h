/*
 * itai_rodeh_sync.h - the types of itai_rodeh_sync.c; the story is in
 * README.md.
 */
#ifndef ITAI_RODEH_SYNC_H
#define ITAI_RODEH_SYNC_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum itai_rodeh_sync_status {
    ITAI_RODEH_SYNC_ASLEEP,
    ITAI_RODEH_SYNC_ACTIVE,    /* it may be elected */
    ITAI_RODEH_SYNC_CANDIDATE, /* active, and drew so in this phase */
    ITAI_RODEH_SYNC_PASSIVE,
    ITAI_RODEH_SYNC_LEADER,
    ITAI_RODEH_SYNC_DONE,
};

enum itai_rodeh_sync_kind {
    ITAI_RODEH_SYNC_PEBBLE = 1,
    ITAI_RODEH_SYNC_WAKEUP, /* with start=any */
    ITAI_RODEH_SYNC_KINDS,
};

struct itai_rodeh_sync {
    uint32_t active;  /* the number of active nodes, known to all */
    uint32_t pebbles; /* read in this phase */
    uint8_t status;   /* enum itai_rodeh_sync_status */
    uint8_t back;     /* its own pebble is back */
    uint8_t last;     /* the next step is that in which its own comes back */
    uint8_t pause;    /* the phase has yet to begin, in the next step */
};
_Static_assert(sizeof(struct itai_rodeh_sync) == 12, "flat, without padding");

enum itai_rodeh_sync_start {
    ITAI_RODEH_SYNC_ANY,
    ITAI_RODEH_SYNC_TOGETHER,
};

struct itai_rodeh_sync_params {
    uint64_t lap;  /* steps that a pebble takes to go round */
    uint8_t start; /* enum itai_rodeh_sync_start */
    uint8_t unused[7];
};

#define itai_rodeh_sync_msg      fc_word
#define itai_rodeh_sync_site     fc_anonymous
#define itai_rodeh_sync_problem  election
#define itai_rodeh_sync_topology FC_RING
#define itai_rodeh_sync_timers   1
#define itai_rodeh_sync_traits   (FC_MEASURED | FC_READS_ALL)

FC_PROTOCOL(itai_rodeh_sync);

#endif
