/*
 * table.c - see table.h.
 */
#include "check/store/table.h"

#include "net/sane.h"

/* Where a search for the key of this number ends: 1 + what it finds, or 0. */
static uint32_t found_for(const struct check_table *t, uint32_t number,
                          uint32_t words)
{
    const uint64_t *key = &t->keys[(size_t)number * words];
    uint64_t hash = check_table_hash(key, words);
    uint64_t mask = (UINT64_C(1) << t->bits) - 1, at = hash & mask;
    uint32_t low = (uint32_t)mask, slot;

    /* Relaxed: nobody adds a key. */
    for (; (slot = atomic_load_explicit(&t->slots[at], memory_order_relaxed)) !=
           0;
         at = (at + 1) & mask)
        if ((slot & low) > t->count ||
            ((slot & ~low) == check_table_tag(t, hash) &&
             memcmp(&t->keys[(size_t)((slot & low) - 1) * words], key,
                    words * sizeof *key) == 0))
            break;
    return slot & low;
}

const char *check_table_sane(const struct check_table *t, uint32_t words)
{
    uint64_t taken = 0;

    if (t->count > t->room)
        return "there is room for every key";
    if (!t->slots) /* none is needed yet, or any more */
        return NULL;
    if (t->count > check_table_full(t))
        return "an index is not so full that a search has no end";
    for (uint64_t at = 0; at >> t->bits == 0; at++)
        taken += atomic_load_explicit(&t->slots[at], memory_order_relaxed) != 0;
    if (taken != t->count)
        return "there is a slot for every key, and no other";
    for (uint32_t i = 0; i < t->count; i++)
        if (found_for(t, i, words) != i + 1)
            return "who looks for a key finds its number";
    return NULL;
}

bool check_table_double(struct check_table *t, struct check_memory *m)
{
    uint32_t bits = t->slots ? t->bits + 1 : CHECK_TABLE_BITS_MIN;
    _Atomic uint32_t *slots;

    if (bits > CHECK_TABLE_BITS_MAX) {
        m->failed = true;
        return false;
    }
    slots = check_grow(m, NULL, 0, sizeof *slots << bits);
    if (!slots)
        return false;
    check_release(m, t->slots, t->slots ? sizeof *slots << t->bits : 0);
    t->slots = slots;
    t->bits = bits;
    return true;
}

/* Puts all keys into an index of twice the size. */
static bool rebuild(struct check_table *t, struct check_memory *m,
                    uint32_t words)
{
    uint64_t mask;

    if (!check_table_double(t, m))
        return false;
    mask = (UINT64_C(1) << t->bits) - 1;
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t hash = check_table_hash(&t->keys[(size_t)i * words], words);
        uint64_t at = hash & mask;

        /* Relaxed: nobody else knows this block yet. */
        while (atomic_load_explicit(&t->slots[at], memory_order_relaxed))
            at = (at + 1) & mask;
        atomic_store_explicit(&t->slots[at], check_table_tag(t, hash) | (i + 1),
                              memory_order_relaxed);
    }
    NET_ASSERT_SANE("a table that has grown", check_table_sane(t, words));
    return true;
}

void check_table_index_together(struct check_table *t, uint32_t from,
                                uint32_t to)
{
    uint64_t mask = (UINT64_C(1) << t->bits) - 1;

    for (uint32_t i = from; i < to; i++) {
        uint64_t hash = check_table_hash(&t->keys[i], 1);
        uint32_t slot = check_table_tag(t, hash) | (i + 1), empty = 0;

        /* Relaxed: keys are there already, and all differ, so that a slot that
         * is taken is of no interest. */
        for (uint64_t at = hash & mask;
             !atomic_compare_exchange_strong_explicit(
                 &t->slots[at], &empty, slot, memory_order_relaxed,
                 memory_order_relaxed);
             at = (at + 1) & mask)
            empty = 0;
    }
}

bool check_table_room(struct check_table *t, struct check_memory *m,
                      uint32_t words, uint32_t count)
{
    uint32_t room = (uint32_t)check_more(t->room);
    size_t size = words * sizeof *t->keys;
    uint64_t *keys;

    if (count <= t->room)
        return true;
    if (room < count)
        room = count;
    keys = check_grow(m, t->keys, t->room * size, room * size);
    if (!keys)
        return false;
    t->keys = keys;
    t->room = room;
    return true;
}

bool check_table_more(struct check_table *t, struct check_memory *m,
                      uint32_t words)
{
    if (!check_table_room(t, m, words, t->count + 1))
        return false;
    if (!t->slots || t->count >= check_table_full(t))
        return rebuild(t, m, words);
    return true;
}

uint32_t check_table_add(struct check_table *t, struct check_memory *m,
                         const uint64_t *key, uint32_t words, uint64_t hash)
{
    struct check_memory *home = check_enter(m);
    bool fresh;
    uint32_t number = words == 1
                          ? check_table_put(t, home, key, 1, hash, &fresh)
                          : check_table_put(t, home, key, 2, hash, &fresh);

    check_leave(m);
    return number;
}

void check_table_forget(struct check_table *t, struct check_memory *m)
{
    check_release(m, t->slots, t->slots ? sizeof *t->slots << t->bits : 0);
    t->slots = NULL;
}

void check_table_free(struct check_table *t, struct check_memory *m,
                      uint32_t words)
{
    check_release(m, t->keys, (size_t)t->room * words * sizeof *t->keys);
    check_release(m, t->slots, t->slots ? sizeof *t->slots << t->bits : 0);
    *t = (struct check_table){.keys = NULL};
}
