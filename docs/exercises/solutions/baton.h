/*
 * 10.h - the types of 10.c: those of docs/tutorial/baton.h, and what it takes
 * to tell copies apart.
 */
#ifndef BATON_H
#define BATON_H

#include "core/stamp.h"
#include "problems/mutex.h"

enum baton_kind {
    BATON_ASK = 1, /* to the registrar: for the `number`th time */
    BATON_NEXT,    /* the registrar to a site: `site` comes after you, as you
                    * asked for the `number`th time */
    BATON_BATON,   /* to the next: `number` counts the entries so far */
    BATON_KINDS,
};

struct baton {
    uint64_t number; /* entries so far, while the baton is here */
    uint64_t handed; /* the same when it was handed over last */
    uint64_t asked;  /* how often it has asked... */
    uint64_t told;   /* ...and 1 + for which of these it was told the next */
    uint64_t asks[FC_NODES_MAX]; /* registrar: the same of all sites */
    uint16_t next;               /* 1 + the site that comes next, or 0 */
    uint16_t last; /* registrar: the last in line; site 0 at first */
    uint8_t role;  /* enum mutex_role: idle, waits, inside */
    uint8_t moved; /* whether the baton is here has changed since the start */
    uint8_t unused[2];
};
_Static_assert(sizeof(struct baton) == 40 + 8 * FC_NODES_MAX,
               "flat and without padding");

#define baton_msg      fc_stamp
#define baton_params   fc_no_params
#define baton_site     fc_member
#define baton_problem  mutex
#define baton_topology FC_COMPLETE
#define baton_timers   0
#define baton_traits   FC_NO_TRAITS

FC_PROTOCOL(baton);

#endif
