/*
 * news.h - what nodes tell each other of the lives of all nodes (P7).
 *
 * A record that is used at two places makes two nodes of one identity.  A node
 * that meets both refuses the earlier life, or both if they have the same
 * number.  So that it is enough if one node meets both, nodes pass on what they
 * know: of each node the highest life that was met, for how long it has been
 * running, and the highest view that it has shown to have voted for.
 *
 * No sockets and no clock here.
 */
#ifndef LIVE_NEWS_H
#define LIVE_NEWS_H

#include "live/wire/datagram.h"

/* What one node says of another, or of itself. */
struct live_news {
    uint64_t life; /* 0: it knows of none */
    uint64_t salt; /* 0: two have had it */
    uint64_t age;  /* microseconds for which that life runs, at least */
    uint64_t maxv;
};

/* Seals them for a peer that is known to understand them, of as many nodes from
 * `*next` on as one datagram has room for; `now` is the clock of
 * live_self.began.  Returns the size on the wire; 0: there are no more. */
size_t live_seal_news(const struct live_self *self,
                      struct live_channel *channels, uint32_t to, uint64_t now,
                      uint32_t *next, uint8_t wire[LIVE_WIRE_MAX]);

/* Of how many nodes news tell that were opened; and the part of one of them,
 * false: of somebody who is not known here. */
uint32_t live_news_count(const struct live_opened *opened);
bool live_news_part(const struct live_self *self,
                    const struct live_opened *opened, uint32_t part,
                    uint32_t *node, struct live_news *news);

/* Keeps the new facts about the peer of a channel; false: nothing that others
 * should hear of at once. */
bool live_news_learn(struct live_channel *channel, const struct live_news *news,
                     uint64_t now);

#endif
