/*
 * stat.h - mean, spread and extremes of a number over many runs.
 *
 * Kept as exact integers, so that the order in which threads finish does not
 * show in the last digit.
 */
#ifndef SIM_STAT_H
#define SIM_STAT_H

#include <stdint.h>

__extension__ typedef unsigned __int128 sim_wide;

struct sim_stat {
    uint64_t count, min, max;
    uint64_t min_run, max_run; /* the first runs that have these */
    sim_wide sum, squares;
};

/* Adds a value, and leaves open of which run it is. */
void sim_stat_add(struct sim_stat *s, uint64_t value);

/* Adds the value of a run; the runs in ascending order. */
void sim_stat_add_run(struct sim_stat *s, uint64_t value, uint64_t run);

/* Adds what another has seen. */
void sim_stat_merge(struct sim_stat *s, const struct sim_stat *other);

/* NULL, or the rule that it breaks. */
const char *sim_stat_sane(const struct sim_stat *s);

double sim_stat_mean(const struct sim_stat *s);

/* Standard deviation of the sample; 0 for fewer than two values. */
double sim_stat_sd(const struct sim_stat *s);

/* Means of many samples, such as the entries of each run: also whole numbers,
 * of small parts. */
struct sim_means {
    sim_wide sum;         /* of the means, in parts of 2^-40 */
    struct sim_stat near; /* the means, in parts of 2^-20 */
};

/* Adds the mean of a sample that is not empty. */
void sim_means_add(struct sim_means *m, sim_wide sum, uint64_t count);
void sim_means_merge(struct sim_means *m, const struct sim_means *other);

/* Of the means; the standard deviation as above. */
double sim_means_mean(const struct sim_means *m);
double sim_means_sd(const struct sim_means *m);

#endif
