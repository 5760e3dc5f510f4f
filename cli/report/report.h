/*
 * report.h - what a batch of runs showed, for people and for programs.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/assume.h"
#include "cli/setup/setup.h"
#include "cli/setup/setup_cases.h"
#include "lab/formula/values.h"
#include "sim/batch.h"

/* Formulas over the records of runs. */
struct cli_values {
    struct lab_value *list;
    struct lab_value_sum *sums; /* of each */
    uint32_t count;
};

/* What a run of processes has besides: real time, and bounds that it broke. */
struct cli_live {
    uint64_t tick;             /* microseconds */
    bool calibrated;           /* from these, in microseconds: */
    uint64_t round_trip, late; /* the longest that were measured */
    uint64_t elapsed;          /* microseconds */
    uint32_t unasked;          /* nodes that died on their own */
    struct cli_live_bound {
        uint64_t count, worst; /* ticks */
        fc_name name;          /* of the node */
    } steps, delays;           /* that ended late; that took too long */
};

/* Everything a report is about. */
struct cli_report {
    const struct cli_setup *setup;
    const struct cli_words *words;
    const struct sim_summary *summary;
    const struct cli_cases *cases; /* that were tried; or NULL */
    uint64_t seed, runs;           /* as asked for, of all cases */
    const struct cli_values *values;
    const char *more; /* options of a run besides its setup */
    bool hash;
    const struct cli_live *live; /* of processes; NULL: simulated */
};

/* The claims of the paper for these runs.  Where the number of initiators
 * differs from run to run, only bounds that hold for the most of them.  Returns
 * their number. */
uint32_t cli_report_claims(const struct cli_report *report,
                           struct fc_claim claims[FC_CLAIMS_MAX]);

/* What can be said of a statement: it holds for these runs or does not; they
 * were stopped before it could be judged; they are too few for a mean. */
enum cli_judged { CLI_WITHIN, CLI_BEYOND, CLI_UNFINISHED, CLI_TOO_FEW };

/* A claim against what was measured of its cost; whether the right node was
 * chosen, and the right answer found. */
enum cli_judged cli_report_judge(const struct cli_report *report,
                                 const struct fc_claim *claim,
                                 const struct sim_stat *measured);
enum cli_judged cli_report_judge_chosen(const struct cli_report *report);
enum cli_judged cli_report_judge_answer(const struct cli_report *report);

/* The names of a small ring or tree, in the order of its nodes, of a single
 * run; returns their number, or 0. */
enum { CLI_NAMES_MAX = 16 };
uint32_t cli_report_names(const struct cli_report *report,
                          fc_name out[CLI_NAMES_MAX]);

/* What went wrong in all runs together, by enum cli_wrong. */
void cli_report_wrongs(const struct sim_summary *summary,
                       uint64_t counts[CLI_WRONGS]);

/* The table: measured beside what the paper states. */
void cli_report_table(const struct cli_report *report);

/* The same as JSON. */
void cli_report_json(const struct cli_report *report);

/* Whether all cases were tried, and nothing else of a run is drawn from its
 * seed: then means are over all runs that exist. */
bool cli_report_exact(const struct cli_report *report);

/* The command of this simulation; and of one run of it. */
enum { CLI_AGAIN_SIZE = CLI_COMMAND_SIZE + 64 };
void cli_report_again(const struct cli_report *report,
                      char buffer[CLI_AGAIN_SIZE]);
void cli_report_one(const struct cli_report *report, uint64_t run,
                    char buffer[CLI_AGAIN_SIZE]);

#endif
