/*
 * sweep.h - what the files of fulcrum sweep share.
 */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli/setup/setup.h"
#include "lab/run/schedule.h"
#include "lab/run/table.h"

/* What was asked for. */
struct cli_sweep {
    struct cli_words words; /* first: see setup.h */
    const char *grid[CLI_REPEATS_MAX];
    uint32_t grid_count;
    const char *values[CLI_REPEATS_MAX];
    uint32_t values_count;
    const char *file;
    bool judge, fresh, json;
    uint32_t jobs;
    uint64_t seed, runs;
};

/* The cells of a grid, and the command of each. */
struct cli_cells {
    struct lab_grid grid;
    char *keys[CLI_REPEATS_MAX]; /* of its axes */
    char **command;
    uint32_t count;
};

/* Reads --grid; complains and returns the exit code if it cannot be swept.  To
 * be freed in either case. */
int cli_cells_make(struct cli_cells *c, const struct cli_sweep *wishes);
void cli_cells_free(struct cli_cells *c);

/* sweep_ranks.c: whether mpirun, or its like, has started this process. */
bool cli_is_under_mpirun(void);

/* Goes on in the first rank, as the program that is linked with MPI; complains
 * and returns the exit code if there is none. */
int cli_join_ranks(int argc, char **argv);

/* A line for each row. */
void cli_sweep_print(const struct lab_swept *of, json_t *rows);

#endif
