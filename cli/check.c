/*
 * check.c - fulcrum check PROTOCOL: try every behaviour within the bounds.
 */
#include "cli/check.h"

#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"

static const char verb[] = "check";

static void help(void)
{
    printf(
        "usage: fulcrum check PROTOCOL -n N [OPTIONS]\n\n"
        "Tries every behaviour of a protocol: every order of events, every\n"
        "delay and speed within the bounds, every coin.  What it says holds\n"
        "for this number of processors and these bounds; what does not comes\n"
        "with the shortest run that shows it.\n\n"
        "network\n"
        "  -n, --nodes N      how many processors, 2 to 16\n"
        "  --names HOW        asc, desc, a list clockwise, a file of names,\n"
        "                     or all: every placement of 1 to N [asc]\n"
        "  --topology TREE    path, star, binary, random or a file [path]\n"
        "  --links ORDER      fifo, or any: messages may overtake [fifo]\n"
        "  --wake WHO         all, NAME,NAME,... (each before it does "
        "anything\n"
        "                     else), or any: every set, at every moment "
        "[all];\n"
        "                     with applications: those who ask\n"
        "time\n"
        "  --time MODEL       async, sync or archimedean [async]\n"
        "  --bounds RMIN:RMAX:DMIN:DMAX\n"
        "                     ticks of a step and of a delay\n"
        "  --clock HOW        fixed, drift, adversary or steps:LIST [fixed]\n"
        "  --until TICKS      try runs up to this tick; needed where nodes "
        "read\n"
        "                     clocks\n"
        "applications\n"
        "  --entries E        each asks at most so often [1]\n"
        "  --section L        with time: inside for 1 to L steps [1]\n"
        "  --shared           they may ask to share\n"
        "faults\n"
        "  --crashes C        at most C crashes, at every moment\n"
        "  --restarts HOW     they come back: same, or blank (memory lost, "
        "but\n"
        "                     for what the protocol has saved)\n"
        "  --loss L           at most L messages are lost\n"
        "  --duplicate D      at most D messages are copied\n"
        "  --late T           one message may be T ticks later than dmax\n"
        "  --pauses P         at most P times a node does nothing for a "
        "while\n"
        "  --pause-max TICKS  how long at most [any time up to --until]\n"
        "  --cuts C           at most C times a node is cut off, with those "
        "that\n"
        "                     are already\n"
        "  --cut-max TICKS    how long at most [any time up to --until]\n"
        "  --victims NAMES    only these crash, pause or are cut off [all]\n"
        "  --faults-from T    with --until: nothing goes wrong before tick T\n"
        "search\n"
        "  --set KEY=VALUE    a parameter of the protocol; may be repeated\n"
        "  --only PROPERTY,.. ignore all other properties\n"
        "  --symmetry         states that differ only in who is where are one\n"
        "  --reduce           of events that do not depend on each other try "
        "one\n"
        "                     order: fewer states, same verdict\n"
        "  --worst            how probable it is that a property fails: coins\n"
        "                     random, all else as bad as can be, or as good\n"
        "  --no-cycles        do not look for runs without end\n"
        "  --states S --depth D --memory MIB\n"
        "                     limits: beyond them the result is incomplete\n"
        "  --threads T        at most so many; the result is the same [cores]\n"
        "output\n"
        "  --json             for programs\n"
        "  --trace FILE       the run that shows a violation\n"
        "  --svg FILE         drawn\n\n"
        "Exit: 0 all properties hold, 1 one is violated, 2 used wrongly, 3\n"
        "incomplete: a limit was reached, 130 stopped by Ctrl-C.\n\n"
        "Examples: fulcrum check chang-roberts -n 5 --names all --wake any\n"
        "          fulcrum check lelann -n 3 --links any --trace run.trace\n");
}

/* ---- Reading the wishes -------------------------------------------------- */

enum option_code {
    OPTION_TIME = 256,
    OPTION_BOUNDS,
    OPTION_CLOCK,
    OPTION_LINKS,
    OPTION_NAMES,
    OPTION_TOPOLOGY,
    OPTION_WAKE,
    OPTION_SET,
    OPTION_ENTRIES,
    OPTION_SECTION,
    OPTION_SHARED,
    OPTION_CRASHES,
    OPTION_RESTARTS,
    OPTION_LOSS,
    OPTION_DUPLICATE,
    OPTION_LATE,
    OPTION_PAUSES,
    OPTION_PAUSE_MAX,
    OPTION_CUTS,
    OPTION_CUT_MAX,
    OPTION_UNTIL,
    OPTION_VICTIMS,
    OPTION_FAULTS_FROM,
    OPTION_ONLY,
    OPTION_SYMMETRY,
    OPTION_REDUCE,
    OPTION_WORST,
    OPTION_NO_CYCLES,
    OPTION_STATES,
    OPTION_DEPTH,
    OPTION_MEMORY,
    OPTION_THREADS,
    OPTION_TRACE,
    OPTION_SVG,
    OPTION_JSON,
};

static const struct option options[] = {
    {"nodes", required_argument, NULL, 'n'},
    {"time", required_argument, NULL, OPTION_TIME},
    {"bounds", required_argument, NULL, OPTION_BOUNDS},
    {"clock", required_argument, NULL, OPTION_CLOCK},
    {"links", required_argument, NULL, OPTION_LINKS},
    {"names", required_argument, NULL, OPTION_NAMES},
    {"topology", required_argument, NULL, OPTION_TOPOLOGY},
    {"wake", required_argument, NULL, OPTION_WAKE},
    {"set", required_argument, NULL, OPTION_SET},
    {"entries", required_argument, NULL, OPTION_ENTRIES},
    {"section", required_argument, NULL, OPTION_SECTION},
    {"shared", no_argument, NULL, OPTION_SHARED},
    {"crashes", required_argument, NULL, OPTION_CRASHES},
    {"restarts", required_argument, NULL, OPTION_RESTARTS},
    {"loss", required_argument, NULL, OPTION_LOSS},
    {"duplicate", required_argument, NULL, OPTION_DUPLICATE},
    {"late", required_argument, NULL, OPTION_LATE},
    {"pauses", required_argument, NULL, OPTION_PAUSES},
    {"pause-max", required_argument, NULL, OPTION_PAUSE_MAX},
    {"cuts", required_argument, NULL, OPTION_CUTS},
    {"cut-max", required_argument, NULL, OPTION_CUT_MAX},
    {"until", required_argument, NULL, OPTION_UNTIL},
    {"victims", required_argument, NULL, OPTION_VICTIMS},
    {"faults-from", required_argument, NULL, OPTION_FAULTS_FROM},
    {"only", required_argument, NULL, OPTION_ONLY},
    {"symmetry", no_argument, NULL, OPTION_SYMMETRY},
    {"reduce", no_argument, NULL, OPTION_REDUCE},
    {"worst", no_argument, NULL, OPTION_WORST},
    {"no-cycles", no_argument, NULL, OPTION_NO_CYCLES},
    {"states", required_argument, NULL, OPTION_STATES},
    {"depth", required_argument, NULL, OPTION_DEPTH},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"trace", required_argument, NULL, OPTION_TRACE},
    {"svg", required_argument, NULL, OPTION_SVG},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Where the argument of an option is kept; NULL for those that have none. */
static const char **place_of(struct cli_check *c, int option)
{
    const struct {
        int option;
        const char **place;
    } places[] = {
        {'n', &c->words.nodes},
        {OPTION_TIME, &c->words.time},
        {OPTION_BOUNDS, &c->words.bounds},
        {OPTION_CLOCK, &c->words.clock},
        {OPTION_LINKS, &c->words.links},
        {OPTION_NAMES, &c->words.names},
        {OPTION_TOPOLOGY, &c->words.topology},
        {OPTION_WAKE, &c->wake},
        {OPTION_ENTRIES, &c->words.entries},
        {OPTION_SECTION, &c->words.section},
        {OPTION_CRASHES, &c->crashes},
        {OPTION_RESTARTS, &c->restarts},
        {OPTION_LOSS, &c->loss},
        {OPTION_DUPLICATE, &c->duplicate},
        {OPTION_LATE, &c->late},
        {OPTION_PAUSES, &c->pauses},
        {OPTION_PAUSE_MAX, &c->pause_max},
        {OPTION_CUTS, &c->cuts},
        {OPTION_CUT_MAX, &c->cut_max},
        {OPTION_UNTIL, &c->until},
        {OPTION_VICTIMS, &c->victims},
        {OPTION_FAULTS_FROM, &c->faults_from},
        {OPTION_ONLY, &c->only},
        {OPTION_STATES, &c->states},
        {OPTION_DEPTH, &c->depth},
        {OPTION_MEMORY, &c->memory},
        {OPTION_THREADS, &c->threads},
        {OPTION_TRACE, &c->trace},
        {OPTION_SVG, &c->svg},
    };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (places[i].option == option)
            return places[i].place;
    return NULL;
}

static int take_option(struct cli_check *c, int option)
{
    const char **place = place_of(c, option);

    if (place) {
        *place = optarg;
        return 0;
    }
    switch (option) {
    case OPTION_SET:
        if (c->words.settings_count == CLI_SETTINGS_MAX)
            return cli_complain(CLI_USAGE, verb, "--set at most %d times",
                                CLI_SETTINGS_MAX);
        c->words.settings[c->words.settings_count++] = optarg;
        return 0;
    case OPTION_SHARED:
        c->check.shared = true;
        return 0;
    case OPTION_SYMMETRY:
        c->symmetry = true;
        return 0;
    case OPTION_REDUCE:
        c->check.reduce = true;
        return 0;
    case OPTION_WORST:
        c->worst = true;
        return 0;
    case OPTION_NO_CYCLES:
        c->no_cycles = true;
        return 0;
    case OPTION_JSON:
        c->json = true;
        return 0;
    default:
        return CLI_USAGE; /* getopt has complained */
    }
}

/* Returns 0 to go on, or the exit code with *done set. */
static int read_wishes(struct cli_check *c, int argc, char **argv, bool *done)
{
    int option, code;

    *done = true;
    while ((option = getopt_long(argc, argv, "n:h", options, NULL)) != -1) {
        if (option == 'h') {
            help();
            return cli_flush(verb, CLI_FINE);
        }
        if ((code = take_option(c, option)))
            return code;
    }
    if (optind == argc)
        return cli_complain(CLI_USAGE, verb,
                            "which protocol? 'fulcrum list' shows them all");
    if (argc - optind > 1)
        return cli_complain(CLI_USAGE, verb,
                            "one protocol at a time; what is '%s'?",
                            argv[optind + 1]);
    c->words.protocol = argv[optind];
    *done = false;
    return 0;
}

/* ---- Searching ----------------------------------------------------------- */

struct progress {
    const struct cli_check *check;
    const struct cli_check_sum *sum;
    double next; /* when it is shown again */
    bool shown;
};

static void tell(void *whom, const struct check_result *r)
{
    struct progress *p = whom;
    char states[32], frontier[32];
    uint64_t whole = (uint64_t)(r->wall_seconds + p->sum->wall_seconds);

    if (r->wall_seconds < p->next || !isatty(STDERR_FILENO))
        return;
    p->next = r->wall_seconds + 0.2;
    p->shown = true;
    fprintf(stderr,
            "\rcheck %s  %s states  %s to go  depth %" PRIu32
            "  %.1f M/s  %.0f MB  %" PRIu64 ":%02" PRIu64 "\033[K",
            p->check->words.protocol,
            cli_grouped(r->states + p->sum->states, states, sizeof states),
            cli_grouped(r->frontier, frontier, sizeof frontier), r->depth,
            r->wall_seconds > 0 ? (double)r->states / r->wall_seconds / 1e6
                                : 0.0,
            (double)r->bytes / 1e6, whole / 60, whole % 60);
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

/* One search, or one for every placement of the names; a ring may be turned so
 * that the least name comes first. */
static void search(struct cli_check *c, struct cli_check_sum *sum,
                   struct check_result *r)
{
    struct progress progress = {.check = c, .sum = sum};
    enum fc_topology topology = c->check.net.protocol->topology;
    uint32_t fixed = topology == FC_RING || topology == FC_RING_BOTH;

    c->check.tell = tell;
    c->check.whom = &progress;
    c->check.stop = cli_catch_interrupt();
    for (;;) {
        progress.next = 0.2;
        check_run(&c->check, r);
        add(sum, r);
        if (r->verdict != CHECK_HOLDS || !c->all_names ||
            !permute(c->made.names + fixed, c->check.net.world.nodes - fixed))
            break;
        (void)cli_check_place(c, verb); /* those names are all there */
        check_free(r);
    }
    if (progress.shown)
        fprintf(stderr, "\r\033[K");
}

/* As many as there are cores for this process, unless told otherwise. */
static int set_threads(struct cli_check *c)
{
    uint64_t threads = 1;
    cpu_set_t cores;

    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        threads = (uint64_t)CPU_COUNT(&cores);
    if (threads > CHECK_THREADS_MAX)
        threads = CHECK_THREADS_MAX;
    if (c->threads && cli_number(c->threads, "--threads", 1, CHECK_THREADS_MAX,
                                 &threads, verb))
        return CLI_USAGE;
    c->check.threads = (uint32_t)threads;
    return 0;
}

int cli_check(int argc, char **argv)
{
    struct cli_check *c = calloc(1, sizeof *c);
    struct cli_check_sum sum = {.states = 0};
    struct check_result result;
    bool done;
    int code;

    if (!c)
        return cli_complain(CLI_SYSTEM, verb, "no memory");
    code = read_wishes(c, argc, argv, &done);
    if (!done && !code) {
        code = cli_check_prepare(c, verb);
        if (!code)
            code = set_threads(c);
        if (!code) {
            search(c, &sum, &result);
            if (c->worst && result.verdict != CHECK_INCOMPLETE)
                check_worst(&c->check, &c->odds);
            code = cli_check_report(c, &sum, &result, verb);
            check_free(&result);
        }
        net_unmake(&c->made);
    }
    free(c);
    return code;
}
