/*
 * words.h - the options that set up a run, the same for every verb that makes
 * one.
 */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "cli/options.h"
#include "cli/setup/setup.h"

/* For a verb whose structure begins with its struct cli_words. */
extern const struct cli_option cli_words_options[];

/* The one protocol among the words after the options; complains if there is
 * none, or another. */
int cli_one_protocol(int count, char **words, const char **protocol);

#endif
