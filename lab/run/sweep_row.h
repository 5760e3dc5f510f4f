/*
 * sweep_row.h - what a row of a sweep says of a quantity.
 *
 * A quantity is a column without its ending: messages_mean belongs to messages.
 * "violated", and "violated_" with a property, is the share of runs.
 */
#ifndef LAB_SWEEP_ROW_H
#define LAB_SWEEP_ROW_H

#include "lab/run/notebook.h"
#include "lab/verdict/interval.h"

struct lab_point {
    double mean;
    struct lab_interval within; /* of the mean; infinite: too few runs */
    double greatest;            /* NaN: not known, or a share */
    uint64_t runs;
    bool share;
};

/* False: the row says nothing of it.  `error` is the error of the interval; for
 * amounts per entry, too, the unit is the run. */
bool lab_point_read(struct lab_point *p, json_t *row, const char *quantity,
                    double error);

#endif
