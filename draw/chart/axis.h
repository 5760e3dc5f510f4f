/*
 * axis.h - what charts have in common: where a value stands, round numbers, the
 * lines of a grid, and names beside lines.
 */
#ifndef DRAW_AXIS_H
#define DRAW_AXIS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Values from low to high, at places in pixels. */
struct axis {
    double low, high;
    double from, to;
    bool logarithmic;
};

/* The place of a value; the middle of an axis that has but one. */
double axis_at(const struct axis *a, double value);

/* The next of 1, 2, 5, 10, ... that is not below a value. */
double axis_above(double value);

/* Makes both ends round; a linear axis begins at 0, or below it. */
void axis_round(struct axis *a);

/* A number in full as long as it is short, then with a power of ten. */
enum { AXIS_NUMBER_SIZE = 32 };
void axis_number(char out[AXIS_NUMBER_SIZE], double value);

/* A line of the grid at a height, with its number; and all lines of an upright
 * axis: of a linear one some five; of a logarithmic one 1, 2, 5, 10, ..., or
 * powers of ten where there are many. */
void axis_line(FILE *file, double left, double right, double y,
               const char *number);
void axis_lines(FILE *file, const struct axis *a, double left, double right,
                bool per_cent);

/* A name: where it begins, and how high it is. */
struct axis_name {
    double y, height;
};

/* Names in the order of their places keep their distance, as near to them as
 * they can: neighbours that are too close move apart, both by the same.  All
 * stay between top and bottom, as far as they have room there. */
void axis_spread(struct axis_name *names, uint32_t count, double top,
                 double bottom);

#endif
