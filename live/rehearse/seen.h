/*
 * seen.h - which worlds an explorer has seen: a table of their hashes, with the
 * departures that were left then.
 */
#ifndef LIVE_SEEN_H
#define LIVE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen_hash {
    uint64_t high, low;
};

/* All zero bytes is an empty table. */
struct seen {
    struct seen_hash *slots;
    size_t count, room; /* room: a power of two */
    size_t bytes_max;   /* 0: any */
    bool full;          /* there was no room for one more */
};

enum seen_news {
    SEEN_NEVER,
    SEEN_WITH_LESS, /* and fewer departures left */
    SEEN_ENOUGH,    /* with as many, or more */
};

/* Of 128 bits, four are the number of departures. */
struct seen_hash seen_hash(const void *bytes, size_t size);

/* What was known of a world; now it is seen, with `left` departures left, below
 * 15. */
enum seen_news seen_add(struct seen *seen, struct seen_hash hash,
                        uint32_t left);

static inline size_t seen_bytes(const struct seen *seen)
{
    return seen->room * sizeof *seen->slots;
}

void seen_clear(struct seen *seen); /* and keeps its memory */
void seen_free(struct seen *seen);

#endif
