/*
 * engine.h - drives the lock protocol of one node: its record, its links, its
 * clock, its timer.  Single-threaded, in a loop of libuv.
 */
#ifndef LIVE_ENGINE_H
#define LIVE_ENGINE_H

#ifdef VIEW_LOCK_H
#error "include live/host/engine.h before anything that knows the protocol"
#endif
#define VIEW_LOCK_LOCKS 256 /* a daemon has the protocol with many locks */

#include "protocols/mutex/view_lock.h"

#include <stdbool.h>
#include <uv.h>

#include "live/config/config.h"
#include "live/host/delay.h"
#include "live/host/lock.h"
#include "live/host/record.h"
#include "live/wake.h"
#include "live/wire/link.h"
#include "live/wire/parcel.h"

struct live_engine_counts {
    uint64_t events, messages_sent, messages_taken;
    uint64_t sent_of[VIEW_LOCK_KINDS]; /* messages sent, by kind */
    uint64_t odd;    /* refused: no messages of the protocol */
    uint64_t late;   /* wake-ups that came more than a tau late */
    uint64_t latest; /* the latest of them: microseconds */
    uint64_t syncs;
    uint64_t slowest; /* of the last minutes: microseconds */
    uint64_t vacated; /* events that waited for the death of a holder */
};

enum { LIVE_HELD_KINDS = 2 }; /* votes and proposals wait for the disk */

/* Anybody may read it; only engine.c writes. */
struct live_engine {
    struct view_lock state, trial;
    struct view_lock_params params;
    struct live_engine_counts counts;
    struct live_delay delays[LIVE_NODES_MAX];
    struct live_links *links;
    struct fc_member me;
    struct live_record *record;
    struct live_writer *writer;
    struct view_lock_record disk; /* what surely is in the record */
    uint64_t slow_told_at, long_told_at;
    struct live_listener listener;
    uint64_t delay;   /* what frames usually take at most */
    uint64_t wake_at; /* 0: the timer does not run */
    bool mute;        /* nothing happens */
    bool dead;        /* the record cannot be written, or it is closed */
    char why[LIVE_ERROR_SIZE];
    struct live_wake wake;
    struct live_parcel parcels[LIVE_NODES_MAX];
    /* The last vote and proposal for each, as long as it is not on disk; its
     * view is 0 otherwise. */
    struct view_lock_msg held[LIVE_HELD_KINDS][LIVE_NODES_MAX];
};

/* Starts a life of the node: the record is written, the links open.  Takes over
 * neither config nor record.  NULL with a sentence on failure. */
struct live_engine *live_engine_open(uv_loop_t *loop,
                                     const struct live_config *config,
                                     uint32_t self, struct live_record *record,
                                     const struct live_listener *listener,
                                     char error[LIVE_ERROR_SIZE]);

/* Asks something of the protocol: enum mutex_command, enum view_lock_command.
 * False if it was ignored. */
bool live_engine_command(struct live_engine *engine, uint8_t command,
                         uint64_t lock);

const struct view_lock_one *live_engine_lock(const struct live_engine *engine,
                                             uint64_t lock);

/* While it is mute nothing happens to the protocol: what arrives is dropped and
 * nothing leaves, as if the process were stopped. */
void live_engine_mute(struct live_engine *engine, bool mute);

/* Closes links and timer; its memory is freed when the loop has seen it. */
void live_engine_close(struct live_engine *engine);

#endif
