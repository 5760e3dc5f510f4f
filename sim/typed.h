/*
 * typed.h - what the typed engines share and need not be typed.
 */
#ifndef SIM_TYPED_H
#define SIM_TYPED_H

#include "net/names.h"
#include "sim/sim.h"

/* The wake-ups of a run.  NULL: the nodes 0..count-1, all at tick 0.  Sets
 * *failed if there is no memory for them. */
const struct net_wake *sim_wakes(const struct sim_setup *setup,
                                 const struct sim_job *job,
                                 const struct net_names *names, uint32_t *count,
                                 bool *failed);

/* Fills in what follows from the rest, the properties that were broken and
 * what came of the run. */
void sim_finish(const struct sim_setup *setup, uint32_t broken,
                const struct fc_outcome *outcome, struct sim_result *result);

#endif
