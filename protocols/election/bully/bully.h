/*
 * bully.h - the types of bully.c; the story is in README.md.
 */
#ifndef BULLY_H
#define BULLY_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum bully_status {
    BULLY_IDLE,     /* follows its leader, or has never heard of one */
    BULLY_ELECTING, /* waits for answers from above */
    BULLY_WAITING,  /* was answered; waits for the coordinator's message */
    BULLY_LEADER,
};

enum bully_kind {
    BULLY_ELECTION = 1,
    BULLY_ANSWER,
    BULLY_COORDINATOR, /* its name is the coordinator's */
    BULLY_KINDS,
};

struct bully {
    fc_name leader;  /* 1 + the leader's index, or FC_NOBODY */
    uint16_t next;   /* the process that gets the next message... */
    uint8_t sending; /* ...of the kind that goes to many just now, or 0 */
    uint8_t status;  /* enum bully_status */
    uint8_t led;     /* since it booted */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct bully) == 12, "flat, without padding");

enum bully_timeout { BULLY_AUTO, BULLY_HALF, BULLY_LONG };
enum bully_restart { BULLY_ANNOUNCES, BULLY_CALLS };
enum bully_overruled { BULLY_YIELDS, BULLY_TELLS };

struct bully_params {
    uint64_t answer_steps;      /* prepared: own steps to wait for an answer */
    uint64_t coordinator_steps; /* prepared: and for the coordinator after it */
    uint8_t timeout;
    uint8_t restart;
    uint8_t overruled;
    uint32_t ties; /* number of nodes that share the highest priority */
};

#define bully_msg      fc_word
#define bully_site     fc_member
#define bully_problem  election
#define bully_topology FC_COMPLETE
#define bully_timers   1
#define bully_traits   FC_READS_ALL

/* "Nodes respond immediately": all that has arrived is read in one step. */
FC_PROTOCOL(bully);

#endif
