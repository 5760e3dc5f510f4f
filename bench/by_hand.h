/*
 * by_hand.h - elections in plain C, see by_hand.c.
 */
#ifndef BENCH_BY_HAND_H
#define BENCH_BY_HAND_H

#include <stdint.h>

typedef uint64_t by_hand_run(const uint32_t *names, uint32_t n,
                             uint32_t *leader);

by_hand_run by_hand_loop, by_hand_heap, by_hand_wheel;

#endif
