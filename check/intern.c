/*
 * intern.c - see intern.h.
 */
#include "check/intern.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t hash_of(const struct check_intern *t, uint32_t number)
{
    size_t size;
    const uint8_t *bytes = check_bytes(t, number, &size);

    return XXH3_64bits(bytes, size);
}

static bool more_slots(struct check_intern *t, struct check_memory *m)
{
    uint32_t count = t->slots_count ? 2 * t->slots_count : 64;
    uint32_t *slots = check_grow(m, NULL, 0, count * sizeof *slots);

    if (!slots)
        return false;
    check_release(m, t->slots, t->slots_count * sizeof *slots);
    t->slots = slots;
    t->slots_count = count;
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t at = hash_of(t, i) & (count - 1);

        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = i + 1;
    }
    return true;
}

static bool more_room(struct check_intern *t, struct check_memory *m,
                      size_t size)
{
    if (!t->bytes || t->used + size > t->bytes_room) {
        size_t room = 2 * (t->used + size) + 256;
        uint8_t *bytes = check_grow(m, t->bytes, t->bytes_room, room);

        if (!bytes)
            return false;
        t->bytes = bytes;
        t->bytes_room = room;
    }
    if (t->count == t->room) {
        uint32_t room = t->room ? 2 * t->room : 64;
        uint64_t *ends =
            check_grow(m, t->ends, t->room * sizeof *ends, room * sizeof *ends);

        if (!ends)
            return false;
        t->ends = ends;
        t->room = room;
    }
    return t->count < t->slots_count / 2 || more_slots(t, m);
}

uint32_t check_intern(struct check_intern *t, struct check_memory *m,
                      const void *bytes, size_t size)
{
    uint64_t at;

    if (!more_room(t, m, size))
        return 0;
    at = XXH3_64bits(bytes, size) & (t->slots_count - 1);
    for (; t->slots[at]; at = (at + 1) & (t->slots_count - 1)) {
        uint32_t number = t->slots[at] - 1;
        size_t length;
        const uint8_t *known = check_bytes(t, number, &length);

        if (length == size && memcmp(known, bytes, size) == 0)
            return number;
    }
    if (size)
        memcpy(t->bytes + t->used, bytes, size);
    t->used += size;
    t->ends[t->count] = t->used;
    t->slots[at] = t->count + 1;
    return t->count++;
}

void check_intern_free(struct check_intern *t, struct check_memory *m)
{
    check_release(m, t->bytes, t->bytes_room);
    check_release(m, t->ends, t->room * sizeof *t->ends);
    check_release(m, t->slots, t->slots_count * sizeof *t->slots);
    *t = (struct check_intern){.bytes = NULL};
}
