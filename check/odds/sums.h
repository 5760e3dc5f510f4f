/*
 * sums.h - what the ways of a run add up to: expected, at most and at least.
 */
#ifndef CHECK_SUMS_H
#define CHECK_SUMS_H

#include "check/odds/odds.h"

/* An expected sum: infinite, or between the bounds of `value`. */
struct check_expected {
    bool infinite;
    struct check_chance value; /* `most` may be HUGE_VAL: no bound was found */
};

/* Which runs have a sum. */
enum check_runs {
    CHECK_RUNS_ALL, /* all: what was added so far counts, without end or not */
    CHECK_RUNS_END, /* those that end; the sum of all others is infinite */
};

/* For the first `wanted` states, the expected sum of the weights up to an end:
 * the greatest or the least that choices can make of it.  The least of
 * CHECK_RUNS_ALL would be that of doing nothing, and is not asked.  False if
 * there is no memory. */
bool check_sums(const struct check_process *p, struct check_memory *memory,
                enum check_runs runs, bool greatest, struct check_expected *out,
                uint32_t wanted);

#endif
