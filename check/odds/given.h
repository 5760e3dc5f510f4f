/*
 * given.h - first draws under the condition that a given number of them come
 * out in one way.
 */
#ifndef CHECK_GIVEN_H
#define CHECK_GIVEN_H

#include "check/model/model.h"
#include "check/model/step.h"

/* If first draws are given: with which probability an outcome follows a state,
 * namely `times` by 1/odds. */
struct check_odds_given {
    uint32_t times, odds; /* odds 0: more than 2^32 */
};
struct check_odds_given check_given_odds(const struct check_model *m,
                                         const struct check_budget *b,
                                         const struct check_outcome *o);

/* Whether every node draws for sure and alike, so that the condition of the
 * setup means the same whatever is chosen.  If not, CHECK_REFUSED, and the
 * sentence says why; other limits are those of a search. */
enum check_limit check_given(const struct check_setup *setup,
                             const char **refusal);

#endif
