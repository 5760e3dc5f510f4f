/*
 * roster.h - who the nodes of a configuration are (R1): a configuration of the
 * protocol names ids alone.
 *
 * A roster has the names and addresses of the nodes of its lists that have
 * joined since configuration 0, whose own nodes are in the file; the first id
 * that was never given to a node; and the time between frames.  It is bytes in
 * one form, so that equal rosters have equal hashes: the hash is a part of the
 * configuration that is agreed on, and the bytes travel beside it.
 *
 *     0  form 1      4  tau, microseconds 4
 *     1  next 1      8  nodes, in the order of their ids:
 *     2  zero 2            id 1, port 2, size 1, name, size 1, host
 */
#ifndef LIVE_ROSTER_H
#define LIVE_ROSTER_H

#include "live/common/node_set.h"
#include "live/config/config.h"

enum { LIVE_ROSTER_MAX = 2800 }; /* bytes, so that a record has room */

struct live_roster {
    uint64_t hash; /* 0: there is none */
    uint32_t size;
    uint8_t bytes[LIVE_ROSTER_MAX];
};

/* Of those of the nodes that have joined, as the configuration knows them.
 * False with a sentence: it knows none of such an id, or there is no room. */
bool live_roster_make(struct live_roster *roster,
                      const struct live_config *config, live_node_set nodes,
                      uint32_t next, uint64_t tau, struct net_why *error);

/* From bytes that came from elsewhere; false: they are no roster. */
bool live_roster_read(struct live_roster *roster, const uint8_t *bytes,
                      size_t size);

/* The first id that no node has ever had, and the time between frames. */
uint32_t live_roster_next(const struct live_roster *roster);
uint64_t live_roster_tau(const struct live_roster *roster);

/* The nodes that it tells of, and one of them; false: it does not. */
live_node_set live_roster_nodes(const struct live_roster *roster);
bool live_roster_find(const struct live_roster *roster, uint32_t id,
                      struct live_config_node *node);

#endif
