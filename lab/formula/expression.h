/*
 * expression.h - formulas as papers write them: 2*N + 3*N*u/m.
 *
 * Whole numbers and their quotients are computed exactly, as long as numerator
 * and denominator fit in 63 bits; numbers that do not fit, and irrational ones,
 * become floating point, and are marked as such.
 *
 *     + - * / ^ ( )      as usual; ^ binds from the right
 *     = != < <= > >=     1 or 0
 *     floor(x) ceil(x) log2(x) H(n) min(a,b) max(a,b) mod(a,b) if(c,a,b)
 *     mirror(i)          the binary digits of i behind the point, lowest first
 *     exp(x) e           of the natural logarithm
 *     f(i)               steps of a wait, in a scope that has one
 *     sum(E)             E added up over all names i of a scope that has some
 */
#ifndef LAB_EXPRESSION_H
#define LAB_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/why.h"

struct lab_number {
    bool exact;
    int64_t top, bottom; /* if exact: in lowest terms, bottom > 0 */
    double value;        /* the same, or the nearest that there is */
};

/* A letter and what it stands for. */
struct lab_letter {
    const char *name;
    struct lab_number is;
};

struct lab_number lab_whole(int64_t number);
struct lab_number lab_quotient(int64_t top, int64_t bottom);

/* -1, 0 or 1: a is less than b, the same, or greater.  If either is not exact,
 * what differs by less than 1e-9 of the greater is the same. */
int lab_compare(const struct lab_number *a, const struct lab_number *b);

/* The greatest whole number that is not greater; false: it does not fit. */
bool lab_floor(const struct lab_number *a, int64_t *out);

/* What a formula may speak of. */
struct lab_scope {
    const struct lab_letter *letters; /* end with one without a name */
    /* f(i), or NULL; false: it has no value. */
    bool (*wait)(const void *of, int64_t i, struct lab_number *out);
    const void *of;
    int64_t first, last; /* all names; none if last < first */
};

/* Evaluates a formula.  False: it is not one, or has no value, and `why` says
 * so. */
bool lab_evaluate(const char *text, const struct lab_letter *letters,
                  struct lab_number *out, struct net_why *why);
bool lab_evaluate_in(const struct lab_scope *scope, const char *text,
                     struct lab_number *out, struct net_why *why);

#endif
