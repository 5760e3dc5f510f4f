/*
 * orders.h - what an operator tells a running node: its keys (R8).
 *
 * A key reaches the node as an open file, which the operator's command has
 * opened: so the daemon needs no right to the file, the key travels over no
 * network, and what it is judged by is the file itself, its owner and its mode.
 * The configuration names the files for the next start; a running node does not
 * read that again.
 */
#ifndef LIVE_ORDERS_H
#define LIVE_ORDERS_H

#include <jansson.h>

#include "live/door/door.h"
#include "live/wire/link_keys.h"

struct live_orders {
    const struct live_config *config;
    struct live_links *links;
    const struct live_mode *mode;
    uint64_t drop_at;    /* own clock: when a key is to be dropped; 0: never */
    bool drop_forced;    /* though a node lacks the other one */
    uint64_t drop_print; /* which */
    uint64_t tell_at;    /* again, that it cannot be dropped yet */
};

/* See live_door_owner. */
enum live_ordered live_orders_obey(struct live_orders *orders,
                                   const struct live_order *order,
                                   char answer[LIVE_REASON_MAX]);

/* Drops the key whose date has come. */
void live_orders_due(struct live_orders *orders, uint64_t now);

/* In the log, when the node starts with two keys. */
void live_orders_tell(const struct live_orders *orders);

/* Keys and versions in the status: of this node, and of a peer. */
void live_orders_describe(const struct live_orders *orders, uint64_t now,
                          json_t *into);
void live_orders_describe_peer(const struct live_orders *orders, uint32_t peer,
                               json_t *into);

#endif
