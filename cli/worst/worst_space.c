/*
 * worst_space.c - fulcrum worst --over: what varies (see worst.h).
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/worst/worst.h"
#include "core/params.h"
#include "core/text.h"
#include "net/names.h"
#include "net/route.h"

enum { VARIANTS_MAX = 256, FORM_SIZE = 2048 };

/* ---- Parameters ---------------------------------------------------------- */

/* The values that a parameter can have, with blanks between them. */
static int list_values(const struct cli_worst *w, const struct fc_param *p,
                       char out[FORM_SIZE])
{
    const struct lab_values *v = w->families.values;
    uint64_t least = 0, most = UINT64_MAX;
    const char *dots;

    snprintf(out, FORM_SIZE, "%s", p->form);
    for (uint32_t i = 0; i < w->families.values_count; i++)
        if (strcmp(v[i].key, p->key) == 0) {
            snprintf(out, FORM_SIZE, "%s", v[i].list);
            return 0;
        }
    for (char *bar = out; p->kind == FC_PARAM_CHOICE && *bar; bar++)
        if (*bar == '|')
            *bar = ' ';
    if (p->kind == FC_PARAM_CHOICE)
        return 0;
    dots = strstr(p->form, "..");
    if (p->kind == FC_PARAM_NUMBER && dots) {
        least = strtoull(p->form, NULL, 10);
        most = strtoull(dots + strlen(".."), NULL, 10);
    }
    if (most - least >= VARIANTS_MAX)
        return cli_refuse("--over %s: it takes %s; list some of these under "
                          "[values] in a file for --families",
                          p->key, p->form);
    out[0] = '\0';
    for (uint64_t i = least; i <= most; i++)
        cli_append(out, FORM_SIZE, "%s%" PRIu64, i > least ? " " : "", i);
    return 0;
}

/* Every setting so far, with each value of one more parameter. */
static int multiply(struct cli_arena *a, const char *key, char *values)
{
    char(*more)[256] = calloc(VARIANTS_MAX, sizeof *more), *word;
    uint32_t count = 0;
    int code = more ? 0 : cli_no_memory("the settings");

    while (!code && (word = strsep(&values, " ")))
        for (uint32_t i = 0; i < a->count && *word && !code; i++)
            if (count == VARIANTS_MAX)
                code = cli_refuse("--over: more than %d combinations of "
                                  "parameters",
                                  VARIANTS_MAX);
            else
                snprintf(more[count++], sizeof *more, "%.150s%s%.40s=%.60s",
                         a->settings[i], *a->settings[i] ? " " : "", key, word);
    if (!code && !count)
        code = cli_refuse("--over %s: no values are listed", key);
    free(a->settings);
    a->settings = more;
    a->count = count;
    return code;
}

/* ---- Parts --------------------------------------------------------------- */

static void vary(struct cli_arena *a, enum lab_part part, uint64_t count,
                 uint64_t least, uint64_t greatest)
{
    a->space.part[part] = (struct lab_range){
        .count = (uint32_t)count, .least = least, .greatest = greatest};
}

static void say_over(struct cli_arena *a, const char *what)
{
    cli_append(a->over, sizeof a->over, "%s%s", *a->over ? ", " : "", what);
}

static int vary_names(struct cli_arena *a)
{
    const struct net *net = &a->setups[0].sim.net;
    const struct fc_protocol *p = net->protocol;

    if (p->anonymous || p->topology == FC_COMPLETE)
        return cli_refuse("--over names: %s", p->anonymous
                                                  ? "its nodes have none"
                                                  : "they are 1 to N");
    vary(a, LAB_NAMES, net->world.nodes, 0, net->world.nodes - 1);
    say_over(a, "names");
    return 0;
}

static int vary_wakes(struct cli_arena *a, const char *until)
{
    const struct net *net = &a->setups[0].sim.net;
    uint32_t n = net->world.nodes;
    /* As long as a wake-up takes to go round, if it is slow. */
    uint64_t last =
        (n - 1) * (net->time == NET_ARCHIMEDEAN ? net->world.bounds.rmax : 1);
    char text[64];

    if (last > NET_TICKS_MAX)
        last = NET_TICKS_MAX;
    if (a->words.net.wake || a->words.competitors)
        return cli_refuse("--over wake and %s both say which nodes start; give "
                          "one",
                          a->words.net.wake ? "--wake" : "--competitors");
    if (*until && cli_number(until + 1, "the last tick of --over wake:", 0,
                             NET_TICKS_MAX, &last))
        return CLI_USAGE;
    vary(a, LAB_WAKES, n, 0, last + 1);
    snprintf(text, sizeof text, "wake-ups at tick%s 0%s%.0" PRIu64,
             last ? "s" : "", last ? " to " : "", last);
    say_over(a, text);
    return 0;
}

/* Delays and speeds are within bounds. */
static int vary_ticks(struct cli_arena *a, enum lab_part part, bool asked)
{
    const struct net *net = &a->setups[0].sim.net;
    const struct fc_bounds *b = &net->world.bounds;
    bool delays = part == LAB_DELAYS;
    const char *what = delays ? "delays" : "speeds";
    uint64_t least = delays ? b->dmin : b->rmin;
    uint64_t most = delays ? b->dmax : b->rmax;

    if (net->time != NET_ARCHIMEDEAN || least == most)
        return asked ? cli_refuse("--over %s: all are the same; say within "
                                  "which bounds: --bounds %s",
                                  what, delays ? "1:1:0:4" : "1:2:0:0")
                     : 0;
    if (delays ? a->words.net.delays : a->words.net.clock)
        return cli_refuse("--over %s and %s both say what they are; give one",
                          what, delays ? "--delays" : "--clock");
    vary(a, part,
         delays ? net_links(net->protocol->topology, net->world.nodes)
                : net->world.nodes,
         least, most);
    say_over(a, what);
    return 0;
}

/* Phases need steps that are given. */
static int vary_phases(struct cli_arena *a)
{
    const struct net *net = &a->setups[0].sim.net;
    const struct fc_bounds *b = &net->world.bounds;
    uint32_t n = net->world.nodes;

    if (a->words.net.phases)
        return cli_refuse("--over phases and --phases both say what they are; "
                          "give one");
    if (net->time != NET_ARCHIMEDEAN || b->rmax < 2)
        return cli_refuse("--over phases: a step of one tick has no phase; "
                          "give --bounds 10:10:0:5 or the like");
    if (a->words.net.clock && net->clock != NET_CLOCK_LIST)
        return cli_refuse("--over phases goes with steps that are given: leave "
                          "out --clock, or say --clock steps:LIST");
    if (!a->words.net.clock) /* even if they are all the same */
        vary(a, LAB_STEPS, n, b->rmin, b->rmax);
    vary(a, LAB_PHASES, n, 0, b->rmax - 1);
    say_over(a, "phases");
    return 0;
}

static int vary_seed(struct cli_arena *a, const struct cli_worst *w,
                     const char *many)
{
    uint64_t count = UINT32_MAX;

    if (*many && cli_number(many + 1, "the number of seeds of --over seed:", 1,
                            UINT32_MAX, &count))
        return CLI_USAGE;
    vary(a, LAB_SEED, 1, w->seed, w->seed + count - 1);
    say_over(a, "seeds");
    return 0;
}

/* What --over calls the parts; a number may follow some. */
static const struct {
    const char *word;
    bool numbered;
} words_of[LAB_PARTS] = {
    [LAB_NAMES] = {"names", false},   [LAB_WAKES] = {"wake", true},
    [LAB_STEPS] = {"speeds", false},  [LAB_PHASES] = {"phases", false},
    [LAB_DELAYS] = {"delays", false}, [LAB_SEED] = {"seed", true},
};

/* The part that a word calls, and what follows it; LAB_SETTINGS: a parameter,
 * or nothing. */
static enum lab_part find_part(const char *word, const char **rest)
{
    for (uint32_t i = 0; i < LAB_PARTS; i++) {
        *rest = words_of[i].word ? fc_after(word, words_of[i].word) : NULL;
        if (*rest && (!**rest || (words_of[i].numbered && **rest == ':')))
            return (enum lab_part)i;
    }
    return LAB_SETTINGS;
}

static int refuse_part(const struct fc_protocol *p, const char *word)
{
    char known[256] = "";

    for (uint32_t i = 0; i < p->params_count; i++)
        cli_append(known, sizeof known, "%s%s",
                   i ? ", " : ", or a parameter: ", p->params[i].key);
    return cli_refuse(
        "--over '%s': choose from names, wake, wake:TICK, delays, "
        "speeds, phases, seed, seed:COUNT%s",
        word, known);
}

/* One word of --over; parameters were seen to before. */
static int vary_word(struct cli_arena *a, const struct cli_worst *w,
                     const char *word)
{
    const char *rest;
    enum lab_part part = find_part(word, &rest);

    switch (part) {
    case LAB_NAMES:
        return vary_names(a);
    case LAB_WAKES:
        return vary_wakes(a, rest);
    case LAB_STEPS:
    case LAB_DELAYS:
        return vary_ticks(a, part, true);
    case LAB_PHASES:
        return vary_phases(a);
    case LAB_SEED:
        return vary_seed(a, w, rest);
    case LAB_SETTINGS:
    case LAB_PARTS:
        break;
    }
    say_over(a, word);
    return 0;
}

/* What no option fixes. */
static int vary_all(struct cli_arena *a)
{
    const struct net_words *words = &a->words.net;
    const struct fc_protocol *p = a->setups[0].sim.net.protocol;
    int code = 0;

    if (!words->names && !p->anonymous && p->topology != FC_COMPLETE)
        code = vary_names(a);
    if (!code && !words->wake && !a->words.competitors)
        code = vary_wakes(a, "");
    if (!code && !words->clock)
        code = vary_ticks(a, LAB_STEPS, false);
    if (!code && !words->delays)
        code = vary_ticks(a, LAB_DELAYS, false);
    return code;
}

/* Whether a word of a list comes again further on, whatever number follows. */
static bool comes_again(const char *list, const char *word)
{
    size_t length = strcspn(word, ":");

    for (; list; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, word, length) == 0 &&
            strchr(":,", list[length])) /* or the end */
            return true;
    }
    return false;
}

/* Calls for each word of --over. */
static int each_word(struct cli_arena *a, const struct cli_worst *w,
                     int (*call)(struct cli_arena *a, const struct cli_worst *w,
                                 const char *word))
{
    char *copy = strdup(w->over), *rest = copy, *word;
    int code = copy ? 0 : cli_no_memory("the words of --over");

    while (!code && (word = strsep(&rest, ",")))
        code = *word && comes_again(rest, word)
                   ? cli_refuse("--over %s: '%s' comes twice", w->over, word)
                   : call(a, w, word);
    free(copy);
    return code;
}

/* The parameters among the words. */
static int take_parameter(struct cli_arena *a, const struct cli_worst *w,
                          const char *word)
{
    const struct fc_protocol *p = net_protocol(w->words.net.protocol);
    const struct fc_param *param = p ? fc_params_find(p, word) : NULL;
    char values[FORM_SIZE];
    const char *rest;
    int code;

    if (!p || find_part(word, &rest) != LAB_SETTINGS)
        return 0;
    if (!param)
        return refuse_part(p, word);
    code = list_values(w, param, values);
    return code ? code : multiply(a, word, values);
}

/* ---- Setups -------------------------------------------------------------- */

/* The words with the settings of one variant. */
static int add_settings(struct cli_words *words, char *settings)
{
    char *word;

    while ((word = strsep(&settings, " "))) {
        if (!*word)
            continue;
        if (words->net.settings_count == CLI_REPEATS_MAX)
            return cli_refuse("--set at most %d times", CLI_REPEATS_MAX);
        words->settings[words->net.settings_count++] = word;
    }
    return 0;
}

static int set_up(struct cli_arena *a)
{
    int code = 0;

    assert(a->count > 0);
    a->setups = calloc(a->count, sizeof *a->setups);
    a->sims = calloc(a->count, sizeof *a->sims);
    if (!a->setups || !a->sims)
        return cli_no_memory("the networks");
    for (uint32_t i = 0; i < a->count && !code; i++) {
        struct cli_words words = a->words;
        char settings[256];

        snprintf(settings, sizeof settings, "%s", a->settings[i]);
        code = add_settings(&words, settings);
        if (!code)
            code = cli_setup_begin(&a->setups[i], &words);
    }
    return code;
}

static int by_name(const void *a, const void *b)
{
    fc_name x = *(const fc_name *)a, y = *(const fc_name *)b;

    return (x > y) - (x < y);
}

/* The names at each place as they are set up; false: no memory. */
static bool list_names(const struct net *net, uint64_t seed, fc_name *out)
{
    struct net_memory memory = {0};
    struct net_names names;
    bool fine = net_names_begin(&names, net, seed, true, &memory) == 0;

    for (uint32_t i = 0; fine && i < net->world.nodes; i++)
        out[i] = net_name(&names, i);
    net_memory_free(&memory);
    return fine;
}

/* The names, their order, and the rank of each. */
static int find_names(struct cli_arena *a, uint64_t seed)
{
    const struct net *net = &a->setups[0].sim.net;
    uint32_t n = net->world.nodes;

    assert(n > 1);
    a->names = calloc(n, sizeof *a->names);
    a->sorted = calloc(n, sizeof *a->sorted);
    a->ranks = calloc(n, sizeof *a->ranks);
    if (!a->names || !a->sorted || !a->ranks ||
        !list_names(net, seed, a->names))
        return cli_no_memory("the names");
    memcpy(a->sorted, a->names, n * sizeof *a->sorted);
    qsort(a->sorted, n, sizeof *a->sorted, by_name);
    for (uint32_t i = 0; i < n; i++) {
        const fc_name *at =
            bsearch(&a->names[i], a->sorted, n, sizeof *a->sorted, by_name);

        assert(at);
        a->ranks[i] = (uint32_t)(at - a->sorted);
    }
    return 0;
}

/* Random names are the same in all cases, whatever their seed. */
static void settle(struct cli_arena *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        a->sims[i] = a->setups[i].sim;
        if (a->sims[i].net.naming != NET_NAMES_RANDOM)
            continue;
        a->sims[i].net.naming = NET_NAMES_LIST;
        a->sims[i].net.names = a->names;
    }
    a->space.setups = a->sims;
    a->space.nodes = a->sims[0].net.world.nodes;
    a->space.names = a->sorted;
    a->space.ranks = a->ranks;
    if (a->count > 1)
        vary(a, LAB_SETTINGS, 1, 0, a->count - 1);
    lab_space_arrange(&a->space);
}

int cli_arena_begin(struct cli_arena *a, const struct cli_worst *w,
                    uint32_t nodes)
{
    enum { NODES_MAX = 100000 };
    int code = 0;

    *a = (struct cli_arena){.words = w->words, .count = 1};
    a->settings = calloc(1, sizeof *a->settings);
    if (!a->settings)
        return cli_no_memory("the settings");
    if (nodes) {
        snprintf(a->nodes, sizeof a->nodes, "%" PRIu32, nodes);
        a->words.net.nodes = a->nodes;
    }
    if (w->over)
        code = each_word(a, w, take_parameter);
    if (!code)
        code = set_up(a);
    if (!code && a->setups[0].sim.net.world.nodes > NODES_MAX)
        code = cli_refuse("-n: at most %d, or no search would end", NODES_MAX);
    if (!code)
        code = find_names(a, w->seed);
    if (!code)
        code = w->over ? each_word(a, w, vary_word) : vary_all(a);
    if (code)
        return code;
    a->space.seed = w->seed;
    settle(a);
    return 0;
}

void cli_arena_free(struct cli_arena *a)
{
    for (uint32_t i = 0; a->setups && i < a->count; i++)
        cli_setup_free(&a->setups[i]);
    free(a->setups);
    free(a->sims);
    free(a->settings);
    free(a->names);
    free(a->sorted);
    free(a->ranks);
}
