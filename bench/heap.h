/*
 * heap.h - the opponent: an event queue as a binary heap.
 *
 * The textbook queue of a simulator, with the functions of
 * sim/engine/wheel.inc, so that the same engine runs over either
 * (SIM_QUEUE_HEADER).  Made to be respectable and no more: one array, the
 * records themselves in it, a key of 128 bits that is compared at once, a hole
 * instead of swaps, and the way down without comparing the record that fills
 * the hole, which nearly always belongs at the bottom (Wegener 1993).  The key
 * is (tick, rank, number in the order of putting): the order in which the wheel
 * gives its records, so that results are the same to the last bit.  Included
 * once per record type: define WHEEL_RECORD, WHEEL_CLASSES and WHEEL(name),
 * which gives each function its name.
 */
#include <assert.h>

#include "net/memory.h"

#ifndef BENCH_HEAP_COMMON
#define BENCH_HEAP_COMMON
__extension__ typedef unsigned __int128 heap_key;
enum { HEAP_TICK_SHIFT = 64, HEAP_CLASS_SHIFT = 60, HEAP_ROOM_MIN = 1024 };
_Static_assert(WHEEL_CLASSES <= 16, "a class has four bits of the key");
#endif

struct WHEEL(entry) {
    heap_key key;
    WHEEL_RECORD record;
};

/* Called a wheel, for that is what the engine asks for. */
struct WHEEL(wheel) {
    struct net_memory *memory;
    struct WHEEL(entry) *entry; /* children of i: 2i+1 and 2i+2 */
    size_t count, room;
    uint64_t put; /* records so far */
    bool failed;  /* no memory: records were lost */
};

/* An empty heap in the given buffer, its array in NET_BUFFER_HEAP.  NULL: no
 * memory. */
static struct WHEEL(wheel) *WHEEL(open)(struct net_memory *m,
                                        enum net_buffer buffer)
{
    struct WHEEL(wheel) *w = net_memory_get(m, buffer, sizeof *w);

    if (!w)
        return NULL;
    *w = (struct WHEEL(wheel)){
        .memory = m,
        .entry = m->buffer[NET_BUFFER_HEAP],
        .room = m->size[NET_BUFFER_HEAP] / sizeof *w->entry,
    };
    return w;
}

/* Doubles the array.  False: no memory. */
static bool WHEEL(grow)(struct WHEEL(wheel) *w)
{
    size_t room = w->room ? 2 * w->room : HEAP_ROOM_MIN;
    struct WHEEL(entry) *entry =
        net_memory_grow(w->memory, NET_BUFFER_HEAP, room * sizeof *entry);

    if (!entry) {
        w->failed = true;
        return false;
    }
    w->entry = entry;
    w->room = room;
    return true;
}

/* Moves the hole up until `e` may fill it, and fills it. */
static inline void WHEEL(fill)(struct WHEEL(entry) *entry, size_t hole,
                               const struct WHEEL(entry) *e)
{
    while (hole > 0) {
        size_t parent = (hole - 1) / 2;

        if (entry[parent].key < e->key)
            break;
        entry[hole] = entry[parent];
        hole = parent;
    }
    entry[hole] = *e;
}

/* Moves the hole at the top down to a leaf, and says where it is. */
static inline size_t WHEEL(sink)(struct WHEEL(entry) *entry, size_t count)
{
    size_t hole = 0, child = 1;

    for (; child + 1 < count; child = 2 * hole + 1) {
        child += entry[child + 1].key < entry[child].key;
        entry[hole] = entry[child];
        hole = child;
    }
    if (child < count) {
        entry[hole] = entry[child];
        hole = child;
    }
    return hole;
}

/* Schedules a record for tick `at`. */
static inline void WHEEL(put)(struct WHEEL(wheel) *w, uint64_t at,
                              uint32_t rank, WHEEL_RECORD record)
{
    struct WHEEL(entry) e = {
        .key = (heap_key)at << HEAP_TICK_SHIFT |
               (heap_key)rank << HEAP_CLASS_SHIFT | w->put,
        .record = record,
    };

    if (w->count == w->room && !WHEEL(grow)(w))
        return;
    w->put++;
    WHEEL(fill)(w->entry, w->count++, &e);
}

/* Pops the next record.  False if there is none. */
static inline bool WHEEL(pop)(struct WHEEL(wheel) *w, uint64_t *at,
                              uint32_t *rank, WHEEL_RECORD *record)
{
    struct WHEEL(entry) *entry = w->entry, last;

    if (w->count == 0)
        return false;
    *at = (uint64_t)(entry[0].key >> HEAP_TICK_SHIFT);
    *rank = (uint32_t)(entry[0].key >> HEAP_CLASS_SHIFT) & 15u;
    *record = entry[0].record;
    last = entry[--w->count];
    if (w->count)
        WHEEL(fill)(entry, WHEEL(sink)(entry, w->count), &last);
    return true;
}

/* The record to pop next, as far as a heap knows: what comes after it is in no
 * order.  Only a hint, for an engine that fetches memory ahead. */
static inline const WHEEL_RECORD *WHEEL(peek)(const struct WHEEL(wheel) *w,
                                              uint32_t ahead)
{
    (void)ahead;
    return w->count ? &w->entry[0].record : NULL;
}
