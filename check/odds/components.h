/*
 * components.h - strongly connected components of a process, those first to
 * which others lead.
 */
#ifndef CHECK_COMPONENTS_H
#define CHECK_COMPONENTS_H

#include "check/odds/odds.h"

struct check_components {
    const struct check_process *p;
    const uint8_t *known; /* a state marked here is no part of the graph */
    uint32_t *order;      /* states, one component after the other */
    uint32_t *met;        /* when a state was met, from 1 on; see DONE */
    uint32_t *low;        /* the earliest state on the way reached from it */
    uint32_t *next;       /* its way to be looked at next */
    uint32_t *stack, *path;
    uint32_t order_count, met_count, stack_count;
};

/* False if there is no memory; close it in any case. */
bool check_components_open(struct check_components *c,
                           const struct check_process *p, const uint8_t *known,
                           struct check_memory *memory);

/* Frees all but the order, and that too. */
void check_components_trim(struct check_components *c,
                           struct check_memory *memory);
void check_components_close(struct check_components *c,
                            struct check_memory *memory);

/* Calls `each` once for every component: after all that it leads to, and with
 * its states in the order in which a depth-first search leaves them.  What
 * becomes known meanwhile is no part of later components. */
void check_components(struct check_components *c,
                      void (*each)(void *whom, const uint32_t *states,
                                   uint32_t count),
                      void *whom);

#endif
