/*
 * setup_work.c - the part of a setup that says what applications do.
 */
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/setup/setup.h"
#include "problems/mutex.h"

enum { DEFAULT_ENTRIES = 10 };

/* Options of a workload that were given; NULL if none was. */
static const char *given(const struct cli_words *w)
{
    return w->entries       ? "--entries"
           : w->section     ? "--section"
           : w->think       ? "--think"
           : w->burst       ? "--burst"
           : w->shared      ? "--shared"
           : w->competitors ? "--competitors"
                            : NULL;
}

static int set_duration(struct net_duration *d, const char *text,
                        const char *option)
{
    if (!text || net_duration_read(text, d))
        return 0;
    return cli_refuse(
        "%s %s: say how many steps: 15, uniform:1:10, exp:200 for "
        "a mean of 200, or drift:1:90:500 or jump:1:90:500 for "
        "one that changes in 500 ticks; up to 2^32",
        option, text);
}

static int set_shared(struct cli_setup *s, const char *text)
{
    const struct fc_protocol *p = s->sim.net.protocol;
    const char *rest;

    if (!mutex_terms_of(p).shares)
        return cli_refuse("--shared is about readers, and %s has none; try "
                          "rw-preventive, ricart-agrawala or view-lock",
                          p->name);
    if (cli_read_share(text, &s->sim.work.shared, &rest) && !*rest)
        return 0;
    return cli_refuse("--shared %s: a chance is from 0 to 1, such as 0.8",
                      text);
}

static int set_competitors(struct cli_setup *s, const struct cli_words *w)
{
    uint64_t count;

    if (w->net.wake)
        return cli_refuse("--competitors and --wake both say which sites take "
                          "part; give one");
    if (cli_number(w->competitors, "--competitors", 1, s->sim.net.world.nodes,
                   &count))
        return CLI_USAGE;
    s->sim.net.waking = NET_WAKE_SOME;
    s->sim.net.wake_count = (uint32_t)count;
    return 0;
}

int cli_refuse_work(const struct fc_protocol *p, const char *option)
{
    if (p->problem->repeats || !option)
        return 0;
    return cli_refuse(
        "%s is about mutual exclusion; %s solves the problem '%s'", option,
        p->name, p->problem->name);
}

int cli_set_work(struct cli_setup *s, const struct cli_words *w)
{
    const struct fc_protocol *p = s->sim.net.protocol;
    uint64_t entries = DEFAULT_ENTRIES, burst = 1;

    if (!p->problem->repeats)
        return cli_refuse_work(p, given(w));
    if (w->entries &&
        cli_number(w->entries, "--entries", 1, 1000000000, &entries))
        return CLI_USAGE;
    if (w->burst && cli_number(w->burst, "--burst", 1, 1000000, &burst))
        return CLI_USAGE;
    s->sim.work.entries = (uint32_t)entries;
    s->sim.work.burst = (uint32_t)burst;
    if (set_duration(&s->sim.work.section, w->section, "--section") ||
        set_duration(&s->sim.work.think, w->think, "--think"))
        return CLI_USAGE;
    if (w->shared && set_shared(s, w->shared))
        return CLI_USAGE;
    return w->competitors ? set_competitors(s, w) : 0;
}
