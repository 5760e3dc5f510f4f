/*
 * handout.c - the program that students get: one file, linked statically, for
 * exercises on any Linux (make handout).
 */
#include "cli/cli.h"

const struct cli_verb *const cli_verbs[] = {
    &cli_list, &cli_sim, &cli_check, &cli_compare, &cli_draw, &cli_grade, NULL,
};
