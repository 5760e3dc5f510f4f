/*
 * plot.h - what the files of fulcrum plot share.
 */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <jansson.h>

#include "cli/options.h"
#include "draw/chart/plot.h"

/* What was asked for; after cli_plot_choose() also what was not said. */
struct cli_plot {
    const char *file, *x, *y, *per, *out;
    const char *by[CLI_REPEATS_MAX], *where[CLI_REPEATS_MAX];
    uint32_t by_count, where_count;
    bool log, linear;

    json_t *about; /* see lab_table_read() */
    json_t *rows;  /* those that are drawn */
    char quantity[PLOT_NAME_SIZE];
};

/* A measured series and the bound of the paper for each. */
struct cli_series {
    struct plot_series of[2 * PLOT_SERIES_MAX];
    uint32_t measured, count;
    uint64_t runs_least, runs_most;
    bool share; /* y is one */
};

/* Chooses rows, x, y and series where nothing is said; complains and returns
 * the exit code if that cannot be drawn. */
int cli_plot_choose(struct cli_plot *p);

/* Makes the series of the rows; complains and returns the exit code if it
 * cannot. */
int cli_plot_fill(const struct cli_plot *p, struct cli_series *s);

#endif
