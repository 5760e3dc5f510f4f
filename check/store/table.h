/*
 * table.h - a set of small keys that numbers them in the order of arrival.
 *
 * Keys are one or two 64-bit words and stand in one array; an open index beside
 * it finds them.  A slot of the index holds 1 + the number of a key in its low
 * bits and, in the bits that the number does not need, a piece of the hash:
 * nearly every probe of a wrong key is recognised without touching the key.
 *
 * Any number of threads may look while one adds a key.  Several can add at once
 * if all keys are known before (batch.c).
 */
#ifndef CHECK_TABLE_H
#define CHECK_TABLE_H

#include <stdatomic.h>
#include <string.h>

#include "check/store/memory.h"

struct check_table {
    uint64_t *keys;
    _Atomic uint32_t *slots;
    uint32_t bits; /* of the number of slots */
    uint32_t count, room;
};

/* There are no numbers for more keys than this. */
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

/* Keys that an index of this size takes: a probe reads neighbours, so that it
 * may be rather full. */
static inline uint32_t check_table_full(const struct check_table *t)
{
    return (uint32_t)((UINT64_C(13) << t->bits) >> 4);
}

/* Makes room for one more key; what it costs is shared by many keys. */
bool check_table_more(struct check_table *t, struct check_memory *m,
                      uint32_t words);

/* Room for `count` keys in all. */
bool check_table_room(struct check_table *t, struct check_memory *m,
                      uint32_t words, uint32_t count);

/* An empty index of twice the size; false, and nothing done, without memory. */
bool check_table_double(struct check_table *t, struct check_memory *m);

/* Puts keys of one word, by their numbers, into the index; others may put other
 * keys in at the same time. */
void check_table_index_together(struct check_table *t, uint32_t from,
                                uint32_t to);

/* The number of a key, which is added if it is new.  `words` is a constant. */
static inline __attribute__((always_inline)) uint32_t
check_table_put(struct check_table *t, struct check_memory *m,
                const uint64_t *key, uint32_t words, uint64_t hash, bool *fresh)
{
    _Atomic uint32_t *slots;
    const uint64_t *keys;
    uint64_t mask, at;
    uint32_t tag, low, slot;

    *fresh = false;
    if ((t->count == t->room || !t->slots || t->count >= check_table_full(t)) &&
        !check_table_more(t, m, words))
        return 0;
    mask = (UINT64_C(1) << t->bits) - 1;
    low = (UINT32_C(1) << t->bits) - 1;
    tag = check_table_tag(t, hash);
    slots = t->slots;
    keys = t->keys;
    /* Relaxed: one thread adds at a time, and what others added before was
     * handed over with the lock or at the end of a round. */
    for (at = hash & mask;
         (slot = atomic_load_explicit(&slots[at], memory_order_relaxed)) != 0;
         at = (at + 1) & mask) {
        uint32_t number = (slot & low) - 1;

        if ((slot & ~low) == tag && memcmp(&keys[(size_t)number * words], key,
                                           words * sizeof *key) == 0)
            return number;
    }
    *fresh = true;
    t->keys[(size_t)t->count * words] = key[0];
    t->keys[(size_t)t->count * words + words - 1] = key[words - 1];
    /* Release: a thread that finds the number finds the key; pairs with
     * check_table_number(). */
    atomic_store_explicit(&slots[at], tag | (t->count + 1),
                          memory_order_release);
    return t->count++;
}

/* The same for a table that several threads share. */
uint32_t check_table_add(struct check_table *t, struct check_memory *m,
                         const uint64_t *key, uint32_t words, uint64_t hash);

static inline __attribute__((always_inline)) uint32_t
check_table_number(struct check_table *t, struct check_memory *m,
                   const uint64_t *key, uint32_t words)
{
    const uint64_t *keys = t->keys;
    uint64_t hash = check_table_hash(key, words);
    uint64_t mask = (UINT64_C(1) << t->bits) - 1, at = hash & mask;
    uint32_t low = (UINT32_C(1) << t->bits) - 1, slot;
    uint32_t tag = check_table_tag(t, hash);

    if (!t->slots)
        return check_table_add(t, m, key, words, hash);
    /* Acquire: the key was written before; pairs with check_table_put(). */
    while ((slot = atomic_load_explicit(&t->slots[at], memory_order_acquire)) !=
           0) {
        uint32_t number = (slot & low) - 1;

        if ((slot & ~low) == tag && memcmp(&keys[words * (size_t)number], key,
                                           words * sizeof *key) == 0)
            return number;
        at = (at + 1) & mask;
    }
    return check_table_add(t, m, key, words, hash);
}

/* NULL, or the rule that a table breaks to which nobody adds now. */
const char *check_table_sane(const struct check_table *t, uint32_t words);

/* No more lookups: the keys are kept, the index is not. */
void check_table_forget(struct check_table *t, struct check_memory *m);

void check_table_free(struct check_table *t, struct check_memory *m,
                      uint32_t words);

#endif
