/*
 * stage_parts.h - what the files of the stage share: stage.c (the course of a
 * run, and what was done) and cast.c (its processes).
 */
#ifndef LIVE_PLAY_STAGE_PARTS_H
#define LIVE_PLAY_STAGE_PARTS_H

#include <sys/types.h>

#include "live/play/player.h"
#include "live/play/stage.h"

/* The process of a node. */
struct actor {
    pid_t pid;     /* 0: there is none */
    int socket;    /* or -1 */
    uint32_t life; /* counts its processes, from 1 on */
    bool far;      /* on another machine */
    bool ready;
    bool boots;    /* it is on its way back */
    uint64_t died; /* when it did, of this clock */
    bool waits;    /* something is due at it */
    uint32_t left; /* entries that its application has yet to make */
    uint64_t last; /* microseconds of its last act */
    /* Messages from its present life to the present life of each node which
     * were not read yet: as far as reports have come, so it may be negative for
     * a while. */
    int32_t out[LIVE_PEERS_MAX];
};

struct cast {
    const struct live_stage *stage;
    struct live_play play; /* with the cells that its processes share */
    uint32_t nodes;
    struct live_config config;
    struct live_common *common;
    size_t common_size;
    struct actor actors[LIVE_PEERS_MAX];
    uint64_t start, tick; /* microseconds; 0: not yet */
    uint64_t down, apart; /* nodes, a bit each */
    struct live_log *log;
    uint8_t *packet;
    size_t packet_size;
    struct net_why *error;
    bool failed;
};

/* ---- cast.c -------------------------------------------------------------- */

/* Addresses, a key, shared memory. False with a sentence. */
bool cast_begin(struct cast *c);

/* Starts the process of a node, as a new one or as one that is back. False with
 * a sentence. */
bool cast_start(struct cast *c, uint32_t node, bool back, bool blank);

/* Kills it, and waits until it is dead. */
void cast_kill(struct cast *c, uint32_t node);

/* Tells all that live. */
void cast_order(struct cast *c, enum live_order_kind kind);

/* No process and no memory is left. */
void cast_end(struct cast *c);

#endif
