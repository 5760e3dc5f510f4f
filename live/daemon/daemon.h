/*
 * daemon.h - one node of a cluster, until it is told to stop.
 */
#ifndef LIVE_DAEMON_H
#define LIVE_DAEMON_H

#include <stdbool.h>

#include "live/common/node_set.h"
#include "live/config/config.h"
#include "live/wire/link.h"

struct live_options {
    bool create;           /* the node's first start */
    bool repair;           /* the record was lost: rule P3 */
    live_node_set without; /* nodes that are off while it is repaired */
    bool moved;            /* it was brought here from elsewhere: rule P7 */
    bool stay;             /* a higher generation was a mistake: rule P6 */
    const char *socket;    /* NULL: as the configuration says */
    const char *user;      /* NULL: as the configuration says */
    uint64_t drain; /* microseconds that a stop waits for holders, at most */
    const struct live_mishaps *mishaps; /* NULL: none; for tests */
};

/* Serves until SIGTERM or SIGINT, then hands over; or from SIGUSR1 on until
 * nobody holds a lock.  False with a sentence if it could not begin or go on.
 * The key in the configuration is wiped once the keys of the links are made of
 * it. */
bool live_daemon(struct live_config *config, uint32_t self,
                 const struct live_options *options, struct net_why *error);

/* ---- repair.c ------------------------------------------------------------ */

/* Listens until every other node has told its highest view since this call
 * began, except those in `off`, a set: the operator's word is that their
 * processes have ended since the record was lost, or before.  Then it waits
 * until no lease is left of what was forgotten, and writes the record.  Takes
 * as long as that takes, and says in the log which nodes it lacks. False with a
 * sentence if there is nothing to repair, if it cannot be done, if a node that
 * should be off answers, or if SIGTERM or SIGINT came before the end. */
bool live_repair(const struct live_config *config, uint32_t self,
                 live_node_set off, struct net_why *error);

#endif
