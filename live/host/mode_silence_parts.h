/*
 * mode_silence_parts.h - what the files of mode silence share: mode_silence.c
 * (what a node does) and mode_silence_status.c (what it tells people).
 */
#ifndef LIVE_HOST_MODE_SILENCE_PARTS_H
#define LIVE_HOST_MODE_SILENCE_PARTS_H

#include "live/host/mode.h"
#include "live/host/sites.h"
#include "live/wire/courier.h"

struct silence {
    struct live_mode mode;
    struct live_effects *out; /* of the event that is happening */
    uint64_t now;             /* likewise */
    struct live_courier *courier;
    struct live_sites *sites;
    uint64_t life;
    uint64_t floor;        /* no own number was above it: as it is to be kept */
    uint64_t window, dead; /* worked out of the bounds */
    uint64_t beat_at, until, wake_at;
    uint64_t mute_until; /* by then commands of its last life are dead */
    uint64_t latest;     /* beat, beyond its time */
    uint64_t syncs;
    uint32_t farewells;
    uint64_t lives[LIVE_NODES_MAX]; /* of the others, as last heard */
    uint8_t without;                /* enum live_silence_without */
    bool broken;                /* it must be stopped, for the reason below */
    bool ready;                 /* as last logged */
    bool leaving;               /* for good: told to, or over */
    char over[LIVE_REASON_MAX]; /* why the mode has ended; or empty */
    char why[LIVE_ERROR_SIZE];
};

static inline struct silence *silence_of(const struct live_mode *mode)
{
    return (struct silence *)mode;
}

/* As struct live_mode_kind has them. */
void silence_reason(const struct live_mode *mode, uint64_t lock,
                    char reason[LIVE_REASON_MAX]);
void silence_describe(const struct live_mode *mode, json_t *o);
void silence_describe_peer(const struct live_mode *mode, uint32_t x, json_t *o);
void silence_log_start(struct live_mode *mode);
void silence_log_changes(struct live_mode *mode);

#endif
