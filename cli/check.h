/*
 * check.h - fulcrum check: what was asked for, and what came out.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "check/check.h"
#include "check/odds/worst.h"
#include "check/quantity/quantity.h"
#include "cli/assume.h"
#include "cli/json.h"
#include "cli/setup/setup.h"

/* The extremes that --max and --min ask for. */
enum { CLI_MOST, CLI_LEAST, CLI_EXTREMES };

struct cli_extreme {
    struct check_extreme found;
    fc_name names[CHECK_NODES_MAX]; /* --names all: where they are then */
    char *story;                    /* of its run, a line a step; or NULL */
};

struct cli_check {
    struct net_words words;                /* its settings are these: */
    const char *settings[CLI_REPEATS_MAX]; /* KEY=VALUE */
    const char *wake, *entries, *restarts, *only, *victims, *trace, *svg;
    const char *faults[CLI_REPEATS_MAX]; /* as the simulator calls them */
    uint32_t faults_count;
    char struck[256]; /* the victims that they name */
    uint64_t memory;  /* MiB */
    bool json, no_cycles, all_names, worst;
    const char *quantity[CLI_EXTREMES];       /* --max, --min */
    struct check_measure measure;             /* that they name */
    struct cli_extreme extreme[CLI_EXTREMES]; /* what came out */
    struct check_setup check;
    struct net_made made;           /* of which check.net came */
    struct check_worst odds;        /* --worst: what came out */
    char command[CLI_COMMAND_SIZE]; /* "fulcrum check ..." that does it again */
};

/* Over all placements of names that were tried. */
struct cli_check_sum {
    uint64_t states, transitions, terminal, bytes, partly;
    uint32_t depth, placements;
    uint32_t threads; /* the most that worked on one of them */
    double seconds, wall_seconds;
    bool reached, acyclic, cycles_known, cut_off;
    uint32_t open; /* properties that may break after the last tick */
};

/* Adds what --fault asks for to the options that say the same, or complains and
 * returns the exit code. */
int cli_check_faults(struct cli_check *c);

/* Fills in what was not said, before the command is written that does the same
 * again. */
void cli_check_defaults(struct cli_check *c);

/* Fills the setup from the words, or complains and returns the exit code. */
int cli_check_prepare(struct cli_check *c);

/* Finds the nodes that --wake and --victims name, after the names were placed;
 * complains and returns the exit code if there is no such node. */
int cli_check_place(struct cli_check *c);

/* The next placement of names, in order; false: that was the last. */
bool cli_check_next_placement(struct cli_check *c);

/* Finds the quantity that was asked for, or complains and returns the exit
 * code. */
int cli_check_set_quantity(struct cli_check *c);

/* Computes its extremes and writes the run of the first to the files that were
 * asked for; or complains and returns the exit code. */
int cli_check_measure(struct cli_check *c);
void cli_check_measure_free(struct cli_check *c);

/* The extremes, as text and in JSON; what they add to a good exit code. */
void cli_check_report_quantity(const struct cli_check *c);
void cli_check_add_quantity(const struct cli_check *c, json_t *json);
int cli_check_quantity_code(const struct cli_check *c);

/* A run in words; to be freed. */
char *cli_check_tell(const struct cli_check *c, const struct check_result *r);
/* Prints it; long lines go on below. */
void cli_check_print(char *story);

/* Writes a run as a trace and as a picture, if that was asked for; or complains
 * and returns the exit code. */
int cli_check_write(const struct cli_check *c, const struct check_result *r);

/* The assumptions of the protocol that the search breaks; how many. */
uint32_t cli_check_outside(const struct cli_check *c,
                           const char *broken[CLI_BROKEN_MAX]);

/* The sentence that says why a search ended early. */
const char *cli_check_limit(enum check_limit limit, const char *refusal);

/* The result as a table, with the story of what went wrong, or as JSON. */
int cli_check_report(const struct cli_check *c, const struct cli_check_sum *sum,
                     const struct check_result *r);

#endif
