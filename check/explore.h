/*
 * explore.h - the search: what its parts share.
 */
#ifndef CHECK_EXPLORE_H
#define CHECK_EXPLORE_H

#include "check/model.h"

struct check_search {
    struct check_model model;
    const struct check_setup *setup;
    struct check_result *result;
    struct check_nexts nexts;
    uint32_t *levels; /* the first state of each depth, and one more */
    uint32_t levels_count, levels_room;
    bool back_edges; /* some transition does not lead further down */
    uint32_t bad;    /* the state from which `bad_move` breaks something, or in
                      * which everything has come to a bad end */
    struct check_move bad_move;
    double began; /* CPU time */
    uint32_t told_at;
};

double check_cpu_seconds(void);

/* Tells how far it is, every few thousand states; false: stop. */
bool check_report(struct check_search *s, uint32_t state);

/* Finds the successors of a state; false if that failed. */
bool check_visit(struct check_search *s, uint32_t state);

/* Looks for runs without end in what was found (cycles.c). */
void check_cycles(struct check_search *s);

/* The shortest way to a state, as moves in the result; room is left for `more`
 * of them.  False if there is no memory. (path.c) */
bool check_path(struct check_search *s, uint32_t state, uint32_t more);

/* The moves of the result are those of states that stand for their rotations:
 * makes one run of them. */
void check_unturn(struct check_search *s);

#endif
