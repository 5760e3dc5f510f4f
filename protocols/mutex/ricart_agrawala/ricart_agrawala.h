/*
 * ricart_agrawala.h - the types of ricart_agrawala.c; the story is in
 * README.md.
 */
#ifndef RICART_AGRAWALA_H
#define RICART_AGRAWALA_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

enum ricart_agrawala_kind {
    RICART_AGRAWALA_REQUEST = 1, /* its number is the request's */
    RICART_AGRAWALA_REPLY,
    RICART_AGRAWALA_READ, /* a request to read beside other readers */
    RICART_AGRAWALA_KINDS,
};

struct ricart_agrawala {
    uint64_t number;        /* of its own request */
    uint64_t highest;       /* seen in any request */
    struct fc_set missing;  /* whose reply is missing */
    struct fc_set deferred; /* sites that wait for ours */
    uint8_t role;           /* enum mutex_role: idle, waits, inside */
    uint8_t shared;         /* it wants to read, or reads */
    uint8_t unused[6];
};

#define ricart_agrawala_msg      fc_stamp
#define ricart_agrawala_params   fc_no_params
#define ricart_agrawala_site     fc_member
#define ricart_agrawala_problem  mutex
#define ricart_agrawala_topology FC_COMPLETE
#define ricart_agrawala_timers   0
#define ricart_agrawala_traits   FC_MEASURED

FC_PROTOCOL(ricart_agrawala);

#endif
