/*
 * repair.h - a new record for a node that has lost its own (rule P3).
 *
 * The node has forgotten which views it voted for.  The node that proposed one
 * of them knows it, so the highest view that any other node voted for is high
 * enough, if all are asked.  While it asks, the node neither votes nor answers
 * leases: it only introduces itself, and listens.
 */
#ifndef LIVE_REPAIR_H
#define LIVE_REPAIR_H

#include "live/config/config.h"

/* Listens until every other node has told its highest view since this call
 * began, except those in `off`, a set: the operator's word is that their
 * processes have ended since the record was lost, or before.  Then it waits
 * until no lease is left of what was forgotten, and writes the record.  Takes
 * as long as that takes, and says in the log which nodes it lacks. False with a
 * sentence if there is nothing to repair, if it cannot be done, if a node that
 * should be off answers, or if SIGTERM or SIGINT came before the end. */
bool live_repair(const struct live_config *config, uint32_t self, uint16_t off,
                 struct net_why *error);

#endif
