/*
 * sim.h - fulcrum sim: its other forms, and one run of its words, for others.
 */
#ifndef CLI_SIM_H
#define CLI_SIM_H

#include "cli/asked.h"
#include "cli/report/report.h"
#include "cli/setup/setup.h"
#include "draw/output.h"
#include "sim/batch.h"

struct cli_one_run {
    struct cli_setup setup;
    uint64_t seed;
    char command[CLI_COMMAND_SIZE + 64]; /* that shows it again */
};

/* Reads what follows "fulcrum".  Returns CLI_GO_ON, or complains and returns
 * the exit code; to be freed with cli_setup_free() in either case. */
int cli_sim_read(struct cli_one_run *run, int argc, char **argv);

/* What --json says of one run that somebody else has made. */
void cli_sim_report(const struct cli_one_run *run,
                    const struct sim_summary *summary);

/* --replay: the exit code. */
struct cli_replay {
    const char *path;
    const char *states; /* the node whose states are shown; "" is all, NULL is
                         * none */
    bool json;
    const char *const *judge; /* as typed */
    uint32_t judge_count;
};

int cli_replay(const struct cli_replay *wishes);

/* --judge: by all predicates of the protocol.  Complains if there are none. */
int cli_judge(struct net *net);

/* The same for each text that is empty, and by properties that are typed, which
 * go into `*asked`, to be freed.  Complains and returns the exit code;
 * CLI_GO_ON: it has answered help. */
int cli_judge_all(struct net *net, const char *const *texts, uint32_t count,
                  struct lab_asked **asked);

/* --strategy: the exit code. */
struct cli_strategy {
    const char *path, *trace, *svg;
    bool json;
    uint64_t seed, runs;
};

int cli_play_strategy(const struct cli_strategy *wishes);

/* ---- --records and --value (sim_records.c) ------------------------------- */

/* What happened in each run, as a file of records and as formulas over them. */

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
