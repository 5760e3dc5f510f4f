/*
 * apart.c - what programs have in common that are complete without the others
 * of fulcrum: judge.c and handout.c.
 */
#include "cli/cli.h"

void cli_hand_over(char **argv, bool own)
{
    (void)argv;
    (void)own;
}

bool cli_explain_word(const char *word)
{
    (void)word;
    return false;
}

static int run_none(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return cli_refuse("there are no live nodes here");
}

const struct cli_verb cli_check_cluster = {.name = "check", .run = run_none};
