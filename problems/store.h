/*
 * store.h - the problem: one writes data of many words, others read them, and
 * nobody locks anything.
 *
 * Site 0 is the writer, all others are readers.  What they share is memory,
 * atomic one word at a time.  The application asks a site to read or write once
 * (STORE_DO) and the site finishes on its own; a driver keeps asking.
 *
 *   always      no-torn-read    all words of a read belong to one write
 *   eventually  everyone-reads  nobody waits when nothing is left to do
 *               ends            the run is over by its horizon
 */
#ifndef STORE_H
#define STORE_H

#include "problems/problem.h"

enum store_command { STORE_DO };

enum store_role { STORE_IDLE, STORE_READS, STORE_WRITES };
#define STORE_ROLES "idle", "reads", "writes"

struct store_view {
    uint32_t attempts; /* of the current read, or of the last one */
    uint32_t value;    /* the write whose words it last saw or wrote, or 0 */
    uint8_t role;
    uint8_t torn; /* idle: the words of the last read belong to several */
    uint8_t unused[2];
};

enum store_property {
    STORE_NO_TORN_READ = 1u << 0,
    STORE_EVERYONE_READS = 1u << 1,
    STORE_ENDS = 1u << 2,
};
enum { STORE_PROPERTIES = 3 };

/* All that must be remembered of a run to judge it. */
struct store_watch {
    uint32_t waiting;  /* read or write, and are alive */
    uint64_t first_at; /* tick of the first read that came out, or FC_NEVER */
    uint32_t broken;   /* bits of enum store_property */
};

#define store_traits (FC_REPEATS | FC_MOMENTARY | FC_HAS_CELLS)

FC_PROBLEM(store);

static inline bool store_same(const struct store_view *a,
                              const struct store_view *b)
{
    return a->role == b->role && a->torn == b->torn && a->value == b->value &&
           a->attempts == b->attempts;
}

static inline bool store_matters(const struct store_view *a,
                                 const struct store_view *b)
{
    return !store_same(a, b);
}

/* ---- What it asks of problems with a workload ---------------------------- */

/* Where the application stands: it is never inside anything. */
static inline enum fc_phase store_phase(const struct store_view *view)
{
    return view->role == STORE_IDLE ? FC_IDLE : FC_WAITING;
}

/* Whether it wants something and has not begun. */
static inline bool store_sleeps(const struct store_view *view)
{
    (void)view;
    return false;
}

/* What the application asks next. */
static inline uint8_t store_request(bool shared)
{
    (void)shared;
    return STORE_DO;
}
static inline uint8_t store_farewell(void)
{
    return STORE_DO; /* never asked */
}

/* The result of a momentary operation: the number of attempts that it took, or
 * 0 where that does not apply, and whether it came out wrong. */
static inline uint64_t store_attempts(const struct store_view *view)
{
    return view->attempts;
}
static inline bool store_wrong(const struct store_view *view)
{
    return view->torn;
}

#endif
