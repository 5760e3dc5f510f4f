/*
 * link.h - datagrams between the nodes of a cluster: authenticated with the
 * cluster's key, each delivered at most once, none from an earlier life of its
 * sender or receiver.  Neither order nor delivery is promised: the protocol
 * above repeats what matters.
 *
 * A datagram that is too long, cut, forged, replayed, or of another cluster or
 * configuration only changes a counter.
 *
 * When a node starts, its first datagrams to a peer only introduce it, and are
 * lost to the protocol: datagrams sent a round trip later arrive.
 */
#ifndef LIVE_LINK_H
#define LIVE_LINK_H

#include <stdbool.h>
#include <uv.h>

#include "live/config/config.h"
#include "live/wire/datagram.h"
#include "live/wire/trouble.h"

enum { LIVE_QUEUE_MAX = 1024 }; /* datagrams that wait to be sent */

struct live_links;

typedef void live_receive(void *whom, uint32_t from, const uint8_t *bytes,
                          size_t size);

/* A peer has said what it knows of this node: before anything else of it is
 * delivered in this life. */
typedef void live_told(void *whom, uint32_t peer,
                       const struct live_known *known);

/* P6: a node of another generation has proven that it runs now.  It is called
 * by the name of the peer whose address it has, or by that address. */
typedef void live_met_one(void *whom, enum live_standing standing,
                          const char *name, uint32_t generation);

/* P7: a peer has a life that began at `began` of live_now() or before, and is
 * the highest that anybody has met; or 0: two have the same number. */
typedef void live_lives(void *whom, uint32_t peer, uint64_t life,
                        uint64_t began);

/* A node that joined later says who it is, and nobody is heard who has this id.
 * True: it is welcome, and the configuration's node of this id is that, by now:
 * the links add it. */
typedef bool live_guest(void *whom, uint32_t id,
                        const struct live_config_node *node);

/* What tests can do to a link, each a chance in millionths or microseconds.
 * Delays are rounded up to whole milliseconds.  A datagram that is reordered
 * is held back 1 to 10 ms beyond its delay. */
struct live_mishaps {
    uint32_t loss, duplicate, reorder;
    uint64_t delay_min, delay_max;
    uint64_t cut_to, cut_from; /* nodes, a bit each: one-way cuts */
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
 * grows with every start of this node.  NULL with a sentence on failure.  A
 * peer whose name has no address yet is not a failure.  Keeps the
 * configuration, but not its key; its owner may change later nodes of it, and
 * says so by live_links_add() and live_links_remove().  A node that joined
 * later introduces itself to all others. */
struct live_links *live_links_open(uv_loop_t *loop,
                                   const struct live_config *config,
                                   uint32_t self, uint64_t life,
                                   live_receive *receive, void *whom,
                                   struct net_why *error);

/* What to call with what peers know of this node; nothing at first. */
void live_links_tell(struct live_links *links, live_told *told);

/* What to call with nodes of other generations; nothing at first.  Generation
 * `stays_from` was a mistake. */
void live_links_meet(struct live_links *links, live_met_one *met,
                     uint32_t stays_from);

/* Tells peers the known lives of all nodes, and calls this with what they know;
 * nothing at first. */
void live_links_watch(struct live_links *links, live_lives *lives);

/* Whom to ask about nodes that join; nobody at first. */
void live_links_guests(struct live_links *links, live_guest *guest, void *whom);

/* The configuration has another node of this id, or a new one, or that has
 * moved.  All that was known of another node is forgotten.  False with a
 * sentence, if its host cannot be reached from here: nothing has changed. */
bool live_links_add(struct live_links *links, uint32_t id,
                    struct net_why *error);

/* Nothing is sent to it any more, or taken from it. */
void live_links_remove(struct live_links *links, uint32_t id);

/* A peer has shown that it has voted for this view: it will be told, should it
 * have forgotten (P4). */
void live_links_know(struct live_links *links, uint32_t peer, uint64_t maxv);

/* P4: whether a peer knows more of this node than its life and a record with
 * `maxv`.  Then there is a sentence. */
bool live_links_set_back(const struct live_links *links, uint32_t peer,
                         const struct live_known *known, uint64_t maxv,
                         struct net_why *error);

/* At most LIVE_DATAGRAM_MAX bytes. */
void live_links_send(struct live_links *links, uint32_t to,
                     const uint8_t *bytes, size_t size);

void live_links_mishaps(struct live_links *links,
                        const struct live_mishaps *mishaps);

/* Of what came from and went to a peer; datagrams that name no peer are counted
 * for the node itself. */
const struct live_link_counts *live_links_counts(const struct live_links *links,
                                                 uint32_t peer);

/* Why nothing is heard of a peer, as far as is known, or NULL. */
const char *live_links_trouble(const struct live_links *links, uint32_t peer,
                               char words[LIVE_TROUBLE_WORDS]);

/* The life that a peer has shown, or 0: nothing of it was believed yet. */
uint64_t live_links_life(const struct live_links *links, uint32_t peer);

/* Closes; its memory is freed when the loop has seen it. */
void live_links_close(struct live_links *links);

#endif
