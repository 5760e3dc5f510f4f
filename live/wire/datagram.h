/*
 * datagram.h - one datagram between two nodes: how it is sealed, and the checks
 * that it must pass before it is believed.  docs/live-links.md has the format.
 *
 * A node that starts draws a salt.  A datagram carries the salt of its sender
 * and repeats that of its receiver; only a datagram that repeats the present
 * one is believed, because it was surely sent since the receiver started.  So
 * nothing that was recorded before can be played to a node that has restarted
 * and knows nothing.
 *
 * Nodes that meet tell each other what they know of each other: the highest
 * life and view (P4).  No message of a peer is believed before it has told that
 * in this life, so a record that was set back is found before anything rests on
 * it.
 *
 * Nodes of another generation of the configuration are strangers: nothing that
 * they say is believed, except that they run (P6).  That, too, rests on a
 * datagram that was surely sent since this node started, and is not a
 * repetition.  Their list may be another one, so that positions name other
 * nodes there.
 *
 * Nodes that joined later are known by what they say of themselves (guest.h):
 * the hash of all that goes between two nodes is of both ends.
 *
 * No sockets and no clock here, so that every byte can be tried.
 */
#ifndef LIVE_DATAGRAM_H
#define LIVE_DATAGRAM_H

#include <stdbool.h>

#include "live/config/config.h"
#include "live/wire/guest.h"
#include "live/wire/versions.h"
#include "live/wire/window.h"

enum {
    LIVE_DATAGRAM_MAX = 1200, /* payload, so that no link cuts it */
    LIVE_HEADER_BYTES = 64,
    LIVE_TAG_BYTES = 16,
    LIVE_WIRE_MIN = LIVE_HEADER_BYTES + LIVE_TAG_BYTES,
    LIVE_WIRE_MAX = LIVE_WIRE_MIN + LIVE_DATAGRAM_MAX,
    LIVE_KNOWN_BYTES = 24,
    LIVE_HELLO_BYTES = LIVE_WIRE_MIN + LIVE_KNOWN_BYTES,
    LIVE_NEWS_BYTES = 32,                   /* of each node of the first list */
    LIVE_NAMED_BYTES = 8 + LIVE_NEWS_BYTES, /* or of one that is named */
    LIVE_SHOWN_BYTES = 24, /* of the keys; later versions may say more */
};

/* A number has its sender's range of versions above, in a byte each, first the
 * highest (R9).  Version 0 wrote 0 there, and reads them as a part of the
 * number: so its nodes understand all datagrams of this form, and every one of
 * this form shows the range. */
enum { LIVE_NUMBER_BITS = 40, LIVE_LEAST_BITS = 48 };

/* Offsets in the header. */
enum {
    LIVE_AT_FROM = 4,
    LIVE_AT_TO = 5,
    LIVE_AT_KIND = 6,
    LIVE_AT_GENERATION = 7,
    LIVE_AT_HASH = 8,
    LIVE_AT_LIFE = 16,
    LIVE_AT_NUMBER = 24,
    LIVE_AT_SALT = 32,
    LIVE_AT_ECHO = 40,
    LIVE_AT_RANDOM = 48,
};

enum live_datagram_kind {
    LIVE_DATA = 1, /* for the protocol above */
    LIVE_HELLO,    /* "this is my salt, I have seen yours, and know of you" */
    LIVE_ASKING,   /* the same, and "what do you know of me?" */
    LIVE_STRANGER, /* "I run, in another configuration than yours" */
    LIVE_NEWS,     /* "this is what I know of all nodes" (P7) */
    LIVE_SHOWS,    /* "these are the keys that I can read" (R8) */
    LIVE_JOINS,    /* "I joined later, and this is who I am" */
    LIVE_DATAGRAM_KINDS,
};

/* P4: what a node has promised, as others remember it: the number of its
 * configuration, and the highest view that it has voted for.  Neither ever goes
 * back, so that a record that was set back has less of one of them. */
static inline uint64_t live_promise(uint32_t configuration, uint32_t view)
{
    return (uint64_t)configuration << 32 | view;
}

static inline uint32_t live_promised_list(uint64_t promise)
{
    return (uint32_t)(promise >> 32);
}

static inline uint32_t live_promised_view(uint64_t promise)
{
    return (uint32_t)promise;
}

/* What a hello says of its receiver; 0: nothing. */
struct live_known {
    uint64_t life, salt; /* the highest life, and its salt */
    uint64_t maxv;       /* the highest live_promise() that it has on disk */
};

/* Of each direction between two positions of any list of the cluster: P6. */
struct live_keys {
    uint8_t key[LIVE_NODES_MAX][LIVE_NODES_MAX][LIVE_KEY_BYTES];
    uint8_t stranger[LIVE_KEY_BYTES]; /* of LIVE_STRANGER */
    uint64_t sent;                    /* the last number given to strangers */
    struct live_keys *spare;          /* of the cluster's other key, or NULL */
};

/* What a node says of itself. */
struct live_self {
    uint64_t hash;  /* of the configuration */
    uint64_t life;  /* grows with every start */
    uint64_t salt;  /* drawn at the start, not 0 */
    uint64_t began; /* own clock: when it started */
    uint32_t id, nodes_count;
    uint32_t first_count;           /* ids of the first list */
    uint64_t absent;                /* ids that nobody known has, a bit each */
    uint64_t marks[LIVE_NODES_MAX]; /* of later nodes, this one too; or 0 */
    uint32_t generation;    /* in the hash, too: so that it can be named */
    uint32_t stays_from;    /* P6: a higher one that was a mistake; 0: none */
    struct live_keys *keys; /* for strangers of other lists, or NULL */
};

static inline bool live_self_knows(const struct live_self *self, uint32_t id)
{
    return id < self->nodes_count && !(self->absent >> id & 1);
}

/* P7: the highest life of a node that is known, from itself or by others. */
struct live_latest {
    uint64_t life;  /* 0: none */
    uint64_t salt;  /* of that life; 0: two have had it */
    uint64_t began; /* own clock: it had begun by then; 0: not known yet */
};

/* R8: a cluster may have two keys for a while: the one that is sent with if the
 * peer has shown that it can read it, and a spare one. */
enum live_slot { LIVE_MAIN, LIVE_SPARE, LIVE_SLOTS };

/* What it keeps of another.  Numbers are counted over both keys, and windows
 * are apart: who has one key cannot shut out what is sealed with the other. */
struct live_channel {
    uint8_t key_to[LIVE_KEY_BYTES], key_from[LIVE_KEY_BYTES];
    struct live_spare {
        bool used;  /* there are two keys */
        bool newer; /* than the main one, which was preferred all the same */
        uint8_t key_to[LIVE_KEY_BYTES], key_from[LIVE_KEY_BYTES];
        struct live_window window;
    } spare;
    uint8_t reads; /* slots that the peer has shown in that life, a bit each */
    uint8_t last;  /* slot of the last datagram of the peer that was believed */
    bool has_gone; /* a key was dropped, by which something still may come: */
    uint8_t gone_from[LIVE_KEY_BYTES];
    uint64_t shown[LIVE_SLOTS]; /* fingerprints of the peer's keys, as it says;
                                 * the one that it prefers first; 0: none */
    uint64_t sent;              /* the last number given */
    uint64_t life, salt;        /* of the peer; salt 0: not heard of yet */
    uint64_t maxv; /* of the peer: set by the reader of its messages */
    struct live_latest latest; /* that anybody has met of it */
    uint32_t version;          /* the highest that it speaks */
    uint32_t least;            /* and the lowest */
    struct live_window window; /* numbers taken in that life, of the main key */
    bool told;                 /* the peer has said what it knows of us */
};

/* The key with which it is sent to.  A peer that has shown nothing has the
 * older one, unless it was dropped there: then it meets us by what it sends
 * itself. */
static inline enum live_slot
live_channel_slot(const struct live_channel *channel)
{
    if (!channel->spare.used || channel->reads & 1u << LIVE_MAIN)
        return LIVE_MAIN;
    if (channel->reads & 1u << LIVE_SPARE)
        return LIVE_SPARE;
    return channel->spare.newer ? LIVE_MAIN : LIVE_SPARE;
}

enum live_verdict {
    LIVE_GOOD,     /* for the protocol above */
    LIVE_GREETED,  /* a good hello */
    LIVE_INFORMED, /* good news */
    LIVE_SHOWN,    /* its sender shows its keys: so much of `bytes` */
    LIVE_JOINING,  /* a node that is not known here, with the cluster's key and
                    * configuration, has said once who it is */
    LIVE_UNKNOWN,  /* the same, and nothing else: it will say, or has left */
    LIVE_ODD,      /* not of this form, not from or to a node */
    LIVE_FORGED,   /* not sealed with the key, or changed on its way */
    LIVE_FOREIGN,  /* of another configuration */
    LIVE_UNPROVEN, /* perhaps from before this node's start, or from one that
                    * has not said yet what it knows of us: say hello */
    LIVE_OUTLIVED, /* from an earlier life of its sender */
    LIVE_REPLAYED, /* seen before, or older than the window */
    LIVE_UNSPOKEN, /* its sender speaks later versions only */
};

/* The sender of a datagram of another configuration, in the words of that. */
struct live_stranger {
    uint8_t kind;
    uint8_t from, to; /* positions in its sender's list */
    uint8_t generation;
    uint64_t hash, life, number, salt;
    bool proven;         /* it repeats our salt: sent since this node started */
    enum live_slot slot; /* of the key that it was sealed with */
};

/* The last of strangers, by their position, of either form: what has proven
 * that they run, and what was answered because it had not. */
struct live_met {
    struct live_seen {
        uint64_t hash, life, number;
    } proven[2][LIVE_NODES_MAX], answered[2][LIVE_NODES_MAX];
    uint64_t answered_at[2][LIVE_NODES_MAX];
};

struct live_opened {
    uint32_t from; /* set unless LIVE_ODD; our own: of a stranger whose list is
                    * another one */
    uint64_t salt; /* of the sender: LIVE_UNPROVEN, LIVE_OUTLIVED */
    bool new_life; /* LIVE_GOOD, LIVE_GREETED: the first of this life */
    bool asks;     /* LIVE_GREETED: a hello is expected */
    bool dropped;  /* LIVE_FORGED: it is sealed with a key that was dropped */
    enum live_slot slot;           /* of the key that it was sealed with */
    struct live_known known;       /* LIVE_GREETED */
    struct live_stranger stranger; /* LIVE_FOREIGN */
    struct live_config_node guest; /* LIVE_JOINING */
    bool named;                    /* LIVE_INFORMED: news say of whom */
    size_t size;
    uint8_t bytes[LIVE_DATAGRAM_MAX];
};

/* P4: what a peer knows of a node, beside what the node knows of itself. */
enum live_memory {
    LIVE_NO_MORE,    /* nothing is lost */
    LIVE_LATER_LIFE, /* the peer knows a later start */
    LIVE_OTHER_LIFE, /* and another one of the same number */
    LIVE_LATER_VIEW, /* and a higher view than `maxv` */
};
enum live_memory live_known_more(const struct live_self *self,
                                 const struct live_known *known, uint64_t maxv);

/* Whether a hello answers what was opened; then what it echoes: a peer of a new
 * life, one that asks, and one that may not know our salt.  A node of an
 * earlier life must be told that there was a later one. */
bool live_greets_back(enum live_verdict verdict,
                      const struct live_opened *opened,
                      const struct live_channel *channels, uint64_t *echo);

/* ---- P6: other generations ----------------------------------------------- */

enum { LIVE_ANSWER_COUNT = 2 };

/* Datagrams for a stranger of another generation, so that either side proves
 * that it runs; returns their number, each of LIVE_HELLO_BYTES.  The first says
 * so in words that only strangers understand.  The second is a hello as in the
 * stranger's own configuration, which shows no salt of the receiver: every node
 * of that configuration answers it, even by a program that does not know P6,
 * and nothing of it is believed. */
uint32_t live_answer_stranger(const struct live_self *self,
                              const struct live_stranger *stranger,
                              uint8_t wires[LIVE_ANSWER_COUNT][LIVE_WIRE_MAX]);

/* What follows from a stranger for this node. */
enum live_standing {
    LIVE_NOTHING,  /* it is not proven, was seen before, or is of the same
                    * generation */
    LIVE_OUTDATED, /* this node is of a lower one, and stops */
    LIVE_STAYS,    /* or it was told to stay */
    LIVE_AHEAD,    /* a node of a lower one still runs */
};
enum live_standing live_meet(const struct live_self *self, struct live_met *met,
                             const struct live_stranger *stranger);

/* Whether a stranger that is not proven is answered: not what was recorded,
 * when something later has been answered; and once in a while. */
bool live_is_news(struct live_met *met, const struct live_stranger *stranger,
                  uint64_t now, uint64_t pause);

/* All keys of a cluster: see struct live_keys. */
void live_keys_open(struct live_keys *keys, const uint8_t key[LIVE_KEY_BYTES]);

/* Makes the keys of both directions from the cluster's. */
void live_channel_open(struct live_channel *channel,
                       const uint8_t key[LIVE_KEY_BYTES], uint32_t self,
                       uint32_t peer);

/* Seals a payload of at most LIVE_DATAGRAM_MAX bytes, with the key of
 * live_channel_slot(); `echo` is the receiver's salt as far as it is known.
 * Returns the size on the wire. */
size_t live_seal(const struct live_self *self, struct live_channel *channel,
                 uint32_t to, enum live_datagram_kind kind, uint64_t echo,
                 const uint8_t *bytes, size_t size,
                 uint8_t wire[LIVE_WIRE_MAX]);

/* The same for a hello with our knowledge of the receiver; it asks back if the
 * receiver has not told yet what it knows of us. */
size_t live_seal_hello(const struct live_self *self,
                       struct live_channel *channel, uint32_t to, uint64_t echo,
                       uint8_t wire[LIVE_WIRE_MAX]);

/* Judges and opens.  Channels change only for LIVE_GOOD and LIVE_GREETED. */
enum live_verdict live_open(const struct live_self *self,
                            struct live_channel *channels, const uint8_t *wire,
                            size_t size, struct live_opened *opened);

#endif
