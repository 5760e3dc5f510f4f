/*
 * check_prepare.c - from words of the command line to a search (see check.h),
 * and what it takes where nothing was said: three nodes, the time that the
 * protocol assumes, and parameters with which it has finitely many states.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/assume.h"
#include "cli/check/check.h"
#include "cli/cli.h"
#include "core/text.h"
#include "net/judge.h"
#include "problems/mutex.h"

/* ---- What was not said --------------------------------------------------- */

/* How the parameter of KEY=VALUE was set, or NULL. */
static const char *setting_of(const struct cli_check *c, const char *setting)
{
    size_t key = strcspn(setting, "=") + 1;
    const char *found = NULL;

    for (uint32_t i = 0; i < c->words.net.settings_count; i++)
        if (strncmp(c->words.settings[i], setting, key) == 0)
            found = c->words.settings[i];
    return found;
}

/* Whether its numbers are kept modulo something. */
static bool wraps(const struct cli_check *c)
{
    const char *modulus = setting_of(c, "modulus=");

    return modulus && strcmp(modulus, "modulus=none") != 0;
}

/* What the protocol needs, with the parameters that were given; those that are
 * wrong are refused later. */
static uint32_t needs_of(const struct cli_check *c)
{
    struct net_words words = {.protocol = c->words.net.protocol,
                              .nodes = "3",
                              .settings = c->words.settings,
                              .settings_count = c->words.net.settings_count};
    struct net_why why;
    struct net_made made;
    uint32_t needs = net_make(&made, &words, &why) ? net_needs(&made.net) : 0;

    net_unmake(&made);
    return needs;
}

/* Steps of one tick, and two delays: the smallest search with time in which one
 * message overtakes another. */
static void take_time(struct cli_check *c, const struct fc_search *s)
{
    uint32_t needs = needs_of(c);

    if (s->time || s->bounds) {
        c->words.net.time = s->time;
        c->words.net.bounds = s->bounds;
        if (!c->check.until)
            c->check.until = s->until;
    } else if (needs & FC_NEEDS_UNISON) {
        c->words.net.time = "sync";
    } else if (needs & FC_NEEDS_TIME) {
        c->words.net.bounds = "1:1:1:2";
    }
}

void cli_check_defaults(struct cli_check *c)
{
    static const struct fc_search usual;
    const struct fc_protocol *p = net_protocol(c->words.net.protocol);
    const struct fc_search *s = p && p->search ? p->search : &usual;
    bool limited =
        c->check.depth_max || c->check.states_max || c->words.net.links;
    const char *given = s->set ? setting_of(c, s->set) : NULL;

    if (!c->words.net.nodes && cli_counts_names(c->words.net.names))
        c->words.net.nodes = "3";
    if (!c->words.net.time && !c->words.net.bounds && !c->words.net.clock)
        take_time(c, s);
    if (!s->set || limited)
        return;
    if (!given && c->words.net.settings_count < CLI_REPEATS_MAX)
        c->words.settings[c->words.net.settings_count++] = s->set;
    else if (given && strcmp(given, s->set) != 0 && !wraps(c))
        cli_note("with %s %s grows for ever, and so does this search; say "
                 "--set %s, or limit it with --depth or --states",
                 given, s->grows, s->set);
}

/* ---- Names and wake-ups -------------------------------------------------- */

/* All placements begin with the names in order, as a list. */
static int list_all_names(struct cli_check *c)
{
    struct net *net = &c->made.net;

    c->made.names = calloc(net->world.nodes, sizeof *c->made.names);
    if (!c->made.names)
        return cli_no_memory("the names");
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
                      const char *list, uint32_t *nodes)
{
    char copy[256], why[256], *rest = copy, *name;
    uint64_t number;

    *nodes = 0;
    snprintf(copy, sizeof copy, "%s", list);
    while ((name = strsep(&rest, ","))) {
        int node = fc_read_number(name, &number) ? find_name(c, number) : -1;

        if (node < 0) {
            net_say_nobody(&c->check.net, name, why, sizeof why);
            return cli_refuse("%s %s: %s", option, list, why);
        }
        *nodes |= UINT32_C(1) << node;
    }
    return 0;
}

/* Whether --wake lists names. */
static bool wakes_are_listed(const struct cli_check *c)
{
    return c->words.net.wake && strcmp(c->words.net.wake, "any") != 0 &&
           strcmp(c->words.net.wake, "all") != 0;
}

/* The named nodes, at the positions where their names are now. */
int cli_check_place(struct cli_check *c)
{
    int code = 0;

    c->check.listed = c->check.victims = ~UINT32_C(0);
    if (wakes_are_listed(c))
        code = read_names(c, "--wake", c->words.net.wake, &c->check.listed);
    if (!code && c->victims)
        code = read_names(c, "--victims", c->victims, &c->check.victims);
    return code;
}

static int set_wake(struct cli_check *c)
{
    bool any = c->words.net.wake && strcmp(c->words.net.wake, "any") == 0;

    if (any && c->check.net.protocol->problem->repeats)
        return cli_refuse(
            "--wake any is for protocols that start once; in %s every node "
            "asks at any time, or only those of a list",
            c->words.net.protocol);
    if (any)
        c->check.waking = CHECK_WAKE_ANY;
    if (c->victims && !c->check.crashes && !c->check.pauses && !c->check.cuts)
        return cli_refuse("--victims needs --crashes, --pauses or --cuts: "
                          "otherwise nothing happens to these nodes");
    return cli_check_place(c);
}

/* ---- Properties and numbers ---------------------------------------------- */

/* Where nothing is said, predicates over the whole network are judged with the
 * other properties; not where there are faults, or an assumption is broken,
 * because they say nothing of that; nor where the search leaves out states, or
 * is for a number. */
static uint32_t default_predicates(const struct cli_check *c)
{
    const struct check_setup *s = &c->check;
    const char *outside[CLI_BROKEN_MAX];
    bool faults = s->crashes || s->losses || s->copies || s->late_ticks ||
                  s->pauses || s->cuts || cli_check_outside(c, outside);
    bool counts = c->worst || c->expect || c->quantity_count[CLI_MOST] ||
                  c->quantity_count[CLI_LEAST];

    return faults || counts || s->reduce
               ? 0
               : net_predicates(s->net.protocol, s->net.params);
}

/* As properties, all that were typed. */
static uint32_t asked_properties(const struct cli_check *c)
{
    uint32_t count = c->asked ? c->asked->asked.count : 0;

    return ((UINT32_C(1) << count) - 1) << NET_ASKED_BIT;
}

static int set_only(struct cli_check *c)
{
    const struct fc_protocol *p = c->check.net.protocol;
    const struct net_asked *asked = c->check.net.asked;
    char copy[256], known[512] = "", *rest = copy, *word;
    uint32_t all = net_predicates(p, NULL), chosen = 0;
    const char *why = NULL;

    c->check.net.predicates = default_predicates(c);
    c->check.properties =
        ~((all & ~c->check.net.predicates) << FC_PREDICATE_BIT);
    if (!c->only)
        return 0;
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (net_property_name(p, asked, i))
            cli_append(known, sizeof known, "%s%s", i ? ", " : "",
                       net_property_name(p, asked, i));
    snprintf(copy, sizeof copy, "%s", c->only);
    while ((word = strsep(&rest, ","))) {
        uint32_t i = 0;

        if (c->twin && strcmp(word, CLI_TOLD_APART) == 0)
            continue;
        while (i <= FC_SANE_BIT &&
               (!net_property_name(p, asked, i) ||
                strcmp(word, net_property_name(p, asked, i)) != 0))
            i++;
        if (i > FC_SANE_BIT)
            return cli_refuse("--only %s: '%s' is not one of %s", c->only, word,
                              known);
        chosen |= UINT32_C(1) << i;
    }
    c->check.properties = chosen | asked_properties(c);
    c->check.net.predicates = chosen >> FC_PREDICATE_BIT & all;
    if (c->check.net.predicates && p->unjudged)
        why = p->unjudged(c->check.net.params);
    return why ? cli_refuse("--only %s: %s", c->only, why) : 0;
}

/* Typed properties, and what of the search they rule out.  A number is computed
 * of other things than they are about. */
static int set_asked(struct cli_check *c)
{
    int code = cli_ask(&c->asked, &c->check.net, "--property", c->property,
                       c->property_count);
    bool symmetric = true;

    if (code || !c->asked)
        return code;
    if (c->worst || c->expect || c->given || c->twin ||
        c->quantity_count[CLI_MOST] || c->quantity_count[CLI_LEAST])
        return cli_refuse("--property is judged in a search of its own: leave "
                          "out %s",
                          c->twin     ? "--twin"
                          : c->worst  ? "--worst"
                          : c->expect ? "--expect"
                          : c->given  ? "--given"
                                      : "--max and --min");
    for (uint32_t i = 0; i < c->asked->asked.count; i++)
        symmetric &= c->asked->asked.property[i].symmetric;
    if (c->check.reduce)
        c->unreduced = "a property that was typed may see every move";
    if (c->check.symmetry && !symmetric)
        c->unmerged = "a property that was typed tells nodes apart";
    c->check.reduce = false;
    c->check.symmetry = c->check.symmetry && symmetric;
    return 0;
}

static int set_numbers(struct cli_check *c)
{
    uint64_t entries = 1;
    int choice, code = 0;

    if (c->words.entries && strcmp(c->words.entries, "any") == 0)
        entries = CHECK_ENTRIES_ANY;
    else if (c->words.entries)
        code = cli_number(c->words.entries, "--entries", 1, 200, &entries);
    if (code)
        return code;
    c->check.entries = (uint32_t)entries;
    if (!c->check.section)
        c->check.section = 1;
    c->check.memory_max = c->memory << 20;
    if (!c->restarts)
        return 0;
    choice = fc_find_choice("same|blank", c->restarts);
    if (choice < 0)
        return cli_refuse("--restarts %s: choose same or blank", c->restarts);
    c->check.back = choice ? CHECK_RETURN_BLANK : CHECK_RETURN_SAME;
    if (!c->check.crashes)
        return cli_refuse("--restarts needs --crashes: a node that has not "
                          "crashed cannot restart");
    return 0;
}

/* ---- All of it ----------------------------------------------------------- */

static int refuse_misfits(const struct cli_check *c)
{
    const struct net *net = &c->check.net;

    if (net->world.nodes > CHECK_NODES_MAX)
        return cli_refuse(
            "%" PRIu32
            " processors have too many states for any memory; at most %d",
            net->world.nodes, CHECK_NODES_MAX);
    if (c->check.shared && !mutex_terms_of(net->protocol).shares)
        return cli_refuse("--shared is about readers, and %s has none; try "
                          "rw-preventive, ricart-agrawala or view-lock",
                          c->words.net.protocol);
    if (c->check.late_ticks && net->time == NET_ASYNC)
        return cli_refuse(
            "--late needs bounds: without them no message can be late");
    if (c->check.notice &&
        (!c->check.crashes || net->protocol->problem->repeats))
        return cli_refuse(c->check.crashes
                              ? "--notice is for protocols that start once; in "
                                "%s every node asks at any time"
                              : "--notice needs --crashes: %s is told of "
                                "nothing that does not happen",
                          c->words.net.protocol);
    if (c->check.notice && c->worst)
        return cli_refuse("--worst cannot be combined with --notice: the "
                          "adversary could withhold the notice for ever");
    if ((c->check.pause_max && !c->check.pauses) ||
        (c->check.cut_max && !c->check.cuts))
        return cli_refuse("%s needs %s: there is nothing to limit",
                          c->check.pause_max ? "--pause-max" : "--cut-max",
                          c->check.pause_max ? "--pauses" : "--cuts");
    if (c->check.symmetry && check_asymmetric(&c->check))
        return cli_refuse("--symmetry is not for %s: %s", c->words.net.protocol,
                          check_asymmetric(&c->check));
    if (c->worst && c->all_names)
        return cli_refuse("--worst is for one placement of names at a time");
    if (c->worst && check_no_odds(&c->check))
        return cli_refuse("--worst is not for %s: %s", c->words.net.protocol,
                          check_no_odds(&c->check));
    if (c->check.reduce && check_irreducible(&c->check))
        return cli_refuse("--reduce is not for %s: %s", c->words.net.protocol,
                          check_irreducible(&c->check));
    return 0;
}

/* What was said of the network, and what goes without saying. */
static int make_network(struct cli_check *c)
{
    struct net_words words = c->words.net;
    struct net_why why = {0};
    const struct fc_protocol *p = net_choose(words.protocol, &why);
    int code;

    if (!p)
        return cli_refused(&why);
    words.wake = NULL; /* those that it names are found later */
    c->all_names = words.names && strcmp(words.names, "all") == 0;
    if (!words.time && !words.bounds && !words.clock)
        words.time = "async";
    /* Its timers could not be computed at all. */
    if (net_find(p)->clocked && words.time && strcmp(words.time, "async") == 0)
        return cli_refuse("%s: its nodes read clocks, which --time async does "
                          "not have: use --time sync or --bounds",
                          words.protocol);
    if (c->all_names ||
        (!words.names && !p->anonymous && p->topology != FC_COMPLETE))
        words.names = "asc";
    if (!words.topology && p->topology == FC_TREE)
        words.topology = "path";
    words.returns = c->restarts != NULL;
    words.settings = c->words.settings;
    if (!net_make(&c->made, &words, &why))
        return cli_refused(&why);
    if (c->check.changes > net_lists_planned(&c->made))
        return cli_refuse("--changes %" PRIu32 ": so many lists are not named; "
                          "say which with --set changes=LIST/LIST",
                          c->check.changes);
    if ((code = cli_refuse_work(p, c->words.entries   ? "--entries"
                                   : c->check.section ? "--section"
                                                      : NULL)) ||
        (c->all_names && (code = list_all_names(c))))
        return code;
    net_describe(&c->made.net);
    if ((code = cli_prepare(&c->made, &c->made.net)))
        return code;
    c->check.net = c->made.net;
    return 0;
}

int cli_check_prepare(struct cli_check *c)
{
    const char *misfit;
    int code;

    c->check.cycles = !c->no_cycles;
    if ((code = make_network(c)) || (code = set_asked(c)) ||
        (code = set_only(c)) || (code = set_numbers(c)) ||
        (code = set_wake(c)) || (code = refuse_misfits(c)) ||
        (code = cli_check_set_given(c)) || (code = cli_check_set_quantity(c)) ||
        (code = cli_check_set_expect(c)))
        return code;
    misfit = check_misfit(&c->check);
    if (misfit)
        return cli_refuse("%s: %s", c->words.net.protocol, misfit);
    return 0;
}
