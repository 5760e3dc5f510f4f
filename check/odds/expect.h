/*
 * expect.h - how probable it is that something breaks, or the expected amount
 * of a quantity, when coins are random and everything else makes it as great as
 * it can, or as little.
 */
#ifndef CHECK_EXPECT_H
#define CHECK_EXPECT_H

#include "check/odds/solve.h"
#include "check/quantity/quantity.h"

struct check_expect {
    enum check_limit limit; /* not CHECK_NO_LIMIT: nothing is known */
    const char *refusal;
    uint64_t states, actions, ways;
    double seconds; /* of CPU time */
    bool cut_off;   /* runs go on beyond the last tick that is tried */
    bool endless;   /* runs that never end count as broken */
    struct check_expected most, least;
};

/* With a measure, the expected amount of it; without, the probability that one
 * of the setup's properties breaks.  With schedulers, also those that attain
 * them: the greatest, the least. */
struct check_scheduler;
void check_expect(const struct check_setup *setup,
                  const struct check_measure *measure,
                  struct check_expect *result,
                  struct check_scheduler *schedulers);

/* Whether runs that never end count as broken. */
bool check_endless_breaks(const struct check_setup *setup);

/* A sentence that says why there is no such probability; NULL: there is. */
const char *check_no_odds(const struct check_setup *setup);

/* Whether its greatest amount is over all runs, finished or not.  An amount of
 * the turns of nodes is that of all turns of a run together. */
bool check_adds_up(const struct check_measure *measure);

/* A sentence that says why a quantity has no expectation; NULL: it has. */
const char *check_no_expectation(const struct check_setup *setup,
                                 const struct check_measure *measure);

#endif
