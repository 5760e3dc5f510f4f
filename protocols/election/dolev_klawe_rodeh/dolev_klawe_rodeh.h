/*
 * dolev_klawe_rodeh.h - the types of dolev_klawe_rodeh.c; the story is in
 * README.md.
 */
#ifndef DOLEV_KLAWE_RODEH_H
#define DOLEV_KLAWE_RODEH_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum dolev_klawe_rodeh_status {
    DOLEV_KLAWE_RODEH_ASLEEP,
    DOLEV_KLAWE_RODEH_PASSIVE,
    DOLEV_KLAWE_RODEH_ACTIVE,
    DOLEV_KLAWE_RODEH_LAST, /* the only active one; announces */
    DOLEV_KLAWE_RODEH_LEADER,
};

enum dolev_klawe_rodeh_kind {
    DOLEV_KLAWE_RODEH_M1 = 1, /* a name, to the next active node */
    DOLEV_KLAWE_RODEH_M2,     /* the same name, to the one after that */
    DOLEV_KLAWE_RODEH_ELECTED,
    DOLEV_KLAWE_RODEH_KINDS,
};

struct dolev_klawe_rodeh {
    fc_name max;    /* the name it stands for; the leader's, once told */
    fc_name left;   /* the name that came last by an M1 */
    uint8_t status; /* enum dolev_klawe_rodeh_status */
    uint8_t told;   /* knows the leader */
    uint16_t unused;
};
_Static_assert(sizeof(struct dolev_klawe_rodeh) == 12, "flat, without padding");

struct dolev_klawe_rodeh_params {
    uint8_t announce;
};

#define dolev_klawe_rodeh_msg      fc_word
#define dolev_klawe_rodeh_site     fc_named
#define dolev_klawe_rodeh_problem  election
#define dolev_klawe_rodeh_topology FC_RING
#define dolev_klawe_rodeh_timers   0
#define dolev_klawe_rodeh_traits   FC_MEASURED

FC_PROTOCOL(dolev_klawe_rodeh);

#endif
