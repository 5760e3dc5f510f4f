/*
 * sure.h - where an end is reached for sure, or never: from the graph alone.
 */
#ifndef CHECK_SURE_H
#define CHECK_SURE_H

#include "check/odds/components.h"

/* What is known of a state; 0: a probability between 0 and 1, exclusive. */
enum check_known { CHECK_NEVER = 1, CHECK_SURELY = 2 };

/* Of all states, all of which are unknown before: whether `end` is reached with
 * probability 1, or 0, if choices make that probability as great as they can,
 * or as little. */
void check_sure(struct check_components *c, uint8_t *known, uint32_t end,
                bool greatest);

#endif
