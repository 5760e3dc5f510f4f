/*
 * link_keys.h - the keys and versions of running links: what this node can read
 * and speak, and what its peers have shown (R8, R9).
 */
#ifndef LIVE_LINK_KEYS_H
#define LIVE_LINK_KEYS_H

#include "live/wire/link.h"
#include "live/wire/ring.h"

/* Which keys there are. */
const struct live_ring *live_links_ring(const struct live_links *links);

/* As the functions of ring.h; and peers are told at once. */
bool live_links_key_add(struct live_links *links,
                        const uint8_t key[LIVE_KEY_BYTES],
                        struct net_why *error);
void live_links_key_swap(struct live_links *links);
void live_links_key_drop(struct live_links *links);
uint64_t live_links_key_lacks(const struct live_links *links);

/* What a peer has shown in its present life. */
struct live_link_shown {
    bool met;                   /* or nothing was believed of it yet */
    uint32_t least, most;       /* versions */
    uint64_t reads[LIVE_SLOTS]; /* fingerprints; 0: none */
    uint64_t sends;             /* of what came last */
    uint64_t gets;              /* of what is sent to it */
};
struct live_link_shown live_links_shown(const struct live_links *links,
                                        uint32_t peer);

/* R9: see live_spoken(). */
uint32_t live_links_spoken(const struct live_links *links, uint64_t among,
                           uint64_t *least);

#endif
