/*
 * node.c - the verbs of fulcrum-node: what a machine of a cluster needs.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/front/none.h"
#include "core/text.h"

const struct cli_verb *const cli_verbs[] = {
    &cli_keygen, &cli_node,    &cli_lock, &cli_status,
    &cli_fence,  &cli_cluster, NULL,
};

void cli_hand_over(char **argv, bool own)
{
    (void)argv; /* this program is the last that is asked */
    (void)own;
}

bool cli_explain_word(const char *word)
{
    if (fc_find_choice("list|sim|check|compare|worst|claims|draw|grade|"
                       "reproduce|sweep|plot|live|rehearse|web|demo|"
                       "completion",
                       word) < 0)
        return false;
    fprintf(
        stderr,
        "fulcrum: '%s' is a verb of the laboratory, which is not installed; "
        "it is in the package 'fulcrum', and this is 'fulcrum-node'\n",
        word);
    return true;
}
