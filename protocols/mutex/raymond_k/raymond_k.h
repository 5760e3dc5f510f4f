/*
 * raymond_k.h - the types of raymond_k.c; the story is in README.md.
 */
#ifndef RAYMOND_K_H
#define RAYMOND_K_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

enum raymond_k_kind {
    RAYMOND_K_REQUEST = 1, /* its number is the request's */
    RAYMOND_K_REPLY, /* its round: the number of requests that it answers */
    RAYMOND_K_KINDS,
};

struct raymond_k {
    uint64_t number;                 /* of its own request */
    uint64_t highest;                /* seen in any request */
    uint32_t missing[FC_NODES_MAX];  /* replies that each still owes us */
    uint32_t deferred[FC_NODES_MAX]; /* and that we owe to each */
    uint32_t owing;                  /* sites that still owe us some */
    uint8_t role;                    /* enum mutex_role: idle, waits, inside */
    uint8_t unused[3];
};

struct raymond_k_params {
    uint32_t k; /* sites that may be inside together */
};

#define raymond_k_msg      fc_stamp
#define raymond_k_site     fc_member
#define raymond_k_problem  mutex
#define raymond_k_topology FC_COMPLETE
#define raymond_k_timers   0
#define raymond_k_traits   FC_MEASURED

FC_PROTOCOL(raymond_k);

#endif
