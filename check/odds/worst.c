/*
 * worst.c - see worst.h, docs/check-inside.md.
 *
 * With time, if the property that runs end is asked, one that never does counts
 * as broken too: the probability of a good end is worked out then.
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

/* The greatest or the least probability of a bad end, or, if runs without end
 * are broken, of no good one. */
static bool ask(struct check_building *b, bool worst, bool endless,
                struct check_chance *out, struct check_scheduler *attains)
{
    struct check_aim aim = {.asked = CHECK_ODDS,
                            .end = endless ? CHECK_GOOD_END : CHECK_BAD_END,
                            .greatest = worst != endless};
    struct check_expected found;

    if (!check_answer(b, &aim, &found, attains))
        return false;
    *out = endless ? check_other(found.value) : found.value;
    return true;
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
    return ask(b, true, r->endless, &r->worst, schedulers) &&
           ask(b, false, r->endless, &r->best,
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
