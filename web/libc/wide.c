/*
 * wide.c - arithmetic of 128 bits, which the compiler asks for by these names.
 */
#include <stdint.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

u128 __multi3(u128 a, u128 b);
u128 __ashlti3(u128 a, int by);
u128 __lshrti3(u128 a, int by);
u128 __udivti3(u128 a, u128 b);
u128 __umodti3(u128 a, u128 b);
i128 __divti3(i128 a, i128 b);
i128 __modti3(i128 a, i128 b);
double __floatuntidf(u128 a);
double __floattidf(i128 a);

/* The two halves of a number; nothing below may need the functions below. */
union halves {
    u128 all;
    struct {
        uint64_t low, high;
    };
};

u128 __multi3(u128 a, u128 b)
{
    union halves x = {.all = a}, y = {.all = b}, r;
    uint64_t x0 = (uint32_t)x.low, x1 = x.low >> 32;
    uint64_t y0 = (uint32_t)y.low, y1 = y.low >> 32;
    uint64_t middle = x1 * y0 + (x0 * y0 >> 32);
    uint64_t other = x0 * y1 + (uint32_t)middle;

    r.low = other << 32 | (uint32_t)(x0 * y0);
    r.high = x1 * y1 + (middle >> 32) + (other >> 32);
    r.high += x.low * y.high + x.high * y.low;
    return r.all;
}

u128 __ashlti3(u128 a, int by)
{
    union halves x = {.all = a}, r = x;

    if (by >= 64) {
        r.high = x.low << (by - 64);
        r.low = 0;
    } else if (by > 0) {
        r.high = x.high << by | x.low >> (64 - by);
        r.low = x.low << by;
    }
    return r.all;
}

u128 __lshrti3(u128 a, int by)
{
    union halves x = {.all = a}, r = x;

    if (by >= 64) {
        r.low = x.high >> (by - 64);
        r.high = 0;
    } else if (by > 0) {
        r.low = x.low >> by | x.high << (64 - by);
        r.high = x.high >> by;
    }
    return r.all;
}

/* Bit by bit, from the first that can be there. */
static u128 divide(u128 a, u128 b, u128 *rest)
{
    union halves x = {.all = a}, y = {.all = b}, q = {.all = 0}, r = {.all = 0};

    if (!x.high && !y.high) {
        q.low = x.low / y.low;
        r.low = x.low % y.low;
        *rest = r.all;
        return q.all;
    }
    if (x.high < y.high || (x.high == y.high && x.low < y.low)) {
        *rest = a;
        return q.all;
    }
    for (int bit = x.high ? 127 - __builtin_clzll(x.high)
                          : 63 - __builtin_clzll(x.low);
         bit >= 0; bit--) {
        uint64_t *half = bit < 64 ? &q.low : &q.high;
        uint64_t from = bit < 64 ? x.low : x.high;

        r.high = r.high << 1 | r.low >> 63;
        r.low = r.low << 1 | (from >> bit % 64 & 1);
        if (r.high > y.high || (r.high == y.high && r.low >= y.low)) {
            r.high -= y.high + (r.low < y.low);
            r.low -= y.low;
            *half |= UINT64_C(1) << bit % 64;
        }
    }
    *rest = r.all;
    return q.all;
}

u128 __udivti3(u128 a, u128 b)
{
    u128 rest;

    return divide(a, b, &rest);
}

u128 __umodti3(u128 a, u128 b)
{
    u128 rest;

    (void)divide(a, b, &rest);
    return rest;
}

i128 __divti3(i128 a, i128 b)
{
    u128 rest, q = divide(a < 0 ? -(u128)a : (u128)a,
                          b < 0 ? -(u128)b : (u128)b, &rest);

    return (a < 0) != (b < 0) ? (i128)-q : (i128)q;
}

i128 __modti3(i128 a, i128 b)
{
    u128 rest;

    (void)divide(a < 0 ? -(u128)a : (u128)a, b < 0 ? -(u128)b : (u128)b, &rest);
    return a < 0 ? (i128)-rest : (i128)rest;
}

/* The first 64 bits, the last of them set if any below was: then one rounding
 * is the right one. */
double __floatuntidf(u128 a)
{
    union halves x = {.all = a};
    int by;
    double value;

    if (!x.high)
        return (double)x.low;
    by = 64 - __builtin_clzll(x.high);
    value =
        (double)((uint64_t)__lshrti3(a, by) | (__ashlti3(a, 128 - by) != 0));
    for (; by > 0; by--)
        value *= 2;
    return value;
}

double __floattidf(i128 a)
{
    return a < 0 ? -__floatuntidf(-(u128)a) : __floatuntidf((u128)a);
}
