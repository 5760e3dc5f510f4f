/*
 * link.h - datagrams between the nodes of a cluster: authenticated with the
 * cluster's key, each delivered at most once, none from an earlier life of its
 * sender or receiver.  Neither order nor delivery is promised: the protocol
 * above repeats what matters.
 *
 * A datagram that is too long, cut, forged, replayed, or of another cluster or
 * configuration changes nothing but a counter.
 *
 * When a node starts, its first datagrams to a peer only introduce it, and are
 * lost to the protocol: what is sent a round trip later arrives.
 */
#ifndef LIVE_LINK_H
#define LIVE_LINK_H

#include <stdbool.h>
#include <uv.h>

#include "live/config.h"
#include "live/datagram.h"

enum { LIVE_QUEUE_MAX = 1024 }; /* datagrams that wait to be sent */

struct live_links;

typedef void live_receive(void *whom, uint32_t from, const uint8_t *bytes,
                          size_t size);

/* What tests can do to a link, each a chance in millionths or microseconds.
 * Delays are rounded up to whole milliseconds.  A datagram that is reordered
 * is held back 1 to 10 ms beyond its delay. */
struct live_mishaps {
    uint32_t loss, duplicate, reorder;
    uint64_t delay_min, delay_max;
    uint16_t cut_to, cut_from; /* nodes, a bit each: one-way cuts */
    uint64_t seed;
};

struct live_link_counts {
    uint64_t sent, received;             /* good ones, of the protocol above */
    uint64_t greeted;                    /* good hellos */
    uint64_t forged, replayed, odd, old; /* refused: by key, number, form,
                                          * configuration */
    uint64_t outlived; /* refused: from an earlier life of the peer */
    uint64_t unproven; /* refused: perhaps from before our own start */
    uint64_t dropped;  /* own queue full, or the system would not send */
};

/* Binds the node's own address and begins to receive.  `life` is a number that
 * grows with every start of this node.  NULL with a sentence on failure. */
struct live_links *live_links_open(uv_loop_t *loop,
                                   const struct live_config *config,
                                   uint32_t self, uint64_t life,
                                   live_receive *receive, void *whom,
                                   char error[LIVE_ERROR_SIZE]);

/* At most LIVE_DATAGRAM_MAX bytes. */
void live_links_send(struct live_links *links, uint32_t to,
                     const uint8_t *bytes, size_t size);

void live_links_mishaps(struct live_links *links,
                        const struct live_mishaps *mishaps);

/* Of what came from and went to a peer; datagrams that name no peer are counted
 * for the node itself. */
const struct live_link_counts *live_links_counts(const struct live_links *links,
                                                 uint32_t peer);

/* The life that a peer has shown, or 0: nothing of it was believed yet. */
uint64_t live_links_life(const struct live_links *links, uint32_t peer);

/* Closes; its memory is freed when the loop has seen it. */
void live_links_close(struct live_links *links);

#endif
