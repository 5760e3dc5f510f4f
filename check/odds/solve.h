/*
 * solve.h - chance and choice: the greatest and the least probability of an
 * end, or expected sum.
 *
 * A process has states; in each of them an adversary chooses one of its
 * actions, with full knowledge of the past, and then chance decides which of
 * its ways the action goes (a Markov decision process).  All runs end in one of
 * two ends, or never.
 */
#ifndef CHECK_SOLVE_H
#define CHECK_SOLVE_H

#include "check/odds/chance.h"
#include "check/store/memory.h"

/* In place of a state: where runs end. */
#define CHECK_BAD_END  UINT32_MAX
#define CHECK_GOOD_END (UINT32_MAX - 1)

struct check_way {
    uint32_t to;
    uint32_t odds; /* with probability 1/odds */
};

struct check_process {
    uint32_t states;
    const uint32_t *first; /* action of each state, and one more */
    const uint32_t *begin; /* of the ways of each action, and one more */
    const struct check_way *ways;
    const uint32_t *weights; /* what each way adds; NULL: nothing is added */
};

/* NULL, or the rule that a process breaks.  (process.c) */
const char *check_process_sane(const struct check_process *p);

/* The request to a process. */
enum check_asked {
    CHECK_ODDS, /* the probability that `end` is reached */
    /* The expected sum of the weights up to an end: of all runs, without end or
     * not; or of those that end, and then the sum of others is infinite. */
    CHECK_SUM_OF_ALL,
    CHECK_SUM_OF_ENDING,
};

struct check_aim {
    enum check_asked asked;
    uint32_t end;  /* CHECK_ODDS */
    bool greatest; /* that choices can make of it; or the least */
};

/* A probability or a sum: infinite, or between the bounds of `value`. */
struct check_expected {
    bool infinite;
    struct check_chance value; /* `most` may be HUGE_VAL: no bound was found */
};

/* The requested numbers of runs from each of the first `wanted` states.  The
 * least CHECK_SUM_OF_ALL would be 0, by doing nothing, and is not asked.
 * False: no memory. */
bool check_solve(const struct check_process *p, struct check_memory *memory,
                 const struct check_aim *aim, struct check_expected *out,
                 uint32_t wanted);

#endif
