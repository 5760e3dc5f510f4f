/*
 * setup.h - from words of the command line to a setup of the simulator.
 */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include "net/make.h"
#include "sim/sim.h"

enum { CLI_SETTINGS_MAX = 16, CLI_COMMAND_SIZE = 4096 };

/* What was typed; NULL where nothing was. */
struct cli_words {
    const char *protocol;
    const char *nodes, *time, *bounds, *clock, *links, *names, *wake, *until,
        *topology, *entries, *section, *think, *burst, *shared, *competitors;
    const char *settings[CLI_SETTINGS_MAX]; /* KEY=VALUE */
    uint32_t settings_count;
    const char *faults[CLI_SETTINGS_MAX];
    uint32_t faults_count;
    const char *faults_file;
    bool returns; /* nodes come back that none of these faults restarts */
};

struct cli_setup {
    struct sim_setup sim;
    struct net_made made; /* of which sim.net came */
    struct sim_fault *faults;
    char command[CLI_COMMAND_SIZE]; /* that sets up the same, without seed */
};

/* Fills `setup`, or complains in the name of `verb` and returns the exit
 * code.  To be freed in either case. */
int cli_setup_begin(struct cli_setup *setup, const struct cli_words *words);

void cli_setup_free(struct cli_setup *setup);

/* "8 processors, sync, all awake at 0" */
void cli_setup_describe(const struct cli_setup *setup,
                        const struct cli_words *words, char *buffer,
                        size_t size);

/* Those words that describe the network. */
struct net_words cli_net_words(const struct cli_words *words);

/* Complains of it; returns the exit code. */
int cli_refused(const struct net_refusal *refusal);

/* The type of this name; complains if there is none, with what may have been
 * meant. */
const struct sim_type *cli_find_protocol(const char *name);

/* Reads a whole number from least to greatest; complains as `what`. */
int cli_number(const char *text, const char *what, uint64_t least,
               uint64_t greatest, uint64_t *out);

#endif
