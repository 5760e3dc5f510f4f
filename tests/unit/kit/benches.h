/*
 * benches.h - synchronous rings whose names and wake-ups are given one by one.
 */
#ifndef BENCHES_H
#define BENCHES_H

#include "tests/unit/kit/testing.h"

enum { NAMES_MAX = 8 };

/* A ring whose names and wake-ups are given one by one. */
struct bench {
    struct lab lab;
    fc_name names[NAMES_MAX];
    struct net_wake wakes[NAMES_MAX];
};

static inline void bench_open(struct bench *b, const char *protocol, uint32_t n)
{
    lab_open(&b->lab, protocol, n);
    b->lab.setup.net.naming = NET_NAMES_LIST;
    b->lab.setup.net.names = b->names;
    b->lab.setup.net.wakes = b->wakes;
    first_order(b->names, n);
}

/* Wakes the names of a set at tick 0: bit i is name i+1. */
static inline void wake_set(struct bench *b, uint32_t set)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < b->lab.setup.net.world.nodes; i++)
        if (set & 1u << i)
            b->wakes[count++] = (struct net_wake){.name = i + 1};
    b->lab.setup.net.waking = NET_WAKE_LIST;
    b->lab.setup.net.wake_count = count;
}

static inline struct sim_result bench_run(struct bench *b)
{
    struct sim_result r;

    lab_prepare(&b->lab);
    r = lab_run(&b->lab, 1);
    assert_int_equal(r.broken, 0);
    assert_false(r.cut);
    return r;
}

#endif
