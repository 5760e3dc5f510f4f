/*
 * holders.h - which processes hold locks of this node, in a file beside the
 * record: for the node's next life.
 *
 * If daemon, client and guard are killed together, what their command has
 * started may run on.  A daemon that starts finds it here, and ends it before
 * it takes part.  The file need survive processes only, not the machine: it is
 * never synced.
 */
#ifndef LIVE_HOLDERS_H
#define LIVE_HOLDERS_H

#include <stdint.h>
#include <sys/types.h>

#include <stdbool.h>

#include "live/config/config.h"

struct live_holders;

/* Opens the file of a node, or creates it, and kills what a former life left
 * behind: at the last deadline that it promised; returns when that is dead, and
 * its cgroups are removed.  A list that others than root and this user, which
 * the node is or will become, could have written is not believed.  Only the
 * process that has locked the record may do so.  NULL with a sentence if
 * something cannot be ended, or the file cannot be used. */
struct live_holders *live_holders_open(const struct live_config *config,
                                       uint32_t self, uid_t user,
                                       struct net_why *error);

/* A process that leads a group, and has a cgroup of its own or not, and a mark
 * or 0, holds from now on for a client of this user: its place, or -1 if there
 * is none left.  And does not any more. */
int live_holders_note(struct live_holders *holders, pid_t group, uid_t user,
                      bool cgroup, uint64_t mark);
void live_holders_forget(struct live_holders *holders, int place);

/* The daemon lives at this time, and has promised no deadline beyond the other;
 * now and then. */
void live_holders_beat(struct live_holders *holders, uint64_t now,
                       uint64_t deadline);

void live_holders_close(struct live_holders *holders);

#endif
