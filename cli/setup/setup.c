/*
 * setup.c - see setup.h.
 */
#include "cli/setup/setup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/text.h"
#include "net/fault_words.h"
#include "problems/mutex.h"

#define WISHES struct cli_words

/* In the order in which a command is written. */
const struct cli_option cli_words_options[] = {
    {.group = "network"},
    {"nodes", 'n', "N",
     "how many processors, 2 to 1000000000 [8; 5 if all are linked]",
     AT(net.nodes)},
    {"names", 0, "HOW",
     "asc, desc or random, each with :FIRST for the least name, a list "
     "clockwise: 3,1,2, equal:1,1,2 for names that need not differ, or a "
     "file of names; in sim also all, every placement "
     "[random]",
     AT(net.names), "asc|desc|random|all|@files"},
    {"topology", 0, "TREE",
     "path, star, binary, random or a file with the parent of each node "
     "[random]",
     AT(net.topology), "path|star|binary|random|@files"},
    {.group = "time"},
    {"time", 0, "MODEL", "sync, archimedean or async [sync]", AT(net.time),
     "sync|archimedean|async"},
    {"bounds", 0, "RMIN:RMAX:DMIN:DMAX",
     "ticks of a step and of a delay [2:3:1:4]", AT(net.bounds)},
    {"clock", 0, "HOW",
     "fixed, drift, adversary, or steps:LIST for the ticks of each node's "
     "step, within the bounds [fixed]",
     AT(net.clock), "fixed|drift|adversary|steps:LIST"},
    {"phases", 0, "LIST",
     "with --clock steps: the tick at which each node's first step ends [0]",
     AT(net.phases)},
    {"delays", 0, "LIST",
     "the delay of each link in ticks, clockwise, within the bounds [drawn for "
     "each message]",
     AT(net.delays)},
    {"bits", 0, "TICKS",
     "how long each bit of a message, as the papers count, keeps its link "
     "busy: "
     "one message after the other, and beyond the delay [0]",
     AT(bits)},
    {.group = "network"},
    {"links", 0, "ORDER", "fifo, or any: messages may overtake [fifo]",
     AT(net.links), "fifo|any"},
    {"wake", 0, "WHO",
     "all, first, random, random:K, or NAME@TICK,...; in sim also sets, every "
     "set of them at 0 [all]",
     AT(net.wake), "all|first|random|random:K|sets"},
    {.group = "work (mutual exclusion)"},
    {"competitors", 0, "S", "only S sites, drawn at random, take part [all]",
     AT(competitors)},
    {"entries", 0, "E", "how often each site enters [10]", AT(entries)},
    {"section", 0, "STEPS",
     "how long it stays inside: 15, uniform:1:10 or exp:200, in its own steps "
     "[1]",
     AT(section), "uniform:MIN|exp:MEAN|drift:A|jump:A"},
    {"think", 0, "STEPS",
     "how long before it wants to enter again; as --section, or "
     "drift:A:B:TICKS "
     "or jump:A:B:TICKS, to and fro between A and B [1]",
     AT(think), "uniform:MIN|exp:MEAN|drift:A|jump:A"},
    {"burst", 0, "B", "local clients that come together [1]", AT(burst)},
    {"shared", 0, "P",
     "the chance that a request is a reader's [0; rw-preventive: 0.5]",
     AT(shared)},
    {.group = "time"},
    {"until", 0, "TICKS", "stop there at the latest", AT(until)},
    {.group = "faults"},
    {"faults", 0, "FILE", "a file with what --fault takes, one per line",
     AT(faults_file), "@files"},
    {.group = "runs"},
    {"set", 0, "KEY=VALUE", "a parameter of the protocol; may be repeated",
     AT(settings), "@set",
     .count = offsetof(struct cli_words, net.settings_count)},
    {.group = "faults"},
    {"fault", 0, "WHAT", NET_FAULTS_OF_RUNS "; may be repeated", MANY(faults)},
    {0},
};

int cli_one_protocol(int count, char **words, const char **protocol)
{
    if (count == 0)
        return cli_refuse("which protocol? 'fulcrum list' shows them all");
    if (count > 1)
        return cli_refuse("one protocol at a time; what is '%s'?", words[1]);
    *protocol = words[0];
    return 0;
}

bool cli_counts_names(const char *names)
{
    static const char *const forms[] = {"asc", "desc", "random", "all"};
    const char *rest;

    for (size_t i = 0; names && i < sizeof forms / sizeof forms[0]; i++)
        if ((rest = fc_after(names, forms[i])) && (!*rest || *rest == ':'))
            return true;
    return !names;
}

static bool is_set(const struct cli_words *w, const char *key)
{
    for (uint32_t i = 0; i < w->net.settings_count; i++)
        if (fc_after(w->settings[i], key))
            return true;
    return false;
}

void cli_words_defaults(struct cli_words *w)
{
    const struct fc_protocol *p = net_protocol(w->net.protocol);

    if (p && !w->net.nodes && cli_counts_names(w->net.names))
        w->net.nodes = p->topology == FC_COMPLETE ? "5" : "8";
    /* The readers may be fixed. */
    if (p && mutex_terms_of(p).shares == MUTEX_SHARES_MOSTLY && !w->shared &&
        !is_set(w, "writers="))
        w->shared = "0.5";
}

int cli_prepare(const struct net_made *made, const struct net *net)
{
    const struct fc_protocol *p = net->protocol;
    struct net_why why = {0};
    struct mutex_terms terms = mutex_terms_of(p);
    uint32_t most;

    if (!net_prepare(made, net, &why))
        return cli_refused(&why);
    most = terms.capacity ? terms.capacity(net->params) : 1;
    if (most > net->world.nodes)
        return cli_refuse("%s: %" PRIu32 " may be inside together, which is "
                          "more than the %" PRIu32 " sites there are",
                          p->name, most, net->world.nodes);
    return 0;
}

/* ---- What applications do ------------------------------------------------ */

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
    if (net_read_share(text, &s->sim.work.shared, &rest) && !*rest)
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

/* ---- All of it ----------------------------------------------------------- */

int cli_setup_begin(struct cli_setup *s, const struct cli_words *w)
{
    struct net_words words = w->net;
    struct net_why why = {0};
    int code;

    memset(s, 0, sizeof *s);
    words.settings = w->settings;
    if (!net_make(&s->made, &words, &why))
        return cli_refused(&why);
    s->sim.net = s->made.net;
    sim_use(&s->sim, sim_find(w->net.protocol));
    if (w->until &&
        cli_number(w->until, "--until", 1, UINT64_C(1) << 62, &s->sim.until))
        return CLI_USAGE;
    if (w->bits &&
        cli_number(w->bits, "--bits", 1, NET_TICKS_MAX, &s->sim.bits))
        return CLI_USAGE;
    if ((code = cli_set_work(s, w)) || (code = cli_set_faults(s, w)))
        return code;
    sim_describe(&s->sim);
    if ((code = cli_prepare(&s->made, &s->sim.net)))
        return code;
    cli_words_write(w, s->command, sizeof s->command);
    return 0;
}

void cli_words_write(const struct cli_words *w, char *out, size_t size)
{
    snprintf(out, size, "%s", w->net.protocol);
    cli_options_write(cli_words_options, w, out, size);
}

void cli_setup_free(struct cli_setup *s)
{
    net_unmake(&s->made);
}

void cli_say_time(struct paragraph *p, const struct net *net)
{
    static const char *const clocks[] = {"fixed clocks", "drifting clocks",
                                         "adversary", "given steps"};
    const struct fc_bounds *b = &net->world.bounds;

    if (net->time == NET_ARCHIMEDEAN)
        paragraph_say(p,
                      ", archimedean %" PRIu64 ":%" PRIu64 ":%" PRIu64
                      ":%" PRIu64 ", %s%s",
                      b->rmin, b->rmax, b->dmin, b->dmax, clocks[net->clock],
                      net->delays ? ", given delays" : "");
    else
        paragraph_say(p, ", %s", net->time == NET_SYNC ? "sync" : "async");
}
