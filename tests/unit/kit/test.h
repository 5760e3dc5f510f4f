/*
 * test.h - what every unit test needs: cmocka, and a random stream.
 */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A test, as cmocka calls it. */
#define TEST(name) static void name(void **state __attribute__((unused)))

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Sanitizers are slow, and what large loops do wrong, small ones do too. */
static inline bool is_sanitized(void)
{
#ifdef FC_PARANOID
    return true;
#else
    return false;
#endif
}

/* A test of results, which takes long and does nothing to memory that others do
 * not do: it runs in the plain build alone. */
#define LONG_TEST(name)                                                        \
    static void name##_whole(void **state);                                    \
    TEST(name)                                                                 \
    {                                                                          \
        if (is_sanitized())                                                    \
            skip();                                                            \
        name##_whole(state);                                                   \
    }                                                                          \
    static void name##_whole(void **state __attribute__((unused)))

/* Rounds of a long loop; fewer under sanitizers.  Of those beyond a thousand a
 * tenth is enough, unless TEST_ROUNDS is "all", as in make soak. */
static inline uint32_t rounds(uint32_t wished)
{
    const uint32_t enough = 1000;
    const char *all = getenv("TEST_ROUNDS");

    if (is_sanitized())
        return wished >= 100 ? wished / 100 : 1;
    if (wished <= enough || (all && strcmp(all, "all") == 0))
        return wished;
    return wished / 10 > enough ? wished / 10 : enough;
}

/* The same, of a loop that must see something rare, or a mean. */
static inline uint32_t rounds_from(uint32_t enough, uint32_t wished)
{
    return rounds(wished) < enough ? enough : rounds(wished);
}

/* ---- Random numbers: our own, for net/random.h is no judge of itself ----- */

struct dice {
    uint64_t state;
};

static inline uint64_t throw_dice(struct dice *d)
{
    d->state += UINT64_C(0x2545f4914f6cdd1d);
    uint64_t x = d->state;

    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 29;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

static inline uint32_t throw_below(struct dice *d, uint32_t sides)
{
    return (uint32_t)(throw_dice(d) >> 16) % sides;
}

#endif
