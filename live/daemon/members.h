/*
 * members.h - the list of nodes that changes while the cluster runs: what an
 * operator orders, what follows from a configuration that is in force, and what
 * people are told of it (R4, R6, R7).
 *
 * The configuration of a running node grows with the nodes that it meets; who
 * they are is agreed on with the list (live/config/roster.h), and where the
 * file says something else it is told and not obeyed.
 */
#ifndef LIVE_MEMBERS_H
#define LIVE_MEMBERS_H

#include <jansson.h>

#include "live/daemon/driver.h"

struct live_members {
    struct live_config *config;
    uint32_t self;
    struct live_driver *driver;
    char asked[LIVE_REASON_MAX]; /* the last change that was ordered here */
};

/* See live_door_owner. */
enum live_ordered live_members_obey(struct live_members *members,
                                    const struct live_order *order,
                                    char answer[LIVE_REASON_MAX]);

/* A configuration is in force: the nodes of its lists, their times and roles
 * become those of `config`; and of the links, unless they are NULL, because
 * they are still to be opened.  NULL, or why this node must stop. */
const char *live_members_apply(struct live_config *config, uint32_t self,
                               const struct live_mode *mode,
                               struct live_links *links);

/* A node that nobody has listed shows itself.  True: it is known now. */
bool live_members_guest(struct live_config *config, struct live_mode *mode,
                        uint32_t id, const struct live_config_node *node);

/* In the status: of this node, and of a peer or itself. */
void live_members_describe(const struct live_members *members, uint64_t now,
                           json_t *into);
void live_members_describe_peer(const struct live_members *members,
                                uint32_t peer, uint64_t now, json_t *into);

#endif
