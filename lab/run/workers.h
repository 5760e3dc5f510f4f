/*
 * workers.h - the processes that make experiments: children of this one, or the
 * ranks of an MPI job.
 */
#ifndef LAB_WORKERS_H
#define LAB_WORKERS_H

#include "lab/run/notebook.h"

struct lab_workers {
    void *whom;
    /* The threads that could be given more work. */
    uint32_t (*room)(void *whom);
    /* Starts "fulcrum VERB ..." with --json on `threads` threads.  False: the
     * system refuses, and `why` says so. */
    bool (*start)(void *whom, const char *command, uint32_t number,
                  uint32_t threads, struct net_why *why);
    /* Waits for one to end, for at most `milliseconds`.  Returns its number, or
     * -1. */
    int64_t (*wait)(void *whom, int milliseconds, struct lab_answer *answer);
    /* Ends those that are still running. */
    void (*end)(void *whom);
};

/* Children of this process, at most `jobs` at once; false: no memory. */
bool lab_workers_here(struct lab_workers *w, const char *program,
                      uint32_t jobs);

#endif
