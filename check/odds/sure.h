/*
 * sure.h - what follows from the graph of a process alone: its components,
 * where an end is reached for sure, or never, and where sums grow without end.
 */
#ifndef CHECK_SURE_H
#define CHECK_SURE_H

#include "check/odds/solve.h"

/* The known answer for a state; 0: a probability between 0 and 1, exclusive. */
enum check_known { CHECK_NEVER = 1, CHECK_SURELY = 2 };

/* Calls `each` for every strongly connected component of the states that are
 * not `known` (NULL: of all), those first to which others lead.  False if there
 * is no memory. */
bool check_process_components(const struct check_process *p,
                              const uint8_t *known, struct check_memory *memory,
                              void (*each)(void *whom, const uint32_t *states,
                                           uint32_t count),
                              void *whom);

/* Of all states, all of which are unknown before: whether `end` is reached with
 * probability 1, or 0, if choices make that probability as great as they can,
 * or as little.  False if there is no memory. */
bool check_sure(const struct check_process *p, struct check_memory *memory,
                uint8_t *known, uint32_t end, bool greatest);

/* Marks the states from which choices lead, with some probability, to where one
 * can stay for ever and add something again and again.  False if there is no
 * memory.  (gains.c) */
bool check_gains(const struct check_process *p, struct check_memory *memory,
                 uint8_t *marks);

#endif
