/*
 * config.h - the file that names the nodes of a cluster and its times.
 *
 *     [cluster]
 *     lease = 100ms
 *     key   = cluster.key
 *
 *     [node north]
 *     host = 192.0.2.1
 *     port = 7400
 *
 * Files that are not absolute are looked for beside the configuration.
 *
 * An id names a node for the life of a generation, and is never given to
 * another.  The nodes of the first list have the first ids, in the order of
 * their sections; a node that joined later, by a change of the list, has a
 * higher one, and `id = N` in its section.  So there may be gaps.
 */
#ifndef LIVE_CONFIG_H
#define LIVE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/why.h"

enum {
    LIVE_NODES_MAX = 64,   /* of a cluster, in the life of a generation */
    LIVE_FIRST_MAX = 31,   /* of those, in the first list */
    LIVE_SILENCE_MAX = 16, /* in mode silence */
    LIVE_PEERS_MAX = 64,   /* that links connect: processes of a protocol */
    LIVE_NAME_MAX = 32,    /* bytes, with the zero at the end */
    LIVE_KEY_BYTES = 32,
    LIVE_PATH_MAX = 256,
    LIVE_HOST_MAX = 128,
    LIVE_CONFIG_MAX = 65536, /* bytes of the file */
    LIVE_GENERATION_MAX = 127,
};

/* How the nodes agree; docs/live.md, docs/live-silence.md. */
enum live_mode_name {
    LIVE_PROVEN,  /* no bound on delays is assumed: the default */
    LIVE_SILENCE, /* silence is consent: the bounds are taken for certain */
};

struct live_config_node {
    char name[LIVE_NAME_MAX]; /* as the file calls it */
    char host[LIVE_HOST_MAX]; /* IPv4, IPv6 or a name */
    uint16_t port;
    bool witness; /* votes and takes frames; never holds a lock */
};

struct live_config {
    uint32_t first_count; /* nodes of the first list, whose ids come first */
    uint32_t nodes_count; /* the highest id that is known, and one */
    struct live_config_node
        nodes[LIVE_PEERS_MAX]; /* by id; no name: nobody known has that id */
    enum live_mode_name mode;
    /* Times in microseconds, which are the steps of a live node. */
    uint64_t tau;        /* between frames */
    uint64_t lease;      /* T */
    uint64_t kill;       /* K: a tenth of the lease, if the file is silent */
    uint64_t delay;      /* dmax: for speed alone */
    uint64_t silence;    /* S; 0: as long as those left out must be outwaited */
    uint64_t dmax, step; /* mode silence: hard bounds on a packet's delay, and
                          * on the time until what has arrived is handled */
    bool early;          /* mode silence: acknowledgements end the window */
    uint32_t spread_ppm; /* 1 - gamma, in millionths: of clock rates */
    uint32_t generation; /* P5: every change of the file raises it */
    uint8_t key[LIVE_KEY_BYTES];
    char key_file[LIVE_PATH_MAX];
    uint8_t new_key[LIVE_KEY_BYTES];  /* R8: while it is exchanged */
    char new_key_file[LIVE_PATH_MAX]; /* "": there is one key */
    char state[LIVE_PATH_MAX];        /* directory of the record */
    char socket[LIVE_PATH_MAX]; /* of local clients, %i is the node's name */
    char user[LIVE_NAME_MAX];   /* that the daemon becomes; or "" */
    char group[LIVE_NAME_MAX];  /* whose members may be clients; or "" */
    uint32_t permissions;       /* of the socket */
    /* Of all that must be the same on every node: the generation, names of the
     * first list in their order, witnesses, tau, lease, spread, and the mode
     * with its bounds.  Not of addresses: they may differ from node to node. */
    uint64_t hash;
};

/* How long to wait by this clock until `time` has passed by any clock: rates
 * may differ by the spread. */
uint64_t live_config_stretch(const struct live_config *config, uint64_t time);

/* Reads a file, but not the key that it names: clients do not need it.  On
 * failure returns false with a sentence that names file, line and remedy. */
bool live_config_load(struct live_config *config, const char *path,
                      struct net_why *error);

/* The same with the keys: for nodes. */
bool live_config_read(struct live_config *config, const char *path,
                      struct net_why *error);

/* The first from text that was read from `path`. */
bool live_config_parse(struct live_config *config, const char *path,
                       const char *text, size_t size, struct net_why *error);

/* "10ms", "500us", "2s", at most 1000 s: in microseconds. */
bool live_config_time(const char *text, uint64_t *time);

/* Whether a node of this id is known; and how many are. */
bool live_config_knows(const struct live_config *config, uint32_t id);
uint32_t live_config_count(const struct live_config *config);

/* What a node may be called, and where it may be. */
bool live_config_is_name(const char *name);
bool live_config_is_host(const char *text);

/* Whether these times of mode proven can work; else a sentence. */
bool live_config_times_fit(const struct live_config *config,
                           struct net_why *why);

/* Whether a node that says so itself could be in a file: its name, its host,
 * without any sign that means something there, and its port. */
bool live_config_fits(const struct live_config_node *node);

/* The node of this name, or -1. */
int live_config_find(const struct live_config *config, const char *name);

/* The path of the socket of a node's local clients. */
void live_config_socket(const struct live_config *config, uint32_t node,
                        char path[LIVE_PATH_MAX]);

/* Wfull: the time after which a lease that was given is over, by any clock.  It
 * is measured in two parts, and a clock that is read loses up to a step in
 * each. */
uint64_t live_config_quiet(const struct live_config *config);

/* Between frames while nobody holds or wants a lock: a fifth of the lease, so
 * that leases last though three frames in a row are lost; never below tau. */
uint64_t live_config_idle(const struct live_config *config);

/* Reads a key: 64 hexadecimal digits in a file that only its owner can read.
 * On failure returns false with a sentence. */
bool live_key_read(uint8_t key[LIVE_KEY_BYTES], const char *path,
                   struct net_why *error);

/* The same from an open file, which a message calls `path`: it is read from its
 * beginning, wherever it has been read before. */
bool live_key_take(uint8_t key[LIVE_KEY_BYTES], int file, const char *path,
                   struct net_why *error);

/* Draws a key and writes it into a new file of mode 0600; never replaces one.
 * On failure returns false with a sentence, and leaves no file. */
bool live_key_create(const char *path, struct net_why *error);

#endif
