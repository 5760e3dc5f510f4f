/*
 * plot.h - a few series against N, as SVG.
 *
 * Each series has a colour and a mark of its own and is named at its right
 * end; there is no frame and no legend box.  What a paper promises is ink,
 * dashed.  The axes end where the data do.
 */
#ifndef DRAW_PLOT_H
#define DRAW_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "net/why.h"

enum { PLOT_POINTS_MAX = 64, PLOT_SERIES_MAX = 24, PLOT_NAME_SIZE = 96 };

enum plot_kind {
    PLOT_MEASURED,
    PLOT_BOUND, /* of a paper */
    PLOT_GUIDE, /* a function to compare with */
};

struct plot_series {
    char name[PLOT_NAME_SIZE];
    enum plot_kind kind;
    uint32_t owners; /* of a bound: whose it is, bits of measured series */
    uint32_t count;
    double x[PLOT_POINTS_MAX];    /* positive, and grows */
    double y[PLOT_POINTS_MAX];    /* not negative */
    double most[PLOT_POINTS_MAX]; /* the greatest found; 0: not known */
    /* The interval of y; both 0: not known. */
    double low[PLOT_POINTS_MAX], high[PLOT_POINTS_MAX];
};

struct plot {
    const char *title, *subtitle, *command;
    const char *x_label, *y_label;
    bool linear_x, linear_y; /* else logarithmic; a linear y begins at 0 */
    const struct plot_series *series;
    uint32_t series_count; /* of each kind at most PLOT_SERIES_MAX */
};

/* Makes it the bound that a paper states by a formula, of means or of runs. */
void plot_name_bound(struct plot_series *s, bool mean, const char *formula);

/* Of `measured` series, the bound of the i-th stands at PLOT_SERIES_MAX + i, or
 * has no points.  Puts the bounds behind what was measured, those that are the
 * same function once; returns the number of all series. */
uint32_t plot_gather_bounds(struct plot_series *all, uint32_t measured);

/* Writes the picture; errors of the file are the caller's. */
void plot_draw(FILE *file, const struct plot *plot);

/* Writes it into a file; false: `why` says so. */
bool plot_write(const char *path, const struct plot *plot, struct net_why *why);

#endif
