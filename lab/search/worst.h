/*
 * worst.h - the worst case there is, or the worst that can be found.
 *
 * If all cases fit in the budget they are all tried.  Otherwise simulated
 * annealing: chains of small changes, each with a random stream of its own, in
 * generations of a fixed size.  The first generation begins at random and with
 * the families; later ones also with the best cases so far.  What a generation
 * begins with depends on the ones before it and never on threads, so that any
 * number of them finds the same.  At last what was found is made simpler as
 * long as it does not get better.
 */
#ifndef LAB_WORST_H
#define LAB_WORST_H

#include "lab/formula/measure.h"
#include "lab/search/space.h"
#include "sim/batch.h"

struct lab_quest {
    const struct lab_space *space;
    struct lab_measure measure;
    bool least;            /* the least amount is looked for */
    uint64_t budget, seed; /* runs */
    uint32_t threads;
    const struct lab_families *families;
    const uint64_t *starts; /* cases to begin with, one after the other */
    uint32_t starts_count;
    bool has_goal; /* a score above it is enough */
    int64_t goal;
    atomic_bool *stop; /* set by others to finish early; or NULL */
    /* Called some ten times a second; or NULL. */
    void (*tell)(void *whom, const struct sim_batch_progress *progress);
    void *whom;
};

struct lab_found {
    int64_t score;
    uint64_t *genes; /* to be freed */
    uint64_t tried, events;
    bool exhaustive; /* all cases of the space were tried */
    bool drawn;      /* but more of a run came from its seed */
    bool stopped, no_memory;
};

/* -1: no memory, or threads could not be started.  The result is to be freed in
 * either case. */
int lab_worst(const struct lab_quest *quest, struct lab_found *found);

/* ---- One case, simulated and measured (trial.c) -------------------------- */

/* A trial belongs to one thread and is used again and again: after the first
 * few runs nothing is allocated any more. */

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
