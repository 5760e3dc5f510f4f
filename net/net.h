/*
 * net.h - a network as people describe it: a protocol with its parameters, the
 * nodes and how they are named, linked and clocked, and which of them wake.
 *
 * Every driver of a protocol is given one of these: the simulator, the checker,
 * a replay.
 */
#ifndef NET_H
#define NET_H

#include "core/entry.h"
#include "net/fault_kind.h"

enum net_time {
    NET_SYNC,        /* steps of 1 tick, phase 0, delay 0 */
    NET_ARCHIMEDEAN, /* steps and delays within the bounds */
    NET_ASYNC,       /* heavy-tailed steps and delays */
};
enum { NET_TIMES = NET_ASYNC + 1 };
extern const char *const net_time_words[NET_TIMES];

enum net_clock {
    NET_CLOCK_FIXED,     /* a node's step is drawn once */
    NET_CLOCK_DRIFT,     /* drawn again whenever it has acted */
    NET_CLOCK_ADVERSARY, /* name i: max(rmin, rmax/2^(i-l)); extreme delays */
    NET_CLOCK_LIST,      /* given node by node, within the bounds; or the
                          * bounds of steps are 0 and follow from it */
};

enum net_naming {
    NET_NAMES_ASCENDING,  /* first, first+1, ... clockwise */
    NET_NAMES_DESCENDING, /* first, then the greatest, downwards */
    NET_NAMES_RANDOM,     /* a permutation drawn from the seed */
    NET_NAMES_LIST,
};

enum net_waking {
    NET_WAKE_ALL,    /* at tick 0 */
    NET_WAKE_FIRST,  /* the node at position 0 alone, at tick 0 */
    NET_WAKE_RANDOM, /* about half of them, at random ticks below N */
    NET_WAKE_SOME,   /* wake_count random ones at tick 0 */
    NET_WAKE_LIST,
};

enum net_tree {
    NET_TREE_PATH,
    NET_TREE_STAR,
    NET_TREE_BINARY,
    NET_TREE_RANDOM, /* each node hangs on one drawn from those before it */
    NET_TREE_LIST,
};

struct net_wake {
    union {
        fc_name name;  /* in a setup */
        uint32_t node; /* in a run */
    };
    uint64_t tick;
};

enum { NET_NODES_MAX = 1000000000 };

struct net_type;
struct net_asked; /* net/asked.h */

struct net {
    const struct fc_protocol *protocol;
    const struct net_type *type; /* NULL: the protocol is one of the tree's */
    const void *params;          /* prepared for `world` */
    struct fc_world world;
    bool returns; /* nodes come back that no fault of the setup restarts */
    enum net_time time;
    enum net_clock clock;
    const uint64_t *steps;  /* NET_CLOCK_LIST */
    const uint64_t *phases; /* the same: the tick of each node's first action;
                             * NULL: 0 */
    const uint64_t *delays; /* of each link, within the bounds; NULL: drawn
                             * for each message; see net_link() */
    bool any_order;         /* links do not keep the order of messages */
    enum net_naming naming;
    fc_name first_name;
    const fc_name *names; /* NET_NAMES_LIST */
    bool equal;           /* of which some are equal, or may be */
    enum net_waking waking;
    uint32_t wake_count;
    const struct net_wake *wakes; /* NET_WAKE_LIST, sorted by name */
    enum net_tree tree;
    const uint32_t *parents; /* NET_TREE_LIST: of each node but the first */
    uint32_t predicates;     /* of the protocol that are judged, a bit each */
    const struct net_asked *asked; /* properties that were typed; or NULL */
};

/* Properties that were typed, or NULL.  The page reads none, and its module has
 * nothing that judges them. */
static inline const struct net_asked *net_asked(const struct net *net)
{
#ifdef FULCRUM_WEB
    (void)net;
    return NULL;
#else
    return net->asked;
#endif
}

/* Whether people count nodes from 0, because names do not tell them apart. */
static inline bool net_nameless(const struct net *net)
{
    return net->protocol->anonymous || net->equal;
}

/* What its protocol needs with the parameters it has: bits of enum fc_need. */
static inline uint32_t net_needs(const struct net *net)
{
    return net->protocol->needs_with ? net->protocol->needs_with(net->params)
                                     : net->protocol->needs;
}

/* Needs of the protocol that this network does not meet; knowledge of the nodes
 * aside. */
uint32_t net_unmet(const struct net *net);

/* Fills net->world for the names, wakes and time given.  Call before the
 * parameters are prepared. */
void net_describe(struct net *net);

#endif
