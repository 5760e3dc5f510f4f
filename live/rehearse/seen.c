/*
 * seen.c - see seen.h: open addressing, at most two thirds full.
 */
#include "live/rehearse/seen.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LEFT_MASK = 15, ROOM_MIN = 1 << 12 };

struct seen_hash seen_hash(const void *bytes, size_t size)
{
    XXH128_hash_t h = XXH3_128bits(bytes, size);

    return (struct seen_hash){h.high64, h.low64 & ~(uint64_t)LEFT_MASK};
}

/* Where it is, or where it belongs. */
static struct seen_hash *find(struct seen_hash *slots, size_t room,
                              struct seen_hash hash)
{
    size_t at = (size_t)hash.high & (room - 1);

    while (slots[at].low &&
           (slots[at].high != hash.high ||
            (slots[at].low & ~(uint64_t)LEFT_MASK) != hash.low))
        at = (at + 1) & (room - 1);
    return &slots[at];
}

static bool grow(struct seen *s)
{
    size_t room = s->room ? 2 * s->room : ROOM_MIN;
    struct seen_hash *slots;

    if (s->bytes_max && room * sizeof *slots > s->bytes_max)
        return false;
    slots = calloc(room, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < s->room; i++) {
        struct seen_hash h = s->slots[i];

        if (!h.low)
            continue;
        h.low &= ~(uint64_t)LEFT_MASK;
        *find(slots, room, h) = s->slots[i];
    }
    free(s->slots);
    s->slots = slots;
    s->room = room;
    return true;
}

enum seen_news seen_add(struct seen *s, struct seen_hash hash, uint32_t left)
{
    struct seen_hash *slot;
    uint32_t before;

    if (3 * s->count >= 2 * s->room && !grow(s)) {
        s->full = true;
        return SEEN_NEVER;
    }
    slot = find(s->slots, s->room, hash);
    before = (uint32_t)(slot->low & LEFT_MASK);
    if (before > left) /* it is kept with one more, so that none is 0 */
        return SEEN_ENOUGH;
    s->count += before == 0;
    *slot = (struct seen_hash){hash.high, hash.low | (left + 1)};
    return before ? SEEN_WITH_LESS : SEEN_NEVER;
}

void seen_clear(struct seen *s)
{
    if (s->slots)
        memset(s->slots, 0, s->room * sizeof *s->slots);
    s->count = 0;
}

void seen_free(struct seen *s)
{
    free(s->slots);
    *s = (struct seen){0};
}
