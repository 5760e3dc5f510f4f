/*
 * gains.h - where a sum can be made to grow without end.
 */
#ifndef CHECK_GAINS_H
#define CHECK_GAINS_H

#include "check/odds/solve.h"

/* Marks the states from which choices lead, with some probability, to where one
 * can stay for ever and add something again and again.  False if there is no
 * memory. */
bool check_gains(const struct check_process *p, struct check_memory *memory,
                 uint8_t *marks);

#endif
