/*
 * central_clock.h - the types of central_clock.c; the story is in README.md.
 */
#ifndef CENTRAL_CLOCK_H
#define CENTRAL_CLOCK_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

enum central_clock_kind {
    CENTRAL_CLOCK_ASK = 1, /* what time is it? */
    CENTRAL_CLOCK_STAMP,   /* its number is the time */
    CENTRAL_CLOCK_REQUEST, /* its number is the request's stamp */
    CENTRAL_CLOCK_REPLY,
    CENTRAL_CLOCK_KINDS,
};

struct central_clock {
    uint64_t number;             /* the stamp of its own request */
    uint64_t clock;              /* site 0: the last time that was told */
    struct fc_set missing;       /* whose reply is missing */
    struct fc_set deferred;      /* sites that wait for ours */
    uint64_t held[FC_NODES_MAX]; /* of requests that wait for our stamp */
    uint8_t role; /* enum mutex_role: idle, sleeps (no stamp yet), waits,
                   * inside */
    uint8_t unused[7];
};

#define central_clock_msg      fc_stamp
#define central_clock_params   fc_no_params
#define central_clock_site     fc_member
#define central_clock_problem  mutex
#define central_clock_topology FC_COMPLETE
#define central_clock_timers   0
#define central_clock_traits   (FC_SYMMETRIC | FC_MEASURED)

FC_PROTOCOL(central_clock);
FC_RELABELS(central_clock);

#endif
