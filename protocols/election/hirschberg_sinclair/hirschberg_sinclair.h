/*
 * hirschberg_sinclair.h - the types of hirschberg_sinclair.c; the story is in
 * README.md.
 */
#ifndef HIRSCHBERG_SINCLAIR_H
#define HIRSCHBERG_SINCLAIR_H

#include "core/fc.h"
#include "core/wire.h"
#include "problems/election.h"

enum hirschberg_sinclair_status {
    HIRSCHBERG_SINCLAIR_ASLEEP,
    HIRSCHBERG_SINCLAIR_RELAY, /* never ran: has no name to compare */
    HIRSCHBERG_SINCLAIR_CANDIDATE,
    HIRSCHBERG_SINCLAIR_LOST,
    HIRSCHBERG_SINCLAIR_LEADER,
};

enum hirschberg_sinclair_kind {
    HIRSCHBERG_SINCLAIR_PROBE = 1,
    HIRSCHBERG_SINCLAIR_OK,
    HIRSCHBERG_SINCLAIR_NO,
    HIRSCHBERG_SINCLAIR_ELECTED,
    HIRSCHBERG_SINCLAIR_KINDS,
};

/* As far as a probe can be sent: farther than any ring is long. */
#define HIRSCHBERG_SINCLAIR_FAR (UINT32_C(1) << FC_NAME_BITS)

struct hirschberg_sinclair {
    uint32_t reach; /* hops that the probes of this round may make */
    fc_name leader; /* or FC_NOBODY */
    uint8_t status; /* enum hirschberg_sinclair_status */
    uint8_t heard;  /* replies in this round */
    uint8_t refused;
    uint8_t unused;
};
_Static_assert(sizeof(struct hirschberg_sinclair) == 12,
               "flat, without padding");

struct hirschberg_sinclair_params {
    uint8_t announce;
    uint8_t silent; /* a probe that fails is not answered */
};

struct hirschberg_sinclair_msg {
    fc_name name;  /* whose probe, or the leader */
    uint32_t left; /* probes: hops it may make, the one to the reader included;
                    * others: 0 */
    uint8_t kind;  /* enum hirschberg_sinclair_kind */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct hirschberg_sinclair_msg) == 12,
               "flat, without padding");
enum { hirschberg_sinclair_msg_wire = 1 + 4 + 4 };

#define hirschberg_sinclair_site     fc_named
#define hirschberg_sinclair_problem  election
#define hirschberg_sinclair_topology FC_RING_BOTH
#define hirschberg_sinclair_timers   0
#define hirschberg_sinclair_traits   FC_MEASURED

FC_PROTOCOL(hirschberg_sinclair);

#endif
