/*
 * tally.c - see tally.h.
 */
#include "sim/tally.h"

#include <stddef.h>

/* Slots of one octave are SIM_SCALE_PARTS wide; the first two octaves' worth
 * of values have a slot each. */
static uint32_t slot_of(uint64_t value)
{
    uint32_t octave;

    if (value < 2 * SIM_SCALE_PARTS)
        return (uint32_t)value;
    octave = 63u - (uint32_t)__builtin_clzll(value) -
             (uint32_t)__builtin_ctz(SIM_SCALE_PARTS);
    return octave * SIM_SCALE_PARTS + (uint32_t)(value >> octave);
}

/* The greatest value of a slot. */
static uint64_t greatest_in(uint32_t slot)
{
    uint32_t octave;
    uint64_t part;

    if (slot < 2 * SIM_SCALE_PARTS)
        return slot;
    octave = slot / SIM_SCALE_PARTS - 1;
    part = slot % SIM_SCALE_PARTS + SIM_SCALE_PARTS;
    return ((part + 1) << octave) - 1;
}

void sim_scale_add(struct sim_scale *s, uint64_t value)
{
    sim_stat_add(&s->stat, value);
    s->slot[slot_of(value)]++;
}

void sim_scale_merge(struct sim_scale *s, const struct sim_scale *other)
{
    sim_stat_merge(&s->stat, &other->stat);
    for (uint32_t i = 0; i < SIM_SCALE_SLOTS; i++)
        s->slot[i] += other->slot[i];
}

const char *sim_scale_sane(const struct sim_scale *s)
{
    uint64_t count = 0, least = s->stat.min, greatest = s->stat.max;

    for (uint32_t i = 0; i < SIM_SCALE_SLOTS; i++)
        count += s->slot[i];
    if (count != s->stat.count)
        return "every value is in one slot";
    if (count && !(s->slot[slot_of(least)] && s->slot[slot_of(greatest)]))
        return "the extremes are in their slots";
    return sim_stat_sane(&s->stat);
}

uint64_t sim_scale_percentile(const struct sim_scale *s, double share)
{
    uint64_t wanted = (uint64_t)(share * (double)s->stat.count), seen = 0;

    if (wanted == 0)
        wanted = 1;
    for (uint32_t i = 0; i < SIM_SCALE_SLOTS; i++) {
        seen += s->slot[i];
        if (seen >= wanted)
            return greatest_in(i) < s->stat.max ? greatest_in(i) : s->stat.max;
    }
    return s->stat.max;
}

static size_t place_of(enum sim_tallied which)
{
    static const size_t places[SIM_TALLIED] = {
        [SIM_GRANTING] = offsetof(struct sim_tally, granting.stat),
        [SIM_HANDOFF] = offsetof(struct sim_tally, handoff.stat),
        [SIM_ATTEMPTS] = offsetof(struct sim_tally, attempts.stat),
        [SIM_MESSAGES] = offsetof(struct sim_tally, messages),
        [SIM_REFUSALS] = offsetof(struct sim_tally, refusals),
        [SIM_OVERTAKEN] = offsetof(struct sim_tally, overtaken),
    };

    return places[which];
}

const struct sim_stat *sim_tally_stat(const struct sim_tally *t,
                                      enum sim_tallied which)
{
    return (const void *)((const char *)t + place_of(which));
}

void sim_tally_end_run(struct sim_tally *t, uint64_t run)
{
    for (enum sim_tallied i = 0; i < SIM_TALLIED; i++) {
        struct sim_stat *s = (void *)((char *)t + place_of(i));
        uint64_t before = t->then[i].count;

        if (s->count == before)
            continue;
        sim_means_add(&t->of_runs[i], s->sum - t->then[i].sum,
                      s->count - before);
        if (!before || s->min < t->then[i].min)
            s->min_run = run;
        if (!before || s->max > t->then[i].max)
            s->max_run = run;
        t->then[i].count = s->count;
        t->then[i].min = s->min;
        t->then[i].max = s->max;
        t->then[i].sum = s->sum;
    }
}

void sim_tally_merge(struct sim_tally *t, const struct sim_tally *other)
{
    sim_scale_merge(&t->granting, &other->granting);
    sim_scale_merge(&t->handoff, &other->handoff);
    sim_scale_merge(&t->attempts, &other->attempts);
    sim_stat_merge(&t->messages, &other->messages);
    t->unbilled += other->unbilled;
    sim_stat_merge(&t->refusals, &other->refusals);
    sim_stat_merge(&t->overtaken, &other->overtaken);
    t->abandoned += other->abandoned;
    t->torn += other->torn;
    for (enum sim_tallied i = 0; i < SIM_TALLIED; i++)
        sim_means_merge(&t->of_runs[i], &other->of_runs[i]);
}

const char *sim_tally_sane(const struct sim_tally *t)
{
    const struct sim_scale *scales[] = {&t->granting, &t->handoff,
                                        &t->attempts};

    for (uint32_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        if (sim_scale_sane(scales[i]))
            return sim_scale_sane(scales[i]);
    for (enum sim_tallied i = 0; i < SIM_TALLIED; i++) {
        const struct sim_stat *s = sim_tally_stat(t, i);
        uint64_t runs = t->of_runs[i].near.count;

        if (sim_stat_sane(s))
            return sim_stat_sane(s);
        if (runs > s->count || (s->count && !runs))
            return "a run has a mean if it has values";
    }
    return NULL;
}
