/*
 * delay.h - how late the frames of a peer are, measured by two clocks that were
 * never set to each other.
 *
 * A frame carries the time of its sending by the sender's clock.  The
 * difference to this node's clock is the delay and an unknown constant.  So
 * against the quickest frame of the last seconds each frame shows by how much
 * more it was delayed: on its way, or because this node did not look.  The part
 * that all frames have in common shows in the round trip alone, which contains
 * up to a tau of waiting at the peer.
 *
 * No clock here: the caller passes the time.  For people to look at; nothing is
 * decided by it.
 */
#ifndef LIVE_DELAY_H
#define LIVE_DELAY_H

#include <stdint.h>

struct live_delay {
    uint64_t frames;   /* measured, since the peer's start */
    uint64_t last;     /* microseconds beyond the quickest */
    uint64_t mean;     /* of the last dozen or so */
    uint64_t greatest; /* of all */
    uint64_t late;     /* frames that were later than the limit */
    uint64_t round;    /* the shortest round trip of the last seconds; or 0 */
    /* Of the present window and of the one before */
    uint64_t began;
    int64_t quickest[2];
    uint64_t rounds[2];
    uint64_t inc; /* of the peer */
};

/* Times in microseconds: `now` by this node's clock, `stamp` by the peer's,
 * `echo` this node's stamp that comes back with the frame, or 0. */
void live_delay_take(struct live_delay *delay, uint64_t limit, uint64_t inc,
                     uint64_t now, uint64_t stamp, uint64_t echo);

#endif
