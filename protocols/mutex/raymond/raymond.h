/*
 * raymond.h - the types of raymond.c; the story is in README.md.
 */
#ifndef RAYMOND_H
#define RAYMOND_H

#include "core/stamp.h"
#include "problems/mutex.h"

enum raymond_kind {
    RAYMOND_REQUEST = 1,
    RAYMOND_TOKEN, /* its number counts the entries so far */
    RAYMOND_KINDS,
};

/* Links and the site itself stand in the queue as one byte each. */
enum { RAYMOND_PORTS_MAX = 255, RAYMOND_SELF = 255 };

struct raymond {
    uint64_t number;    /* of entries, while the token is here */
    uint8_t queue[256]; /* REQUEST_Q: links, or RAYMOND_SELF */
    uint16_t queued;    /* sites in it */
    uint8_t holder;     /* HOLDER: see holder_of() */
    uint8_t asked;      /* ASKED: a request to the holder is pending */
    uint8_t role;       /* enum mutex_role: idle, waits, inside (USING) */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct raymond) == 272, "flat, without padding");

struct raymond_params {
    uint8_t holders; /* enum mutex_holders */
};

#define raymond_msg      fc_stamp
#define raymond_site     fc_rooted
#define raymond_problem  mutex
#define raymond_topology FC_TREE
#define raymond_timers   0
#define raymond_traits   FC_MEASURED

FC_PROTOCOL(raymond);

#endif
