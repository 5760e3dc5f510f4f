/*
 * command.h - a command line with an option changed.
 */
#ifndef LAB_COMMAND_H
#define LAB_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

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
