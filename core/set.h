/*
 * set.h - operations on a struct fc_set.
 */
#ifndef FC_SET_H
#define FC_SET_H

#include "core/fc.h"

static inline void fc_set_add(struct fc_set *s, uint32_t node)
{
    s->word[node / 64] |= UINT64_C(1) << node % 64;
}

static inline void fc_set_remove(struct fc_set *s, uint32_t node)
{
    s->word[node / 64] &= ~(UINT64_C(1) << node % 64);
}

static inline bool fc_set_has(const struct fc_set *s, uint32_t node)
{
    return s->word[node / 64] >> node % 64 & 1;
}

static inline void fc_set_clear(struct fc_set *s)
{
    *s = (struct fc_set){0};
}

/* The same set if each node i below `nodes` is called to[i]. */
static inline void fc_set_relabel(struct fc_set *s, const uint16_t *to,
                                  uint32_t nodes)
{
    struct fc_set was = *s;

    fc_set_clear(s);
    for (uint32_t i = 0; i < nodes; i++)
        if (fc_set_has(&was, i))
            fc_set_add(s, to[i]);
}

static inline bool fc_set_empty(const struct fc_set *s)
{
    uint64_t any = 0;

    for (uint32_t i = 0; i < FC_SET_WORDS; i++)
        any |= s->word[i];
    return any == 0;
}

static inline uint32_t fc_set_count(const struct fc_set *s)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < FC_SET_WORDS; i++)
        for (uint64_t rest = s->word[i]; rest; rest &= rest - 1)
            count++;
    return count;
}

/* Whether every member of a is one of b. */
static inline bool fc_set_within(const struct fc_set *a, const struct fc_set *b)
{
    uint64_t outside = 0;

    for (uint32_t i = 0; i < FC_SET_WORDS; i++)
        outside |= a->word[i] & ~b->word[i];
    return outside == 0;
}

/* The least member; the set is not empty. */
static inline uint32_t fc_set_least(const struct fc_set *s)
{
    uint32_t i = 0;

    while (s->word[i] == 0)
        i++;
    return 64 * i + (uint32_t)__builtin_ctzll(s->word[i]);
}

/* All of n nodes except one. */
static inline void fc_set_others(struct fc_set *s, uint32_t nodes, uint32_t me)
{
    fc_set_clear(s);
    for (uint32_t i = 0; i < nodes; i++)
        if (i != me)
            fc_set_add(s, i);
}

#endif
