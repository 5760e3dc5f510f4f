/*
 * tree.c - see tree.h.
 */
#include "check/store/tree.h"

#include <assert.h>

static uint32_t arity_of(const struct check_tree *t, uint32_t level,
                         uint32_t group)
{
    return t->first[level][group + 1] - t->first[level][group];
}

/* Divides the places of a half into groups as equal as can be. */
static void divide(struct check_tree *t, uint32_t level, uint32_t begin,
                   uint32_t end)
{
    uint32_t groups = (end - begin + CHECK_ARITY - 1) / CHECK_ARITY;
    uint32_t place = begin;

    for (uint32_t g = 0; g < groups; g++) {
        uint32_t stop = begin + (end - begin) * (g + 1) / groups;

        t->first[level][t->count[level]] = place;
        for (; place < stop; place++)
            t->parent[level - 1][place] = (uint8_t)t->count[level];
        t->count[level]++;
    }
}

static bool add_level(struct check_tree *t)
{
    uint32_t level = t->levels++, below = t->count[level - 1];

    divide(t, level, 0, t->left[level - 1]);
    t->left[level] = t->count[level];
    divide(t, level, t->left[level - 1], below);
    t->first[level][t->count[level]] = below;
    t->at[level] = t->at[level - 1] + below;
    t->groups[level] = check_grow(t->memory, NULL, 0,
                                  t->count[level] * sizeof(struct check_table));
    return t->groups[level] != NULL;
}

bool check_tree_begin(struct check_tree *t, struct check_memory *memory,
                      uint32_t places, uint32_t left)
{
    memset(t, 0, sizeof *t);
    t->memory = memory;
    t->count[0] = places;
    t->left[0] = left;
    t->levels = 1;
    do
        if (!add_level(t))
            return false;
    while (t->count[t->levels - 1] > 2);
    t->size = t->at[t->levels - 1] + 2;
    return true;
}

void check_tree_free(struct check_tree *t)
{
    for (uint32_t level = 1; level < t->levels; level++) {
        for (uint32_t g = 0; t->groups[level] && g < t->count[level]; g++)
            check_table_free(&t->groups[level][g], t->memory,
                             check_group_words(arity_of(t, level, g)));
        check_release(t->memory, t->groups[level],
                      t->count[level] * sizeof(struct check_table));
    }
    if (t->memory)
        check_table_free(&t->roots, t->memory, 1);
    memset(t, 0, sizeof *t);
}

static void spread_group(const struct check_tree *t, uint32_t level,
                         uint32_t group, uint32_t number, uint32_t *child)
{
    uint32_t arity = arity_of(t, level, group);
    const uint64_t *key;

    if (arity == 1) {
        *child = number;
        return;
    }
    key = &t->groups[level][group]
               .keys[check_group_words(arity) * (size_t)number];
    for (uint32_t i = 0; i < arity; i++)
        child[i] = (uint32_t)(key[i / 2] >> 32 * (i % 2));
}

void check_tree_load_half(const struct check_tree *t, uint32_t half,
                          uint32_t number, struct check_spread *out)
{
    out->id[t->at[t->levels - 1] + half] = number;
    for (uint32_t level = t->levels - 1; level > 0; level--)
        for (uint32_t g = half ? t->left[level] : 0;
             g < (half ? t->count[level] : t->left[level]); g++) {
            uint32_t *child = &out->id[t->at[level - 1] + t->first[level][g]];

            spread_group(t, level, g, out->id[t->at[level] + g], child);
        }
    memset(out->dirty, 0, sizeof out->dirty);
}

void check_tree_load(const struct check_tree *t, uint32_t state,
                     struct check_spread *out)
{
    uint64_t pair = t->roots.keys[state];

    check_tree_load_half(t, 0, (uint32_t)pair, out);
    check_tree_load_half(t, 1, (uint32_t)(pair >> 32), out);
}

void check_tree_touch(const struct check_tree *t, struct check_spread *s)
{
    for (uint32_t level = 1; level < t->levels; level++) {
        s->dirty[level] = ~UINT64_C(0) >> (64 - t->count[level]);
        for (uint32_t g = 0; g < t->count[level]; g++)
            s->id[t->at[level] + g] = UINT32_MAX;
    }
}

/* ---- The rules of a tree ------------------------------------------------- */

/* The numbers that exist for a place of a level. */
static uint32_t numbers_of(const struct check_tree *t, uint32_t level,
                           uint32_t place, const uint32_t *numbers)
{
    assert(level < CHECK_LEVELS_MAX);
    while (level > 0 && arity_of(t, level, place) == 1)
        place = t->first[level--][place];
    if (level == 0)
        return numbers ? numbers[place] : UINT32_MAX;
    return t->groups[level][place].count;
}

static const char *sane_group(const struct check_tree *t, uint32_t level,
                              uint32_t group, const uint32_t *numbers)
{
    const struct check_table *table = &t->groups[level][group];
    uint32_t arity = arity_of(t, level, group), first = t->first[level][group];
    const char *broken = check_table_sane(table, check_group_words(arity));
    uint32_t child[CHECK_ARITY];

    for (uint32_t i = 0; i < arity; i++)
        if (t->parent[level - 1][first + i] != group)
            return "what is in a group belongs to it";
    for (uint32_t n = 0; n < table->count && !broken; n++) {
        spread_group(t, level, group, n, child);
        for (uint32_t i = 0; i < arity; i++)
            if (child[i] >= numbers_of(t, level - 1, first + i, numbers))
                return "a group is made of what there is";
    }
    return broken;
}

const char *check_tree_sane(const struct check_tree *t, const uint32_t *numbers)
{
    const char *broken = check_table_sane(&t->roots, 1);
    uint32_t top = t->levels - 1;

    for (uint32_t level = 1; level < t->levels; level++)
        for (uint32_t g = 0; g < t->count[level] && !broken; g++)
            broken = sane_group(t, level, g, numbers);
    for (uint32_t i = 0; i < t->roots.count && !broken; i++)
        if ((uint32_t)t->roots.keys[i] >= numbers_of(t, top, 0, numbers) ||
            t->roots.keys[i] >> 32 >= numbers_of(t, top, 1, numbers))
            return "a state is made of halves that there are";
    return broken;
}
