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

/* children.c: children of this process, up to `jobs` threads at once, of which
 * a child has at least one; false: no memory.  Those that still run at the end
 * are ended. */
enum { LAB_JOBS_MAX = 256 };
bool lab_workers_here(struct lab_workers *w, const char *program,
                      uint32_t jobs);
bool lab_children_running(const void *whom);

#endif
