/*
 * worst.h - how probable it is that something breaks, when coins are random and
 * everything else is as bad as possible, or as good.
 */
#ifndef CHECK_WORST_H
#define CHECK_WORST_H

#include "check/check.h"
#include "check/odds/solve.h"

struct check_worst {
    enum check_limit limit; /* not CHECK_NO_LIMIT: nothing is known */
    const char *refusal;
    uint64_t states, actions, ways;
    double seconds; /* of CPU time */
    bool endless;   /* runs that never end count as broken */
    /* That one of the setup's properties breaks. */
    struct check_chance worst, best;
};

/* With schedulers, also those that attain them: the worst, the best. */
struct check_scheduler;
void check_worst(const struct check_setup *setup, struct check_worst *result,
                 struct check_scheduler *schedulers);

/* Whether runs that never end count as broken. */
bool check_endless_breaks(const struct check_setup *setup);

/* A sentence that says why there is no such probability; NULL: there is. */
const char *check_no_odds(const struct check_setup *setup);

#endif
