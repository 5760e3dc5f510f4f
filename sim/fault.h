/*
 * fault.h - the faults of one run of the simulator: scheduled, and drawn from
 * the seed (see net/fault.h).
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include "net/names.h"
#include "sim/sim.h"

/* The scheduled and drawn faults of one run, by node.  NULL with *count 0:
 * none.  Sets *failed if there is no memory. */
const struct net_fault *sim_faults_begin(const struct sim_setup *setup,
                                         const struct net_names *names,
                                         uint64_t seed,
                                         struct net_memory *memory,
                                         uint32_t *count, bool *failed);

#endif
