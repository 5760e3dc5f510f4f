/*
 * interval.h - where a mean or a share lies, and what that says of a bound.
 *
 * The unit is the run, never the entry: entries of one run depend on each
 * other.  The error is the probability that an interval misses the truth, to
 * either side.
 *
 * A share has the interval of Clopper and Pearson, which never misses more
 * often than its error says.  A mean has Student's, made wider where the sample
 * may be skewed.  Counts of messages and waits have long tails: of Student's
 * intervals of a geometric quantity, 100 runs and an error of 1 in 10 000, ten
 * times as many miss its mean as should.  An event so rare that no run has
 * shown it is beyond all intervals of means.
 */
#ifndef LAB_INTERVAL_H
#define LAB_INTERVAL_H

#include <stdint.h>

#include "lab/verdict/verdict.h"

struct lab_interval {
    double low, high; /* both ends belong to it; infinite: not known */
};

/* The samples of the runs: one number of each. */
struct lab_sample {
    uint64_t runs;
    double mean, sd;
    double least, greatest; /* NaN: not known; then it is taken to be as skewed
                             * as a waiting time without memory */
};

enum lab_relation {
    LAB_LESS,     /* <  */
    LAB_AT_MOST,  /* <= */
    LAB_EQUAL,    /* == */
    LAB_AT_LEAST, /* >= */
    LAB_MORE,     /* >  */
};

/* A claim is to err at most once in 1000 times.  Its intervals together err at
 * most once in this number of times, so that 10 000 claims keep to it, and not
 * just on average. */
#define LAB_CLAIM_ONCE_IN 4000.0

/* A mean or a share is equal to a number if its interval contains the number
 * and is not wider than this part of it. */
#define LAB_EQUAL_PART 0.02

/* The error of one interval: a claim is judged in `cells` cells, each looked at
 * up to `looks` times, and any of these intervals may mislead it. */
double lab_error(uint64_t cells, uint64_t looks);

/* Student's t: the absolute value exceeds it with probability `error`. */
double lab_student(double error, double freedom);

/* Fewer runs say nothing of a mean: both ends are infinite.  With 40 runs of a
 * geometric quantity the errors are as promised, with 20 they are not. */
enum { LAB_RUNS_LEAST = 40 };

/* Runs that are all equal do not prove that all are: a few of those that were
 * not seen may be off by as much as the mean, or by 1 if that is more. */
struct lab_interval lab_mean_interval(const struct lab_sample *sample,
                                      double error);

/* `hits` of `runs`. */
struct lab_interval lab_share_interval(uint64_t hits, uint64_t runs,
                                       double error);

/* Holds, violated or undecided.  Numbers that differ by less than 1e-9 of the
 * greater are the same, as in lab_compare(). */
enum lab_verdict lab_judge(enum lab_relation relation,
                           struct lab_interval measured, double bound);

#endif
