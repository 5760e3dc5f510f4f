/*
 * ring.h - the keys of a cluster, of which there may be two for a while (R8).
 *
 * A key is exchanged node by node, while locks are held: each node is told the
 * new one and reads both from then on; it says so to all others, and sends with
 * the new one to each that has shown that it can read it.  When all send with
 * the new one, the old one is dropped.
 *
 * A key goes by its fingerprint, which is a hash of it: it tells two keys apart
 * and nothing else.
 *
 * A key that was dropped is not taken again in the same life of a node: what
 * was sent with it before could be played to the node once more.
 *
 * No sockets and no clock here.
 */
#ifndef LIVE_RING_H
#define LIVE_RING_H

#include "live/wire/datagram.h"
#include "net/why.h"

enum {
    LIVE_DROPPED_MAX = 16, /* keys that a life of a node remembers */
    LIVE_PRINT_DIGITS = 8, /* of a fingerprint, as people read it */
    LIVE_PRINT_TEXT = 8 + 1,
};

struct live_ring {
    uint64_t print[LIVE_SLOTS]; /* fingerprints by slot; spare 0: one key */
    bool spare_newer;           /* than the main one */
    uint64_t dropped[LIVE_DROPPED_MAX];
    uint32_t dropped_count;
    struct live_keys keys[LIVE_SLOTS]; /* of strangers */
};

uint64_t live_key_print(const uint8_t key[LIVE_KEY_BYTES]);
const char *live_print_text(uint64_t print, char text[LIVE_PRINT_TEXT]);

/* The channels have been opened with the key, or will be. */
void live_ring_open(struct live_ring *ring, const uint8_t key[LIVE_KEY_BYTES]);

/* Takes a newer key, which is preferred from now on.  False with a sentence,
 * if it is there already, there are two, or it was dropped: nothing changes. */
bool live_ring_add(struct live_ring *ring, const struct live_self *self,
                   struct live_channel *channels,
                   const uint8_t key[LIVE_KEY_BYTES], struct net_why *error);

/* The same keys, for a channel to a node that joins: only they change. */
void live_ring_join(const struct live_ring *ring, const struct live_self *self,
                    struct live_channel *channel, uint32_t id);

/* The other one of two keys is preferred from now on. */
void live_ring_swap(struct live_ring *ring, const struct live_self *self,
                    struct live_channel *channels);

/* The spare key is forgotten. */
void live_ring_drop(struct live_ring *ring, const struct live_self *self,
                    struct live_channel *channels);

/* Peers that have not shown in their present life that they can read the main
 * key, or have sent the last datagram with another, a bit each: they would be
 * cut off if the spare one were dropped. */
uint64_t live_ring_lacks(const struct live_self *self,
                         const struct live_channel *channels);

/* Whether a peer is told of the keys: while there are two, or it has shown two.
 * A cluster with one key says nothing. */
bool live_ring_speaks(const struct live_ring *ring,
                      const struct live_channel *channel);

/* The payload of LIVE_SHOWS for a peer, which asks for an answer if only the
 * peer has two keys: it may have dropped one unheard. */
void live_ring_say(const struct live_ring *ring,
                   const struct live_channel *channel,
                   uint8_t bytes[LIVE_SHOWN_BYTES]);

/* What follows from that of a peer: it is the last word on what it can read. */
struct live_heard {
    bool changed, asks;
};
struct live_heard live_ring_hear(const struct live_ring *ring,
                                 struct live_channel *channel,
                                 enum live_slot slot, const uint8_t *bytes);

/* A hello with the key by which came what it answers: who has shown nothing yet
 * can read that one. */
size_t live_seal_answer(const struct live_self *self,
                        struct live_channel *channel, uint32_t to,
                        uint64_t echo, enum live_slot slot,
                        uint8_t wire[LIVE_WIRE_MAX]);

#endif
