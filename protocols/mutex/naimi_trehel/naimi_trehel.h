/*
 * naimi_trehel.h - the types of naimi_trehel.c; the story is in README.md.
 */
#ifndef NAIMI_TREHEL_H
#define NAIMI_TREHEL_H

#include "core/stamp.h"
#include "problems/mutex.h"

enum naimi_trehel_kind {
    NAIMI_TREHEL_REQUEST = 1, /* its site is the one that asks */
    NAIMI_TREHEL_TOKEN,       /* its number counts the entries so far */
    NAIMI_TREHEL_KINDS,
};

struct naimi_trehel {
    uint64_t number; /* of entries, while the token is here */
    uint16_t father; /* the site it takes for the last to ask; itself: it is */
    uint16_t next;   /* 1 + the site that gets the token after it, or 0 */
    uint8_t moved;   /* whether the token is here has changed since the start */
    uint8_t role;    /* enum mutex_role: idle, waits, inside */
    uint8_t unused[2];
};
_Static_assert(sizeof(struct naimi_trehel) == 16, "flat, without padding");

#define naimi_trehel_msg      fc_stamp
#define naimi_trehel_params   fc_no_params
#define naimi_trehel_site     fc_member
#define naimi_trehel_problem  mutex
#define naimi_trehel_topology FC_COMPLETE
#define naimi_trehel_timers   0
#define naimi_trehel_traits   FC_SYMMETRIC

FC_PROTOCOL(naimi_trehel);
FC_RELABELS(naimi_trehel);

#endif
