/*
 * trial.h - one case, simulated and measured.
 *
 * A trial belongs to one thread and is used again and again: after the first
 * few runs nothing is allocated any more.
 */
#ifndef LAB_TRIAL_H
#define LAB_TRIAL_H

#include "lab/formula/measure.h"
#include "lab/search/space.h"

/* The score of a worse case is greater: an amount, or its negative if the least
 * is looked for.  A run that does not come to an amount has this: */
#define LAB_NONE INT64_MIN

struct lab_trial {
    const struct lab_space *space;
    struct lab_measure measure;
    bool least;
    struct sim_setup setup;
    struct net_memory memory;
    struct sim_progress progress; /* through which a run is stopped */
    struct sim_result result;     /* of the last run */
    struct sim_tally *tally;      /* or NULL */
    fc_name *names;
    uint64_t *phases;
    struct net_wake *wakes;
    uint32_t *at; /* the place of each rank */
    uint64_t runs, events;
    bool drawn; /* something of a run came from its seed */
};

/* False: no memory.  To be freed in either case. */
bool lab_trial_begin(struct lab_trial *t, const struct lab_space *space,
                     const struct lab_measure *measure, bool least);
void lab_trial_end(struct lab_trial *t);

/* Runs a case. */
enum sim_status lab_trial_run(struct lab_trial *t, const uint64_t *genes,
                              int64_t *score);

#endif
