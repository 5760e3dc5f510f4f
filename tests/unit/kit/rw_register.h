/*
 * rw_register.h - what the tests of the register share: a small register, its
 * values, and a hook between any two of its statements.
 */
#ifndef RW_REGISTER_H
#define RW_REGISTER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <unistd.h>

static void (*hook)(int place);

#define RW_POINT(place)                                                        \
    do {                                                                       \
        if (hook)                                                              \
            hook(place);                                                       \
    } while (0)
#include "rw/fulcrum_rw.h"

#define TEST(name) static void name(void **state __attribute__((unused)))

struct pose {
    double at[3];
    uint32_t number;
    char frame[9]; /* so that the last word is a part of one */
} __attribute__((packed));

static const struct rw_options quick = {RW_WRITER, {1, 1, 0}};

static _Alignas(64) char memory[4096];

static inline struct rw made(void)
{
    struct rw r = {.size = 0};

    memset(memory, 0xff, sizeof memory);
    assert_int_equal(
        rw_init(&r, memory, sizeof memory, sizeof(struct pose), &quick), RW_OK);
    return r;
}

static inline struct pose pose(uint32_t n)
{
    struct pose p = {{n, n, n}, n, "world"};

    p.frame[8] = (char)n;
    return p;
}

static inline bool same(const struct pose *p, uint32_t n)
{
    struct pose q = pose(n);
    const unsigned char *a = (const unsigned char *)p;
    const unsigned char *b = (const unsigned char *)&q;

    for (size_t i = 0; i < sizeof q; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

#endif
