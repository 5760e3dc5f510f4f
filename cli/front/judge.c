/*
 * judge.c - the program that a protocol in C is judged by, which somebody has
 * handed in: simulator and checker with that protocol alone (fulcrum grade).
 */
#include "cli/cli.h"

const struct cli_verb *const cli_verbs[] = {&cli_list, &cli_sim, &cli_check,
                                            NULL};
