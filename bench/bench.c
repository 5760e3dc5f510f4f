/*
 * bench.c - how fast the engines are, measured against a heap and against each
 * other.
 *
 * The same run goes through the general engine over a binary heap and over its
 * timing wheel, through the lockstep engine, and through programs that were
 * written by hand for it alone.  They take turns: heap, general, lockstep, ...;
 * what disturbs one disturbs the others.  The first round warms memory and
 * caches and is not counted.  Short runs are repeated within a round until they
 * can be timed.  All engines must give the same result.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/by_hand.h"
#include "core/params.h"
#include "net/names.h"
#include "net/seconds.h"
#include "protocols/election/chang_roberts/chang_roberts.h"
#include "protocols/election/vitanyi/vitanyi.h"

enum { EXIT_DIFFERS = 1, EXIT_USAGE = 2, EXIT_SYSTEM = 3 };

enum {
    ROUNDS = 5,
    LARGE_NODES = 10000000, /* from here on... */
    LARGE_ROUNDS = 3,       /* ...no more rounds than these */
    ROUND_EVENTS = 4000000, /* a round has at least this many */
    SEED = 1,
};

extern const struct sim_type chang_roberts_heap, vitanyi_heap;

static const struct section sections[] = {
    {'a',
     "chang-roberts",
     "sync, names ascending, the worst order",
     NET_NAMES_ASCENDING,
     NET_SYNC,
     NET_CLOCK_FIXED,
     BENCH_ALL | BENCH_BY_HAND,
     {4096}},
    {'b',
     "chang-roberts",
     "sync, random names",
     NET_NAMES_RANDOM,
     NET_SYNC,
     NET_CLOCK_FIXED,
     BENCH_ALL | BENCH_BY_HAND,
     {1000, 10000, 100000, 1000000, 10000000}},
    {'c',
     "chang-roberts",
     "bounds 2:5:1:8, clocks drift, random names",
     NET_NAMES_RANDOM,
     NET_ARCHIMEDEAN,
     NET_CLOCK_DRIFT,
     BENCH_BOTH,
     {100000, 1000000}},
    {'c',
     "chang-roberts",
     "bounds 2:5:1:8, clocks fixed, random names",
     NET_NAMES_RANDOM,
     NET_ARCHIMEDEAN,
     NET_CLOCK_FIXED,
     BENCH_BOTH,
     {100000, 1000000}},
    {'c',
     "vitanyi",
     "f=2^i, bounds 2:5:1:8, clocks drift, random names",
     NET_NAMES_RANDOM,
     NET_ARCHIMEDEAN,
     NET_CLOCK_DRIFT,
     BENCH_BOTH,
     {100000, 1000000}},
    {'c',
     "vitanyi",
     "f=2^i, bounds 2:5:1:8, clocks fixed, random names",
     NET_NAMES_RANDOM,
     NET_ARCHIMEDEAN,
     NET_CLOCK_FIXED,
     BENCH_BOTH,
     {100000, 1000000}},
    {'d',
     "vitanyi",
     "f=2^i, sync, random names",
     NET_NAMES_RANDOM,
     NET_SYNC,
     NET_CLOCK_FIXED,
     BENCH_ALL,
     {1000, 10000, 100000, 1000000, 10000000}},
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

static const struct section huge = {
    'f',
    "vitanyi",
    "f=2^i, sync, random names, one run on fresh memory",
    NET_NAMES_RANDOM,
    NET_SYNC,
    NET_CLOCK_FIXED,
    1u << BENCH_LOCKSTEP,
    {100000000}};

struct options {
    uint32_t rounds;
    uint32_t nodes_max;
    const char *only; /* letters of sections, or NULL */
    bool huge;
};

/* One workload, ready to run; its engines have a memory each, for what they
 * keep in it differs. */
struct bench {
    union {
        struct vitanyi_params vitanyi;
        struct chang_roberts_params chang_roberts;
    } params;
    struct sim_setup setup[BENCH_OURS];
    struct net_memory memory[BENCH_OURS];
    struct net_names names; /* for those by hand, and... */
    struct net_memory kept; /* ...their memory */
    struct sim_result result[BENCH_ENGINES];
    double seconds[BENCH_ENGINES][BENCH_ROUNDS_MAX];
};

/* ---- One workload -------------------------------------------------------- */

static void fail(int code, const struct section *s, uint32_t nodes,
                 const char *what)
{
    fflush(stdout);
    fprintf(stderr, "bench: (%c) %s, %s, %u nodes: %s\n", s->letter,
            s->protocol, s->title, nodes, what);
    exit(code);
}

static void prepare(struct bench *b, const struct section *s, uint32_t nodes)
{
    bool vitanyi = strcmp(s->protocol, "vitanyi") == 0;
    struct sim_setup setup = {
        .type = sim_find(s->protocol),
        .net.protocol = sim_find(s->protocol)->protocol,
        .net.params = &b->params,
        .net.world = {.nodes = nodes, .bounds = {2, 5, 1, 8}},
        .net.time = s->time,
        .net.clock = s->clock,
        .net.naming = s->naming,
        .net.first_name = 1,
        .net.waking = NET_WAKE_ALL,
    };
    const struct fc_protocol *p = setup.net.protocol;

    memset(b, 0, sizeof *b);
    sim_describe(&setup);
    fc_params_default(p, &b->params);
    if (p->prepare && p->prepare(&b->params, &setup.net.world))
        fail(EXIT_SYSTEM, s, nodes, "the protocol refuses this setup");
    b->setup[BENCH_LOCKSTEP] = setup;
    setup.general = true;
    b->setup[BENCH_GENERAL] = setup;
    setup.type = vitanyi ? &vitanyi_heap : &chang_roberts_heap;
    b->setup[BENCH_HEAP] = setup;
    if (s->engines & BENCH_BY_HAND &&
        net_names_begin(&b->names, &setup.net, SEED, true, &b->kept) != 0)
        fail(EXIT_SYSTEM, s, nodes, "no memory");
}

/* Those by hand are given the names, which ours make in every run. */
static bool run_by_hand(struct bench *b, enum engine engine, uint32_t nodes)
{
    static by_hand_run *const runs[BENCH_ENGINES] = {
        [BENCH_C_HEAP] = by_hand_heap,
        [BENCH_C_WHEEL] = by_hand_wheel,
        [BENCH_C_LOOP] = by_hand_loop,
    };
    struct sim_result *r = &b->result[engine];

    r->events = runs[engine](b->names.array, nodes, &r->leader);
    return r->events > 0;
}

/* Runs one engine `repeats` times; returns the CPU time of one run. */
static double time_runs(struct bench *b, const struct section *s,
                        enum engine engine, uint32_t repeats)
{
    bool ours = engine < BENCH_OURS;
    struct sim_job job = {.seed = SEED,
                          .memory = ours ? &b->memory[engine] : NULL};
    uint32_t nodes = b->setup[BENCH_GENERAL].net.world.nodes;
    double begin = net_seconds_of(CLOCK_THREAD_CPUTIME_ID);

    for (uint32_t i = 0; i < repeats; i++)
        if (ours
                ? sim_run(&b->setup[engine], &job, &b->result[engine]) != SIM_OK
                : !run_by_hand(b, engine, nodes))
            fail(EXIT_SYSTEM, s, nodes, "no memory");
    return (net_seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin) / repeats;
}

/* Whether two engines saw the same.  Bytes differ, and the lockstep engine has
 * no queues whose lengths it could tell. */
static bool same(const struct sim_result *a, const struct sim_result *b)
{
    return a->messages == b->messages &&
           memcmp(a->by_kind, b->by_kind, sizeof a->by_kind) == 0 &&
           a->paper_bits == b->paper_bits && a->wire_bits == b->wire_bits &&
           a->events == b->events && a->end == b->end &&
           a->reached_at == b->reached_at && a->initiators == b->initiators &&
           a->leader == b->leader && a->broken == b->broken && a->cut == b->cut;
}

static void check(const struct bench *b, const struct section *s,
                  uint32_t nodes)
{
    const struct sim_result *first = NULL;

    for (int e = 0; e < BENCH_ENGINES; e++) {
        const struct sim_result *r = &b->result[e];

        if (!(s->engines & 1u << e))
            continue;
        if (e >= BENCH_OURS) {
            if (r->events != first->events || r->leader != first->leader)
                fail(EXIT_DIFFERS, s, nodes, "by hand it is another election");
            continue;
        }
        if (r->broken || r->cut || r->reached_at == FC_NEVER)
            fail(EXIT_DIFFERS, s, nodes, "no proper election");
        if (r->lockstep != (e == BENCH_LOCKSTEP))
            fail(EXIT_DIFFERS, s, nodes, "another engine ran than asked for");
        if (first && !same(first, r))
            fail(EXIT_DIFFERS, s, nodes, "the engines' results differ");
        if (!first)
            first = r;
    }
}

static void progress(const struct section *s, uint32_t nodes, uint32_t round,
                     uint32_t rounds, const char *engine)
{
    static int terminal = -1;

    if (terminal < 0)
        terminal = isatty(STDERR_FILENO);
    if (!terminal)
        return;
    if (engine)
        fprintf(stderr, "\r\033[K(%c) %s, %u nodes: round %u of %u, %s",
                s->letter, s->protocol, nodes, round, rounds, engine);
    else
        fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

/* ---- Rounds -------------------------------------------------------------- */

/* Round 0 finds how often a run must be repeated to be timed; it is not
 * counted. */
static void run_rounds(struct bench *b, const struct section *s, uint32_t nodes,
                       uint32_t rounds)
{
    uint32_t repeats = 1;

    for (uint32_t round = 0; round <= rounds; round++) {
        for (int e = 0; e < BENCH_ENGINES; e++) {
            double seconds;

            if (!(s->engines & 1u << e))
                continue;
            progress(s, nodes, round, rounds, bench_engine_names[e]);
            seconds = time_runs(b, s, (enum engine)e, repeats);
            if (round)
                b->seconds[e][round - 1] = seconds;
        }
        check(b, s, nodes);
        for (int e = 0; e < BENCH_ENGINES && round == 0; e++)
            if (b->result[e].events)
                repeats = 1 + (uint32_t)(ROUND_EVENTS / b->result[e].events);
    }
    progress(s, nodes, 0, 0, NULL);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static struct row *add_row(struct table *t, const struct row *row)
{
    if (t->count == BENCH_ROWS_MAX) {
        fprintf(stderr, "bench: too many rows\n");
        exit(EXIT_SYSTEM);
    }
    t->row[t->count] = *row;
    return &t->row[t->count++];
}

static void measure(struct table *t, const struct section *s, uint32_t nodes,
                    uint32_t rounds)
{
    static struct bench bench;
    struct bench *b = &bench;

    if (nodes >= LARGE_NODES && rounds > LARGE_ROUNDS)
        rounds = LARGE_ROUNDS;
    prepare(b, s, nodes);
    run_rounds(b, s, nodes, rounds);
    for (int e = 0; e < BENCH_ENGINES; e++) {
        struct row row = {
            .section = s, .nodes = nodes, .engine = (enum engine)e};

        if (!(s->engines & 1u << e))
            continue;
        qsort(b->seconds[e], rounds, sizeof b->seconds[e][0], by_value);
        row.events = b->result[e].events;
        row.best = b->seconds[e][0];
        row.median = b->seconds[e][rounds / 2];
        row.bytes = b->result[e].bytes;
        if (s->engines & 1u << BENCH_HEAP)
            row.times_heap = b->seconds[BENCH_HEAP][0] / row.best;
        bench_print_row(stdout, add_row(t, &row));
        if (e < BENCH_OURS)
            net_memory_free(&b->memory[e]);
    }
    net_memory_free(&b->kept);
}

/* The largest ring: one run, on fresh memory, and what the process came to. */
static void measure_huge(struct table *t)
{
    static struct bench bench;
    struct bench *b = &bench;
    uint32_t nodes = huge.nodes[0];
    struct row row = {
        .section = &huge, .nodes = nodes, .engine = BENCH_LOCKSTEP};
    struct rusage usage;

    prepare(b, &huge, nodes);
    progress(&huge, nodes, 1, 1, bench_engine_names[BENCH_LOCKSTEP]);
    row.best = row.median = time_runs(b, &huge, BENCH_LOCKSTEP, 1);
    progress(&huge, nodes, 0, 0, NULL);
    check(b, &huge, nodes);
    row.events = b->result[BENCH_LOCKSTEP].events;
    row.bytes = b->result[BENCH_LOCKSTEP].bytes;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        row.peak_kib = (uint64_t)usage.ru_maxrss;
    bench_print_row(stdout, add_row(t, &row));
    net_memory_free(&b->memory[BENCH_LOCKSTEP]);
}

/* ---- The command line ---------------------------------------------------- */

static const char help[] =
    "usage: bench [--only LETTERS] [--rounds R] [--nodes-max N] [--huge]\n"
    "\n"
    "Times the engines of the simulator against a binary heap.\n"
    "\n"
    "  --only LETTERS  some of\n"
    "                  a  Chang-Roberts, 4096 nodes in the worst order, sync\n"
    "                  b  Chang-Roberts, random names, sync, 10^3..10^7 nodes\n"
    "                  c  both, Archimedean time, 10^5 and 10^6 nodes\n"
    "                  d  Vitanyi, random names, sync, 10^3..10^7 nodes\n"
    "  --rounds R      turns of each engine, 1 to 99; default 5, and at most\n"
    "                  3 from 10^7 nodes on\n"
    "  --nodes-max N   no larger rings\n"
    "  --huge          f: Vitanyi on 10^8 nodes, with the peak of memory\n"
    "\n"
    "Exit: 0 done, 1 the engines differ, 2 used wrongly, 3 the system "
    "refused.\n";

static void usage(const char *what, const char *value)
{
    fprintf(stderr, "bench: %s%s\nbench: --help tells more\n", what, value);
    exit(EXIT_USAGE);
}

static uint32_t number(const char *text, uint32_t most)
{
    char *end;
    unsigned long value;

    errno = 0;
    value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value == 0 ||
        value > most)
        usage("not a number, or out of range: ", text);
    return (uint32_t)value;
}

static struct options read_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"only", required_argument, NULL, 'o'},
        {"rounds", required_argument, NULL, 'r'},
        {"nodes-max", required_argument, NULL, 'n'},
        {"huge", no_argument, NULL, 'u'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct options o = {.rounds = ROUNDS, .nodes_max = NET_NODES_MAX};
    int c;

    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            exit(EXIT_SUCCESS);
        } else if (c == 'o') {
            o.only = optarg;
            if (!*optarg || optarg[strspn(optarg, "abcdf")])
                usage("no such section among a, b, c, d, f: ", optarg);
        } else if (c == 'r') {
            o.rounds = number(optarg, BENCH_ROUNDS_MAX);
        } else if (c == 'n') {
            o.nodes_max = number(optarg, NET_NODES_MAX);
        } else if (c == 'u') {
            o.huge = true;
        } else {
            usage("used wrongly", "");
        }
    }
    if (optind < argc)
        usage("not an option: ", argv[optind]);
    return o;
}

static bool wanted(const struct options *o, char letter)
{
    return !o->only || strchr(o->only, letter);
}

int main(int argc, char **argv)
{
    static struct table table;
    struct options o = read_options(argc, argv);

    bench_print_machine(stdout);
    /* First, while no other workload has raised the peak. */
    if (o.huge || (o.only && strchr(o.only, 'f'))) {
        bench_print_section(stdout, &huge);
        measure_huge(&table);
    }
    for (int i = 0; i < SECTIONS; i++) {
        const struct section *s = &sections[i];

        if (!wanted(&o, s->letter) || s->nodes[0] > o.nodes_max)
            continue;
        bench_print_section(stdout, s);
        for (int n = 0; n < BENCH_SIZES_MAX && s->nodes[n]; n++)
            if (s->nodes[n] <= o.nodes_max)
                measure(&table, s, s->nodes[n], o.rounds);
    }
    bench_print_growth(stdout, &table);
    if (fflush(stdout) != 0 || ferror(stdout))
        return EXIT_SYSTEM;
    return EXIT_SUCCESS;
}
