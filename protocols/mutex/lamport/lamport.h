/*
 * lamport.h - the types of lamport.c; the story is in README.md.
 */
#ifndef LAMPORT_H
#define LAMPORT_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

enum lamport_kind {
    LAMPORT_REQUEST = 1, /* the number of each is its sender's clock */
    LAMPORT_ACK,
    LAMPORT_RELEASE,
    LAMPORT_READ, /* a request to read beside other readers */
    LAMPORT_KINDS,
};

struct lamport {
    uint64_t clock;
    uint64_t number;              /* of its own request, or 0 */
    uint64_t told;                /* clock of the last message to all */
    uint64_t queue[FC_NODES_MAX]; /* number of each other's request, or 0 */
    struct fc_set readers;        /* whose request is to read */
    struct fc_set later;          /* sites heard from after its own request */
    uint8_t role;                 /* enum mutex_role: idle, waits, inside */
    uint8_t shared;               /* it wants to read, or reads */
    uint8_t unused[6];
};

enum lamport_acks { LAMPORT_ALWAYS, LAMPORT_SPARED };

struct lamport_params {
    uint8_t acks; /* enum lamport_acks */
};

#define lamport_msg      fc_stamp
#define lamport_site     fc_member
#define lamport_problem  mutex
#define lamport_topology FC_COMPLETE
#define lamport_timers   0
#define lamport_traits   FC_MEASURED

FC_PROTOCOL(lamport);

#endif
