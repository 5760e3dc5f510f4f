/*
 * judge.c - the program that a protocol in C is judged by, which somebody has
 * handed in: simulator and checker with that protocol alone (fulcrum grade).
 */
#include "cli/cli.h"

const struct cli_verb *const cli_verbs[] = {&cli_list, &cli_sim, &cli_check,
                                            NULL};

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

/* There are no live nodes here. */
static int run_none(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return cli_refuse("there are no live nodes here");
}

const struct cli_verb cli_check_cluster = {.name = "check", .run = run_none};
