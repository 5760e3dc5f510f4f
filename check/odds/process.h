/*
 * process.h - all states once more, as a process of choice and chance.
 *
 * In a state an adversary chooses what happens next: which message is read,
 * whether time advances, which node crashes.  It knows everything so far,
 * including how coins fell.  If it is a step in which coins fall, chance
 * decides how it goes.  If first draws are given, chance is conditional:
 * the process has only the runs in which they came out so.
 */
#ifndef CHECK_PROCESS_H
#define CHECK_PROCESS_H

#include "check/odds/solve.h"
#include "check/quantity/weigh.h"

struct check_building {
    struct check_search search;
    struct check_result scratch;
    struct check_setup setup; /* of the search: nothing is left out */
    const struct check_measure *measure; /* NULL: violations end runs, badly */
    struct check_scale scale;            /* for its weights */
    uint32_t *first, *begin, *weights;
    struct check_way *ways;
    uint32_t states, actions, ways_count; /* so far */
    uint32_t first_room, begin_room, ways_room, weights_room;
    uint32_t initial; /* states, the first ones, in which runs begin */
    bool forgotten;   /* the model, once all states are written down */
    bool started;     /* the model */
    bool trial;       /* runs end as soon as every node has drawn (given.c) */
    uint32_t range;   /* of first draws, if they are given; 0: none so far */
    /* If somebody else chooses: whether a move is made in a state, or (NULL)
     * the run ends there; and where it leads, once for every way. */
    bool (*chooses)(void *whom, uint32_t state, const struct check_move *move);
    void (*leads)(void *whom, uint32_t state, uint32_t to);
    void *whom;
};

/* Begins a search, and has a look at every state.  False: something stopped it,
 * and check_build_limit() says what. */
bool check_build_begin(struct check_building *b,
                       const struct check_setup *setup);
bool check_build(struct check_building *b);
enum check_limit check_build_limit(const struct check_building *b,
                                   const char **refusal);

/* The process, which goes on standing in the building. */
struct check_process check_built(const struct check_building *b);

/* Makes room for the numbers: of the model only the memory's accounts are
 * kept. */
void check_build_forget(struct check_building *b);
void check_build_end(struct check_building *b);

/* Where a transition leads, which may be an end, and what it adds. */
uint32_t check_lead(struct check_building *b, const struct check_spread *base,
                    const struct check_next *next, uint32_t *weight);

/* Whether two moves from one state are ways of the same action. */
bool check_same_action(const struct check_move *a, const struct check_move *b);

#endif
