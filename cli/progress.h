/*
 * progress.h - one line on standard error that is rewritten and goes away.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "sim/batch.h"

/* Shows nothing unless standard error is a terminal. */
struct cli_progress {
    const char *title; /* "sim vitanyi" */
    bool shown;
};

/* For sim_batch.tell; `whom` is a struct cli_progress. */
void cli_progress_tell(void *whom, const struct sim_batch_progress *p);

/* Wipes the line. */
void cli_progress_end(struct cli_progress *progress);

/* From now on Ctrl-C sets the flag it returns, and a second one ends the
 * program. */
atomic_bool *cli_catch_interrupt(void);

#endif
