/*
 * expect.c - see expect.h, docs/check-inside.md.
 *
 * The greatest amount of messages is over all runs, finished or not; all other
 * amounts are over runs that end, or reach the goal of the problem, and a run
 * that never does has an infinite one.  The least is over schedulers with which
 * that happens with probability 1.
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

static bool ask(struct check_building *b, bool greatest,
                struct check_expected *out, struct check_scheduler *attains)
{
    struct check_aim aim = {.asked = greatest && check_adds_up(b->measure)
                                         ? CHECK_SUM_OF_ALL
                                         : CHECK_SUM_OF_ENDING,
                            .greatest = greatest};

    return check_answer(b, &aim, out, attains);
}

static bool run(struct check_building *b, const struct check_setup *setup,
                struct check_expect *r, struct check_scheduler *schedulers)
{
    if (!check_build_begin(b, setup) || !check_build(b))
        return false;
    if (!schedulers)
        check_build_forget(b);
    return ask(b, true, &r->most, schedulers) &&
           ask(b, false, &r->least, schedulers ? schedulers + 1 : NULL);
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
