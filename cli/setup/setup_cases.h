/*
 * setup_cases.h - fulcrum sim --names all, --wake sets: all cases of a network.
 */
#ifndef CLI_SETUP_CASES_H
#define CLI_SETUP_CASES_H

#include "cli/setup/setup.h"
#include "sim/cases.h"

struct cli_cases {
    struct cli_words words; /* as typed */
    char names[32];         /* of the setup, instead of "all" */
    struct sim_cases sim;
    fc_name sorted[SIM_STARTERS_MAX];
};

/* Leaves in `plain` the words of one case, of which the setup is made; returns
 * whether there are others. */
bool cli_cases_read(struct cli_cases *c, const struct cli_words *typed,
                    struct cli_words *plain);

/* Once the setup is made: the cases, and `runs` runs of each.  Complains and
 * returns the exit code if there are too many. */
int cli_cases_begin(struct cli_cases *c, const struct cli_setup *setup,
                    uint64_t runs);

uint64_t cli_cases_runs(const struct cli_cases *c);

/* "all 120 placements with all 31 sets of starters, seed 1" */
void cli_cases_say(const struct cli_cases *c, uint64_t seed);

/* A case in the words that make it a setup. */
struct cli_case {
    struct cli_words words;
    char names[16 * SIM_PLACED_MAX], wake[16 * SIM_STARTERS_MAX];
};
void cli_case_words(struct cli_case *out, const struct cli_cases *c,
                    uint64_t number);

#endif
