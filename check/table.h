/*
 * table.h - a set of small keys that numbers them in the order of arrival.
 *
 * Keys are one or two 64-bit words and stand in one array; an open index beside
 * it finds them.  A slot of the index holds 1 + the number of a key in its low
 * bits and, in the bits that the number does not need, a piece of the hash:
 * nearly every probe of a wrong key is recognised without touching the key.
 */
#ifndef CHECK_TABLE_H
#define CHECK_TABLE_H

#include <string.h>

#include "check/memory.h"

struct check_table {
    uint64_t *keys;
    uint32_t *slots;
    uint32_t bits; /* of the number of slots */
    uint32_t count, room;
};

/* More keys than this have no number. */
enum { CHECK_TABLE_BITS_MIN = 6, CHECK_TABLE_BITS_MAX = 31 };

/* One multiplication to 128 bits, folded: as xxHash mixes short keys, without
 * the rest.  Keys are numbers that count up, and this spreads them well; a bad
 * hash would cost time, nothing else. */
__extension__ typedef unsigned __int128 check_wide;

static inline uint64_t check_table_mix(uint64_t a, uint64_t b)
{
    check_wide product = (check_wide)(a ^ UINT64_C(0x9e3779b185ebca87)) *
                         (b ^ UINT64_C(0xc2b2ae3d27d4eb4f));

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline __attribute__((always_inline)) uint64_t
check_table_hash(const uint64_t *key, uint32_t words)
{
    return check_table_mix(key[0], words == 1 ? key[0] >> 32 : key[1]);
}

static inline uint32_t check_table_tag(const struct check_table *t,
                                       uint64_t hash)
{
    return (uint32_t)(hash >> 32) << t->bits;
}

static inline void check_table_prefetch(const struct check_table *t,
                                        uint64_t hash)
{
    if (t->slots)
        __builtin_prefetch(&t->slots[hash & ((UINT64_C(1) << t->bits) - 1)]);
}

/* When the slot has come: what it will be compared with. */
static inline void check_table_prefetch_key(const struct check_table *t,
                                            uint64_t hash)
{
    uint32_t low = (UINT32_C(1) << t->bits) - 1, slot;

    if (!t->slots)
        return;
    slot = t->slots[hash & low];
    if (slot && (slot & ~low) == check_table_tag(t, hash))
        __builtin_prefetch(&t->keys[(slot & low) - 1]);
}

/* Keys that an index of this size takes: a probe reads neighbours, so that it
 * may be rather full. */
static inline uint32_t check_table_full(const struct check_table *t)
{
    return (uint32_t)((UINT64_C(13) << t->bits) >> 4);
}

/* Makes room for one more key; what it costs is shared by many keys. */
bool check_table_more(struct check_table *t, struct check_memory *m,
                      uint32_t words);

/* The number of a key, which is added if it is new.  `words` is a constant. */
static inline __attribute__((always_inline)) uint32_t
check_table_put(struct check_table *t, struct check_memory *m,
                const uint64_t *key, uint32_t words, uint64_t hash, bool *fresh)
{
    uint64_t mask, at;
    uint32_t tag, low, slot;

    *fresh = false;
    if ((t->count == t->room || !t->slots || t->count >= check_table_full(t)) &&
        !check_table_more(t, m, words))
        return 0;
    mask = (UINT64_C(1) << t->bits) - 1;
    low = (UINT32_C(1) << t->bits) - 1;
    tag = check_table_tag(t, hash);
    for (at = hash & mask; (slot = t->slots[at]) != 0; at = (at + 1) & mask) {
        uint32_t number = (slot & low) - 1;

        if ((slot & ~low) == tag && memcmp(&t->keys[(size_t)number * words],
                                           key, words * sizeof *key) == 0)
            return number;
    }
    *fresh = true;
    t->keys[(size_t)t->count * words] = key[0];
    t->keys[(size_t)t->count * words + words - 1] = key[words - 1];
    t->slots[at] = tag | (t->count + 1);
    return t->count++;
}

void check_table_free(struct check_table *t, struct check_memory *m,
                      uint32_t words);

#endif
