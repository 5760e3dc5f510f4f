/*
 * check_prepare.c - from words of the command line to a search (see check.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check.h"
#include "cli/cli.h"
#include "cli/setup/setup_parts.h"
#include "core/text.h"

/* ---- Names and wake-ups -------------------------------------------------- */

/* All placements begin with the names in order, as a list. */
static int list_all_names(struct cli_check *c, const char *verb)
{
    struct net *net = &c->made.net;

    c->made.names = calloc(net->world.nodes, sizeof *c->made.names);
    if (!c->made.names)
        return cli_complain(CLI_SYSTEM, verb, "no memory for the names");
    for (uint32_t i = 0; i < net->world.nodes; i++)
        c->made.names[i] = i + 1;
    net->naming = NET_NAMES_LIST;
    net->names = c->made.names;
    return 0;
}

static int find_name(const struct cli_check *c, uint64_t name)
{
    const struct net *net = &c->check.net;
    struct net_memory memory = {.segment_bytes = 0};
    struct net_names names;
    int found = -1;

    if (net->protocol->anonymous)
        return name < net->world.nodes ? (int)name : -1;
    if (net_names_begin(&names, net, 1, true, &memory) == 0)
        for (uint32_t i = 0; i < net->world.nodes; i++)
            if (net_name(&names, i) == name)
                found = (int)i;
    net_memory_free(&memory);
    return found;
}

/* A list of names, as bits of nodes. */
static int read_names(const struct cli_check *c, const char *option,
                      const char *list, uint32_t *nodes, const char *verb)
{
    char copy[256], *rest = copy, *name;
    uint64_t number;

    *nodes = 0;
    snprintf(copy, sizeof copy, "%s", list);
    while ((name = strsep(&rest, ","))) {
        int node = fc_read_number(name, &number) ? find_name(c, number) : -1;

        if (node < 0)
            return cli_complain(CLI_USAGE, verb,
                                "%s %s: choose names: nobody is called '%s'",
                                option, list, name);
        *nodes |= UINT32_C(1) << node;
    }
    return 0;
}

/* Whether --wake lists names. */
static bool wakes_are_listed(const struct cli_check *c)
{
    return c->wake && strcmp(c->wake, "any") != 0 &&
           strcmp(c->wake, "all") != 0;
}

/* Those who were named, where their names are placed now. */
int cli_check_place(struct cli_check *c, const char *verb)
{
    int code = 0;

    c->check.listed = c->check.victims = ~UINT32_C(0);
    if (wakes_are_listed(c))
        code = read_names(c, "--wake", c->wake, &c->check.listed, verb);
    if (!code && c->victims)
        code = read_names(c, "--victims", c->victims, &c->check.victims, verb);
    return code;
}

static int set_wake(struct cli_check *c, const char *verb)
{
    bool any = c->wake && strcmp(c->wake, "any") == 0;

    if (any && c->check.net.protocol->problem->repeats)
        return cli_complain(CLI_USAGE, verb,
                            "--wake any is for protocols that start once; in "
                            "%s everybody asks when it likes, or only those "
                            "of a list",
                            c->words.protocol);
    if (any)
        c->check.waking = CHECK_WAKE_ANY;
    if (c->victims && !c->crashes && !c->pauses && !c->cuts)
        return cli_complain(CLI_USAGE, verb,
                            "--victims needs --crashes, --pauses or --cuts: "
                            "nothing happens to them");
    return cli_check_place(c, verb);
}

/* ---- Properties and numbers ---------------------------------------------- */

static int set_only(struct cli_check *c, const char *verb)
{
    const struct fc_problem *p = c->check.net.protocol->problem;
    char copy[256], known[256] = "", *rest = copy, *word;
    size_t used = 0;

    c->check.properties = c->only ? 0 : ~UINT32_C(0);
    if (!c->only)
        return 0;
    for (uint32_t i = 0; i < p->properties_count; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 i ? ", " : "", p->properties[i]);
    snprintf(copy, sizeof copy, "%s", c->only);
    while ((word = strsep(&rest, ","))) {
        uint32_t i = 0;

        while (i < p->properties_count && strcmp(word, p->properties[i]) != 0)
            i++;
        if (strcmp(word, fc_property(p, FC_SANE_BIT)) == 0)
            i = FC_SANE_BIT;
        if (i == p->properties_count)
            return cli_complain(CLI_USAGE, verb,
                                "--only %s: '%s' is none of %s", c->only, word,
                                known);
        c->check.properties |= 1u << i;
    }
    return 0;
}

static int set_numbers(struct cli_check *c, const char *verb)
{
    const struct {
        const char *word, *option;
        uint64_t least, greatest;
    } numbers[] = {
        {c->crashes, "--crashes", 1, 200},
        {c->loss, "--loss", 1, 200},
        {c->duplicate, "--duplicate", 1, 200},
        {c->late, "--late", 1, 10000},
        {c->states, "--states", 1, UINT64_C(1) << 40},
        {c->depth, "--depth", 1, UINT32_MAX - 1},
        {c->memory, "--memory, in MiB,", 1, UINT64_C(1) << 30},
        {c->words.entries, "--entries", 1, 200},
        {c->words.section, "--section", 1, 1000000},
        {c->pauses, "--pauses", 1, 200},
        {c->pause_max, "--pause-max", 1, 10000},
        {c->cuts, "--cuts", 1, 200},
        {c->cut_max, "--cut-max", 1, 10000},
        {c->until, "--until", 1, 1000000},
        {c->faults_from, "--faults-from", 1, 1000000},
    };
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    uint64_t value[COUNT] = {0};

    for (size_t i = 0; i < COUNT; i++)
        if (numbers[i].word &&
            cli_number(numbers[i].word, numbers[i].option, numbers[i].least,
                       numbers[i].greatest, &value[i], verb))
            return CLI_USAGE;
    c->check.crashes = (uint32_t)value[0];
    c->check.losses = (uint32_t)value[1];
    c->check.copies = (uint32_t)value[2];
    c->check.late_ticks = (uint32_t)value[3];
    c->check.states_max = value[4];
    c->check.depth_max = (uint32_t)value[5];
    c->check.memory_max = value[6] << 20;
    c->check.entries = value[7] ? (uint32_t)value[7] : 1;
    c->check.section = value[8] ? (uint32_t)value[8] : 1;
    c->check.pauses = (uint32_t)value[9];
    c->check.pause_max = (uint32_t)value[10];
    c->check.cuts = (uint32_t)value[11];
    c->check.cut_max = (uint32_t)value[12];
    c->check.until = (uint32_t)value[13];
    c->check.faults_from = (uint32_t)value[14];
    if (c->restarts) {
        int choice = fc_find_choice("same|blank", c->restarts);

        if (choice < 0)
            return cli_complain(CLI_USAGE, verb,
                                "--restarts %s: choose same or blank",
                                c->restarts);
        c->check.back = choice ? CHECK_RETURN_BLANK : CHECK_RETURN_SAME;
        if (!c->crashes)
            return cli_complain(CLI_USAGE, verb,
                                "--restarts needs --crashes: whoever has not "
                                "crashed cannot come back");
    }
    return 0;
}

/* ---- All of it ----------------------------------------------------------- */

/* The command that does the same again, as it was typed. */
static void write_command(struct cli_check *c)
{
    const struct cli_words *w = &c->words;
    const struct {
        const char *option, *value;
    } given[] = {
        {"-n", w->nodes},
        {"--names", w->names},
        {"--topology", w->topology},
        {"--wake", c->wake},
        {"--links", w->links},
        {"--time", w->time},
        {"--bounds", w->bounds},
        {"--clock", w->clock},
        {"--entries", w->entries},
        {"--section", w->section},
        {"--shared", c->check.shared ? "" : NULL},
        {"--crashes", c->crashes},
        {"--restarts", c->restarts},
        {"--loss", c->loss},
        {"--duplicate", c->duplicate},
        {"--late", c->late},
        {"--pauses", c->pauses},
        {"--pause-max", c->pause_max},
        {"--cuts", c->cuts},
        {"--cut-max", c->cut_max},
        {"--until", c->until},
        {"--victims", c->victims},
        {"--faults-from", c->faults_from},
        {"--only", c->only},
        {"--symmetry", c->symmetry ? "" : NULL},
        {"--reduce", c->check.reduce ? "" : NULL},
        {"--worst", c->worst ? "" : NULL},
        {"--no-cycles", c->no_cycles ? "" : NULL},
        {"--states", c->states},
        {"--depth", c->depth},
        {"--memory", c->memory},
    };
    size_t size = sizeof c->command;
    size_t used =
        (size_t)snprintf(c->command, size, "fulcrum check %s", w->protocol);

    for (size_t i = 0; i < sizeof given / sizeof given[0] && used < size; i++)
        if (given[i].value)
            used += (size_t)snprintf(
                c->command + used, size - used, " %s%s%s", given[i].option,
                *given[i].value ? " " : "", given[i].value);
    for (uint32_t i = 0; i < w->settings_count && used < size; i++)
        used += (size_t)snprintf(c->command + used, size - used, " --set %s",
                                 w->settings[i]);
}

static int refuse_misfits(const struct cli_check *c, const char *verb)
{
    const struct net *net = &c->check.net;

    if (net->world.nodes > CHECK_NODES_MAX)
        return cli_complain(CLI_USAGE, verb,
                            "%" PRIu32 " processors have more states than any "
                            "memory; %d at most",
                            net->world.nodes, CHECK_NODES_MAX);
    if (c->late && net->time == NET_ASYNC)
        return cli_complain(CLI_USAGE, verb,
                            "--late needs bounds: without them no message is "
                            "late");
    if ((c->pause_max && !c->pauses) || (c->cut_max && !c->cuts))
        return cli_complain(CLI_USAGE, verb,
                            "%s needs %s: nothing is that long",
                            c->pause_max ? "--pause-max" : "--cut-max",
                            c->pause_max ? "--pauses" : "--cuts");
    if (c->symmetry && check_asymmetric(&c->check))
        return cli_complain(CLI_USAGE, verb, "--symmetry is not for %s: %s",
                            c->words.protocol, check_asymmetric(&c->check));
    if (c->worst && c->all_names)
        return cli_complain(CLI_USAGE, verb,
                            "--worst is for one placement of names at a time");
    if (c->worst && check_no_odds(&c->check))
        return cli_complain(CLI_USAGE, verb, "--worst is not for %s: %s",
                            c->words.protocol, check_no_odds(&c->check));
    if (c->check.reduce && check_irreducible(&c->check))
        return cli_complain(CLI_USAGE, verb,
                            "--reduce: %s has nothing that could be left out: "
                            "%s",
                            c->words.protocol, check_irreducible(&c->check));
    return 0;
}

/* What was said of the network, and what goes without saying. */
static int make_network(struct cli_check *c, const char *verb)
{
    struct net_words words = cli_net_words(&c->words);
    struct net_refusal refusal;
    const struct fc_protocol *p = net_choose(words.protocol, &refusal);
    int code;

    if (!p)
        return cli_refused(&refusal, verb);
    c->all_names = words.names && strcmp(words.names, "all") == 0;
    if (!words.time && !words.bounds && !words.clock)
        words.time = "async";
    /* Its timers cannot even be worked out then. */
    if (net_find(p)->clocked && words.time && strcmp(words.time, "async") == 0)
        return cli_complain(CLI_USAGE, verb,
                            "%s: its nodes read clocks, and without time there "
                            "are none: take --time sync or --bounds",
                            words.protocol);
    if (c->all_names ||
        (!words.names && !p->anonymous && p->topology != FC_COMPLETE))
        words.names = "asc";
    if (!words.topology && p->topology == FC_TREE)
        words.topology = "path";
    words.returns = c->restarts != NULL;
    if (!net_make(&c->made, &words, &refusal))
        return cli_refused(&refusal, verb);
    if ((code = cli_refuse_work(p, &c->words, verb)) ||
        (c->all_names && (code = list_all_names(c, verb))))
        return code;
    net_describe(&c->made.net);
    if (!net_prepare(&c->made, &c->made.net, &refusal))
        return cli_refused(&refusal, verb);
    c->check.net = c->made.net;
    return 0;
}

int cli_check_prepare(struct cli_check *c, const char *verb)
{
    const char *misfit;
    int code;

    c->check.symmetry = c->symmetry;
    c->check.cycles = !c->no_cycles;
    if ((code = make_network(c, verb)) || (code = set_only(c, verb)) ||
        (code = set_numbers(c, verb)) || (code = set_wake(c, verb)) ||
        (code = refuse_misfits(c, verb)))
        return code;
    misfit = check_misfit(&c->check);
    if (misfit)
        return cli_complain(CLI_USAGE, verb, "%s: %s", c->words.protocol,
                            misfit);
    write_command(c);
    return 0;
}
