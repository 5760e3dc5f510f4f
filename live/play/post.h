/*
 * post.h - messages between nodes that play a protocol: each arrives once and,
 * unless it may overtake, in the order in which it was sent; none reaches
 * another life of its receiver than the one it was sent to.
 *
 * The courier (wire/courier.h) makes datagrams arrive, in any order; this puts
 * them in order, by a number for each pair of nodes and lives.  Beside it pings
 * go straight over the link: they introduce nodes to each other, and measure.
 *
 * No sockets and no clock here.
 */
#ifndef LIVE_PLAY_POST_H
#define LIVE_PLAY_POST_H

#include "live/play/host.h"
#include "live/wire/courier.h"

enum {
    LIVE_POST_HEADER = 19,
    LIVE_POST_ROOM =
        LIVE_COURIER_ROOM - LIVE_PARCEL_SIZE_BYTES - LIVE_POST_HEADER,
};

struct live_post_owner {
    void (*transmit)(void *whom, uint32_t to, const uint8_t *bytes,
                     size_t size);
    /* A message, in its order, and the link that it comes by. */
    void (*deliver)(void *whom, const struct live_mark *mark, uint16_t port,
                    const uint8_t *bytes, size_t size);
    /* A piece of a word to this node, which is no message of the protocol;
     * `last`: it is complete. */
    void (*word)(void *whom, uint32_t from, const uint8_t *bytes, size_t size,
                 bool last);
    /* A peer has answered a ping of ours after `round_trip`. */
    void (*answered)(void *whom, uint32_t peer, uint64_t round_trip);
    /* More is under way to a peer than the courier keeps: this was lost. */
    void (*overflow)(void *whom, uint32_t peer);
    /* A message that came too early cannot be kept: it was lost. */
    void (*no_memory)(void *whom);
    void *whom;
};

struct live_post;

/* A node in one of its lives; NULL: no memory. */
struct live_post *live_post_open(uint32_t nodes, uint32_t self, uint32_t life,
                                 const struct live_post_owner *owner);
void live_post_close(struct live_post *post);

/* Sends a message of at most LIVE_POST_ROOM bytes to a life of a node; `free`:
 * it may overtake others and be overtaken.  It leaves with the next ship. */
void live_post_put(struct live_post *post, const struct live_send *send,
                   const uint8_t *bytes, size_t size, uint64_t now);
void live_post_ship(struct live_post *post, uint64_t now);

/* A word of any length to a life of a peer; in order, too. */
void live_post_word(struct live_post *post, uint32_t to, uint32_t to_life,
                    const void *bytes, size_t size, uint64_t now);

void live_post_ping(struct live_post *post, uint32_t to, uint64_t now);

/* A datagram of a peer, from this life of it. */
void live_post_receive(struct live_post *post, uint32_t from, uint64_t life,
                       const uint8_t *bytes, size_t size, uint64_t now);

/* NULL, or the rule that it breaks between two calls. */
const char *live_post_sane(const struct live_post *post);

/* Repeats parcels that are due; returns when to do so again, or UINT64_MAX. */
void live_post_tick(struct live_post *post, uint64_t now);
uint64_t live_post_next(const struct live_post *post);

#endif
