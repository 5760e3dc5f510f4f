/*
 * space.c - see space.h.
 */
#include "lab/search/space.h"

#include <assert.h>
#include <stdlib.h>

static const struct lab_range *range_of(const struct lab_space *s,
                                        enum lab_part part)
{
    return &s->part[part];
}

/* ---- What there is ------------------------------------------------------- */

/* Whether all clocks and links are alike, apart from what varies. */
static bool is_even(const struct lab_space *s)
{
    const struct net *net = &s->setups[0].net;
    const struct fc_bounds *b = &net->world.bounds;

    if (net->time == NET_SYNC)
        return true;
    return net->time == NET_ARCHIMEDEAN &&
           (s->part[LAB_STEPS].count || b->rmax == 1) &&
           (s->part[LAB_DELAYS].count || b->dmin == b->dmax);
}

static bool can_rotate(const struct lab_space *s)
{
    const struct sim_setup *setup = &s->setups[0];
    const struct fc_protocol *p = setup->net.protocol;

    /* In a ring of both directions the simulator orders what arrives at the
     * same tick by where its senders stand. */
    return s->part[LAB_NAMES].count && p->topology == FC_RING &&
           !net_faults_any(&setup->faults) && !s->part[LAB_SEED].count &&
           (s->part[LAB_WAKES].count || setup->net.waking == NET_WAKE_ALL ||
            setup->net.waking == NET_WAKE_LIST) &&
           is_even(s);
}

void lab_space_arrange(struct lab_space *s)
{
    s->genes = 0;
    for (uint32_t i = 0; i < LAB_PARTS; i++) {
        s->part[i].at = s->genes;
        s->genes += s->part[i].count;
    }
    s->rotates = can_rotate(s);
}

/* ---- All cases, one by one ----------------------------------------------- */

static uint64_t values_of(const struct lab_range *r)
{
    return r->greatest - r->least + 1;
}

/* The first of a rotating ring's names has no choice. */
static uint32_t first_choice(const struct lab_space *s)
{
    return s->rotates ? 1 : 0;
}

static uint64_t power(uint64_t base, uint32_t exponent)
{
    uint64_t out = 1;

    while (exponent--)
        out = fc_times(out, base);
    return out;
}

/* All that does not depend on wake-ups. */
static uint64_t count_others(const struct lab_space *s)
{
    uint64_t count = 1;

    for (uint32_t i = first_choice(s); i < s->part[LAB_NAMES].count; i++)
        count = fc_times(count, s->part[LAB_NAMES].count - i);
    for (uint32_t part = LAB_STEPS; part < LAB_PARTS; part++)
        count = fc_times(count,
                         power(values_of(&s->part[part]), s->part[part].count));
    return count;
}

uint64_t lab_space_numbers(const struct lab_space *s)
{
    const struct lab_range *wakes = range_of(s, LAB_WAKES);

    return fc_times(count_others(s), power(values_of(wakes), wakes->count));
}

uint64_t lab_space_count(const struct lab_space *s)
{
    const struct lab_range *wakes = range_of(s, LAB_WAKES);
    uint64_t all = power(values_of(wakes), wakes->count);

    if (wakes->count && all != FC_NEVER) /* less those without tick 0 */
        all -= power(values_of(wakes) - 1, wakes->count);
    return fc_times(count_others(s), all);
}

/* The permutation of this number: each place takes one of the names that are
 * left.  Returns the rest of the number. */
static uint64_t place_names(const struct lab_space *s, uint64_t number,
                            uint64_t *genes)
{
    uint32_t n = s->part[LAB_NAMES].count;
    uint64_t *names = genes + s->part[LAB_NAMES].at;

    for (uint32_t i = 0; i < n; i++)
        names[i] = i;
    for (uint32_t i = first_choice(s); i < n; i++) {
        uint64_t chosen = i + number % (n - i), rank = names[chosen];

        number /= n - i;
        names[chosen] = names[i];
        names[i] = rank;
    }
    return number;
}

static bool somebody_starts(const struct lab_space *s, const uint64_t *genes)
{
    const struct lab_range *wakes = range_of(s, LAB_WAKES);

    for (uint32_t i = 0; i < wakes->count; i++)
        if (genes[wakes->at + i] == 1)
            return true;
    return wakes->count == 0;
}

bool lab_space_case(const struct lab_space *s, uint64_t number, uint64_t *genes)
{
    number = place_names(s, number, genes);
    for (uint32_t part = LAB_WAKES; part < LAB_PARTS; part++)
        for (uint32_t i = 0; i < s->part[part].count; i++) {
            const struct lab_range *r = &s->part[part];

            genes[r->at + i] = r->least + number % values_of(r);
            number /= values_of(r);
        }
    return somebody_starts(s, genes);
}

/* ---- Some cases ---------------------------------------------------------- */

static uint64_t draw(struct lab_random *r, const struct lab_range *range)
{
    return range->least + lab_below(r, values_of(range));
}

void lab_space_mend(const struct lab_space *s, uint64_t *genes)
{
    const struct lab_range *wakes = range_of(s, LAB_WAKES);
    uint64_t first = UINT64_MAX, *wake = genes + wakes->at;

    for (uint32_t i = 0; i < wakes->count; i++)
        if (wake[i] && wake[i] < first)
            first = wake[i];
    if (wakes->count && first == UINT64_MAX)
        wake[0] = first = 1;
    for (uint32_t i = 0; i < wakes->count; i++)
        if (wake[i])
            wake[i] -= first - 1;
}

static void shuffle(struct lab_random *r, uint64_t *genes, uint32_t count)
{
    for (uint32_t i = count; i-- > 1;) {
        uint64_t j = lab_below(r, i + 1), held = genes[i];

        genes[i] = genes[j];
        genes[j] = held;
    }
}

void lab_space_random(const struct lab_space *s, struct lab_random *r,
                      uint64_t *genes)
{
    const struct lab_range *names = range_of(s, LAB_NAMES);
    /* Many start, or few; and late, or all at once. */
    uint64_t starters = lab_below(r, 4);
    bool at_once = lab_below(r, 2) == 0;

    for (uint32_t i = 0; i < names->count; i++)
        genes[names->at + i] = i;
    shuffle(r, genes + names->at, names->count);
    for (uint32_t part = LAB_WAKES; part < LAB_PARTS; part++)
        for (uint32_t i = 0; i < s->part[part].count; i++)
            genes[s->part[part].at + i] = draw(r, &s->part[part]);
    for (uint32_t i = 0; i < s->part[LAB_WAKES].count; i++) {
        uint64_t *wake = &genes[s->part[LAB_WAKES].at + i];

        if (lab_below(r, 4) < starters)
            *wake = 0;
        else if (at_once)
            *wake = 1;
    }
    lab_space_mend(s, genes);
    lab_space_turn(s, genes);
}

static uint64_t within(int64_t value, const struct lab_range *r)
{
    if (value < 0 || (uint64_t)value < r->least)
        return r->least;
    return (uint64_t)value > r->greatest ? r->greatest : (uint64_t)value;
}

/* The place from which a link leads away. */
static uint32_t place_of(const struct lab_space *s, uint32_t link)
{
    return (uint32_t)((uint64_t)link * s->nodes / s->part[LAB_DELAYS].count);
}

static bool place_family(const struct lab_space *s, const struct lab_family *f,
                         struct lab_letter *letters, uint64_t *genes,
                         struct net_why *why)
{
    const struct lab_range *names = range_of(s, LAB_NAMES);
    uint32_t *ranks;
    bool fine;

    if (!names->count)
        return true;
    ranks = malloc(names->count * sizeof *ranks);
    if (!ranks)
        net_no_memory(why, "a family");
    fine = ranks && lab_family_place(f, letters, names->count, ranks, why);
    for (uint32_t i = 0; i < names->count && fine; i++)
        genes[names->at + i] = ranks[i];
    free(ranks);
    return fine;
}

bool lab_space_family(const struct lab_space *s, const struct lab_family *f,
                      uint64_t *genes, struct net_why *why)
{
    static const enum lab_formula formulas[] = {[LAB_WAKES] = LAB_WAKE,
                                                [LAB_STEPS] = LAB_STEP,
                                                [LAB_PHASES] = LAB_PHASE,
                                                [LAB_DELAYS] = LAB_DELAY};
    struct lab_letter letters[LAB_LETTERS_MAX];
    int64_t value;

    (void)lab_letters(&s->setups[0].net, letters);
    if (!place_family(s, f, letters, genes, why))
        return false;
    for (enum lab_part part = LAB_WAKES; part <= LAB_DELAYS; part++)
        for (uint32_t i = 0; i < s->part[part].count; i++) {
            const struct lab_range *r = &s->part[part];
            uint32_t place = part == LAB_DELAYS ? place_of(s, i) : i;

            if (!lab_family_value(f, formulas[part], letters, place,
                                  part == LAB_WAKES ? 0 : (int64_t)r->least,
                                  &value, why))
                return false;
            if (part == LAB_WAKES) /* below 0: not at all */
                value = value < 0 ? 0 : value + 1;
            genes[r->at + i] = within(value, r);
        }
    for (enum lab_part part = LAB_SETTINGS; part <= LAB_SEED; part++)
        if (s->part[part].count)
            genes[s->part[part].at] = s->part[part].least;
    lab_space_mend(s, genes);
    lab_space_turn(s, genes);
    return true;
}

/* ---- Turning and shortening ---------------------------------------------- */

static void reverse(uint64_t *genes, uint32_t from, uint32_t to)
{
    for (; from + 1 < to; from++) {
        uint64_t held = genes[from];

        genes[from] = genes[--to];
        genes[to] = held;
    }
}

/* The first `by` genes go behind the others. */
static void turn_part(uint64_t *genes, uint32_t count, uint32_t by)
{
    reverse(genes, 0, by);
    reverse(genes, by, count);
    reverse(genes, 0, count);
}

void lab_space_turn(const struct lab_space *s, uint64_t *genes)
{
    uint32_t by = 0;

    if (!s->rotates)
        return;
    while (genes[s->part[LAB_NAMES].at + by])
        by++;
    for (enum lab_part part = LAB_NAMES; by && part <= LAB_DELAYS; part++)
        if (s->part[part].count)
            turn_part(genes + s->part[part].at, s->part[part].count, by);
}

void lab_space_without(const struct lab_space *s, uint32_t place,
                       const struct lab_space *larger, const uint64_t *genes,
                       uint64_t *out)
{
    const uint64_t *names = genes + larger->part[LAB_NAMES].at;

    assert(s->nodes + 1 == larger->nodes);
    for (enum lab_part part = LAB_NAMES; part < LAB_PARTS; part++) {
        const struct lab_range *to = &s->part[part];
        const struct lab_range *from = &larger->part[part];
        uint32_t leaves = from->count - to->count; /* as many as each has */
        uint32_t gap = place * leaves;

        for (uint32_t i = 0; i < to->count; i++) {
            uint64_t gene = genes[from->at + (i < gap ? i : i + leaves)];

            if (part == LAB_NAMES)
                gene -= gene > names[place];
            out[to->at + i] = gene < to->least      ? to->least
                              : gene > to->greatest ? to->greatest
                                                    : gene;
        }
    }
    lab_space_mend(s, out);
    lab_space_turn(s, out);
}
