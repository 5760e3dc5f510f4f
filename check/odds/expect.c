/*
 * expect.c - see expect.h, docs/check-inside.md.
 *
 * The greatest amount of messages is over all runs, finished or not; all other
 * amounts are over runs that end, or reach the goal of the problem, and a run
 * that never does has an infinite one.  The least is over schedulers with which
 * that happens with probability 1.
 *
 * With time, if the property that runs end is asked, one that never does counts
 * as broken too: the probability of a good end is worked out then.
 * Without time it does not, because the adversary could let a message wait for
 * ever.
 */
#include "check/odds/expect.h"

#include <stdlib.h>

#include "check/odds/process.h"
#include "check/odds/strategy.h"

const char *check_no_expectation(const struct check_setup *setup,
                                 const struct check_measure *measure)
{
    if (measure->span == CHECK_WAIT)
        return "it is an amount of each wait, and a run has several";
    if (measure->span >= CHECK_PEAK)
        return "only what is added up over a run has an expectation here";
    if (setup->until)
        return "runs are cut off by --until, and have no amount then";
    return NULL;
}

bool check_adds_up(const struct check_measure *measure)
{
    return measure->span == CHECK_WHOLE || measure->span == CHECK_TURN;
}

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

/* The greatest or the least amount; or probability of a bad end, or, if runs
 * without end are broken, of no good one. */
static bool ask(struct check_building *b, bool most, bool endless,
                struct check_expected *out, struct check_scheduler *attains)
{
    struct check_aim aim = {.asked = !b->measure ? CHECK_ODDS
                                     : most && check_adds_up(b->measure)
                                         ? CHECK_SUM_OF_ALL
                                         : CHECK_SUM_OF_ENDING,
                            .end = endless ? CHECK_GOOD_END : CHECK_BAD_END,
                            .greatest = most != endless};

    if (!check_answer(b, &aim, out, attains))
        return false;
    if (endless)
        out->value = check_other(out->value);
    return true;
}

/* False: something stopped it. */
static bool run(struct check_building *b, const struct check_setup *setup,
                struct check_expect *r, struct check_scheduler *schedulers)
{
    if (!check_build_begin(b, setup))
        return false;
    if (!b->measure) {
        b->search.model.refusal = check_no_odds(setup);
        r->endless = check_endless_breaks(setup);
    }
    if (b->search.model.refusal || !check_build(b))
        return false;
    if (!schedulers)
        check_build_forget(b);
    return ask(b, true, r->endless, &r->most, schedulers) &&
           ask(b, false, r->endless, &r->least,
               schedulers ? schedulers + 1 : NULL);
}

void check_expect(const struct check_setup *setup,
                  const struct check_measure *measure,
                  struct check_expect *result,
                  struct check_scheduler *schedulers)
{
    struct check_building *b = calloc(1, sizeof *b);

    memset(result, 0, sizeof *result);
    if (!b) {
        result->limit = CHECK_MEMORY;
        return;
    }
    b->measure = measure;
    if (!run(b, setup, result, schedulers))
        result->limit = check_build_limit(b, &result->refusal);
    result->states = b->states;
    result->actions = b->actions;
    result->ways = b->ways_count;
    result->seconds = check_cpu_seconds() - b->search.began;
    check_build_end(b);
    free(b);
}
