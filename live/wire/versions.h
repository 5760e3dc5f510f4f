/*
 * versions.h - the versions of what nodes send each other (R9).
 *
 * A node shows in every datagram the lowest and the highest version that it can
 * speak.  Between two nodes the lower of their highest is spoken; what all
 * nodes of the list must understand waits until all can, whether they run or
 * not.  So nodes of two releases work together, and a cluster is upgraded node
 * by node.
 *
 * A later format is a row here, and one question to live_spoken(), or to the
 * version of a channel.
 */
#ifndef LIVE_VERSIONS_H
#define LIVE_VERSIONS_H

#include <stdint.h>

enum live_version {
    LIVE_SPEAKS_FRAMES,  /* data and hellos: releases up to 0.4.0, which show no
                         * range */
    LIVE_SPEAKS_NEWS,    /* and news (P7) */
    LIVE_SPEAKS_KEYS,    /* and which keys a node can read (R8) */
    LIVE_SPEAKS_CHANGES, /* and nodes that join: news name whom they are of */
    LIVE_VERSIONS,
};

/* The range of this program. */
enum {
    LIVE_LINK_LEAST = LIVE_SPEAKS_FRAMES,
    LIVE_LINK_VERSION = LIVE_VERSIONS - 1,
};

struct live_self;
struct live_channel;

/* What a node speaks with a peer. */
uint32_t live_spoken_with(const struct live_channel *channel);

/* What all of the nodes `among`, a bit each, can speak, as far as they have
 * shown it: of one that was never heard the least is assumed.  Ids that nobody
 * known has are left out.  `least`, which may be NULL, gets those that cannot
 * speak more than that, or were never heard; none if this node itself can speak
 * no more. */
uint32_t live_spoken(const struct live_self *self,
                     const struct live_channel *channels, uint64_t among,
                     uint64_t *least);

/* What a version adds to the one before, such as "news"; NULL: not known. */
const char *live_version_words(uint32_t version);

#endif
