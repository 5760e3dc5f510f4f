/*
 * player.h - the process of one node that plays a protocol: a loop around the
 * host, over the links of live/wire.
 *
 * The stage (stage.h) starts it by fork() and hears of everything it does
 * through a socket, before anybody else can: an act is reported first, and its
 * messages leave then.  So whatever a node has done to others is known, even if
 * it is killed at once.
 */
#ifndef LIVE_PLAY_PLAYER_H
#define LIVE_PLAY_PLAYER_H

#include <pthread.h>

#include "live/config/config.h"
#include "live/play/host.h"

/* What a player tells the stage. */
enum live_note_kind {
    LIVE_NOTE_READY,  /* it has met all its peers */
    LIVE_NOTE_ACT,    /* followed by the messages that leave, and by the one
                       * that was read */
    LIVE_NOTE_FAILED, /* followed by a sentence */
};
struct live_note {
    uint32_t kind;
    uint32_t node, life; /* whose it is */
    uint32_t sends;
    uint64_t round_trip, late; /* LIVE_NOTE_READY: the longest, microseconds */
    struct live_act act;       /* LIVE_NOTE_ACT */
};

/* What the stage tells a player. */
enum live_order_kind {
    LIVE_ORDER_GO,    /* begin at this time */
    LIVE_ORDER_STATE, /* nodes that are down, and beyond a partition */
    LIVE_ORDER_END,   /* of nodes on other machines */
};
struct live_order {
    uint32_t kind;
    uint64_t start, tick; /* microseconds */
    uint64_t down, apart; /* nodes, a bit each */
};

/* Memory that the processes of a run share. */
struct live_common {
    pthread_mutex_t lock; /* of all below; survives the death of its holder */
    uint64_t last_at;     /* of the last act that had it */
    uint32_t cells[];
};

struct live_player {
    const struct live_play *play;
    const struct live_config *config;
    struct live_common *common; /* or NULL: the problem has no cells */
    struct live_host *host;
    uint32_t node, life;
    int stage;            /* the socket */
    uint32_t pings;       /* to each peer, before it is ready */
    uint64_t start, tick; /* of a run that is under way; or 0 */
    uint64_t down, apart;
    uint64_t until, patience; /* of the stage: when all is over at the latest */
    bool boots, blank;        /* it comes back, without its memory */
    bool spread; /* nodes are on several machines: the stage is beside
                        * the first, whose process passes all words on */
};

/* Plays until the stage closes the socket.  Does not return. */
_Noreturn void live_player_run(const struct live_player *player);

/* The longest packet that a player sends. */
size_t live_note_max(const struct live_play *play);

#endif
