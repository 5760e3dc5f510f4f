/*
 * config_parts.h - what the files of the configuration share: config.c (lines,
 * keys, nodes), config_check.c (whether the times can work) and config_file.c
 * (the file on disk, its hash).
 */
#ifndef LIVE_CONFIG_PARTS_H
#define LIVE_CONFIG_PARTS_H

#include "live/config/config.h"

#define MS     UINT64_C(1000)
#define SECOND UINT64_C(1000000)

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

/* The state of reading one file. */
struct reading {
    struct live_config *config;
    const char *path;
    const char *at, *end; /* what inih has not asked for yet */
    struct net_why *error;
    bool failed;                        /* the first error stays */
    uint32_t line;                      /* of what inih looks at */
    uint32_t section_line;              /* of the last "[...]", or 0 */
    bool section_used;                  /* a key followed it */
    uint32_t seen;                      /* keys of [cluster], a bit each */
    uint32_t key_line[KEYS];            /* where they stand */
    uint32_t node_seen[LIVE_NODES_MAX]; /* keys of a node, likewise */
    uint32_t node_line[LIVE_NODES_MAX]; /* where its section begins */
};

/* The first complaint is kept, those after it may only follow from it.  Returns
 * 0, which means "stop" to inih. */
int complain_at(struct reading *r, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The line of a key, or that of the end if it has its default. */
uint32_t line_of(const struct reading *r, uint32_t key);

/* Complains about times and bounds that cannot work. */
void live_check_times(struct reading *r);

/* Of all that must be the same on every node. */
uint64_t live_config_hash(const struct live_config *config);

#endif
