/*
 * setup.h - from words of the command line to a setup of the simulator.
 */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include "cli/options.h"
#include "cli/paragraph.h"
#include "net/make.h"
#include "sim/sim.h"

enum { CLI_COMMAND_SIZE = 4096 };

/* What was typed; NULL where nothing was. */
struct cli_words {
    struct net_words net;                  /* its settings are these: */
    const char *settings[CLI_REPEATS_MAX]; /* KEY=VALUE */
    const char *until, *bits, *entries, *section, *think, *burst, *shared,
        *competitors;
    const char *faults[CLI_REPEATS_MAX];
    uint32_t faults_count;
    const char *faults_file;
};

struct cli_setup {
    struct sim_setup sim;
    struct net_made made;           /* of which sim.net came */
    char command[CLI_COMMAND_SIZE]; /* that sets up the same, without seed */
};

/* Fills `setup`, or complains in the name of `verb` and returns the exit
 * code.  To be freed in either case. */
int cli_setup_begin(struct cli_setup *setup, const struct cli_words *words);

void cli_setup_free(struct cli_setup *setup);

/* The words as a command, from the protocol on. */
void cli_words_write(const struct cli_words *words, char *out, size_t size);

/* ", archimedean 1:2:0:4, drifting clocks" */
void cli_say_time(struct paragraph *p, const struct net *net);

/* "faults: loss 0.1, crash 2@60" on a line of its own, if there are any. */
void cli_print_faults(const struct cli_words *words);

/* The options that fill a struct cli_words, the same for every verb that makes
 * a run: for one whose structure begins with it. */
extern const struct cli_option cli_words_options[];

/* The one protocol among the words after the options; complains if there is
 * none, or another. */
int cli_one_protocol(int count, char **words, const char **protocol);

/* Fills in what was not typed: the number of nodes, and readers where the
 * protocol is about them. */
void cli_words_defaults(struct cli_words *words);

/* Whether these --names leave the number of nodes open; NULL, for a random
 * ring, does. */
bool cli_counts_names(const char *names);

/* Prepares the parameters for a network that is described; complains and
 * returns the exit code if they do not fit. */
int cli_prepare(const struct net_made *made, const struct net *net);

/* Each fills its part of the setup, or complains and returns the exit code. */
int cli_set_work(struct cli_setup *s, const struct cli_words *w);
int cli_set_faults(struct cli_setup *s, const struct cli_words *w);

/* Complains if `option`, which is about work, is given where there is none; or
 * 0. */
int cli_refuse_work(const struct fc_protocol *p, const char *option);

#endif
