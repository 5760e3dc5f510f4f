/*
 * check.h - fulcrum check: what was asked for, and what came out.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "check/browse/twin.h"
#include "check/check.h"
#include "check/odds/expect.h"
#include "check/odds/strategy.h"
#include "check/quantity/quantity.h"
#include "cli/asked.h"
#include "cli/assume.h"
#include "cli/json.h"
#include "cli/setup/setup.h"

/* The extremes that --max and --min ask for. */
enum { CLI_MOST, CLI_LEAST, CLI_EXTREMES };

/* The run of an extreme. */
struct cli_extreme {
    fc_name names[CHECK_NODES_MAX]; /* --names all: where they are then */
    char *story;                    /* a line a step; or NULL */
};

_Static_assert((int)CHECK_WANTED_MAX >= (int)CLI_EXTREMES * CLI_REPEATS_MAX,
               "what is typed can be wanted");

struct cli_check {
    struct cli_words words; /* first: see setup.h */
    const char *restarts, *only, *victims, *trace, *svg;
    const char *given, *expect, *strategy, *twin, *play;
    char struck[256]; /* the victims that --fault names */
    char lists[256];  /* and the lists that it asks for: KEY=VALUE */
    uint64_t memory;  /* MiB */
    bool json, no_cycles, all_names, worst;
    const char *quantity[CLI_EXTREMES][CLI_REPEATS_MAX]; /* --max, --min */
    uint32_t quantity_count[CLI_EXTREMES];
    const char *property[CLI_REPEATS_MAX]; /* --property */
    uint32_t property_count;
    struct lab_asked *asked; /* what was read of them; or NULL */
    const char *unreduced;   /* --reduce was left out; or NULL */
    const char *unmerged;    /* --symmetry was */
    struct check_wanted wanted[CHECK_WANTED_MAX]; /* and what came out */
    struct cli_extreme extreme[CHECK_WANTED_MAX];
    uint32_t wanted_count;
    struct check_setup check;
    struct net_made made;             /* of which check.net came */
    struct check_expect odds;         /* --worst: what came out */
    struct check_measure expected_of; /* --expect */
    struct check_expect expected;
    struct check_strategy *plan;    /* --strategy; or NULL */
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

/* Fills the setup from the words, or complains and returns the exit code;
 * CLI_GO_ON: it has answered --property help. */
int cli_check_prepare(struct cli_check *c);

/* Finds the nodes that --wake and --victims name, after the names were placed;
 * complains and returns the exit code if there is no such node. */
int cli_check_place(struct cli_check *c);

/* The next placement of names, in order; false: that was the last. */
bool cli_check_next_placement(struct cli_check *c);

/* --names all: one placement is done, with `states` states. */
void cli_check_placed(const struct cli_check *c, uint64_t states);

/* Finds the quantities that were asked for, or complains and returns the exit
 * code. */
int cli_check_set_quantity(struct cli_check *c);

/* Computes their extremes and writes the run of the first to the files that
 * were asked for; or complains and returns the exit code. */
int cli_check_measure(struct cli_check *c);
void cli_check_measure_free(struct cli_check *c);

/* The extremes, as text and in JSON; what they add to a good exit code. */
void cli_check_report_quantity(const struct cli_check *c);
void cli_check_add_quantity(const struct cli_check *c, json_t *json);
int cli_check_quantity_code(const struct cli_check *c);

/* Complains that there is no such quantity, and which there are. */
int cli_check_refuse_quantity(const struct cli_check *c, const char *option,
                              const char *name, const char *why);

/* --given, --expect and --strategy: read the request, or complain and return
 * the exit code.  The last one: refuses a condition that has no meaning. */
int cli_check_set_given(struct cli_check *c);
int cli_check_set_expect(struct cli_check *c);
int cli_check_is_given(const struct cli_check *c);

/* --worst and --expect: computes, and writes --strategy; or complains and
 * returns the exit code. */
int cli_check_odds(struct cli_check *c);
void cli_check_odds_free(struct cli_check *c);
void cli_check_report_odds(const struct cli_check *c);
void cli_check_add_odds(const struct cli_check *c, json_t *json);
int cli_check_odds_code(const struct cli_check *c);

/* Report a probability, and an expected amount. */
void cli_report_failing(const struct cli_check *c, bool endless);
void cli_report_chance(const char *word, const struct check_chance *chance);
json_t *cli_chance_json(const struct check_chance *c);
json_t *cli_expected_json(const struct check_expected *e);

/* --twin: compares, and reports; or complains.  Returns the exit code. */
#define CLI_TOLD_APART "told-apart" /* the property that it is about */
int cli_check_twin(struct cli_check *c);

/* --play: plays the moves and reports what they break, or complains.  Returns
 * the exit code. */
int cli_check_play(struct cli_check *c);

/* Writes the command that does the same again, as it was typed. */
void cli_check_command(struct cli_check *c);

/* Reads what follows "fulcrum", as the words of a command.  Returns CLI_GO_ON,
 * or an exit code. */
int cli_check_read(struct cli_check *c, int argc, char **argv);

/* A run in words, to be freed; NULL: no memory. */
char *cli_check_tell(const struct cli_check *c, const struct check_result *r);
/* Prints it; long lines go on below. */
void cli_check_print(char *story);

/* Writes a run as a trace and as a picture, if that was asked for; or complains
 * and returns the exit code. */
int cli_check_write(const struct cli_check *c, const struct check_result *r);

/* The assumptions of the protocol that the search breaks; returns their
 * number. */
uint32_t cli_check_outside(const struct cli_check *c,
                           const char *broken[CLI_BROKEN_MAX]);

/* The behaviours that are tried, in a sentence; a verdict in a word. */
void cli_check_describe(const struct cli_check *c);
const char *cli_check_verdict(enum check_verdict verdict);

/* The sentence that says why a search ended early. */
const char *cli_check_limit(enum check_limit limit, const char *refusal);

/* The result as a table, with the story of what went wrong, or as JSON. */
int cli_check_report(const struct cli_check *c, const struct cli_check_sum *sum,
                     const struct check_result *r);

#endif
