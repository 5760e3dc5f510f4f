/*
 * central.h - the types of central.c; the story is in README.md.
 */
#ifndef CENTRAL_H
#define CENTRAL_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

enum central_kind {
    CENTRAL_REQUEST = 1,
    CENTRAL_GRANT, /* its number counts the grants */
    CENTRAL_RELEASE,
    CENTRAL_KINDS,
};

/* Only the coordinator knows which sites are inside and which wait. */
struct central {
    uint64_t number;              /* of the grant under which it is inside */
    uint64_t grants;              /* that the coordinator gave so far */
    uint16_t queue[FC_NODES_MAX]; /* sites that wait, the first one first */
    uint16_t waiting;             /* how many wait */
    uint16_t holder;              /* 1 + the site that is inside, or 0 */
    uint8_t role;                 /* enum mutex_role: idle, waits, inside */
    uint8_t unused[3];
};

enum central_coordinator { CENTRAL_FIRST, CENTRAL_NONE };

struct central_params {
    uint8_t coordinator; /* enum central_coordinator */
};

#define central_msg      fc_stamp
#define central_site     fc_member
#define central_problem  mutex
#define central_topology FC_COMPLETE
#define central_timers   0
#define central_traits   (FC_SYMMETRIC | FC_MEASURED)

FC_PROTOCOL(central);
FC_RELABELS(central);

#endif
