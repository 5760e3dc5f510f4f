/*
 * courier.h - messages that must arrive, between nodes that may die: each
 * parcel is retransmitted until its receiver acknowledges that it has handled
 * it.
 *
 * For mode silence, where silence is consent: so it must be known that the
 * question was read.  An acknowledgement is sent when the messages of a parcel
 * have been handled, and travels with the answers; a refusal can therefore not
 * be overtaken by it.
 *
 * Three things are watched, all by this node's clock:
 *
 *   late    a copy of a parcel whose acknowledgement comes more than a round
 *           trip after it was sent.  One way alone cannot be measured, for no
 *           two clocks show the same time.
 *   dead    a peer that owes an acknowledgement, and of which nothing came
 *           for a given time.  Nothing is sent to it any more.
 *   lives   a peer that was taken for dead, and was not.
 *
 * No sockets and no clock here, so that every loss and delay can be tried.
 *
 * A datagram: a byte of flags; number and stamp of the parcel, if there is one;
 * number and stamp of the parcel that is acknowledged, if any; the messages.
 */
#ifndef LIVE_COURIER_H
#define LIVE_COURIER_H

#include "live/wire/parcel.h"

enum {
    LIVE_COURIER_HEADER = 33,
    LIVE_COURIER_ROOM = LIVE_DATAGRAM_MAX - LIVE_COURIER_HEADER,
    LIVE_UNDER_WAY_MAX = 512, /* parcels to one peer without acknowledgement */
};

/* Microseconds of this node's clock. */
struct live_courier_times {
    uint64_t round_trip; /* no more from a copy to its acknowledgement */
    uint64_t repeat;     /* from copy to copy */
    uint64_t dead;       /* a peer that is silent for this long is dead */
};

enum live_breach {
    LIVE_LATE,     /* `how_long`: the round trip */
    LIVE_LIVES,    /* `how_long`: its silence */
    LIVE_OVERFLOW, /* LIVE_UNDER_WAY_MAX parcels are under way */
};

/* What the courier calls. */
struct live_courier_owner {
    void (*transmit)(void *whom, uint32_t to, const uint8_t *bytes,
                     size_t size);
    /* Handles the messages of a parcel; false: none of them, not now.  Answers
     * are put into the courier before it returns. */
    bool (*take)(void *whom, uint32_t from, struct live_unread messages);
    /* A bound is broken: what this rests on does not hold. */
    void (*breach)(void *whom, uint32_t peer, enum live_breach how,
                   uint64_t how_long);
    /* A peer will say nothing any more, in this life of it. */
    void (*gone)(void *whom, uint32_t peer, bool by_itself, uint64_t silent);
    void *whom;
};

struct live_courier_counts {
    uint64_t parcels, repeats; /* first copies, and further ones */
    uint64_t acks;             /* acknowledgements without a parcel */
    uint64_t odd;              /* datagrams of another form, and
                                * acknowledgements of what was not sent */
    uint64_t longest;          /* round trip that was measured */
};

enum live_peer_state { LIVE_PEER_HERE, LIVE_PEER_DEAD, LIVE_PEER_LEFT };

struct live_courier;

struct live_courier *live_courier_open(uint32_t nodes, uint32_t self,
                                       const struct live_courier_times *times,
                                       const struct live_courier_owner *owner);
void live_courier_close(struct live_courier *courier);

/* Puts a message into the parcel for a peer.  Returns the number that the
 * parcel will have; 0 if the peer is gone, and nothing is sent. */
uint64_t live_courier_put(struct live_courier *courier, uint32_t to,
                          const uint8_t *message, size_t size, uint64_t now);

/* Sends what was put. */
void live_courier_ship(struct live_courier *courier, uint64_t now);

/* Whether the parcel of this number was handled by the peer, or the peer is
 * gone. */
bool live_courier_settled(const struct live_courier *courier, uint32_t to,
                          uint64_t number);

/* A datagram of a peer, and in which of its lives it was sent. */
void live_courier_receive(struct live_courier *courier, uint32_t from,
                          uint64_t life, const uint8_t *bytes, size_t size,
                          uint64_t now);

/* Repeats parcels that are due and looks for the dead; returns the time at
 * which to do so again, or UINT64_MAX. */
void live_courier_tick(struct live_courier *courier, uint64_t now);
uint64_t live_courier_next(const struct live_courier *courier);

/* Tells all that this node takes no part any more.  From then on a peer that
 * sends something is told again. */
void live_courier_leave(struct live_courier *courier);

/* NULL, or the rule that it breaks between two calls. */
const char *live_courier_sane(const struct live_courier *courier);

/* How a peer is, and when something came of it; 0: never. */
enum live_peer_state live_courier_peer(const struct live_courier *courier,
                                       uint32_t peer, uint64_t *heard_at);
const struct live_courier_counts *
live_courier_counts(const struct live_courier *courier);

#endif
