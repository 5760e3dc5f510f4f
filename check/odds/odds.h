/*
 * odds.h - chance and choice: how probable something is, at most and at least.
 *
 * A process has states; in each of them somebody chooses one of its actions,
 * with full knowledge of the past, and then chance decides which of its ways
 * the action goes (a Markov decision process).  All runs end in one of two
 * ends, or never.
 */
#ifndef CHECK_ODDS_H
#define CHECK_ODDS_H

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

/* NULL, or what is not true of a process.  (process.c) */
const char *check_process_sane(const struct check_process *p);

/* For the first `wanted` states, the probability that `end` is reached from
 * them: the greatest or the least that choices can make of it.  False if there
 * is no memory. */
bool check_odds(const struct check_process *p, struct check_memory *memory,
                uint32_t end, bool greatest, struct check_chance *out,
                uint32_t wanted);

#endif
