/*
 * mutate.c - the small changes by which one case becomes another (see
 * space.h).
 */
#include <string.h>

#include "lab/search/space.h"

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t held = *a;

    *a = *b;
    *b = held;
}

/* One gene leaves its place and stands elsewhere. */
static void move(uint64_t *genes, uint32_t from, uint32_t to)
{
    uint64_t held = genes[from];

    if (from < to)
        memmove(genes + from, genes + from + 1, (to - from) * sizeof *genes);
    else
        memmove(genes + to + 1, genes + to, (from - to) * sizeof *genes);
    genes[to] = held;
}

/* The place of a name: any; or rather one of the least, or of the greatest,
 * because those live longest in most elections. */
static uint32_t choose_place(struct lab_random *r, const uint64_t *names,
                             uint32_t n)
{
    uint64_t rank = lab_below(r, lab_below(r, lab_below(r, n) + 1) + 1);
    uint32_t place = 0;

    switch (lab_below(r, 4)) {
    case 0:
        break;
    case 1:
        rank = n - 1 - rank;
        break;
    default:
        return (uint32_t)lab_below(r, n);
    }
    while (names[place] != rank)
        place++;
    return place;
}

/* Two names trade places, at any two places or of neighbours in rank; or a name
 * moves, a little or far. */
static void mutate_names(struct lab_random *r, uint64_t *names, uint32_t n)
{
    uint32_t a = choose_place(r, names, n), b = (uint32_t)lab_below(r, n);
    uint32_t near = (a + n - 3 % n + (uint32_t)lab_below(r, 7)) % n;

    switch (lab_below(r, 6)) {
    case 0:
    case 1:
        swap(&names[a], &names[b]);
        break;
    case 2:
        swap(&names[a], &names[near]);
        break;
    case 3:
        for (b = 0; names[b] != (names[a] + 1) % n; b++)
            ;
        swap(&names[a], &names[b]);
        break;
    case 4:
        move(names, a, b);
        break;
    default:
        move(names, a, near);
    }
}

/* Whether all genes of a stretch change together, and which; else it is one. */
static void choose_stretch(struct lab_random *r, uint32_t count, uint32_t *from,
                           uint32_t *to)
{
    *from = (uint32_t)lab_below(r, count);
    *to = *from + 1;
    if (lab_below(r, 4) == 0)
        *to += (uint32_t)lab_below(r, count - *from);
}

static void mutate_wakes(struct lab_random *r, const struct lab_range *range,
                         uint64_t *wakes)
{
    uint64_t how = lab_below(r, 8), value = 1 + lab_below(r, range->greatest);
    uint32_t from, to;

    choose_stretch(r, range->count, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        uint64_t before = wakes[i];

        if (how < 2)
            wakes[i] = before ? 0 : value;
        else if (how < 4)
            wakes[i] = value;
        else if (how == 4)
            wakes[i] = 0;
        else if (how == 5)
            wakes[i] = 1;
        else if (how == 6 && before > 1)
            wakes[i]--;
        else if (how == 7 && before && before < range->greatest)
            wakes[i]++;
    }
}

static void mutate_ticks(struct lab_random *r, const struct lab_range *range,
                         uint64_t *ticks)
{
    uint64_t how = lab_below(r, 5);
    uint64_t value =
        range->least + lab_below(r, range->greatest - range->least + 1);
    uint32_t from, to;

    choose_stretch(r, range->count, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        if (how == 0)
            ticks[i] = value;
        else if (how == 1)
            ticks[i] = range->least;
        else if (how == 2)
            ticks[i] = range->greatest;
        else if (how == 3 && ticks[i] > range->least)
            ticks[i]--;
        else if (how == 4 && ticks[i] < range->greatest)
            ticks[i]++;
    }
}

static void mutate_part(const struct lab_space *s, struct lab_random *r,
                        enum lab_part part, uint64_t *genes)
{
    const struct lab_range *range = &s->part[part];

    genes += range->at;
    switch (part) {
    case LAB_NAMES:
        mutate_names(r, genes, range->count);
        break;
    case LAB_WAKES:
        mutate_wakes(r, range, genes);
        break;
    case LAB_STEPS:
    case LAB_PHASES:
    case LAB_DELAYS:
        mutate_ticks(r, range, genes);
        break;
    case LAB_SETTINGS:
    case LAB_SEED:
    case LAB_PARTS:
        *genes =
            range->least + lab_below(r, range->greatest - range->least + 1);
    }
}

void lab_space_mutate(const struct lab_space *s, struct lab_random *r,
                      uint64_t *genes)
{
    /* Names matter most; a part of one number is rarely changed. */
    static const uint8_t weights[LAB_PARTS] = {6, 3, 3, 3, 3, 1, 1};
    uint32_t times = lab_below(r, 4) ? 1 : 2, sum = 0;

    for (uint32_t i = 0; i < LAB_PARTS; i++)
        sum += s->part[i].count ? weights[i] : 0;
    while (sum && times--) {
        uint64_t left = lab_below(r, sum);
        uint32_t part = 0;

        for (; part < LAB_SEED; part++) {
            uint32_t weight = s->part[part].count ? weights[part] : 0;

            if (left < weight)
                break;
            left -= weight;
        }
        mutate_part(s, r, (enum lab_part)part, genes);
    }
    lab_space_mend(s, genes);
    lab_space_turn(s, genes);
}
