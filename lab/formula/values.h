/*
 * values.h - formulas over the records of runs, and what they come to.
 *
 * "share=entry:refusals/awake" is a value of each entry.  Runs are summed up on
 * their own and then added in their order, so that threads do not show.
 */
#ifndef LAB_VALUES_H
#define LAB_VALUES_H

#include "lab/formula/letters.h"
#include "sim/records.h"

enum { LAB_VALUE_NAME = 32 };

struct lab_value {
    char name[LAB_VALUE_NAME];
    enum sim_table_kind table;
    const char *formula; /* in the text that was read */
    /* What it may speak of besides the columns. */
    struct lab_letter letters[SIM_COLUMNS_MAX + LAB_LETTERS_MAX];
    uint32_t letters_count;
    struct sim_columns columns;
    struct lab_scope scope;
};

/* Reads NAME=TABLE:FORMULA for a network that is described and prepared; false:
 * it cannot be, and `why` says so. */
bool lab_value_read(struct lab_value *v, const char *text,
                    const struct net *net, struct net_why *why);

/* Numbers, summed up: mean, and squares of the distances from it. */
struct lab_sum {
    uint64_t count;
    double mean, squares, min, max;
    uint64_t min_run, max_run; /* the first that have these */
};
double lab_sum_sd(const struct lab_sum *s);

struct lab_value_sum {
    struct lab_sum records; /* that have a value */
    struct lab_sum runs;    /* means of the runs that have some */
    uint64_t left_out;      /* records without a value */
};

/* The value of each record of a run. */
void lab_value_run(const struct lab_value *v, const struct sim_records *r,
                   uint64_t run, struct lab_value_sum *out);

/* Adds the next run. */
void lab_value_merge(struct lab_value_sum *all,
                     const struct lab_value_sum *run);

#endif
