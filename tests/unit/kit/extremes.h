/*
 * extremes.h - the extremes of a quantity, for tests that compare them.
 */
#ifndef EXTREMES_H
#define EXTREMES_H

#include "check/quantity/weigh.h"
#include "tests/unit/kit/checking.h"

/* One extreme alone. */
static inline void check_extreme(const struct check_setup *setup,
                                 const struct check_measure *measure,
                                 bool greatest, struct check_extreme *out)
{
    struct check_wanted one = {.measure = *measure, .greatest = greatest};

    check_extremes(setup, &one, 1);
    *out = one.found;
}

/* The extreme of a quantity, by the checker: 1 + its value, or 0: none. */
static inline uint64_t extreme(const struct check_setup *setup,
                               const char *name, bool greatest)
{
    struct check_measure measure;
    struct check_extreme found;
    const char *why = check_measure(setup, name, &measure);

    if (why)
        fail_msg("%s: %s", name, why);
    check_extreme(setup, &measure, greatest, &found);
    assert_int_equal(found.limit, CHECK_NO_LIMIT);
    if (found.unbounded)
        fail_msg("%s of %s is unbounded", name, setup->net.protocol->name);
    assert_true(found.none || found.run.moves);
    check_free(&found.run);
    return found.none ? 0 : found.value + 1;
}

#endif
