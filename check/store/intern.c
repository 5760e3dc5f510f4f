/*
 * intern.c - see intern.h.
 */
#include "check/store/intern.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "net/sane.h"

static uint64_t hash_of(const struct check_intern *t, uint32_t number)
{
    size_t size;
    const uint8_t *bytes = check_bytes(t, number, &size);

    return XXH3_64bits(bytes, size);
}

static bool more_slots(struct check_intern *t, struct check_memory *m)
{
    uint32_t count = t->slots_count ? 2 * t->slots_count : 64;
    _Atomic uint32_t *slots = check_grow(m, NULL, 0, count * sizeof *slots);

    if (!slots)
        return false;
    check_release(m, t->slots, t->slots_count * sizeof *slots);
    t->slots = slots;
    t->slots_count = count;
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t at = hash_of(t, i) & (count - 1);

        /* Relaxed: nobody else knows this block yet. */
        while (atomic_load_explicit(&slots[at], memory_order_relaxed))
            at = (at + 1) & (count - 1);
        atomic_store_explicit(&slots[at], i + 1, memory_order_relaxed);
    }
    NET_ASSERT_SANE("a table that has grown", check_intern_sane(t));
    return true;
}

static bool more_room(struct check_intern *t, struct check_memory *m,
                      size_t size)
{
    if (!t->bytes || t->used + size > t->bytes_room) {
        size_t room = check_more(t->used + size);
        uint8_t *bytes = check_grow(m, t->bytes, t->bytes_room, room);

        if (!bytes)
            return false;
        t->bytes = bytes;
        t->bytes_room = room;
    }
    if (t->count == t->room) {
        uint32_t room = (uint32_t)check_more(t->room);
        uint64_t *ends =
            check_grow(m, t->ends, t->room * sizeof *ends, room * sizeof *ends);

        if (!ends)
            return false;
        t->ends = ends;
        t->room = room;
    }
    return t->count < t->slots_count / 2 || more_slots(t, m);
}

/* Where a string stands in the index, or would. */
static uint64_t find(const struct check_intern *t, const void *bytes,
                     size_t size, uint32_t *slot)
{
    uint64_t mask = t->slots_count - 1, at = XXH3_64bits(bytes, size) & mask;

    /* Acquire: the string was written before; pairs with check_intern(). */
    for (; (*slot =
                atomic_load_explicit(&t->slots[at], memory_order_acquire)) != 0;
         at = (at + 1) & mask) {
        size_t length;
        const uint8_t *known = check_bytes(t, *slot - 1, &length);

        if (length == size && memcmp(known, bytes, size) == 0)
            break;
    }
    return at;
}

bool check_intern_find(const struct check_intern *t, const void *bytes,
                       size_t size, uint32_t *number)
{
    uint32_t slot = 0;

    if (t->slots_count)
        (void)find(t, bytes, size, &slot);
    *number = slot ? slot - 1 : 0;
    return slot != 0;
}

uint32_t check_intern(struct check_intern *t, struct check_memory *m,
                      const void *bytes, size_t size)
{
    uint32_t slot, number;
    uint64_t at;

    if (m->home) { /* a copy of the table: nothing is added there */
        m->failed |= !check_intern_find(t, bytes, size, &number);
        return number;
    }
    if (!more_room(t, m, size))
        return 0;
    at = find(t, bytes, size, &slot);
    if (slot)
        return slot - 1;
    if (size)
        memcpy(t->bytes + t->used, bytes, size);
    t->used += size;
    t->ends[t->count] = t->used;
    /* Release: a thread that finds the number finds the string; pairs with
     * find(). */
    atomic_store_explicit(&t->slots[at], t->count + 1, memory_order_release);
    return t->count++;
}

void check_intern_free(struct check_intern *t, struct check_memory *m)
{
    check_release(m, t->bytes, t->bytes_room);
    check_release(m, t->ends, t->room * sizeof *t->ends);
    check_release(m, t->slots, t->slots_count * sizeof *t->slots);
    *t = (struct check_intern){.bytes = NULL};
}

const char *check_intern_sane(const struct check_intern *t)
{
    uint32_t taken = 0;
    uint64_t end = 0;

    if (t->count > t->room || t->used > t->bytes_room)
        return "there is room for every string";
    for (uint32_t i = 0; i < t->count; end = t->ends[i++])
        if (t->ends[i] < end)
            return "a string begins where the one before ends";
    if (end != t->used)
        return "the last string ends where the next will begin";
    for (uint32_t i = 0; i < t->slots_count; i++)
        taken += atomic_load_explicit(&t->slots[i], memory_order_relaxed) != 0;
    if (taken != t->count || 2 * (uint64_t)taken > t->slots_count)
        return "there is a slot for every string, and as many are free";
    for (uint32_t i = 0; i < t->count; i++) {
        size_t size;
        const uint8_t *bytes = check_bytes(t, i, &size);
        uint32_t found;

        if (!check_intern_find(t, bytes, size, &found) || found != i)
            return "who looks for a string finds its number";
    }
    return NULL;
}
