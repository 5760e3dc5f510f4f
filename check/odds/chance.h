/*
 * chance.h - probabilities: as fractions, and between bounds.
 */
#ifndef CHECK_CHANCE_H
#define CHECK_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Relative errors of a few hundred sums and products stay below this. */
#define CHECK_ROUNDING 0x1p-44

/* A probability: between these two, and if `under` is not 0, over/under. */
struct check_chance {
    double least, most;
    uint64_t over, under;
};

/* In lowest terms; under 0: not known. */
struct check_fraction {
    uint64_t over, under;
};

/* sum + f/odds; under 0 if that does not fit. */
struct check_fraction check_plus(struct check_fraction sum,
                                 struct check_fraction f, uint32_t odds);

/* a < b: negative; a = b: 0. */
int check_compare(struct check_fraction a, struct check_fraction b);

/* The first convergent of x's continued fraction that is as near as asked. */
struct check_fraction check_simplest_near(double x, double near);

/* A known fraction, with the bounds that rounding leaves; a probability, or any
 * other number. */
struct check_chance check_chance_of(struct check_fraction f);
struct check_chance check_number_of(struct check_fraction f);

/* Whether a is less than b, for all that is known. */
bool check_less(const struct check_chance *a, const struct check_chance *b);

/* 1 - a. */
struct check_chance check_other(struct check_chance a);

#endif
