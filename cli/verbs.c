/*
 * verbs.c - the verbs of the whole command: of the laboratory's program, and
 * of the page.
 */
#include <strings.h>

#include "cli/cli.h"
#include "net/type.h"

/* A page has the verbs that need no more than one core and no system. */
const struct cli_verb *const cli_verbs[] = {
    &cli_list,      &cli_sim,    &cli_check,
#ifndef FULCRUM_WEB
    &cli_compare,   &cli_worst,  &cli_claims,
#endif
    &cli_draw,      &cli_grade,
#ifdef FULCRUM_LAB
    &cli_reproduce, &cli_sweep,  &cli_plot,
#endif
#ifdef FULCRUM_LIVE
    &cli_live,      &cli_keygen, &cli_node,       &cli_lock,
    &cli_status,    &cli_fence,  &cli_cluster,    &cli_rehearse,
#endif
#ifndef FULCRUM_WEB
    &cli_web,       &cli_demo,   &cli_completion,
#endif
    NULL,
};

void cli_hand_over(char **argv, bool own)
{
    (void)argv; /* there are no others */
    (void)own;
}

bool cli_explain_word(const char *word)
{
    for (uint32_t i = 0; net_types[i]; i++)
        if (strcasecmp(word, net_types[i]->protocol->name) == 0) {
            fprintf(stderr,
                    "fulcrum: '%s' is a protocol; to run it say 'fulcrum sim "
                    "%s'\n",
                    word, net_types[i]->protocol->name);
            return true;
        }
    return false;
}
