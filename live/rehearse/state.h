/*
 * state.h - a world as bytes: all that decides what will happen, and nothing
 * else.
 *
 * What was saved goes on as the world that it was taken from, because it is all
 * that a world is made of again; so two worlds with equal bytes have the same
 * future.  What has no future is left out: counts and measurements for people,
 * timers that were set to another time, numbers of datagrams that nobody can
 * send any more.
 */
#ifndef LIVE_STATE_H
#define LIVE_STATE_H

#include "live/rehearse/world.h"

/* All zero bytes is an empty tape. */
struct tape {
    uint8_t *bytes;
    size_t used, room;
    size_t at;    /* that is read next */
    bool loading; /* it is read, not written */
    bool failed;  /* no memory */
};

/* Throws out of a world what has no future: tidy.c. */
void state_tidy(struct world *w);

/* Tidies a world, between two events, and writes it. */
void state_save(struct world *w, struct tape *tape);

/* Makes the world what it was; the world is one of the same setup. */
void state_load(struct world *w, struct tape *tape);

void state_tape_free(struct tape *tape);

#endif
