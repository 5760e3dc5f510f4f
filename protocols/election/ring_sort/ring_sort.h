/*
 * ring_sort.h - the types of ring_sort.c; the story is in README.md.
 */
#ifndef RING_SORT_H
#define RING_SORT_H

#include "protocols/election/vitanyi/vitanyi_linked.h"

/* A message is flat, so the longest list has a length.  Code that includes the
 * protocol may set it lower. */
#ifndef RING_SORT_MAX
#define RING_SORT_MAX 64
#endif

struct ring_sort {
    struct vitanyi election;
    uint32_t place; /* clockwise from the leader, which is 1; 0: not known */
    fc_name kept;   /* the entry of the table for this place; or 0 */
};
_Static_assert(sizeof(struct ring_sort) == 16, "flat and without padding");

enum ring_sort_kind {
    RING_SORT_WAKEUP = VITANYI_WAKEUP,
    RING_SORT_M = VITANYI_M,
    RING_SORT_SLEEPWELL = VITANYI_SLEEPWELL,
    RING_SORT_GATHER, /* values of the leader and of all so far, in order */
    RING_SORT_TABLE,  /* all values, in order */
    RING_SORT_KINDS,
};

struct ring_sort_msg {
    uint32_t kind;
    uint32_t count;               /* of values: M carries one, its name */
    fc_name value[RING_SORT_MAX]; /* ascending; 0 beyond the count */
};
_Static_assert(sizeof(struct ring_sort_msg) == 8 + 4 * RING_SORT_MAX,
               "flat and without padding");
enum { ring_sort_msg_wire = 2 + 5 * RING_SORT_MAX };

#define ring_sort_site     fc_named
#define ring_sort_problem  election
#define ring_sort_topology FC_RING
#define ring_sort_timers   vitanyi_timers
#define ring_sort_traits   FC_NO_TRAITS
#define ring_sort_params   vitanyi_params

FC_PROTOCOL(ring_sort);

#endif
