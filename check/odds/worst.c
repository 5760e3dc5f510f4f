/*
 * worst.c - see worst.h, docs/check-inside.md.
 *
 * With time, if the property that runs end is asked, one that never does counts
 * as broken too: what is worked out then is the probability of a good end.
 * Without time it does not, because the adversary could let a message wait for
 * ever.
 */
#include "check/odds/worst.h"

#include <stdlib.h>

#include "check/odds/process.h"
#include "check/odds/strategy.h"

const char *check_no_odds(const struct check_setup *setup)
{
    return net_type_of(&setup->net)->counts_flying
               ? "its property is about what becomes of runs without end"
               : NULL;
}

bool check_endless_breaks(const struct check_setup *setup)
{
    const struct fc_problem *problem = setup->net.protocol->problem;

    return setup->net.time != NET_ASYNC && !problem->repeats && setup->cycles &&
           (problem->ends & setup->properties);
}

/* The extreme of all states in which runs begin: where it is. */
static uint32_t sum_up(const struct check_chance *value, uint32_t initial,
                       bool greatest)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < initial; i++)
        if (greatest ? check_less(&value[best], &value[i])
                     : check_less(&value[i], &value[best]))
            best = i;
    return best;
}

/* Finds the choices that attain the values. */
static bool attain(struct check_building *b, const struct check_chance *value,
                   uint32_t end, bool greatest, uint32_t initial,
                   struct check_scheduler *out)
{
    struct check_memory *memory = &b->search.model.memory;
    size_t size = b->states * sizeof(struct check_expected);
    struct check_expected *each = check_grow(memory, NULL, 0, size);
    struct check_aim aim = {.value = each, .end = end, .greatest = greatest};
    bool good = false;

    for (uint32_t i = 0; each && i < b->states; i++)
        each[i].value = value[i];
    if (each)
        good = check_attain(b, &aim, initial, out);
    check_release(memory, each, size);
    return good;
}

/* The greatest or the least probability of a bad end, or, if runs without end
 * are broken, of no good one. */
static bool work_out(struct check_building *b, bool worst, bool endless,
                     struct check_chance *out, struct check_scheduler *attains)
{
    struct check_memory *memory = &b->search.model.memory;
    struct check_process p = check_built(b);
    uint32_t end = endless ? CHECK_GOOD_END : CHECK_BAD_END, at;
    uint32_t wanted = attains ? b->states : b->initial;
    size_t size = wanted * sizeof(struct check_chance);
    struct check_chance *value = check_grow(memory, NULL, 0, size);
    bool greatest = worst != endless;
    bool good = value && check_odds(&p, memory, end, greatest, value, wanted);

    if (good) {
        at = sum_up(value, b->initial, greatest);
        *out = endless ? check_other(value[at]) : value[at];
        if (attains)
            good = attain(b, value, end, greatest, at, attains);
    }
    check_release(memory, value, size);
    return good;
}

/* False: something stopped it. */
static bool run(struct check_building *b, const struct check_setup *setup,
                struct check_worst *r, struct check_scheduler *schedulers)
{
    if (!check_build_begin(b, setup))
        return false;
    b->search.model.refusal = check_no_odds(setup);
    r->endless = check_endless_breaks(setup);
    if (b->search.model.refusal || !check_build(b))
        return false;
    if (!schedulers)
        check_build_forget(b);
    return work_out(b, true, r->endless, &r->worst, schedulers) &&
           work_out(b, false, r->endless, &r->best,
                    schedulers ? schedulers + 1 : NULL);
}

void check_worst(const struct check_setup *setup, struct check_worst *result,
                 struct check_scheduler *schedulers)
{
    struct check_building *b = calloc(1, sizeof *b);

    memset(result, 0, sizeof *result);
    if (!b) {
        result->limit = CHECK_MEMORY;
        return;
    }
    if (!run(b, setup, result, schedulers))
        result->limit = check_build_limit(b, &result->refusal);
    result->states = b->states;
    result->actions = b->actions;
    result->ways = b->ways_count;
    result->seconds = check_cpu_seconds() - b->search.began;
    check_build_end(b);
    free(b);
}
