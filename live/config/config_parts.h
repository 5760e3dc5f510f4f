/*
 * config_parts.h - what the files of the configuration share: config.c (lines,
 * keys, nodes, and whether the times can work) and config_file.c (the file on
 * disk, its hash).
 */
#ifndef LIVE_CONFIG_PARTS_H
#define LIVE_CONFIG_PARTS_H

#include "live/config/config.h"

/* The keys of [cluster], and what they are called. */
enum {
    KEY_TAU,
    KEY_LEASE,
    KEY_KILL,
    KEY_DELAY,
    KEY_SILENCE,
    KEY_SPREAD,
    KEY_KEY,
    KEY_STATE,
    KEY_SOCKET,
    KEY_USER,
    KEY_GROUP,
    KEY_PERMISSIONS,
    KEY_MODE,
    KEY_BOUNDS,
    KEY_DMAX,
    KEY_STEP,
    KEY_WINDOW,
    KEY_GENERATION,
    KEYS,
};
extern const char *const live_config_keys[KEYS];

/* Of all that must be the same on every node. */
uint64_t live_config_hash(const struct live_config *config);

#endif
