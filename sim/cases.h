/*
 * cases.h - every placement of the names, every set of starters: all cases of a
 * small network, one after the other.
 *
 * Cases are numbered: placements in lexicographic order, and of each the sets
 * of those that start at tick 0, as the bits of 1, 2, 3, ..., the least name
 * first.  Nothing is kept of them, so that a thread can take any.
 */
#ifndef SIM_CASES_H
#define SIM_CASES_H

#include "sim/sim.h"

enum { SIM_PLACED_MAX = 10, SIM_STARTERS_MAX = 24 };

struct sim_cases {
    const fc_name *names; /* of the network, ascending */
    uint32_t nodes;
    bool placements; /* of up to SIM_PLACED_MAX names */
    bool starters;   /* sets of up to SIM_STARTERS_MAX */
    uint64_t runs;   /* of each case, with a seed each */
};

uint64_t sim_placements_count(const struct sim_cases *c);
uint64_t sim_starters_count(const struct sim_cases *c);

/* One of them. */
struct sim_case {
    fc_name names[SIM_PLACED_MAX]; /* clockwise, if placements vary */
    struct net_wake wakes[SIM_STARTERS_MAX];
    uint32_t wakes_count; /* if starters vary */
};

void sim_case_find(struct sim_case *one, const struct sim_cases *c,
                   uint64_t number);

/* Puts this case into the setup, which it must outlive. */
void sim_case_use(const struct sim_case *one, const struct sim_cases *c,
                  struct sim_setup *setup);

#endif
