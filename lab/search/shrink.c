/*
 * shrink.c - see crew.h.
 */
#include "lab/search/crew.h"

#include <string.h>

struct shrinking {
    struct lab_worker *worker;
    const struct lab_space *space;
    struct lab_found *found;
    uint64_t *trial; /* the case that is tried */
    uint64_t left;   /* runs */
    bool changed;
};

static void begin(struct shrinking *s)
{
    memcpy(s->trial, s->found->genes, s->space->genes * sizeof *s->trial);
}

/* Runs what was made of the case, and keeps it if it is as bad.  False: no runs
 * are left. */
static bool keep_if_as_bad(struct shrinking *s)
{
    size_t size = s->space->genes * sizeof *s->trial;
    int64_t score;

    lab_space_mend(s->space, s->trial);
    lab_space_turn(s->space, s->trial);
    if (memcmp(s->trial, s->found->genes, size) == 0)
        return true;
    if (!s->left || !lab_worker_run(s->worker, s->trial, &score))
        return false;
    s->left--;
    if (score < s->found->score)
        return true;
    s->found->score = score;
    memcpy(s->found->genes, s->trial, size);
    s->changed = true;
    return true;
}

static uint64_t at_once(uint64_t gene, uint64_t simple)
{
    (void)gene;
    return simple;
}

static uint64_t halfway(uint64_t gene, uint64_t simple)
{
    return gene > simple ? simple + (gene - simple) / 2 : gene;
}

/* One tick for each gene that has a value at all. */
static uint64_t starts_at(uint64_t gene, uint64_t simple)
{
    return gene ? simple : 0;
}

/* Tries it for all genes of a part together, for halves of them, and so on down
 * to each alone. */
static bool simplify(struct shrinking *s, enum lab_part part,
                     uint64_t (*how)(uint64_t gene, uint64_t simple),
                     uint64_t simple)
{
    const struct lab_range *range = &s->space->part[part];

    for (uint32_t size = range->count; size > 0; size /= 2)
        for (uint32_t from = 0; from < range->count; from += size) {
            begin(s);
            for (uint32_t i = from; i < from + size && i < range->count; i++)
                s->trial[range->at + i] = how(s->trial[range->at + i], simple);
            if (!keep_if_as_bad(s))
                return false;
        }
    return true;
}

/* The number of places at which two cases have different names. */
static uint32_t distance(const struct lab_space *s, const uint64_t *a,
                         const uint64_t *b)
{
    const struct lab_range *names = &s->part[LAB_NAMES];
    uint32_t count = 0;

    for (uint32_t i = names->at; i < names->at + names->count; i++)
        count += a[i] != b[i];
    return count;
}

/* The family with most names at the same places; false: none has any. */
static bool find_family(const struct shrinking *s, uint64_t *model)
{
    const struct lab_families *all = s->worker->crew->quest->families;
    uint32_t least = s->space->part[LAB_NAMES].count;
    bool found = false;

    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t far;

        if (!lab_space_family(s->space, &all->family[i], s->trial, NULL))
            continue;
        far = distance(s->space, s->trial, s->found->genes);
        if (far >= least)
            continue;
        least = far;
        found = true;
        memcpy(model, s->trial, s->space->genes * sizeof *model);
    }
    return found;
}

/* Each place gets the name that it has in the model, in exchange. */
static bool follow(struct shrinking *s, const uint64_t *model)
{
    const struct lab_range *names = &s->space->part[LAB_NAMES];
    const uint64_t *wanted = model + names->at;

    for (uint32_t i = 0; i < names->count; i++) {
        uint64_t *genes = s->trial + names->at;
        uint32_t other = 0;

        begin(s);
        while (genes[other] != wanted[i])
            other++;
        genes[other] = genes[i];
        genes[i] = wanted[i];
        if (!keep_if_as_bad(s))
            return false;
    }
    return true;
}

static bool simplify_all(struct shrinking *s)
{
    const struct lab_range *part = s->space->part;
    uint64_t *model = s->worker->best;

    return simplify(s, LAB_SETTINGS, at_once, part[LAB_SETTINGS].least) &&
           simplify(s, LAB_SEED, at_once, part[LAB_SEED].least) &&
           simplify(s, LAB_WAKES, at_once, 0) &&
           simplify(s, LAB_WAKES, starts_at, 1) &&
           simplify(s, LAB_WAKES, halfway, 1) &&
           simplify(s, LAB_DELAYS, at_once, part[LAB_DELAYS].least) &&
           simplify(s, LAB_DELAYS, halfway, part[LAB_DELAYS].least) &&
           simplify(s, LAB_PHASES, at_once, 0) &&
           simplify(s, LAB_STEPS, at_once, part[LAB_STEPS].least) &&
           simplify(s, LAB_STEPS, halfway, part[LAB_STEPS].least) &&
           (!find_family(s, model) || follow(s, model));
}

void lab_shrink(struct lab_worker *w, uint64_t runs, struct lab_found *found)
{
    struct shrinking s = {
        .worker = w,
        .space = w->crew->quest->space,
        .found = found,
        .trial = w->genes,
        .left = runs,
    };

    do
        s.changed = false;
    while (simplify_all(&s) && s.changed);
}
