/*
 * growth.h - whether a quotient stays bounded, and if not, how it grows.
 *
 * "X in O(E)" is judged by X/E at sizes over at least three decades.  A
 * constant, log x and a power of x differ in how the increase per decade
 * changes: of 5 - 2/x it vanishes, of log x it stays, of x^a it is multiplied
 * by 10^a from decade to decade.  We compare the increase at the lower third of
 * the sizes with the increase at the upper third, both on a logarithmic scale.
 * If their quotient is that of some power of x, the exponent is called the
 * bend:
 *
 *     x^a + c: a      log x: 0      c - x^-a: -a
 *
 * and if it is that of a power of log x, the exponent tells whether there is a
 * limit:
 *
 *     log x: 0      log log x: -1      c - 1/log x: -2      c - x^-a: less
 *
 * A quotient that falls is judged by its reciprocal in the same way.  All of it
 * is done with intervals, and what they leave open is unclear.
 */
#ifndef LAB_GROWTH_H
#define LAB_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

/* A quotient at one size; low and high as in struct lab_cell, equal to the
 * value if it is exact. */
struct lab_point {
    double x, low, value, high;
};

enum lab_growth_kind {
    LAB_GROWTH_UNCLEAR,
    LAB_GROWTH_CONSTANT,
    LAB_GROWTH_LOG,
    LAB_GROWTH_POWER,
    LAB_GROWTH_MORE,  /* at least as log x; neither log x nor a power fits */
    LAB_GROWTH_FALLS, /* to nothing */
};

struct lab_growth {
    enum lab_growth_kind kind;
    bool bounded;    /* from above; true also of some that are unclear */
    double constant; /* CONSTANT: the limit; LOG: the factor of log2 x */
    double exponent; /* POWER: positive; FALLS: negative, or 0: as 1/log x */
    const char *why; /* UNCLEAR: the reason, else NULL */
};

/* Bends from the first on are powers, and those nearer to 0 than the second are
 * log x.  What slows down faster than either of the others, the exponent of a
 * power of log x or a bend, has a limit. */
#define LAB_BEND_POWER 0.08
#define LAB_BEND_LOG   0.05
#define LAB_SLOWS_DOWN (-1.4)
#define LAB_BEND_LIMIT (-0.8)

/* What changes by less than this part of itself is constant, unless it rises
 * evenly. */
#define LAB_FLAT_PART 0.1

/* What was drawn, or found by a search, and comes without an interval, is off
 * by up to this part of itself. */
#define LAB_DRAWN_PART 0.03

/* The points are in the order of x, which is at least 1.  With `exact` they are
 * exact maxima, and fewer than three decades will do. */
struct lab_growth lab_growth_of(const struct lab_point *points, uint32_t count,
                                bool exact);

/* "constant 2.5", "grows as 0.5 log2 N", "unclear: ..."; x is the letter. */
enum { LAB_GROWTH_SIZE = 120 };
void lab_growth_words(const struct lab_growth *growth, const char *x,
                      char out[LAB_GROWTH_SIZE]);

#endif
