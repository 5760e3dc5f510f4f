/*
 * ring.c - see ring.h.  The payload of LIVE_SHOWS:
 *
 *     0  fingerprint of the key that is preferred  8
 *     8  fingerprint of the other one, or 0        8
 *    16  1: an answer is expected                  8
 */
#include "live/wire/ring.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "core/wire.h"

/* ---- Fingerprints -------------------------------------------------------- */

uint64_t live_key_print(const uint8_t key[LIVE_KEY_BYTES])
{
    static const uint8_t what[] = "fulcrum fingerprint 1";
    uint8_t digest[crypto_generichash_BYTES_MIN];
    uint64_t print;

    crypto_generichash(digest, sizeof digest, what, sizeof what - 1, key,
                       LIVE_KEY_BYTES);
    print = fc_get64(digest);
    return print ? print : 1; /* 0 is none */
}

/* The digits that say most come first. */
const char *live_print_text(uint64_t print, char text[LIVE_PRINT_TEXT])
{
    snprintf(text, LIVE_PRINT_TEXT, "%08x", (unsigned)(print & 0xffffffff));
    return text;
}

/* ---- Which keys there are ------------------------------------------------ */

void live_ring_open(struct live_ring *ring, const uint8_t key[LIVE_KEY_BYTES])
{
    *ring = (struct live_ring){.print = {live_key_print(key)}};
    live_keys_open(&ring->keys[LIVE_MAIN], key);
}

static bool may_take(const struct live_ring *ring, uint64_t print,
                     struct net_why *error)
{
    char text[LIVE_PRINT_TEXT], other[LIVE_PRINT_TEXT];

    (void)live_print_text(print, text);
    if (print == ring->print[LIVE_MAIN] || print == ring->print[LIVE_SPARE])
        return net_refuse(error, "this node has the key %s already", text);
    for (uint32_t i = 0; i < ring->dropped_count; i++)
        if (ring->dropped[i] == print)
            return net_refuse(
                error,
                "the key %s was dropped since this node has started, and is "
                "not taken again: make another with 'fulcrum keygen'",
                text);
    if (ring->print[LIVE_SPARE])
        return net_refuse(
            error,
            "this node has two keys, %s and %s, and takes no third: let one be "
            "dropped first, by 'fulcrum cluster key drop'",
            live_print_text(ring->print[LIVE_MAIN], text),
            live_print_text(ring->print[LIVE_SPARE], other));
    if (ring->dropped_count == LIVE_DROPPED_MAX)
        return net_refuse(
            error,
            "this node has dropped %d keys since it has started, and can "
            "remember no more of them: restart it",
            (int)LIVE_DROPPED_MAX);
    return true;
}

/* What was the main key of a channel is its spare one, and the other way. */
static void swap_channel(struct live_channel *c)
{
    struct live_spare was = c->spare;

    memcpy(c->spare.key_to, c->key_to, sizeof c->key_to);
    memcpy(c->spare.key_from, c->key_from, sizeof c->key_from);
    c->spare.window = c->window;
    c->spare.newer = !was.newer;
    memcpy(c->key_to, was.key_to, sizeof was.key_to);
    memcpy(c->key_from, was.key_from, sizeof was.key_from);
    c->window = was.window;
    c->reads = (uint8_t)((c->reads & 1u) << 1 | (c->reads >> 1 & 1u));
    c->last ^= 1;
    sodium_memzero(&was, sizeof was);
}

void live_ring_swap(struct live_ring *ring, const struct live_self *self,
                    struct live_channel *channels)
{
    uint64_t print = ring->print[LIVE_MAIN];
    struct live_keys keys = ring->keys[LIVE_MAIN];

    ring->print[LIVE_MAIN] = ring->print[LIVE_SPARE];
    ring->print[LIVE_SPARE] = print;
    ring->keys[LIVE_MAIN] = ring->keys[LIVE_SPARE];
    ring->keys[LIVE_SPARE] = keys;
    ring->keys[LIVE_MAIN].spare = &ring->keys[LIVE_SPARE];
    ring->keys[LIVE_SPARE].spare = NULL;
    ring->spare_newer = !ring->spare_newer;
    for (uint32_t x = 0; x < self->nodes_count; x++)
        swap_channel(&channels[x]);
    sodium_memzero(&keys, sizeof keys);
}

/* Whether a peer says that it can read a key. */
static bool says(const struct live_channel *channel, uint64_t print)
{
    return channel->shown[0] == print || channel->shown[1] == print;
}

static void take(struct live_channel *c, const uint8_t key[LIVE_KEY_BYTES],
                 uint32_t self, uint32_t peer, uint64_t print)
{
    struct live_channel fresh;

    live_channel_open(&fresh, key, self, peer);
    memcpy(c->spare.key_to, fresh.key_to, sizeof fresh.key_to);
    memcpy(c->spare.key_from, fresh.key_from, sizeof fresh.key_from);
    c->spare.window = (struct live_window){0};
    c->spare.used = c->spare.newer = true;
    c->reads &= 1u << LIVE_MAIN;
    if (says(c, print))
        c->reads |= 1u << LIVE_SPARE;
    sodium_memzero(&fresh, sizeof fresh);
}

bool live_ring_add(struct live_ring *ring, const struct live_self *self,
                   struct live_channel *channels,
                   const uint8_t key[LIVE_KEY_BYTES], struct net_why *error)
{
    uint64_t print = live_key_print(key);

    if (!may_take(ring, print, error))
        return false;
    ring->print[LIVE_SPARE] = print;
    ring->spare_newer = true;
    live_keys_open(&ring->keys[LIVE_SPARE], key);
    for (uint32_t x = 0; x < self->nodes_count; x++)
        take(&channels[x], key, self->id, x, print);
    live_ring_swap(ring, self, channels);
    sodium_stackzero(1024); /* what the hash has left of the key */
    return true;
}

void live_ring_join(const struct live_ring *ring, const struct live_self *self,
                    struct live_channel *channel, uint32_t id)
{
    const struct live_keys *keys = ring->keys;
    uint32_t me = self->id;

    memcpy(channel->key_to, keys[LIVE_MAIN].key[me][id], LIVE_KEY_BYTES);
    memcpy(channel->key_from, keys[LIVE_MAIN].key[id][me], LIVE_KEY_BYTES);
    if (!ring->print[LIVE_SPARE])
        return;
    memcpy(channel->spare.key_to, keys[LIVE_SPARE].key[me][id], LIVE_KEY_BYTES);
    memcpy(channel->spare.key_from, keys[LIVE_SPARE].key[id][me],
           LIVE_KEY_BYTES);
    channel->spare.used = true;
    channel->spare.newer = ring->spare_newer;
}

/* What still comes by it is told from what others forge. */
static void forget(struct live_channel *c)
{
    memcpy(c->gone_from, c->spare.key_from, sizeof c->gone_from);
    c->has_gone = true;
    sodium_memzero(&c->spare, sizeof c->spare);
    c->reads &= 1u << LIVE_MAIN;
    c->last = LIVE_MAIN;
}

void live_ring_drop(struct live_ring *ring, const struct live_self *self,
                    struct live_channel *channels)
{
    if (ring->dropped_count < LIVE_DROPPED_MAX)
        ring->dropped[ring->dropped_count++] = ring->print[LIVE_SPARE];
    ring->print[LIVE_SPARE] = 0;
    ring->spare_newer = false;
    sodium_memzero(&ring->keys[LIVE_SPARE], sizeof ring->keys[LIVE_SPARE]);
    ring->keys[LIVE_MAIN].spare = NULL;
    for (uint32_t x = 0; x < self->nodes_count; x++)
        forget(&channels[x]);
}

/* ---- What peers can read ------------------------------------------------- */

uint64_t live_ring_lacks(const struct live_self *self,
                         const struct live_channel *channels)
{
    uint64_t those = 0;

    for (uint32_t x = 0; x < self->nodes_count; x++)
        if (x != self->id && live_self_knows(self, x) &&
            (!(channels[x].reads & 1u << LIVE_MAIN) ||
             channels[x].last != LIVE_MAIN))
            those |= UINT64_C(1) << x;
    return those;
}

bool live_ring_speaks(const struct live_ring *ring,
                      const struct live_channel *channel)
{
    return ring->print[LIVE_SPARE] || channel->shown[1];
}

void live_ring_say(const struct live_ring *ring,
                   const struct live_channel *channel,
                   uint8_t bytes[LIVE_SHOWN_BYTES])
{
    fc_put64(bytes, ring->print[LIVE_MAIN]);
    fc_put64(bytes + 8, ring->print[LIVE_SPARE]);
    fc_put64(bytes + 16, !ring->print[LIVE_SPARE] && channel->shown[1]);
}

struct live_heard live_ring_hear(const struct live_ring *ring,
                                 struct live_channel *channel,
                                 enum live_slot slot, const uint8_t *bytes)
{
    const uint64_t before[] = {channel->shown[0], channel->shown[1]};

    channel->shown[0] = fc_get64(bytes);
    channel->shown[1] = fc_get64(bytes + 8);
    channel->reads = (uint8_t)(1u << slot);
    for (uint32_t i = 0; i < LIVE_SLOTS; i++)
        if (ring->print[i] && says(channel, ring->print[i]))
            channel->reads |= (uint8_t)(1u << i);
    return (struct live_heard){before[0] != channel->shown[0] ||
                                   before[1] != channel->shown[1],
                               fc_get64(bytes + 16) == 1};
}

/* ---- Answers ------------------------------------------------------------- */

size_t live_seal_answer(const struct live_self *self,
                        struct live_channel *channel, uint32_t to,
                        uint64_t echo, enum live_slot slot,
                        uint8_t wire[LIVE_WIRE_MAX])
{
    const uint8_t reads = channel->reads, only = (uint8_t)(1u << slot);
    size_t size;

    channel->reads = only;
    size = live_seal_hello(self, channel, to, echo, wire);
    channel->reads = reads;
    return size;
}
