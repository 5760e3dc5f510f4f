/*
 * mode_proven_engine.h - drives the lock protocol of one node.  Pure: time,
 * datagrams and the disk come in as events, and actions go out as effects.
 */
#ifndef LIVE_ENGINE_H
#define LIVE_ENGINE_H

#ifdef VIEW_LOCK_H
#error "include mode_proven_engine.h before anything that knows the protocol"
#endif
#define VIEW_LOCK_LOCKS 256 /* a daemon has the protocol with many locks, */
#define VIEW_LOCK_NODES 64  /* and for as many nodes as there may ever be */

#include "protocols/mutex/view_lock/view_lock.h"

/* Those that are linked are for fewer nodes, and must not be called by mistake:
 * only the engine has its own. */
#ifndef FC_TYPED
#pragma GCC poison view_lock_step view_lock_view view_lock_sane view_lock_find
#pragma GCC poison view_lock_pack view_lock_unpack view_lock_wire_bytes
#endif

#include <stdbool.h>

#include "live/common/effect.h"
#include "live/common/lock.h"
#include "live/config/config.h"
#include "live/mode/asked.h"
#include "live/mode/delay.h"
#include "live/mode/lists.h"
#include "live/wire/parcel.h"

struct live_engine_counts {
    uint64_t events, messages_sent, messages_taken;
    uint64_t sent_of[VIEW_LOCK_KINDS]; /* messages sent, by kind */
    uint64_t odd;    /* refused: no messages of the protocol */
    uint64_t late;   /* wake-ups that came more than a tau late */
    uint64_t latest; /* the latest of them: microseconds */
    uint64_t worst;  /* the latest of all wake-ups: microseconds */
    uint64_t syncs;
    uint64_t slowest; /* of the last minutes: microseconds */
    uint64_t vacated; /* events that waited for the death of a holder */
};

enum { LIVE_HELD_KINDS = 2 }; /* votes and proposals wait for the disk */

/* Anybody may read it; only mode_proven_engine.c writes. */
struct live_engine {
    struct view_lock state, trial;
    struct view_lock_params params;
    struct live_engine_counts counts;
    struct live_delay delays[LIVE_NODES_MAX];
    const struct live_config *config;
    struct fc_member me;            /* of all nodes that are known here */
    uint32_t first_count;           /* those of configuration 0 */
    uint64_t first_tau;             /* and between their frames */
    struct live_lists lists;        /* whom configurations name */
    uint32_t told_k, told_born;     /* the one that the driver was told of */
    bool long_record;               /* it was, and so it stays */
    struct view_lock_record disk;   /* what surely is in the record */
    uint32_t shown[LIVE_NODES_MAX]; /* views that others have surely written */
    uint32_t shown_k[LIVE_NODES_MAX];  /* and their configurations */
    uint64_t acked_by[LIVE_NODES_MAX]; /* the life whose echo counts */
    uint64_t seed;                     /* of its choices */
    uint64_t delay;                    /* what frames usually take at most */
    uint64_t wake_at;                  /* 0: the timer does not run */
    bool writing;                      /* the record */
    bool mute;                         /* nothing happens */
    bool hasty; /* for rehearsals: nobody waits for the death of a holder */
    bool dead;  /* it has stopped for the reason below */
    char why[NET_WHY_SIZE];
    struct live_asked *asked; /* for people; or NULL */
    struct live_parcel parcels[LIVE_NODES_MAX];
    /* The last vote and proposal for each, as long as it is not on disk; its
     * view is 0 otherwise. */
    struct view_lock_msg held[LIVE_HELD_KINDS][LIVE_NODES_MAX];
};

/* What the record says. */
struct live_engine_past {
    struct view_lock_record record;
    struct live_roster roster; /* of its configuration, if that is not 0 */
    bool long_record;          /* it has room for a configuration */
    uint64_t seed;             /* of choices */
};

/* A node with what its record says.  Keeps the configuration.  NULL with a
 * sentence on failure. */
struct live_engine *live_engine_open(const struct live_config *config,
                                     uint32_t self,
                                     const struct live_engine_past *past,
                                     struct net_why *error);
void live_engine_close(struct live_engine *engine);

/* Its life begins: nothing is sent, and the record is to be written before
 * anything else happens. */
void live_engine_boot(struct live_engine *engine, uint64_t now,
                      struct live_effects *out);

/* A datagram of another node. */
void live_engine_take(struct live_engine *engine, uint32_t from,
                      struct live_unread bytes, uint64_t now,
                      struct live_effects *out);

/* Its timer, which was set to wake_at. */
void live_engine_due(struct live_engine *engine, uint64_t now,
                     struct live_effects *out);

/* The record that was to be written is on disk. */
void live_engine_written(struct live_engine *engine,
                         const struct view_lock_record *values, uint64_t now,
                         struct live_effects *out);

/* W9: what writing the record takes, at most, as measured: microseconds. */
void live_engine_disk(struct live_engine *engine, uint64_t slowest);

/* Asks something of the protocol: enum mutex_command, enum view_lock_command.
 * False if it was ignored. */
bool live_engine_command(struct live_engine *engine, uint8_t command,
                         uint64_t lock, uint64_t now, struct live_effects *out);

/* A message from the wire, false: no node can have sent it, and `m` means
 * nothing; and onto it, where
 * there is room for view_lock_wire bytes: returns its size. */
bool live_engine_unpack(struct view_lock_msg *m, struct live_unread bytes);
size_t live_engine_pack(const struct view_lock_msg *m, uint8_t *wire);

/* ---- Changes of the list ------------------------------------------------- */

/* R4: asks for another list and other times; false: not now. */
bool live_engine_change(struct live_engine *engine,
                        const struct view_lock_plan *plan,
                        const struct live_roster *roster, uint64_t now,
                        struct live_effects *out);

/* A change that has not begun is not wished any more. */
void live_engine_withdraw(struct live_engine *engine);

/* A node is known here that may be about to join: what it sends is read. */
void live_engine_meet(struct live_engine *engine, uint32_t node);

/* The roster of this node's configuration; NULL: that is number 0. */
const struct live_roster *live_engine_roster(const struct live_engine *engine);

const struct view_lock_one *live_engine_lock(const struct live_engine *engine,
                                             uint64_t lock);

/* P7: the newest stamp of this node that a lease still counts from and that a
 * peer has echoed in another life than this one; 0: none. */
uint64_t live_engine_relied(const struct live_engine *engine, uint32_t peer,
                            uint64_t life, uint64_t now);

/* P7: leaves its view for good, as if it had voted for one above that nobody
 * proposes. */
void live_engine_renounce(struct live_engine *engine, uint64_t now,
                          struct live_effects *out);

/* While it is mute nothing happens to the protocol: what arrives is dropped and
 * nothing leaves, as if the process were stopped. */
void live_engine_mute(struct live_engine *engine, bool mute, uint64_t now);

#endif
