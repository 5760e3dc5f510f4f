/*
 * asked.c - see cli/asked.h: the page judges what protocols and problems state
 * themselves.  What reads typed properties would make its module too large.
 */
#include "cli/asked.h"

#include "cli/cli.h"

int cli_ask(struct lab_asked **asked, struct net *net, const char *option,
            const char *const *texts, uint32_t count)
{
    (void)net;
    (void)texts;
    *asked = NULL;
    return count == 0 ? 0
                      : cli_refuse("%s: the page reads no properties; let the "
                                   "command do it",
                                   option);
}

const char *cli_fairness(const struct net_property *p)
{
    (void)p;
    return "";
}
