/*
 * names.h - who is called what.
 *
 * Names come from a rule or a list.  Random placements are permutations of
 * first..first+n-1: shuffled for up to SIM_SHUFFLED_MAX nodes, and beyond that
 * computed one by one from the seed (a Feistel network walked until it stays
 * within range), so that a ring of hundreds of millions needs no array.  Which
 * of the two it is depends on n alone, never on how they are kept.
 */
#ifndef SIM_NAMES_H
#define SIM_NAMES_H

#include "sim/sim.h"

enum { SIM_SHUFFLED_MAX = 1 << 16 };

struct sim_names {
    const fc_name *array; /* of all names, or NULL: compute */
    enum sim_naming naming;
    uint32_t nodes;
    fc_name first;
    uint64_t key;
    uint32_t left, right; /* bits of the two halves */
};

/* Names of the run `seed`.  In an array if they are shuffled or listed, or if
 * `often`: the protocol asks for them in every step.  -1: no memory. */
int sim_names_begin(struct sim_names *names, const struct sim_setup *setup,
                    uint64_t seed, bool often, struct sim_memory *memory);

/* The name at position `node`, computed. */
fc_name sim_name_compute(const struct sim_names *names, uint32_t node);

static inline fc_name sim_name(const struct sim_names *names, uint32_t node)
{
    return names->array ? names->array[node] : sim_name_compute(names, node);
}

#endif
