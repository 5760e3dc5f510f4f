/*
 * number.c - see number.h.
 */
#include "lab/formula/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

struct lab_number lab_inexact(double value)
{
    return (struct lab_number){.value = value};
}

static wide magnitude(wide a)
{
    return a < 0 ? -a : a;
}

static wide divisor(wide a, wide b)
{
    while (b) {
        wide rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* In lowest terms, if those fit. */
static struct lab_number ratio(wide top, wide bottom)
{
    wide common = divisor(magnitude(top), magnitude(bottom));

    if (common > 1) {
        top /= common;
        bottom /= common;
    }
    if (bottom < 0) {
        top = -top;
        bottom = -bottom;
    }
    if (magnitude(top) > INT64_MAX || bottom > INT64_MAX)
        return lab_inexact((double)top / (double)bottom);
    return (struct lab_number){true, (int64_t)top, (int64_t)bottom,
                               (double)top / (double)bottom};
}

struct lab_number lab_quotient(int64_t top, int64_t bottom)
{
    return ratio(top, bottom);
}

struct lab_number lab_whole(int64_t number)
{
    return number == INT64_MIN
               ? lab_inexact((double)number)
               : (struct lab_number){true, number, 1, (double)number};
}

/* Most numbers are whole, and then nothing has to be divided. */
static bool are_whole(const struct lab_number *a, const struct lab_number *b)
{
    return a->exact && b->exact && a->bottom == 1 && b->bottom == 1;
}

int lab_compare(const struct lab_number *a, const struct lab_number *b)
{
    double near;
    wide left, right;

    if (are_whole(a, b))
        return (a->top > b->top) - (a->top < b->top);
    near = 1e-9 * fmax(fabs(a->value), fabs(b->value));
    if (!a->exact || !b->exact)
        return a->value == b->value || fabs(a->value - b->value) <= near
                   ? 0
                   : (a->value > b->value) - (a->value < b->value);
    left = (wide)a->top * b->bottom;
    right = (wide)b->top * a->bottom;
    return (left > right) - (left < right);
}

bool lab_floor(const struct lab_number *a, int64_t *out)
{
    double below = floor(a->value);

    if (a->exact) {
        assert(a->bottom > 0);
        *out = a->top / a->bottom - (a->top % a->bottom < 0);
        return true;
    }
    if (!(fabs(below) < 9e18))
        return false;
    *out = (int64_t)below;
    return true;
}

struct lab_number lab_plus(struct lab_number a, struct lab_number b)
{
    int64_t sum;

    if (are_whole(&a, &b) && !__builtin_add_overflow(a.top, b.top, &sum))
        return lab_whole(sum);
    if (!a.exact || !b.exact)
        return lab_inexact(a.value + b.value);
    /* Two products of 63 bits each, and their sum fits as well. */
    return ratio((wide)a.top * b.bottom + (wide)b.top * a.bottom,
                 (wide)a.bottom * b.bottom);
}

struct lab_number lab_negative(struct lab_number a)
{
    a.top = -a.top;
    a.value = -a.value;
    return a;
}

struct lab_number lab_times(struct lab_number a, struct lab_number b)
{
    if (!a.exact || !b.exact)
        return lab_inexact(a.value * b.value);
    return ratio((wide)a.top * b.top, (wide)a.bottom * b.bottom);
}

struct lab_number lab_inverse(struct lab_number a)
{
    return a.exact ? ratio(a.bottom, a.top) : lab_inexact(1 / a.value);
}

bool lab_is_zero(const struct lab_number *a)
{
    return a->exact ? a->top == 0 : a->value == 0;
}

/* A whole power by squaring; any other by the library. */
struct lab_number lab_power(struct lab_number a, struct lab_number b)
{
    struct lab_number square = a, out = lab_whole(1);
    uint64_t left;

    if (!b.exact || b.bottom != 1)
        return lab_inexact(pow(a.value, b.value));
    for (left = (uint64_t)llabs(b.top); left; left >>= 1) {
        if (left & 1)
            out = lab_times(out, square);
        if (left > 1)
            square = lab_times(square, square);
    }
    return b.top < 0 ? lab_inverse(out) : out;
}

struct lab_number lab_harmonic(int64_t n)
{
    enum { ADDED_MAX = 1000000 };
    const double euler = 0.57721566490153286;
    struct lab_number sum = lab_whole(0);

    if (n > ADDED_MAX)
        return lab_inexact(log((double)n) + euler + 0.5 / (double)n);
    for (int64_t i = 1; i <= n; i++)
        sum = lab_plus(sum, lab_quotient(1, i));
    return sum;
}

/* 6 = 110 becomes 0.011 = 3/8. */
struct lab_number lab_mirror(uint64_t i)
{
    int64_t top = 0, bottom = 1;

    for (; i && bottom < INT64_C(1) << 61; i >>= 1) {
        top = 2 * top + (int64_t)(i & 1);
        bottom *= 2;
    }
    return lab_quotient(top, bottom);
}
