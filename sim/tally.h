/*
 * tally.h - what many entries cost: counted one by one, added up exactly, so
 * that neither threads nor the order of runs show.
 */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include "sim/stat.h"

/*
 * Values by size: exact below 2 * SIM_SCALE_PARTS, and in parts of an octave
 * above, so that a percentile is off by at most 1/SIM_SCALE_PARTS.
 */
enum { SIM_SCALE_PARTS = 32, SIM_SCALE_SLOTS = 60 * SIM_SCALE_PARTS };
struct sim_scale {
    struct sim_stat stat;
    uint64_t slot[SIM_SCALE_SLOTS];
};

void sim_scale_add(struct sim_scale *s, uint64_t value);
void sim_scale_merge(struct sim_scale *s, const struct sim_scale *other);

/* NULL, or the rule that it breaks. */
const char *sim_scale_sane(const struct sim_scale *s);

/* The value that so large a share of all values does not exceed, 0..1. */
uint64_t sim_scale_percentile(const struct sim_scale *s, double share);

/* Counts for each entry. */
enum sim_tallied {
    SIM_GRANTING,
    SIM_HANDOFF,
    SIM_ATTEMPTS,
    SIM_MESSAGES,
    SIM_REFUSALS,
    SIM_OVERTAKEN,
    SIM_TALLIED,
};

struct sim_tally {
    struct sim_scale granting; /* ticks from request to entry */
    struct sim_scale handoff;  /* ticks from an exit to the entry of a site that
                                * was waiting then */
    struct sim_scale attempts; /* of an operation that needs no permission */
    struct sim_stat messages;  /* on behalf of an entry that was made */
    uint64_t unbilled;         /* messages on behalf of none */
    struct sim_stat refusals;  /* that it met */
    struct sim_stat overtaken; /* entries of others while it waited */
    uint64_t abandoned;        /* entries given up inside */
    uint64_t torn;             /* operations that came out wrong */
    /* The same with the run as the unit: entries of one run depend on each
     * other.  Runs without a value are left out. */
    struct sim_means of_runs[SIM_TALLIED];
    struct {
        uint64_t count, min, max;
        sim_wide sum;
    } then[SIM_TALLIED]; /* when the last run was over */
};

/* Of all entries. */
const struct sim_stat *sim_tally_stat(const struct sim_tally *t,
                                      enum sim_tallied which);

/* A run is over: the means of its entries go to `of_runs`.  Runs are told in
 * ascending order. */
void sim_tally_end_run(struct sim_tally *t, uint64_t run);

void sim_tally_merge(struct sim_tally *t, const struct sim_tally *other);

/* NULL, or the rule that it breaks when no run is in progress. */
const char *sim_tally_sane(const struct sim_tally *t);

#endif
