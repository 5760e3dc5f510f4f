/*
 * number.h - numbers of formulas: whole ones and their quotients exactly, as
 * long as numerator and denominator fit in 63 bits; what does not fit, and
 * irrational ones, as floating point, and marked as such.
 */
#ifndef LAB_NUMBER_H
#define LAB_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct lab_number {
    bool exact;
    int64_t top, bottom; /* if exact: in lowest terms, bottom > 0 */
    double value;        /* the same, or the nearest that there is */
};

struct lab_number lab_whole(int64_t number);
struct lab_number lab_quotient(int64_t top, int64_t bottom);
struct lab_number lab_inexact(double value);

/* -1, 0 or 1: a is less than b, the same, or greater.  If either is not exact,
 * what differs by less than 1e-9 of the greater is the same. */
int lab_compare(const struct lab_number *a, const struct lab_number *b);

/* The greatest whole number that is not greater; false: it does not fit. */
bool lab_floor(const struct lab_number *a, int64_t *out);

bool lab_is_zero(const struct lab_number *a);

struct lab_number lab_plus(struct lab_number a, struct lab_number b);
struct lab_number lab_negative(struct lab_number a);
struct lab_number lab_times(struct lab_number a, struct lab_number b);
struct lab_number lab_inverse(struct lab_number a); /* of what is not 0 */
struct lab_number lab_power(struct lab_number a, struct lab_number b);
/* 1 + 1/2 + ... + 1/n */
struct lab_number lab_harmonic(int64_t n);
/* The binary digits behind the point, lowest first: 6 = 110 becomes 3/8. */
struct lab_number lab_mirror(uint64_t i);

#endif
