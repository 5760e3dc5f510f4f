/*
 * report.h - what a batch of runs showed, for people and for programs.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/setup/setup.h"
#include "sim/batch.h"

/* Everything a report is about. */
struct cli_report {
    const struct cli_setup *setup;
    const struct cli_words *words;
    const struct sim_summary *summary;
    uint64_t seed, runs; /* as asked for */
    bool hash;
};

/* What the paper states for these runs.  Where the number of initiators
 * differs from run to run, only bounds that hold for the most of them.
 * Returns how many. */
uint32_t cli_report_claims(const struct cli_report *report,
                           struct fc_claim claims[FC_CLAIMS_MAX]);

/* The table: measured beside what the paper states. */
void cli_report_table(const struct cli_report *report);

/* The same as JSON. */
void cli_report_json(const struct cli_report *report);

/* The command that shows a run again, with its seed. */
void cli_report_again(const struct cli_report *report, uint64_t seed,
                      char *buffer, size_t size);

#endif
