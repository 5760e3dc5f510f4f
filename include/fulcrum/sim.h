/*
 * sim.h - the simulator: one run, or many on several threads; see
 * libfulcrum(3).
 */
#ifndef FULCRUM_SIM_H
#define FULCRUM_SIM_H

#include <stdint.h>
#include <stdio.h>

#include "net.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What came of some runs. */
struct fulcrum_sim;

/* Runs the seeds from `seed` on, `runs` of them; the result does not depend on
 * the number of threads.  A trace can be written of a single run; or NULL.
 * Returns NULL with a sentence in fulcrum_net_why() if it cannot be run. */
struct fulcrum_sim *fulcrum_sim_run(struct fulcrum_net *net, uint64_t seed,
                                    uint64_t runs, uint32_t threads,
                                    FILE *trace);
void fulcrum_sim_free(struct fulcrum_sim *sim);

/* A number by its name in the output of 'fulcrum sim --json', such as
 * "messages", the mean, "messages.max" or "leader"; -1: there is no such
 * number. */
int fulcrum_sim_get(const struct fulcrum_sim *sim, const char *name,
                    double *value);

/* A property that was broken, from 0 on; NULL: there are no more.  The number
 * of runs that broke it and the first seed that does go to `runs` and `seed`,
 * unless NULL. */
const char *fulcrum_sim_broken(const struct fulcrum_sim *sim, size_t number,
                               uint64_t *runs, uint64_t *seed);

#ifdef __cplusplus
}
#endif

#endif
