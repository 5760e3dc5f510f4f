/*
 * crew.h - threads that share out numbered tasks, each with a trial of its own.
 */
#ifndef LAB_CREW_H
#define LAB_CREW_H

#include "lab/search/worst.h"
#include "net/crew.h"

struct lab_worker {
    struct lab_crew *crew;
    struct lab_trial trial;
    atomic_uint_fast64_t runs, events; /* relaxed: numbers to look at */
    /* For tasks that need them: a case, and the best of all that it did. */
    uint64_t *genes, *best;
    int64_t score;
    uint64_t number;
};

struct lab_crew {
    const struct lab_quest *quest;
    struct lab_worker *workers;
    uint32_t count;
    uint64_t runs; /* that are expected in all */
    double began;
    /* Of the tasks at hand. */
    bool (*task)(struct lab_worker *w, void *whom, uint64_t number);
    void *whom;
    atomic_bool failed; /* relaxed: no memory */
};

/* -1: no memory.  To be ended in either case. */
int lab_crew_begin(struct lab_crew *crew, const struct lab_quest *quest);
void lab_crew_end(struct lab_crew *crew);

/* Does the tasks 0 to count-1; a task returns false when it is told to stop or
 * has no memory.  -1: threads could not be started. */
int lab_crew_do(struct lab_crew *crew,
                bool (*task)(struct lab_worker *w, void *whom, uint64_t number),
                void *whom, uint64_t count);

/* One run of a task; false: stop. */
bool lab_worker_run(struct lab_worker *w, const uint64_t *genes,
                    int64_t *score);

/* Whether somebody wants it to end. */
bool lab_crew_stopped(const struct lab_crew *crew);

/* Runs so far. */
uint64_t lab_crew_runs(const struct lab_crew *crew);

/* shrink.c: changes the case that was found, by at most `runs` runs, into one
 * that is simpler: fewer nodes that start, smaller ticks, names as a family has
 * them.  Its score may rise, towards the worst case, and never falls. */
void lab_shrink(struct lab_worker *w, uint64_t runs, struct lab_found *found);

#endif
