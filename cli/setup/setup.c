/*
 * setup.c - see setup.h.
 */
#include "cli/setup/setup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/setup/setup_parts.h"
#include "cli/words.h"

int cli_refused(const struct net_refusal *refusal)
{
    return cli_complain(refusal->system ? CLI_SYSTEM : CLI_USAGE, "%s",
                        refusal->why);
}

int cli_number(const char *text, const char *what, uint64_t least,
               uint64_t greatest, uint64_t *out)
{
    struct net_refusal refusal = {0};

    return net_number(text, what, least, greatest, out, &refusal)
               ? 0
               : cli_refused(&refusal);
}

const struct sim_type *cli_find_protocol(const char *name)
{
    struct net_refusal refusal = {0};

    if (net_choose(name, &refusal))
        return sim_find(name);
    (void)cli_refused(&refusal);
    return NULL;
}

struct net_words cli_net_words(const struct cli_words *w)
{
    return (struct net_words){
        .protocol = w->protocol,
        .nodes = w->nodes,
        .names = w->names,
        .topology = w->topology,
        .time = w->time,
        .bounds = w->bounds,
        .clock = w->clock,
        .links = w->links,
        .wake = w->wake,
        .settings = w->settings,
        .settings_count = w->settings_count,
        .returns = w->returns,
    };
}

int cli_setup_begin(struct cli_setup *s, const struct cli_words *w)
{
    struct net_words words = cli_net_words(w);
    struct net_refusal refusal = {0};
    int code;

    memset(s, 0, sizeof *s);
    if (!net_make(&s->made, &words, &refusal))
        return cli_refused(&refusal);
    s->sim.net = s->made.net;
    sim_use(&s->sim, sim_find(w->protocol));
    if (w->until &&
        cli_number(w->until, "--until", 1, UINT64_C(1) << 62, &s->sim.until))
        return CLI_USAGE;
    if ((code = cli_set_work(s, w)) || (code = cli_set_faults(s, w)))
        return code;
    sim_describe(&s->sim);
    if (!net_prepare(&s->made, &s->sim.net, &refusal))
        return cli_refused(&refusal);
    snprintf(s->command, sizeof s->command, "%s", w->protocol);
    cli_words_write(w, s->command, sizeof s->command);
    return 0;
}

void cli_setup_free(struct cli_setup *s)
{
    net_unmake(&s->made);
    free(s->faults);
}

static void describe_wakes(const struct cli_setup *s, const struct cli_words *w,
                           char *buffer, size_t size)
{
    switch (s->sim.net.waking) {
    case NET_WAKE_ALL:
        snprintf(buffer, size, "all awake at 0");
        break;
    case NET_WAKE_FIRST:
        snprintf(buffer, size, "the first wakes at 0");
        break;
    case NET_WAKE_RANDOM:
        snprintf(buffer, size, "about half wake at random ticks");
        break;
    case NET_WAKE_SOME:
        snprintf(buffer, size, "%" PRIu32 " random ones wake at 0",
                 s->sim.net.wake_count);
        break;
    case NET_WAKE_LIST:
        snprintf(buffer, size, "awake %s", w->wake);
        break;
    }
}

static void describe_work(const struct cli_setup *s, const struct cli_words *w,
                          char *buffer, size_t size)
{
    char who[64] = "each";

    if (w->competitors)
        snprintf(who, sizeof who, "each of %.20s", w->competitors);
    else if (w->wake)
        snprintf(who, sizeof who, "awake %.40s, each", w->wake);
    snprintf(buffer, size, "%s enters %" PRIu32 " times, %s inside, %s between",
             who, s->sim.work.entries, w->section ? w->section : "1",
             w->think ? w->think : "1");
}

void cli_setup_describe(const struct cli_setup *s, const struct cli_words *w,
                        char *buffer, size_t size)
{
    static const char *const clocks[] = {"fixed clocks", "drifting clocks",
                                         "adversary", "given steps"};
    const struct fc_bounds *b = &s->sim.net.world.bounds;
    char nodes[32], wakes[192], time[160];

    if (s->sim.net.protocol->problem->repeats)
        describe_work(s, w, wakes, sizeof wakes);
    else
        describe_wakes(s, w, wakes, sizeof wakes);
    if (s->sim.net.time == NET_ARCHIMEDEAN)
        snprintf(time, sizeof time,
                 "archimedean %" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64
                 ", %s",
                 b->rmin, b->rmax, b->dmin, b->dmax, clocks[s->sim.net.clock]);
    else
        snprintf(time, sizeof time, "%s",
                 s->sim.net.time == NET_SYNC ? "sync" : "async");
    snprintf(buffer, size, "%s processors, %s%s, %s",
             cli_grouped(s->sim.net.world.nodes, nodes, sizeof nodes), time,
             s->sim.net.any_order ? ", links in any order" : "", wakes);
}
