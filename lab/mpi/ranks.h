/*
 * ranks.h - the ranks of an MPI job as workers.
 *
 * The first rank hands out tasks and takes answers; every rank, the first too,
 * makes its tasks as children, so that an experiment that dies leaves its rank
 * alive.  Ranks tell each other that they are there; one that has been silent
 * for LAB_RANK_PATIENCE seconds is lost: its tasks are made again elsewhere,
 * and nothing that it says later counts.  A rank whose first rank is silent
 * ends.
 *
 * These functions are in the program that is linked with MPI, and nowhere else:
 * in the other one their addresses are null.
 */
#ifndef LAB_RANKS_H
#define LAB_RANKS_H

#include "lab/run/schedule.h"

/* Seconds; FULCRUM_RANK_PATIENCE in the environment says otherwise. */
enum { LAB_RANK_PATIENCE = 30 };

/* Joins the job.  Returns in the first rank; the others serve here until the
 * first ends, or says so, and do not return. */
__attribute__((weak)) void lab_ranks_join(const char *program);

/* Each rank makes `jobs` tasks at once; false: no memory. */
__attribute__((weak)) bool
lab_workers_ranks(struct lab_workers *w, const char *program, uint32_t jobs);

/* Leaves the job without having been a worker's master. */
__attribute__((weak)) void lab_ranks_leave(void);

#endif
