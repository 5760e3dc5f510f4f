/*
 * sim_strategy.h - fulcrum sim --strategy.
 */
#ifndef CLI_SIM_STRATEGY_H
#define CLI_SIM_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

struct cli_strategy {
    const char *path, *trace, *svg;
    bool json;
    uint64_t seed, runs;
};

/* Plays what is written there.  Returns the exit code. */
int cli_play_strategy(const struct cli_strategy *wishes);

#endif
