/*
 * check.c - fulcrum check PROTOCOL: try every behaviour within the bounds.
 */
#include "cli/check/check.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "net/fault_words.h"
#include "net/seconds.h"

#define WISHES struct cli_check

/* For completion. */
#define QUANTITIES                                                             \
    "messages|paper-bits|end|end-after|elected-at|elected-after|granting-"     \
    "delay|overtaken|"                                                         \
    "overtaken.one|entries|leaders|phases|spread|queue|attempts"

/* In the order in which a command is written. */
static const struct cli_option options[] = {
    {.group = "network"},
    {"nodes", LIKE("how many processors, 2 to 16 [3]")},
    {"names",
     LIKE("asc, desc, a list clockwise, equal:LIST if names need not "
          "differ, a file of names, or all: every placement of 1 to N [asc]")},
    {"topology", LIKE("path, star, binary, random or a file [path]")},
    {"wake", 0, "WHO",
     "all, NAME,NAME,... (each before it does anything else), or any: every "
     "set, at every moment [all]; with applications: the nodes that ask",
     AT(words.net.wake), "all|any"},
    {"links", LIKE(NULL)},
    {.group = "time"},
    {"time",
     LIKE(
         "async, sync or archimedean [as the protocol assumes: async, or small "
         "bounds]")},
    {"bounds", LIKE("ticks of a step and of a delay")},
    {"clock", LIKE("fixed, drift, adversary or steps:LIST [fixed]")},
    {.group = "applications"},
    {"entries", 0, "E",
     "how often each node asks at most; any: again and again, where the "
     "protocol's numbers wrap [1]",
     AT(words.entries), "any"},
    {"section", 0, "L", "with time: inside for 1 to L steps [1]",
     NUMBER(check.section, 1, 1000000)},
    {"shared", 0, NULL, "nodes may ask to share", AT(check.shared)},
    {.group = "faults"},
    {"fault",
     LIKE("as for sim, each tried at every moment: " NET_FAULTS_OF_SEARCHES
          "; short for the options below; may be repeated"),
     .once = true},
    {"crashes", 0, "C", "at most C crashes, at every moment",
     NUMBER(check.crashes, 1, 200)},
    {"restarts", 0, "HOW",
     "crashed nodes come back: same, or blank (memory lost, except what the "
     "protocol has saved)",
     AT(restarts), "same|blank"},
    {"notice", 0, NULL,
     "after the last crash one node that is up is told to start, any of them, "
     "at any moment",
     AT(check.notice)},
    {"loss", 0, "L", "at most L messages are lost",
     NUMBER(check.losses, 1, 200)},
    {"duplicate", 0, "D", "at most D messages are copied",
     NUMBER(check.copies, 1, 200)},
    {"late", 0, "T", "one message may be T ticks later than dmax",
     NUMBER(check.late_ticks, 1, 10000)},
    {"pauses", 0, "P", "at most P times a node pauses",
     NUMBER(check.pauses, 1, 200)},
    {"pause-max", 0, "TICKS", "how long at most [any time up to --until]",
     NUMBER(check.pause_max, 1, 10000)},
    {"cuts", 0, "C",
     "at most C times a node is cut off; nodes that are cut off can reach each "
     "other",
     NUMBER(check.cuts, 1, 200)},
    {"cut-max", 0, "TICKS", "how long at most [any time up to --until]",
     NUMBER(check.cut_max, 1, 10000)},
    {"changes", 0, "C",
     "the first C lists of the protocol's parameter 'changes' are asked for, "
     "in "
     "their order, at every moment and node",
     NUMBER(check.changes, 1, FC_LISTS_MAX)},
    {.group = "time"},
    {"until", 0, "TICKS",
     "try runs up to this tick; needed where nodes read clocks",
     NUMBER(check.until, 1, 1000000)},
    {.group = "faults"},
    {"victims", 0, "NAMES", "only these crash, pause or are cut off [all]",
     AT(victims)},
    {"faults-from", 0, "T", "with --until: no faults before tick T",
     NUMBER(check.faults_from, 1, 1000000)},
    {.group = "search"},
    {"only", 0, "PROPERTY,..", "check only these properties", AT(only),
     "@property"},
    {"property", 0, "TEXT",
     "a property of one's own, such as 'never: some i: lost(i) then "
     "leader(i)'; help lists what it may speak of; may be repeated",
     MANY(property)},
    {"symmetry", 0, NULL,
     "take states that differ only in which node is where as one",
     AT(check.symmetry)},
    {"reduce", 0, NULL,
     "try only one order of independent events: fewer states, same verdict",
     AT(check.reduce)},
    {"worst", 0, NULL,
     "the probability that a property fails: coins are random, all else is as "
     "bad as possible, or as good",
     AT(worst)},
    {"given", 0, "COUNT",
     "only runs in which this is how first draws come out: candidates=C, or "
     "draws.V=C",
     AT(given)},
    {"twin", 0, "OPTIONS",
     "another network, which differs in these options: whether the first node "
     "can tell the two apart by all it has seen when it leads or enters",
     AT(twin)},
    {"play", 0, "MOVES",
     "play a run by hand: these moves, with ';' between them, and say what "
     "they break; '' lists those that there are at the beginning",
     AT(play)},
    {"expect", 0, "Q",
     "the expected amount of a quantity: coins are random, all else makes it "
     "as great as possible, or as little",
     AT(expect), QUANTITIES},
    {"max", 0, "Q",
     "the greatest amount of a quantity over all runs, and a run that has it: "
     "messages, messages.KIND, paper-bits, passes.NAME, end, end-after, "
     "elected-at, elected-after, granting-delay, overtaken, overtaken.one, and "
     "what the problem and the "
     "protocol add: entries, leaders, phases, spread, queue, attempts; with "
     "@elected what is sent before an election; may be repeated",
     AT(quantity[CLI_MOST]), QUANTITIES,
     .count = offsetof(struct cli_check, quantity_count[CLI_MOST])},
    {"min", 0, "Q", "the least, over all runs that end; may be repeated",
     AT(quantity[CLI_LEAST]), QUANTITIES,
     .count = offsetof(struct cli_check, quantity_count[CLI_LEAST])},
    {"no-cycles", 0, NULL, "do not look for endless runs", AT(no_cycles)},
    {"states", 0, "S",
     "how many states at most; beyond a limit the result is incomplete",
     NUMBER(check.states_max, 1, UINT64_C(1) << 40)},
    {"depth", 0, "D", "how many steps at most",
     NUMBER(check.depth_max, 1, UINT32_MAX - 1)},
    {"memory", 0, "MIB", "how much memory at most",
     NUMBER(memory, 1, UINT64_C(1) << 30)},
    {"set", LIKE(NULL)},
    {"threads", 0, "T", "how many at most; the result is the same [cores]",
     NUMBER(check.threads, 1, CHECK_THREADS_MAX), .once = true},
    {.group = "output"},
    {"json", 0, NULL, "for programs", AT(json), .once = true},
    {"trace", 0, "FILE",
     "write down the run that shows a violation, or the extreme", AT(trace),
     "@files", .once = true},
    {"svg", 0, "FILE", "draw that run", AT(svg), "@files", .once = true},
    {"strategy", 0, "FILE",
     "write down the schedulers that attain --worst or --expect, for sim "
     "--strategy",
     AT(strategy), "@files", .once = true},
    {0},
};

/* ---- Searching ----------------------------------------------------------- */

struct progress {
    const struct cli_check *check;
    const char *what;    /* is being done */
    double began, next;  /* on the wall; when it is shown again */
    uint64_t states;     /* of placements that are done */
    uint32_t placements; /* that are done */
    bool shown, warned;
};

enum { PATIENCE_SECONDS = 5 };

/* Unless they are asked for, predicates are left out where it is. */
static bool is_reducible(const struct cli_check *c)
{
    struct check_setup reduced = c->check;

    if (!c->only)
        reduced.net.predicates = 0;
    return !check_irreducible(&reduced);
}

/* What would make a search smaller. */
static void advise(const struct cli_check *c, char *out, size_t size)
{
    const struct check_setup *s = &c->check;
    const struct {
        bool helps;
        const char *what;
    } ways[] = {
        {s->net.world.nodes > 2, "fewer processors (-n)"},
        {s->net.protocol->problem->repeats && s->entries > 1,
         "fewer --entries"},
        {s->net.time == NET_ARCHIMEDEAN, "narrower --bounds"},
        {s->until > 0, "an earlier --until"},
        {c->all_names, "one placement of --names"},
        {!s->symmetry && !check_asymmetric(s), "--symmetry"},
        {!s->reduce && is_reducible(c), "--reduce"},
    };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i].helps)
            cli_append(out, size, "%s%s", *out ? ", " : "", ways[i].what);
}

/* Once, after a few seconds, wherever standard error goes: a search that may
 * take days looks like one that hangs. */
static void warn(struct progress *p, const struct check_result *r,
                 uint64_t seconds)
{
    char states[32], frontier[32], ways[256] = "";

    if (p->warned || seconds < PATIENCE_SECONDS)
        return;
    p->warned = true;
    advise(p->check, ways, sizeof ways);
    if (p->shown)
        fprintf(stderr, "\r\033[K");
    cli_note("%s states after %" PRIu64 " s, and %s of them still to be looked "
             "at; smaller: %s; --states limits it, Ctrl-C stops it",
             cli_grouped(r->states + p->states, states, sizeof states), seconds,
             cli_grouped(r->frontier, frontier, sizeof frontier),
             *ways ? ways : "fewer faults");
}

static void tell(void *whom, const struct check_result *r)
{
    struct progress *p = whom;
    char states[32], frontier[32];
    double seconds = net_seconds() - p->began;
    uint64_t whole = (uint64_t)seconds;

    warn(p, r, whole);
    if (seconds < p->next || !cli_is_terminal(stderr))
        return;
    p->next = seconds + 0.2;
    p->shown = true;
    fprintf(stderr, "\r%s %s", p->what, p->check->words.net.protocol);
    if (p->check->all_names)
        fprintf(stderr, "  placement %" PRIu32, p->placements + 1);
    fprintf(stderr,
            "  %s states  %s to go  depth %" PRIu32
            "  %.1f M/s  %.0f MB  %" PRIu64 ":%02" PRIu64 "\033[K",
            cli_grouped(r->states + p->states, states, sizeof states),
            cli_grouped(r->frontier, frontier, sizeof frontier), r->depth,
            seconds > 0 ? (double)(r->states + p->states) / seconds / 1e6 : 0.0,
            (double)r->bytes / 1e6, whole / 60, whole % 60);
}

/* From now on there is a line on the terminal, until hush(). */
static void watch(struct cli_check *c, struct progress *p, const char *what)
{
    *p = (struct progress){
        .check = c, .what = what, .began = net_seconds(), .next = 0.2};
    c->check.tell = tell;
    c->check.whom = p;
    c->check.stop = cli_catch_interrupt();
}

static void hush(struct cli_check *c, const struct progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
    c->check.tell = NULL; /* what it tells is gone when we return */
}

void cli_check_placed(const struct cli_check *c, uint64_t states)
{
    struct progress *p = c->check.whom;
    struct check_result none = {.states = 0};

    if (!c->all_names)
        return;
    p->states += states;
    p->placements++;
    tell(p, &none);
}

static void add(struct cli_check_sum *sum, const struct check_result *r)
{
    sum->states += r->states;
    sum->transitions += r->transitions;
    sum->terminal += r->terminal;
    sum->seconds += r->seconds;
    sum->wall_seconds += r->wall_seconds;
    if (r->threads > sum->threads)
        sum->threads = r->threads;
    sum->partly += r->partly;
    sum->reached |= r->reached;
    sum->cut_off |= r->cut_off;
    sum->open |= r->open;
    sum->acyclic = r->acyclic && (sum->acyclic || sum->placements == 0);
    sum->cycles_known =
        r->cycles_known && (sum->cycles_known || sum->placements == 0);
    if (r->depth > sum->depth)
        sum->depth = r->depth;
    if (r->bytes > sum->bytes)
        sum->bytes = r->bytes;
    sum->placements++;
}

/* The next permutation in order of size; false after the last. */
static bool permute(fc_name *names, uint32_t count)
{
    uint32_t i = count - 1, j = count - 1;
    fc_name held;

    while (i > 0 && names[i - 1] >= names[i])
        i--;
    if (i == 0 || count == 0)
        return false;
    while (names[j] <= names[i - 1])
        j--;
    held = names[i - 1];
    names[i - 1] = names[j];
    names[j] = held;
    for (j = count - 1; i < j; i++, j--) {
        held = names[i];
        names[i] = names[j];
        names[j] = held;
    }
    return true;
}

/* A ring may be turned so that the least name comes first. */
bool cli_check_next_placement(struct cli_check *c)
{
    enum fc_topology topology = c->check.net.protocol->topology;
    uint32_t fixed = topology == FC_RING || topology == FC_RING_BOTH;

    if (!c->all_names ||
        !permute(c->made.names + fixed, c->check.net.world.nodes - fixed))
        return false;
    (void)cli_check_place(c); /* all these names exist */
    return true;
}

/* One search, or one for every placement of the names. */
static void search(struct cli_check *c, struct cli_check_sum *sum,
                   struct check_result *r)
{
    struct progress progress;

    watch(c, &progress, "check");
    for (;;) {
        check_run(&c->check, r);
        add(sum, r);
        cli_check_placed(c, r->states);
        if (r->verdict != CHECK_HOLDS || !cli_check_next_placement(c))
            break;
        check_free(r);
    }
    hush(c, &progress);
}

static int measure(struct cli_check *c)
{
    struct progress progress;
    int code;

    watch(c, &progress, "measure");
    code = cli_check_measure(c);
    hush(c, &progress);
    return code;
}

void cli_check_command(struct cli_check *c)
{
    snprintf(c->command, sizeof c->command, "fulcrum check %s",
             c->words.net.protocol);
    cli_options_write(options, c, c->command, sizeof c->command);
}

static int read_wishes(struct cli_check *c, const struct cli_verb *verb,
                       int argc, char **argv)
{
    int code = cli_options_read(verb, c, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    code =
        cli_one_protocol(argc - optind, argv + optind, &c->words.net.protocol);
    if (code)
        return code;
    if ((code = cli_check_faults(c)))
        return code;
    cli_check_defaults(c);
    cli_check_command(c);
    if (!c->check.threads)
        c->check.threads = cli_cores(CHECK_THREADS_MAX);
    return CLI_GO_ON;
}

int cli_check_read(struct cli_check *c, int argc, char **argv)
{
    struct cli_verb quiet = cli_check;

    quiet.reports = false; /* a file that is read does not say where to write */
    return read_wishes(c, &quiet, argc, argv);
}

static int search_and_report(struct cli_check *c)
{
    struct cli_check_sum sum = {.states = 0};
    struct check_result result;
    int code = 0;

    search(c, &sum, &result);
    if (result.verdict != CHECK_INCOMPLETE)
        code = cli_check_odds(c);
    if (!code && c->wanted_count && result.verdict != CHECK_INCOMPLETE)
        code = measure(c);
    if (!code)
        code = cli_check_report(c, &sum, &result);
    cli_check_odds_free(c);
    cli_check_measure_free(c);
    check_free(&result);
    return code;
}

/* Whole live nodes in place of a protocol. */
#define CLUSTER "cluster"

static int run_cluster(int argc, char **argv)
{
#ifdef FULCRUM_LIVE
    return cli_check_cluster.run(argc, argv);
#else
    (void)argc;
    (void)argv;
    return cli_refuse("this fulcrum has no live nodes to check: it was built "
                      "without libuv, libsodium or inih");
#endif
}

static int run_check(int argc, char **argv)
{
    struct cli_check *c;
    int code;

    if (argc > 1 && strcmp(argv[1], CLUSTER) == 0)
        return run_cluster(argc - 1, argv + 1);
    c = calloc(1, sizeof *c);
    if (!c)
        return cli_no_memory("the search");
    code = read_wishes(c, &cli_check, argc, argv);
    if (code == CLI_GO_ON) {
        code = cli_check_prepare(c);
        if (!code)
            code = cli_can_write(c->trace, c->svg);
        if (!code)
            code = cli_can_write(c->strategy, NULL);
        if (!code)
            code = cli_check_is_given(c);
        if (!code)
            code = c->twin   ? cli_check_twin(c)
                   : c->play ? cli_check_play(c)
                             : search_and_report(c);
        net_unmake(&c->made);
        free(c->asked);
    }
    free(c);
    return code == CLI_GO_ON ? CLI_FINE : code; /* it has helped */
}

#ifdef FULCRUM_LIVE
static const struct cli_part parts[] = {{CLUSTER, &cli_check_cluster}, {0}};
#endif

const struct cli_verb cli_check = {
    .name = "check",
    .summary = "try every behaviour within the bounds",
    .run = run_check,
    .usage = "PROTOCOL [OPTIONS]\n" CLUSTER " [OPTIONS]",
    .about =
        "Tries every behaviour of a protocol: every order of events, every "
        "delay and speed within the bounds, every coin. The verdict is for "
        "this number of processors and these bounds; a violation comes with "
        "the shortest run that shows it. 'fulcrum check cluster --help' tells "
        "of whole live nodes.",
    .exits = "0 all properties hold, 1 one is violated, 2 wrong usage, 3 "
             "incomplete: a limit was reached, 130 stopped by Ctrl-C.",
    .examples = "fulcrum check chang-roberts -n 5 --names all --wake any\n"
                "fulcrum check lelann -n 3 --links any --trace run.trace\n"
                "fulcrum check chang-roberts --property 'never: some i: "
                "lost(i) then leader(i)'",
    .options = {options},
    .reports = true,
    .operands = {"@protocol"},
#ifdef FULCRUM_LIVE
    .parts = parts,
#endif
};
