/*
 * baton.h - mutual exclusion by a queue that nobody knows whole.
 *
 * The rules are in baton.c; docs/tutorial/mutex.md builds it up.
 */
#ifndef BATON_H
#define BATON_H

#include "core/stamp.h"
#include "problems/mutex.h"

enum baton_kind {
    BATON_ASK = 1, /* to the registrar */
    BATON_NEXT,    /* the registrar to a site: `site` comes after you */
    BATON_BATON,   /* to the next: `number` counts the entries so far */
    BATON_KINDS,
};

struct baton {
    uint64_t number; /* entries so far, while the baton is here */
    uint16_t next;   /* 1 + the site that comes after this one, or 0 */
    uint16_t last;   /* registrar: the last in line; site 0 at first */
    uint8_t role;    /* enum mutex_role: idle, waits, inside */
    uint8_t moved;   /* whether the baton is here has changed since the start */
    uint8_t unused[2];
};
_Static_assert(sizeof(struct baton) == 16, "flat and without padding");

#define baton_msg      fc_stamp
#define baton_params   fc_no_params
#define baton_site     fc_member
#define baton_problem  mutex
#define baton_topology FC_COMPLETE
#define baton_timers   0
#define baton_traits   FC_NO_TRAITS

FC_PROTOCOL(baton);

#endif
