/*
 * plot.h - a few series against N, on logarithmic axes, as SVG.
 *
 * The series are named at their right ends; there is no frame and no legend
 * box.
 */
#ifndef DRAW_PLOT_H
#define DRAW_PLOT_H

#include <stdint.h>
#include <stdio.h>

enum { PLOT_POINTS_MAX = 64, PLOT_SERIES_MAX = 24 };

struct plot_series {
    const char *name;
    uint32_t count;
    double x[PLOT_POINTS_MAX], y[PLOT_POINTS_MAX]; /* positive; x grows */
};

struct plot {
    const char *title, *subtitle, *command;
    const char *x_label, *y_label;
    const struct plot_series *series;
    uint32_t series_count;
};

/* Writes the picture; errors of the file are the caller's. */
void plot_draw(FILE *file, const struct plot *plot);

#endif
