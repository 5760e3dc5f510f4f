/*
 * command.h - a command line with an option changed.
 */
#ifndef LAB_COMMAND_H
#define LAB_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/formula/expression.h"

/* An option as it is written, such as --runs. */
bool lab_option_takes_no_file(const char *option);

/* Whether a command made of a claim names no file to read or write, in whatever
 * words; if it does, `why` names the mistake.  Claims may come from anywhere,
 * and may do nothing but measure. */
bool lab_command_is_harmless(const char *command, struct net_why *why);

/* The number behind an option, written as --runs or -n; false: it has none. */
bool lab_command_number(const char *command, const char *option, uint64_t *out);

/* A copy in which the option has this value; with NULL it is left out, with its
 * value.  NULL: no memory. */
char *lab_command_with(const char *command, const char *option,
                       const char *value);

/* The same, with a number. */
char *lab_command_with_number(const char *command, const char *option,
                              uint64_t value);

#endif
