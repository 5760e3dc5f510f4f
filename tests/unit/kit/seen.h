/*
 * seen.h - which states were seen, in tests that explore networks of their own.
 * That no two have the same hash is as likely as can be; the counts of states,
 * which are pinned, would show it.
 */
#ifndef SEEN_H
#define SEEN_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/unit/kit/test.h"

struct seen {
    uint64_t *hash; /* 0: free */
    uint32_t room;  /* a power of two */
    uint32_t count;
};

static inline void seen_open(struct seen *s, uint32_t room)
{
    *s = (struct seen){calloc(room, sizeof s->hash[0]), room, 0};
    assert_non_null(s->hash);
}

static inline void seen_close(struct seen *s)
{
    free(s->hash);
}

/* Whether it is the first time; `state` is without padding. */
static inline bool is_first(struct seen *s, const void *state, size_t size)
{
    uint64_t hash = XXH3_64bits(state, size) | 1;
    uint32_t at = (uint32_t)(hash >> 8) & (s->room - 1);

    for (; s->hash[at]; at = (at + 1) & (s->room - 1))
        if (s->hash[at] == hash)
            return false;
    assert_true(++s->count < s->room / 2);
    s->hash[at] = hash;
    return true;
}

#endif
