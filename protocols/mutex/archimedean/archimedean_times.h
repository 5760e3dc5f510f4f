/*
 * archimedean_times.h - how long the sites of archimedean.c wait, and their
 * parameters; shared with rw_preventive.c.
 */
#ifndef ARCHIMEDEAN_TIMES_H
#define ARCHIMEDEAN_TIMES_H

#include "protocols/mutex/archimedean/archimedean.h"

/* Resolves switches and works out all waits; refuses with a sentence. */
FC_EXTERN const char *archimedean_prepare(void *params,
                                          const struct fc_world *world);

FC_EXTERN uint64_t archimedean_horizon(const void *params,
                                       const struct fc_world *world);

FC_EXTERN uint32_t archimedean_needs(const void *params);
FC_EXTERN bool archimedean_wraps(const void *params);

/* The kinds and the parameters; those that only rw_preventive has are last. */
enum { ARCHIMEDEAN_PARAMS = 20, ARCHIMEDEAN_RW_PARAMS = 21 };
extern const struct fc_message_kind archimedean_kinds[ARCHIMEDEAN_RW_KINDS];
extern const struct fc_param archimedean_list[ARCHIMEDEAN_RW_PARAMS];

#endif
