/*
 * network.h - a whole network at one moment, read-only, for predicates over it
 * (struct fc_predicate).
 *
 * A node knows only itself, and P_sane() says what holds of it.  What holds of
 * all nodes and the messages between them together, such as that there is one
 * token, is said by a predicate beside the protocol: the checker judges it in
 * every state, the simulator after every event.
 */
#ifndef FC_NETWORK_H
#define FC_NETWORK_H

#include "core/stamp.h"
#include "core/word.h"

/* A message in flight: sent, and neither read nor lost. */
struct fc_flying {
    uint32_t from, to; /* nodes */
    uint16_t port;     /* the link it comes by, as its reader counts */
    const void *msg;
};

struct fc_network {
    uint32_t nodes;
    const void *params;
    const struct fc_world *world;
    const void *const *state; /* of each node; zero bytes while it is down */
    const fc_name *name;      /* of each node, where it has one */
    const bool *down;         /* it has crashed */
    bool fifo;                /* links keep the order of messages */
    bool together;            /* a node that starts does so before all else */
    /* If links keep the order, the messages of one link are in it. */
    const struct fc_flying *flying;
    uint32_t flying_count;
    /* In a complete network messages are sorted by receiver, then by sender:
     * messages from j to i begin at first[i * nodes + j] and end at the next
     * entry.  NULL: they are in no such order. */
    const uint32_t *first;
    /* The node at the other end of a link. */
    uint32_t (*neighbour)(const struct fc_network *all, uint32_t node,
                          uint16_t port);
    /* A node's link to another, or FC_EVERYONE: there is none. */
    uint32_t (*link)(const struct fc_network *all, uint32_t node, uint32_t to);
    const void *place; /* for these two */
};

/* The head of a predicate of P. */
#define FC_PREDICATE(P, NAME)                                                  \
    FC_UNUSED static bool P##_##NAME(const struct fc_network *all)

/* The state of a node, and a message in flight, of protocol P. */
#define FC_STATE(P, all, i)  ((const struct P *)(all)->state[i])
#define FC_FLYING(P, all, i) ((const struct P##_msg *)(all)->flying[i].msg)

/* The number of messages of a kind in flight from one node to another, where
 * messages are stamps. */
static inline uint32_t fc_count_stamps(const struct fc_network *all,
                                       uint32_t from, uint32_t to, uint8_t kind)
{
    uint32_t link = to * all->nodes + from, count = 0;
    uint32_t i = all->first ? all->first[link] : 0;
    uint32_t end = all->first ? all->first[link + 1] : all->flying_count;

    for (; i < end; i++)
        count += all->flying[i].from == from && all->flying[i].to == to &&
                 ((const struct fc_stamp *)all->flying[i].msg)->kind == kind;
    return count;
}

/* The number of messages of a kind in flight, with any name or with this one,
 * where messages are words. */
static inline uint32_t fc_count_words(const struct fc_network *all,
                                      uint32_t kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->flying_count; i++)
        count +=
            fc_word_kind(*(const struct fc_word *)all->flying[i].msg) == kind;
    return count;
}

static inline uint32_t fc_count_named(const struct fc_network *all,
                                      uint32_t kind, fc_name name)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->flying_count; i++)
        count += ((const struct fc_word *)all->flying[i].msg)->bits ==
                 fc_word(kind, name).bits;
    return count;
}

/* Stamps of a kind between any two. */
static inline uint32_t fc_count_all_stamps(const struct fc_network *all,
                                           uint8_t kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->flying_count; i++)
        count += ((const struct fc_stamp *)all->flying[i].msg)->kind == kind;
    return count;
}

#endif
