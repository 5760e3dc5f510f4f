/*
 * maekawa.h - the types of maekawa.c; the story is in README.md.
 */
#ifndef MAEKAWA_H
#define MAEKAWA_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

/* Each carries the number of the request that it is about. */
enum maekawa_kind {
    MAEKAWA_REQUEST = 1,
    MAEKAWA_LOCKED,
    MAEKAWA_FAILED,     /* another is before you */
    MAEKAWA_INQUIRE,    /* can you do without my lock? */
    MAEKAWA_RELINQUISH, /* yes: take it back for now */
    MAEKAWA_RELEASE,
    MAEKAWA_KINDS,
};

struct maekawa {
    /* As a site that wants to enter. */
    uint64_t number;        /* of its own request */
    uint64_t highest;       /* seen in any request */
    struct fc_set locked;   /* members that are locked for it */
    struct fc_set failed;   /* members that said no, or were given back */
    struct fc_set inquired; /* members that asked for their lock back */

    /* As a member of others' committees. */
    uint64_t lock_number;         /* of the request it is locked for */
    uint64_t queue[FC_NODES_MAX]; /* number of each one's request, or 0 */
    uint16_t lock;                /* 1 + the site it is locked for, or 0 */
    uint8_t inquires;             /* it has asked that one */

    uint8_t role; /* enum mutex_role: idle, waits, inside */
    uint8_t unused[4];
};

enum maekawa_quorum { MAEKAWA_AUTO, MAEKAWA_GRID, MAEKAWA_PLANE };
enum maekawa_rules { MAEKAWA_SANDERS, MAEKAWA_PRINTED };

struct maekawa_params {
    uint32_t width; /* prepared: of the grid; 0: committees are lines */
    uint8_t quorum; /* enum maekawa_quorum */
    uint8_t rules;  /* enum maekawa_rules */
    uint8_t unused[2];
};

#define maekawa_msg      fc_stamp
#define maekawa_site     fc_member
#define maekawa_problem  mutex
#define maekawa_topology FC_COMPLETE
#define maekawa_timers   0
#define maekawa_traits   FC_MEASURED

/* The committee of a site, which is itself a member. */
FC_API void maekawa_committee(const struct maekawa_params *p,
                              const struct fc_member *me,
                              struct fc_set *members);

FC_PROTOCOL(maekawa);

#endif
