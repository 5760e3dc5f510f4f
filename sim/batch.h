/*
 * batch.h - many runs of one setup, on all cores.
 *
 * Run number r has seed `seed` + r, so that any run can be repeated on its own;
 * when all cases of a network are enumerated, each is run with the same
 * seeds.  The summary does not depend on the number of threads.
 */
#ifndef SIM_BATCH_H
#define SIM_BATCH_H

#include "sim/cases.h"
#include "sim/records.h"
#include "sim/tally.h"

enum { SIM_PROPERTIES_MAX = FC_SANE_BIT, SIM_THREADS_MAX = 256 };

struct sim_batch_progress {
    uint64_t runs_done, runs;
    uint64_t events;   /* of all runs so far */
    uint64_t tick;     /* of one run in progress... */
    uint64_t messages; /* ...and its messages so far */
    double seconds;    /* since the beginning */
};

/* To whom the records of runs go.  A thread has a desk of its own. */
struct sim_recorder {
    void *whom;
    void *(*begin)(void *whom); /* a desk; NULL: no memory */
    /* A run is over; false: no memory. */
    bool (*take)(void *desk, uint64_t run, const struct sim_records *records);
    /* What was taken, in the order of runs and one at a time; false: that is
     * enough, no more runs. */
    bool (*hand_in)(void *desk);
    void (*end)(void *desk);
};

struct sim_batch {
    const struct sim_setup *setup;
    const struct sim_cases *cases; /* or NULL: the setup as it is */
    uint64_t seed, runs;           /* of all cases */
    uint32_t threads;
    const struct sim_recorder *recorder; /* or NULL */
    bool hash;                           /* also hash the traces */
    struct trace_listener *trace;        /* of the only run; or NULL */
    atomic_bool *stop; /* set by others to finish early; or NULL */
    /* Called some ten times a second, by the thread that called sim_batch;
     * or NULL. */
    void (*tell)(void *whom, const struct sim_batch_progress *progress);
    void *whom;
};

/* The sums of a quantity, by its kind. */
#define SIM_SUMMED_MESSAGES          struct sim_stat
#define SIM_SUMMED_STAT              struct sim_stat
#define SIM_SUMMED_GOAL              struct sim_stat
#define SIM_SUMMED_SUM               uint64_t
#define SIM_SUMMED_MOST              uint64_t
#define SIM_SUMMED(kind, field, ...) SIM_SUMMED_##kind field;

struct sim_summary {
    uint64_t runs;                            /* completed */
    uint64_t ok, violated;                    /* of them */
    uint64_t cut;                             /* stopped at `until` */
    uint64_t broken_runs[SIM_PROPERTIES_MAX]; /* by property */
    uint64_t broken_run[SIM_PROPERTIES_MAX];  /* the first that broke it */
    SIM_QUANTITIES(SIM_SUMMED)
    struct sim_stat by_kind[FC_KINDS_MAX];
    struct sim_tally tally;
    uint64_t cpu_ns;   /* of all threads */
    uint64_t hash;     /* of all traces together */
    fc_name leader;    /* of all runs; FC_NOBODY if they differ */
    bool leaders_vary; /* between runs */
    bool lockstep;     /* every run in lockstep */
    bool coins;        /* nodes tossed some */
    bool stopped;
    bool no_memory;
};

/* Adds a run, of whatever made it; the runs in ascending order. */
void sim_summary_add(struct sim_summary *summary,
                     const struct sim_result *result, uint64_t run);

/* NULL, or the rule that a summary of runs that all came to their end
 * breaks. */
const char *sim_summary_sane(const struct sim_summary *summary);

/* What papers bound, by enum fc_cost. */
const struct sim_stat *sim_summary_cost(const struct sim_summary *summary,
                                        enum fc_cost cost);

/* The seed of a run. */
uint64_t sim_batch_seed(const struct sim_batch *batch, uint64_t run);

/* Runs them all. -1: threads could not be started. */
int sim_batch(const struct sim_batch *batch, struct sim_summary *summary);

#endif
