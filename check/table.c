/*
 * table.c - see table.h.
 */
#include "check/table.h"

/* Puts all keys into an index of twice the size. */
static bool rebuild(struct check_table *t, struct check_memory *m,
                    uint32_t words)
{
    uint32_t bits = t->slots ? t->bits + 1 : CHECK_TABLE_BITS_MIN;
    size_t old = t->slots ? sizeof *t->slots << t->bits : 0;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint32_t *slots;

    if (bits > CHECK_TABLE_BITS_MAX) {
        m->failed = true;
        return false;
    }
    slots = check_grow(m, NULL, 0, sizeof *slots << bits);
    if (!slots)
        return false;
    check_release(m, t->slots, old);
    t->slots = slots;
    t->bits = bits;
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t hash = check_table_hash(&t->keys[(size_t)i * words], words);
        uint64_t at = hash & mask;

        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = check_table_tag(t, hash) | (i + 1);
    }
    return true;
}

bool check_table_more(struct check_table *t, struct check_memory *m,
                      uint32_t words)
{
    if (t->count == t->room) {
        /* Growing by an eighth wastes little, and large blocks are moved by
         * the system without copying. */
        uint32_t room = t->room < 64 ? 64 : t->room + t->room / 8;
        size_t size = words * sizeof *t->keys;
        uint64_t *keys = check_grow(m, t->keys, t->room * size, room * size);

        if (!keys)
            return false;
        t->keys = keys;
        t->room = room;
    }
    if (!t->slots || t->count >= check_table_full(t))
        return rebuild(t, m, words);
    return true;
}

void check_table_free(struct check_table *t, struct check_memory *m,
                      uint32_t words)
{
    check_release(m, t->keys, (size_t)t->room * words * sizeof *t->keys);
    check_release(m, t->slots, t->slots ? sizeof *t->slots << t->bits : 0);
    *t = (struct check_table){.keys = NULL};
}
