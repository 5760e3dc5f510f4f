/*
 * ticks.h - numbers of ticks, of which one is never: a part of fc.h.
 */
#ifndef FC_TICKS_H
#define FC_TICKS_H

#include <stdint.h>

/* A wait that never ends; drivers do not schedule it. */
#define FC_NEVER UINT64_MAX

/* Adds and multiplies ticks; what does not fit is FC_NEVER. */
static inline uint64_t fc_add(uint64_t a, uint64_t b)
{
    return a > FC_NEVER - b ? FC_NEVER : a + b;
}

static inline uint64_t fc_times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? FC_NEVER : product;
}

/* a/b, rounded up: the number of steps of b ticks that last at least a. */
static inline uint64_t fc_divide_up(uint64_t a, uint64_t b)
{
    return a == FC_NEVER ? FC_NEVER : a / b + (a % b != 0);
}

#endif
