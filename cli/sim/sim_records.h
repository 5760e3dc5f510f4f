/*
 * sim_records.h - fulcrum sim --records and --value: what happened in each run,
 * as a file of records and as formulas over them.
 */
#ifndef CLI_SIM_RECORDS_H
#define CLI_SIM_RECORDS_H

#include "cli/report/report.h"
#include "draw/output.h"
#include "lab/formula/values.h"

struct cli_recorder {
    struct sim_recorder sim; /* for the batch */
    struct sim_batch batch;  /* its seeds and cases */
    struct output_file out;
    FILE *file; /* of --records; or NULL */
    struct sim_columns columns[SIM_TABLES];
    struct cli_values values; /* for the report */
};

/* Nothing is asked for: `sim.begin` stays NULL.  Complains and returns the exit
 * code; to be ended in either case. */
int cli_recorder_begin(struct cli_recorder *r, const char *path,
                       const char *const *values, uint32_t count,
                       const struct cli_setup *setup);

/* Before the batch, once it is known. */
void cli_recorder_head(const struct cli_recorder *r);

/* Puts the file in its place, if there is one and all is `fine`. */
int cli_recorder_end(struct cli_recorder *r, bool fine);

#endif
