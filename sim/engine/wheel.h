/*
 * wheel.h - what all timing wheels have in common, whatever their records (see
 * wheel.inc).
 */
#ifndef SIM_WHEEL_H
#define SIM_WHEEL_H

#include "net/memory.h"

enum {
    WHEEL_BITS = 10,
    WHEEL_SLOTS = 1 << WHEEL_BITS,
    WHEEL_LEVELS = 7, /* 70 bits: any tick */
    WHEEL_WORDS = WHEEL_SLOTS / 64,
};

struct wheel_list {
    struct net_chunk *head, *tail;
};

#endif
