/*
 * words.h - the options that set up a run, the same for every verb that makes
 * one.
 */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <getopt.h>

#include "cli/setup/setup.h"

/* Options with codes from here on are those of a setup; those of the verb
 * itself are below. */
enum { CLI_WORD_FIRST = 1024, CLI_OPTIONS_MAX = 64 };

/* Fills `all`, for getopt_long, with the verb's own options (they end with one
 * that has no name) and those of a setup. */
void cli_words_options(const struct option *own,
                       struct option all[CLI_OPTIONS_MAX]);

/* Takes an option of a setup with its argument.  Returns 0, or complains in
 * the name of `verb` and returns the exit code. */
int cli_words_take(struct cli_words *w, int option, const char *argument,
                   const char *verb);

/* Their help, by topic. */
void cli_words_help(void);

/* Appends the options that were given, as typed. */
void cli_words_write(const struct cli_words *w, char *buffer, size_t size);

#endif
