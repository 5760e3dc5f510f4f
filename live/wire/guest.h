/*
 * guest.h - a node that joined later, as it introduces itself to those that do
 * not know it: its id, name, host and port.
 *
 * Two operators may give one id to two nodes at once.  So that nobody takes the
 * one for the other, what a node of a later id is goes into the hash of all
 * that it sends and receives, as its mark.
 *
 * No sockets and no clock here.
 */
#ifndef LIVE_GUEST_H
#define LIVE_GUEST_H

#include "live/config/config.h"

enum {
    LIVE_CARD_HEAD = 8,
    LIVE_CARD_MIN = LIVE_CARD_HEAD + 2,
    LIVE_CARD_MAX = LIVE_CARD_HEAD + LIVE_NAME_MAX - 1 + LIVE_HOST_MAX - 1,
};

/* What it says, the payload of LIVE_JOINS; returns its size. */
size_t live_card_pack(const struct live_config_node *node, uint32_t id,
                      uint8_t bytes[LIVE_CARD_MAX]);

/* False, if it is not of this form, of another id, or what no file may have:
 * then nothing is known of the node. */
bool live_card_unpack(struct live_config_node *node, uint32_t id,
                      const uint8_t *bytes, size_t size);

/* Its mark, never 0. */
uint64_t live_card_mark(const uint8_t *bytes, size_t size);

/* The same of a node that is known; 0: it is of the first list, or nobody. */
uint64_t live_node_mark(const struct live_config *config, uint32_t id);

#endif
