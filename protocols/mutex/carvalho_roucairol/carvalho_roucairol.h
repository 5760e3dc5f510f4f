/*
 * carvalho_roucairol.h - the types of carvalho_roucairol.c; the story is in
 * README.md.
 */
#ifndef CARVALHO_ROUCAIROL_H
#define CARVALHO_ROUCAIROL_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

enum carvalho_roucairol_kind {
    CARVALHO_ROUCAIROL_REQUEST = 1, /* its number is the request's */
    CARVALHO_ROUCAIROL_REPLY,
    CARVALHO_ROUCAIROL_READ, /* a request to read beside other readers */
    CARVALHO_ROUCAIROL_LOAN, /* a reply to a reader, for one entry */
    CARVALHO_ROUCAIROL_KINDS,
};

struct carvalho_roucairol {
    uint64_t number;         /* of its own request */
    uint64_t highest;        /* seen in any request, its own included */
    struct fc_set permitted; /* whose permission it has */
    struct fc_set lent;      /* whose permission ends when it leaves */
    struct fc_set deferred;  /* sites that wait for ours */
    uint8_t role;            /* enum mutex_role: idle, waits, inside */
    uint8_t shared;          /* it wants to read, or reads */
    uint8_t unused[6];
};

enum carvalho_roucairol_readers {
    CARVALHO_ROUCAIROL_LENDS, /* a permission to each other, for one entry */
    CARVALHO_ROUCAIROL_GIVES, /* as any other: the rule to the letter */
};

struct carvalho_roucairol_params {
    struct fc_either writers; /* sites that write; word 0: each request says */
    uint8_t readers;          /* enum carvalho_roucairol_readers */
    uint8_t unused[3];
};

#define carvalho_roucairol_msg      fc_stamp
#define carvalho_roucairol_site     fc_member
#define carvalho_roucairol_problem  mutex
#define carvalho_roucairol_topology FC_COMPLETE
#define carvalho_roucairol_timers   0
#define carvalho_roucairol_traits   FC_MEASURED

FC_PROTOCOL(carvalho_roucairol);

#endif
