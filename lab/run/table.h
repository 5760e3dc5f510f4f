/*
 * table.h - the cells of a sweep as rows of a table: the values of the grid,
 * and the numbers that were measured.
 *
 * A row is a flat JSON object, whose keys are the columns.  The rows in the
 * database are made of the answers in the notebook, all at once and in the
 * order of the grid: so they are the same however and wherever the answers were
 * made.
 */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include "lab/claim/plan.h"
#include "lab/run/notebook.h"
#include "lab/verdict/interval.h"

/* Facts about a sweep besides its rows. */
struct lab_swept {
    const char *command, *protocol, *version;
    const struct lab_grid *grid;
};

/* The row of a cell: a new reference. */
json_t *lab_table_row(const struct lab_swept *of, uint32_t cell,
                      const char *command, const struct lab_answer *answer);

/* The rows take the place of those before.  False: `why` says so. */
bool lab_table_write(struct lab_notebook *n, const struct lab_swept *of,
                     json_t *rows, struct net_why *why);

/* What was written: {"command", "protocol", "version", "axes": [...], "rows":
 * [...]}, a new reference; NULL: `why` says so. */
json_t *lab_table_read(const char *path, struct net_why *why);

/* ---- What a row says of a quantity ---------------------------------------
 *
 * A quantity is a column without its ending: messages_mean belongs to messages.
 * "violated", and "violated_" with a property, is the share of runs.
 */

/* The value of a column as text. */
enum { LAB_TEXT_SIZE = 64 };
const char *lab_row_text(json_t *row, const char *key, char out[LAB_TEXT_SIZE]);

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
