/*
 * choice.h - what an explorer decides in a world where nothing is drawn.
 *
 * Wherever a rehearsal would draw what the adversary does, a run comes to a
 * point: it goes on calmly, or departs from that in one of a few ways.  The
 * points of a run are numbered, so that a run is a list of its departures.
 */
#ifndef LIVE_CHOICE_H
#define LIVE_CHOICE_H

#include "live/rehearse/explore.h"
#include "live/rehearse/world.h"

enum {
    OPTIONS_MAX = 12,
    POINTS_MAX = 512, /* in one event */
};

/* How a run may depart; enum live_departure_kind each. */
struct point {
    uint8_t count, node, other;
    uint8_t options[OPTIONS_MAX];
};

struct choices {
    uint32_t faults; /* a set: only these */
    /* The departures that are wanted, by the numbers of the points */
    const struct live_departure *wanted;
    uint32_t wanted_count;
    /* The run up to now */
    uint64_t number; /* of the next point */
    struct live_departure path[LIVE_DEPARTURES_MAX];
    uint32_t departed;
    /* The points of this event */
    struct point points[POINTS_MAX];
    uint32_t count;
    uint64_t span; /* of what happens now; 0: as short as it can be */
};

/* ---- explore.c ----------------------------------------------------------- */

/* A world in which nothing is drawn.  -1: there is no memory. */
int explore_begin(struct world *w, const struct live_rehearsal *setup,
                  struct choices *choices, struct live_rehearsed *told);
/* One event.  False: the run has ended, and was judged. */
bool explore_step(struct world *w);

#endif
