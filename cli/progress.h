/*
 * progress.h - one line on standard error that is rewritten and goes away.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>

struct sim_batch_progress;

/* Unless standard error is a terminal, it says a word only after a while. */
struct cli_progress {
    const char *title; /* "sim vitanyi" */
    double messages;   /* that one run sends, as far as is known; or 0 */
    bool shown, told;
};

/* For sim_batch.tell; `whom` is a struct cli_progress. */
void cli_progress_tell(void *whom, const struct sim_batch_progress *p);

/* Wipes the line. */
void cli_progress_end(struct cli_progress *progress);

/* From now on Ctrl-C or SIGTERM sets the flag it returns, and a second one ends
 * the program. */
atomic_bool *cli_catch_interrupt(void);

/* CLI_INTERRUPTED by another signal than Ctrl-C has another code. */
int cli_exit_code(int code);

#endif
