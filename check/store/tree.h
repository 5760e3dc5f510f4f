/*
 * tree.h - the table of states.
 *
 * A state is a vector of numbers: one for the local state of each node, one for
 * the contents of each link.  Neighbours are grouped by fours, each group that
 * occurs gets a number, groups are grouped again, and in the end a state is a
 * pair of numbers: 8 bytes, and about as much again to find it.  Nothing is
 * lost: two states have the same pair if and only if they are equal.  A
 * successor differs from its state in few places, and only the groups above
 * these are looked up.
 *
 * States are numbered in the order of arrival.  So the table is also the queue
 * of a breadth-first search.
 */
#ifndef CHECK_TREE_H
#define CHECK_TREE_H

#include <assert.h>

#include "check/store/table.h"

enum {
    CHECK_PLACES_MAX = 256, /* numbers of a vector */
    CHECK_LEVELS_MAX = 6,
    CHECK_ARITY = 4,
};

struct check_tree {
    struct check_memory *memory;
    uint32_t levels;                  /* level 0 is the vector itself */
    uint32_t left[CHECK_LEVELS_MAX];  /* of them in the left half */
    uint32_t count[CHECK_LEVELS_MAX]; /* places of a level; the last: 2 */
    uint32_t at[CHECK_LEVELS_MAX];    /* where it begins in a spread */
    uint32_t first[CHECK_LEVELS_MAX][CHECK_PLACES_MAX]; /* child of a group */
    uint8_t parent[CHECK_LEVELS_MAX][CHECK_PLACES_MAX];
    struct check_table *groups[CHECK_LEVELS_MAX]; /* from level 1 on */
    struct check_table roots;
    uint32_t size; /* of a spread */
};

/* A state with the numbers of all its groups, level by level; the first
 * numbers are the vector. */
struct check_spread {
    uint32_t id[CHECK_PLACES_MAX + CHECK_PLACES_MAX / 2];
    uint64_t dirty[CHECK_LEVELS_MAX + 1]; /* groups to look up, a bit each */
};

/* A tree for vectors of `places` numbers, of which `left` are in one half and
 * the rest in the other. */
bool check_tree_begin(struct check_tree *t, struct check_memory *memory,
                      uint32_t places, uint32_t left);
void check_tree_free(struct check_tree *t);

/* Spreads a stored state. */
void check_tree_load(const struct check_tree *t, uint32_t state,
                     struct check_spread *out);

/* Spreads one half, given by its number; the other is left alone. */
void check_tree_load_half(const struct check_tree *t, uint32_t half,
                          uint32_t number, struct check_spread *out);

/* Sets a number of the vector. */
static inline void check_set(const struct check_tree *t, struct check_spread *s,
                             uint32_t place, uint32_t number)
{
    if (s->id[place] == number)
        return;
    s->id[place] = number;
    s->dirty[1] |= UINT64_C(1) << t->parent[0][place];
}

/* Words of the key of a group: two numbers are one.  A group of one has no key
 * and needs no table: its number is the number in it. */
static inline uint32_t check_group_words(uint32_t arity)
{
    return arity > 2 ? 2 : 1;
}

/* The number of a group.  Its own numbers were written one by one a moment ago,
 * and reading them as words would stall on that. */
static inline uint32_t check_group(struct check_tree *t, uint32_t level,
                                   uint32_t group, const uint32_t *child,
                                   uint32_t arity)
{
    struct check_table *table = &t->groups[level][group];
    uint64_t key[2] = {child[0], 0}, c3;

    if (arity == 1)
        return child[0];
    key[0] |= (uint64_t)child[1] << 32;
    if (arity == 2)
        return check_table_number(table, t->memory, key, 1);
    c3 = arity > 3 ? child[3] : 0;
    key[1] = child[2] | c3 << 32;
    return check_table_number(table, t->memory, key, 2);
}

/* Looks up what has changed; then the pair is the state's. */
static inline void check_tree_fold(struct check_tree *t, struct check_spread *s)
{
    for (uint32_t level = 1; level < t->levels; level++) {
        uint64_t dirty = s->dirty[level];
        const uint32_t *below = &s->id[t->at[level - 1]];
        uint32_t *here = &s->id[t->at[level]];

        s->dirty[level] = 0;
        for (; dirty; dirty &= dirty - 1) {
            uint32_t g = (uint32_t)__builtin_ctzll(dirty), number;
            uint32_t first = t->first[level][g];

            number = check_group(t, level, g, below + first,
                                 t->first[level][g + 1] - first);
            if (number == here[g])
                continue;
            here[g] = number;
            s->dirty[level + 1] |= UINT64_C(1) << t->parent[level][g];
        }
    }
}

static inline uint64_t check_pair(const struct check_tree *t,
                                  const struct check_spread *s)
{
    const uint32_t *pair = &s->id[t->at[t->levels - 1]];

    return pair[0] | (uint64_t)pair[1] << 32;
}

/* The number of a state, which is added if it is new. */
static inline uint32_t check_tree_put(struct check_tree *t, uint64_t pair,
                                      uint64_t hash, bool *fresh)
{
    return check_table_put(&t->roots, t->memory, &pair, 1, hash, fresh);
}

/* The number of a state that is there; nothing is added, so that any number of
 * threads may ask. */
static inline uint32_t check_tree_find(const struct check_tree *t,
                                       uint64_t pair, uint64_t hash)
{
    const struct check_table *r = &t->roots;
    uint64_t mask = (UINT64_C(1) << r->bits) - 1, at = hash & mask;
    uint32_t low = (uint32_t)mask, tag = check_table_tag(r, hash);

    for (;; at = (at + 1) & mask) {
        /* Relaxed: nobody writes meanwhile. */
        uint32_t slot =
            atomic_load_explicit(&r->slots[at], memory_order_relaxed);
        uint32_t number = (slot & low) - 1;

        assert(slot != 0);
        if ((slot & ~low) == tag && r->keys[number] == pair)
            return number;
    }
}

static inline uint64_t check_pair_hash(uint64_t pair)
{
    return check_table_hash(&pair, 1);
}

/* NULL, or the rule that a tree breaks to which nobody adds now.  `numbers`, if
 * it is not NULL, has the number of values for each place of a vector. */
const char *check_tree_sane(const struct check_tree *t,
                            const uint32_t *numbers);

/* For a vector that is new in every place. */
void check_tree_touch(const struct check_tree *t, struct check_spread *s);

#endif
