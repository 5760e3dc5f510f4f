/*
 * engine.h - drives the lock protocol of one node: its record, its links, its
 * clock, its timer.  Single-threaded, in a loop of libuv.
 */
#ifndef LIVE_ENGINE_H
#define LIVE_ENGINE_H

#include "live/host/state.h"

#include <stdbool.h>
#include <uv.h>

#include "live/config/config.h"
#include "live/host/delay.h"
#include "live/host/listener.h"
#include "live/host/record.h"
#include "live/wire/link.h"

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

struct live_engine;

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

const struct view_lock *live_engine_state(const struct live_engine *engine);
const struct view_lock_params *
live_engine_params(const struct live_engine *engine);
const struct view_lock_one *live_engine_lock(const struct live_engine *engine,
                                             uint64_t lock);
const struct live_engine_counts *
live_engine_counts(const struct live_engine *engine);
const struct live_delay *live_engine_delay(const struct live_engine *engine,
                                           uint32_t peer);
struct live_links *live_engine_links(const struct live_engine *engine);

/* While it is mute nothing happens to the protocol: what arrives is dropped and
 * nothing leaves, as if the process were stopped. */
void live_engine_mute(struct live_engine *engine, bool mute);

/* Closes links and timer; its memory is freed when the loop has seen it. */
void live_engine_close(struct live_engine *engine);

#endif
