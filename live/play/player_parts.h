/*
 * player_parts.h - what the files of a player share: player.c (its process) and
 * player_mail.c (messages of the protocol).
 */
#ifndef LIVE_PLAY_PLAYER_PARTS_H
#define LIVE_PLAY_PLAYER_PARTS_H

#include "live/play/player.h"
#include "live/play/post.h"
#include "live/system/wake.h"
#include "live/wire/link.h"

/* A message that is held back. */
struct held {
    struct held *next;
    uint64_t at;
    struct live_send send;
    size_t size;
    uint8_t bytes[];
};

struct process {
    struct live_player is;
    uv_loop_t loop;
    uv_poll_t orders;
    struct live_wake wake;
    struct live_links *links;
    struct live_post *post;
    struct held *held;
    bool ready, plays, over;
    uint64_t linked; /* nodes, a bit each */
    uint64_t began, ping_at, planned;
    uint32_t answers[LIVE_PEERS_MAX];
    uint64_t round_trip, late;
    uint8_t *packet;
    uint64_t ends_at;               /* or 0 */
    uint8_t *words[LIVE_PEERS_MAX]; /* of peers, as far as they came */
    size_t words_size[LIVE_PEERS_MAX];
    uint8_t msg[FC_WIRE_MAX] __attribute__((aligned(8)));
};

/* Tells the stage why this node cannot go on, and ends it. */
_Noreturn void player_fail(struct process *p, const char *sentence);

/* ---- Time ---------------------------------------------------------------- */

static inline uint64_t player_tick_of(const struct process *p, uint64_t now)
{
    return now > p->is.start ? (now - p->is.start) / p->is.tick : 0;
}

static inline uint64_t player_time_of(const struct process *p, uint64_t tick)
{
    return tick > (UINT64_MAX / 2 - p->is.start) / p->is.tick
               ? UINT64_MAX
               : p->is.start + tick * p->is.tick;
}

static inline uint64_t player_since_start(const struct process *p, uint64_t now)
{
    return now > p->is.start ? now - p->is.start : 0;
}

/* ---- Messages ------------------------------------------------------------ */

/* Sends a message, or holds it back as its fault wants it. */
void player_send(struct process *p, const struct live_send *send,
                 const void *msg, uint64_t now);

/* Sends those that were held back until now. */
void player_release(struct process *p, uint64_t now);

/* What the post asks of its owner (see post.h). */
void player_transmit(void *whom, uint32_t to, const uint8_t *bytes,
                     size_t size);
void player_deliver(void *whom, const struct live_mark *mark, uint16_t port,
                    const uint8_t *bytes, size_t size);
void player_overflow(void *whom, uint32_t peer);

#endif
