/*
 * wheel.h - the event queue: a timing wheel of packed records.
 *
 * Bounded delays mean a bounded horizon, so events are not sorted but thrown
 * into the slot of their tick.  Level 0 has one slot for each of the next 1024
 * ticks, level 1 one slot for each 1024 ticks beyond, and so on: a far timer
 * costs a few moves on its way down instead of a place in every comparison.
 * A bit per slot finds the next event over any number of empty ticks.
 *
 * A slot has one list per class of events.  wheel_pop() gives the records of a
 * tick class by class and, within a class, in the order in which they were
 * put: a record enters a coarse slot only while its tick is not yet in sight
 * of the finer level, so those that came by way of the coarse slot are always
 * older than those put directly, and moving them down keeps their order.
 *
 * Included once per record type: define WHEEL_RECORD, WHEEL_CLASSES and
 * WHEEL(name), which gives each function its name.
 */
#include <assert.h>
#include <string.h>

#include "sim/memory.h"

#ifndef SIM_WHEEL_COMMON
#define SIM_WHEEL_COMMON
enum {
    WHEEL_BITS = 10,
    WHEEL_SLOTS = 1 << WHEEL_BITS,
    WHEEL_LEVELS = 7, /* 70 bits: any tick */
    WHEEL_WORDS = WHEEL_SLOTS / 64,
};
#endif

/* A record in a coarse slot, which must say its tick. */
struct WHEEL(far) {
    uint64_t at;
    WHEEL_RECORD record;
};

enum {
    WHEEL(NEAR_PER_CHUNK) =
        sizeof((struct sim_chunk *)0)->bytes / sizeof(WHEEL_RECORD),
    WHEEL(FAR_PER_CHUNK) =
        sizeof((struct sim_chunk *)0)->bytes / sizeof(struct WHEEL(far)),
};
_Static_assert(WHEEL(FAR_PER_CHUNK) > 0, "a chunk holds a record at least");

struct WHEEL(list) {
    struct sim_chunk *head, *tail;
};

struct WHEEL(wheel) {
    struct sim_memory *memory;
    uint64_t now;
    uint64_t count;          /* records put and not yet popped */
    struct sim_chunk *chunk; /* of the list being popped, or NULL */
    uint32_t index;          /* of the next record in it */
    uint32_t rank;           /* of that list */
    bool failed;             /* no memory: records were lost */
    uint64_t set[WHEEL_LEVELS][WHEEL_WORDS];
    struct WHEEL(list) slot[WHEEL_LEVELS][WHEEL_SLOTS][WHEEL_CLASSES];
};

static void WHEEL(release)(struct WHEEL(wheel) *w, struct sim_chunk *c)
{
    c->next = w->memory->spare;
    w->memory->spare = c;
}

static void WHEEL(release_all)(struct WHEEL(wheel) *w, struct sim_chunk *c)
{
    while (c) {
        struct sim_chunk *next = c->next;

        WHEEL(release)(w, c);
        c = next;
    }
}

/* Drops what a run that was cut short left behind. */
static void WHEEL(clear)(struct WHEEL(wheel) *w)
{
    for (uint32_t level = 0; level < WHEEL_LEVELS; level++)
        for (uint32_t slot = 0; slot < WHEEL_SLOTS; slot++)
            for (uint32_t rank = 0; rank < WHEEL_CLASSES; rank++)
                WHEEL(release_all)(w, w->slot[level][slot][rank].head);
    memset(w->slot, 0, sizeof w->slot);
    memset(w->set, 0, sizeof w->set);
}

/* An empty wheel at tick 0 in the given buffer.  After a run that came to its
 * end this touches no slot.  NULL: no memory. */
static struct WHEEL(wheel) *WHEEL(open)(struct sim_memory *m,
                                        enum sim_buffer buffer)
{
    bool used = m->size[buffer] == sizeof(struct WHEEL(wheel));
    struct WHEEL(wheel) *w = sim_memory_get(m, buffer, sizeof *w);

    if (!w)
        return NULL;
    if (used) {
        w->memory = m;
        WHEEL(release_all)(w, w->chunk);
        w->set[0][w->now % WHEEL_SLOTS / 64] &=
            ~(UINT64_C(1) << w->now % WHEEL_SLOTS % 64);
        if (w->count)
            WHEEL(clear)(w);
    } else {
        memset(w, 0, sizeof *w);
    }
    w->memory = m;
    w->now = w->count = 0;
    w->chunk = NULL;
    w->index = w->rank = 0;
    w->failed = false;
    return w;
}

static struct sim_chunk *WHEEL(new_chunk)(struct WHEEL(wheel) *w)
{
    struct sim_chunk *c;

    if (!w->memory->spare && sim_memory_more_chunks(w->memory) != 0) {
        w->failed = true;
        return NULL;
    }
    c = w->memory->spare;
    w->memory->spare = c->next;
    c->next = NULL;
    c->count = 0;
    return c;
}

/* The chunk to write the next record of a list into, or NULL: no memory. */
static inline struct sim_chunk *WHEEL(room)(struct WHEEL(wheel) *w,
                                            struct WHEEL(list) *list,
                                            uint32_t per_chunk)
{
    struct sim_chunk *c = list->tail;

    if (c && c->count < per_chunk)
        return c;
    c = WHEEL(new_chunk)(w);
    if (!c)
        return NULL;
    if (list->tail)
        list->tail->next = c;
    else
        list->head = c;
    list->tail = c;
    return c;
}

/* Throws a record into the slot of tick `at`; the level is that of the highest
 * digit in which `at` and now differ. */
static inline void WHEEL(place)(struct WHEEL(wheel) *w, uint64_t at,
                                uint32_t rank, WHEEL_RECORD record)
{
    uint64_t apart = at ^ w->now;
    uint32_t level = 0, slot;
    struct WHEEL(list) *list;
    struct sim_chunk *c;

    while (apart >> WHEEL_BITS) {
        apart >>= WHEEL_BITS;
        level++;
    }
    slot = at >> (level * WHEEL_BITS) & (WHEEL_SLOTS - 1);
    w->set[level][slot / 64] |= UINT64_C(1) << slot % 64;
    list = &w->slot[level][slot][rank];
    c = WHEEL(room)(w, list,
                    level ? WHEEL(FAR_PER_CHUNK) : WHEEL(NEAR_PER_CHUNK));
    if (!c)
        return;
    if (level) {
        struct WHEEL(far) far = {at, record};

        ((struct WHEEL(far) *)(void *)c->bytes)[c->count++] = far;
    } else {
        ((WHEEL_RECORD *)(void *)c->bytes)[c->count++] = record;
    }
}

/* Schedules a record for tick `at`, later than now; before the first pop also
 * for tick 0. */
static inline void WHEEL(put)(struct WHEEL(wheel) *w, uint64_t at,
                              uint32_t rank, WHEEL_RECORD record)
{
    assert(at > w->now || w->now == 0);
    w->count++;
    WHEEL(place)(w, at, rank, record);
}

/* The first used slot of a level from `from` on, or WHEEL_SLOTS. */
static inline uint32_t WHEEL(find)(const struct WHEEL(wheel) *w, uint32_t level,
                                   uint32_t from)
{
    uint32_t word = from / 64;
    uint64_t bits;

    if (from >= WHEEL_SLOTS)
        return WHEEL_SLOTS;
    bits = w->set[level][word] & (UINT64_MAX << from % 64);
    while (!bits) {
        if (++word == WHEEL_WORDS)
            return WHEEL_SLOTS;
        bits = w->set[level][word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* Moves the records of a coarse slot down, now that time has reached it. */
static void WHEEL(spread)(struct WHEEL(wheel) *w, uint32_t level, uint32_t slot)
{
    w->set[level][slot / 64] &= ~(UINT64_C(1) << slot % 64);
    for (uint32_t rank = 0; rank < WHEEL_CLASSES; rank++) {
        struct WHEEL(list) *list = &w->slot[level][slot][rank];
        struct sim_chunk *c = list->head;

        list->head = list->tail = NULL;
        while (c) {
            struct sim_chunk *next = c->next;

            for (uint32_t i = 0; i < c->count; i++) {
                struct WHEEL(far) far =
                    ((struct WHEEL(far) *)(void *)c->bytes)[i];

                WHEEL(place)(w, far.at, rank, far.record);
            }
            WHEEL(release)(w, c);
            c = next;
        }
    }
}

/* Moves time on to the next tick that has records.  Call only if there are
 * some. */
static void WHEEL(advance)(struct WHEEL(wheel) *w)
{
    uint32_t from = (uint32_t)(w->now & (WHEEL_SLOTS - 1)) + 1;

    for (;;) {
        uint32_t slot = WHEEL(find)(w, 0, from);
        uint32_t level = 0;

        if (slot < WHEEL_SLOTS) {
            w->now = (w->now & ~(uint64_t)(WHEEL_SLOTS - 1)) | slot;
            return;
        }
        do {
            uint32_t digit;

            level++;
            assert(level < WHEEL_LEVELS);
            digit = w->now >> (level * WHEEL_BITS) & (WHEEL_SLOTS - 1);
            slot = WHEEL(find)(w, level, digit + 1);
        } while (slot == WHEEL_SLOTS);
        /* The slot's first tick: lower digits 0, this one its number. */
        uint32_t shift = level * WHEEL_BITS;
        uint64_t above = shift + WHEEL_BITS >= 64
                             ? 0
                             : w->now >> (shift + WHEEL_BITS)
                                             << (shift + WHEEL_BITS);

        w->now = above | (uint64_t)slot << shift;
        WHEEL(spread)(w, level, slot);
        from = 0;
    }
}

/* Turns to the next chunk or list of this tick.  False if it has no more. */
static bool WHEEL(next_list)(struct WHEEL(wheel) *w)
{
    uint32_t slot = (uint32_t)(w->now & (WHEEL_SLOTS - 1));

    if (w->chunk) {
        struct sim_chunk *done = w->chunk;

        w->chunk = done->next;
        w->index = 0;
        WHEEL(release)(w, done);
        if (w->chunk)
            return true;
        w->rank++;
    }
    for (; w->rank < WHEEL_CLASSES; w->rank++) {
        struct WHEEL(list) *list = &w->slot[0][slot][w->rank];

        if (list->head) {
            w->chunk = list->head;
            list->head = list->tail = NULL;
            w->index = 0;
            return true;
        }
    }
    w->set[0][slot / 64] &= ~(UINT64_C(1) << slot % 64);
    return false;
}

/* Whether the record to pop next is at hand. */
static inline bool WHEEL(at_hand)(const struct WHEEL(wheel) *w)
{
    return w->chunk && w->index < w->chunk->count;
}

/* Goes on to the next tick that has records, if this one has no more, and
 * returns it; UINT64_MAX if the wheel is empty. */
static inline uint64_t WHEEL(next_tick)(struct WHEEL(wheel) *w)
{
    if (w->count == 0)
        return UINT64_MAX;
    if (!WHEEL(at_hand)(w) && !WHEEL(next_list)(w)) {
        WHEEL(advance)(w);
        w->rank = 0;
        (void)WHEEL(next_list)(w);
    }
    return w->now;
}

static inline WHEEL_RECORD WHEEL(take)(struct WHEEL(wheel) *w)
{
    w->count--;
    return ((WHEEL_RECORD *)(void *)w->chunk->bytes)[w->index++];
}

/* Pops the next record.  False if there is none. */
static inline bool WHEEL(pop)(struct WHEEL(wheel) *w, uint64_t *at,
                              uint32_t *rank, WHEEL_RECORD *record)
{
    if (!WHEEL(at_hand)(w) && WHEEL(next_tick)(w) == UINT64_MAX)
        return false;
    *record = WHEEL(take)(w);
    *at = w->now;
    *rank = w->rank;
    return true;
}

/* The record `ahead` places after the one to pop next, or NULL if it is not
 * known yet; only a hint. */
static inline const WHEEL_RECORD *WHEEL(peek)(const struct WHEEL(wheel) *w,
                                              uint32_t ahead)
{
    if (!w->chunk || w->index + ahead >= w->chunk->count)
        return NULL;
    return (const WHEEL_RECORD *)(const void *)w->chunk->bytes + w->index +
           ahead;
}

/* For those who keep the time themselves: goes to tick `now`, which no record
 * precedes, and pops one of its records.  False if it has no more. */
static inline bool WHEEL(pop_at)(struct WHEEL(wheel) *w, uint64_t now,
                                 WHEEL_RECORD *record)
{
    uint64_t apart = w->now ^ now;

    if (apart) {
        (void)WHEEL(next_list)(w);
        assert(!w->chunk && now > w->now);
        w->now = now;
        w->rank = 0;
        for (uint32_t level = WHEEL_LEVELS; level-- > 1;) {
            uint32_t shift = level * WHEEL_BITS;
            uint32_t slot =
                shift < 64 ? (uint32_t)(now >> shift) & (WHEEL_SLOTS - 1) : 0;

            if (shift < 64 && apart >> shift &&
                w->set[level][slot / 64] >> slot % 64 & 1)
                WHEEL(spread)(w, level, slot);
        }
    }
    if (!WHEEL(at_hand)(w) && !WHEEL(next_list)(w))
        return false;
    *record = WHEEL(take)(w);
    return true;
}
