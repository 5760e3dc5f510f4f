/*
 * sim.h - fulcrum sim, for others that make one run of its words.
 */
#ifndef CLI_SIM_H
#define CLI_SIM_H

#include "cli/setup/setup.h"

struct cli_one_run {
    struct cli_setup setup;
    uint64_t seed;
    char command[CLI_COMMAND_SIZE + 64]; /* that shows it again */
};

/* Reads what follows "fulcrum".  Returns CLI_GO_ON, or complains and returns
 * the exit code; to be freed with cli_setup_free() in either case. */
int cli_sim_read(struct cli_one_run *run, int argc, char **argv);

#endif
