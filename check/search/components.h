/*
 * components.h - strongly connected components of a graph of states.
 */
#ifndef CHECK_COMPONENTS_H
#define CHECK_COMPONENTS_H

#include "check/store/memory.h"

/* In place of a successor: there are no more. */
#define CHECK_NO_STATE UINT32_MAX

/* A depth-first search through the states that are numbered from 0 on. */
struct check_components {
    struct check_memory *memory;
    uint32_t states;
    /* The next successor of a state; `*at` is 0 at first, and belongs to this
     * function.  When it is called again, all that the successor before leads
     * to has been met, and its component is complete if it is another one. */
    uint32_t (*next)(void *whom, uint32_t state, uint32_t *at);
    /* A component is complete, and all that it leads to: its states in the
     * order in which the search leaves them. */
    void (*complete)(void *whom, const uint32_t *states, uint32_t count);
    void *whom;
    bool stopped; /* there was no memory, or a function has set it */
    /* Its own. */
    uint32_t *met; /* when a state was met, from 1 on; UINT32_MAX: complete */
    struct check_on_path *path;
    uint32_t *left; /* states that were left before their component was */
    uint32_t met_count, path_count, path_room, left_count, left_room;
};

/* With the first five members set; false if there is no memory.  End it in any
 * case. */
bool check_components_begin(struct check_components *c);
void check_components_end(struct check_components *c);

/* Whether the component of a state is complete.  Such a successor can be passed
 * over. */
static inline bool check_is_complete(const struct check_components *c,
                                     uint32_t state)
{
    return c->met[state] == UINT32_MAX;
}

/* Goes on with the states that are reached from this one and not met yet. */
void check_components_from(struct check_components *c, uint32_t state);

#endif
