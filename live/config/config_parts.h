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

/* ---- config_times.c ------------------------------------------------------ */

/* A time as the file writes it; and rounded up where nobody minds. */
struct live_spelt {
    char text[32];
};
struct live_spelt live_spelt(uint64_t us);
struct live_spelt live_spelt_up(uint64_t us);

/* The shortest lease of which `least` is left when K is taken away, which is a
 * tenth of it if it is not set. */
uint64_t live_config_shortest(const struct live_config *config,
                              bool kill_is_set, uint64_t least);

/* The key of a time that cannot work in mode proven, with a sentence; KEYS:
 * there is none. */
uint32_t live_config_odd_time(const struct live_config *config,
                              bool kill_is_set, struct net_why *why);

#endif
