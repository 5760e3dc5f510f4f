/*
 * sim.c - fulcrum sim PROTOCOL: run it, count its costs, judge the outcome.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "sim/trace.h"

static const char verb[] = "sim";

/* What was asked for besides the setup. */
struct wishes {
    struct cli_words words;
    const char *seed, *runs, *threads, *trace, *svg, *engine;
    bool json, hash;
    uint64_t first_seed, runs_count;
    uint32_t threads_count;
};

static void help(void)
{
    printf(
        "usage: fulcrum sim PROTOCOL -n N [OPTIONS]\n\n"
        "Runs a protocol in the simulator and prints what it cost beside what\n"
        "its paper states.\n\n"
        "network\n"
        "  -n, --nodes N      how many processors, 2 to 1000000000\n"
        "  --names HOW        asc, desc or random, each with :FIRST for the\n"
        "                     least name, or a list clockwise: 3,1,2 [random]\n"
        "  --topology TREE    path, star, binary, random or a file with the\n"
        "                     parent of each node [random]\n"
        "  --wake WHO         all, first, random, random:K, or NAME@TICK,...\n"
        "                     [all]\n"
        "  --links ORDER      fifo, or any: messages may overtake [fifo]\n"
        "time\n"
        "  --time MODEL       sync, archimedean or async [sync]\n"
        "  --bounds RMIN:RMAX:DMIN:DMAX\n"
        "                     ticks of a step and of a delay [2:3:1:4]\n"
        "  --clock HOW        fixed, drift, adversary, or steps:LIST for the\n"
        "                     ticks of each node's step [fixed]\n"
        "  --until TICKS      stop there at the latest\n"
        "faults\n"
        "  --fault WHAT       crash NAME@TICK, restart NAME@TICK,\n"
        "                     restart-blank NAME@TICK, pause NAME@TICK:TICKS,\n"
        "                     cut NAME,...@FROM:TO, loss P, duplicate P,\n"
        "                     reorder P, late P:TICKS, crashes COUNT,\n"
        "                     crashes-blank COUNT; may be repeated\n"
        "  --faults FILE      the same, one a line\n"
        "runs\n"
        "  --set KEY=VALUE    a parameter of the protocol; may be repeated\n"
        "  --seed S           of the first run; the next has S+1 [1]\n"
        "  --runs R           how many [1]\n"
        "  --threads T        on how many cores [all]\n"
        "  --engine WHICH     auto or general [auto]\n"
        "output\n"
        "  --json             for programs\n"
        "  --trace FILE       write the run down, one line per event (- for\n"
        "                     standard output, before the report)\n"
        "  --svg FILE         draw it\n"
        "  --hash             also print a hash of all traces\n\n"
        "Checks that there is one leader, the right one, that all agree and\n"
        "learn it, and that the election ends.  Chaos: steps, delays, phases,\n"
        "order of messages, wake-ups and names, all from the seed.\n\n"
        "Exit: 0 all properties held, 1 one failed, 2 used wrongly, 3 the\n"
        "system refused, 130 stopped by Ctrl-C (with the results so far).\n\n"
        "Examples: fulcrum sim vitanyi -n 8 --svg ring.svg\n"
        "          fulcrum sim chang-roberts -n 1000 --runs 1000 --json\n");
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
    OPTION_FAULT,
    OPTION_FAULTS,
    OPTION_SEED,
    OPTION_RUNS,
    OPTION_THREADS,
    OPTION_UNTIL,
    OPTION_ENGINE,
    OPTION_TRACE,
    OPTION_SVG,
    OPTION_JSON,
    OPTION_HASH,
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
    {"fault", required_argument, NULL, OPTION_FAULT},
    {"faults", required_argument, NULL, OPTION_FAULTS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"runs", required_argument, NULL, OPTION_RUNS},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"until", required_argument, NULL, OPTION_UNTIL},
    {"engine", required_argument, NULL, OPTION_ENGINE},
    {"trace", required_argument, NULL, OPTION_TRACE},
    {"svg", required_argument, NULL, OPTION_SVG},
    {"json", no_argument, NULL, OPTION_JSON},
    {"hash", no_argument, NULL, OPTION_HASH},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Where the argument of an option is kept; NULL for those that have none. */
static const char **place_of(struct wishes *w, int option)
{
    switch (option) {
    case 'n':
        return &w->words.nodes;
    case OPTION_TIME:
        return &w->words.time;
    case OPTION_BOUNDS:
        return &w->words.bounds;
    case OPTION_CLOCK:
        return &w->words.clock;
    case OPTION_LINKS:
        return &w->words.links;
    case OPTION_NAMES:
        return &w->words.names;
    case OPTION_TOPOLOGY:
        return &w->words.topology;
    case OPTION_WAKE:
        return &w->words.wake;
    case OPTION_UNTIL:
        return &w->words.until;
    case OPTION_FAULTS:
        return &w->words.faults_file;
    case OPTION_SEED:
        return &w->seed;
    case OPTION_RUNS:
        return &w->runs;
    case OPTION_THREADS:
        return &w->threads;
    case OPTION_ENGINE:
        return &w->engine;
    case OPTION_TRACE:
        return &w->trace;
    case OPTION_SVG:
        return &w->svg;
    default:
        return NULL;
    }
}

static int take_option(struct wishes *w, int option)
{
    const char **place = place_of(w, option);

    if (place) {
        *place = optarg;
        return 0;
    }
    if (option == OPTION_SET) {
        if (w->words.settings_count == CLI_SETTINGS_MAX)
            return cli_complain(CLI_USAGE, verb, "--set at most %d times",
                                CLI_SETTINGS_MAX);
        w->words.settings[w->words.settings_count++] = optarg;
        return 0;
    }
    if (option == OPTION_FAULT) {
        if (w->words.faults_count == CLI_SETTINGS_MAX)
            return cli_complain(CLI_USAGE, verb,
                                "--fault at most %d times; use --faults FILE",
                                CLI_SETTINGS_MAX);
        w->words.faults[w->words.faults_count++] = optarg;
        return 0;
    }
    if (option == OPTION_JSON)
        w->json = true;
    else if (option == OPTION_HASH)
        w->hash = true;
    else
        return CLI_USAGE; /* getopt has complained */
    return 0;
}

static int check_counts(struct wishes *w)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = cores > 0 ? (uint64_t)cores : 1;

    w->first_seed = w->runs_count = 1;
    if (w->seed && cli_number(w->seed, "--seed", 0, INT64_MAX - UINT32_MAX,
                              &w->first_seed, verb))
        return CLI_USAGE;
    if (w->runs &&
        cli_number(w->runs, "--runs", 1, UINT32_MAX, &w->runs_count, verb))
        return CLI_USAGE;
    if (w->threads &&
        cli_number(w->threads, "--threads", 1, SIM_THREADS_MAX, &threads, verb))
        return CLI_USAGE;
    w->threads_count = (uint32_t)threads;
    if (w->runs_count > 1 && (w->trace || w->svg))
        return cli_complain(CLI_USAGE, verb,
                            "--trace and --svg show one run: leave out --runs "
                            "and choose it by --seed");
    if (w->engine && strcmp(w->engine, "auto") != 0 &&
        strcmp(w->engine, "general") != 0)
        return cli_complain(CLI_USAGE, verb,
                            "--engine %s: choose auto or general", w->engine);
    return 0;
}

/* Returns 0 to go on, or the exit code with *done set. */
static int read_wishes(struct wishes *w, int argc, char **argv, bool *done)
{
    int option, code;

    *done = true;
    while ((option = getopt_long(argc, argv, "n:h", options, NULL)) != -1) {
        if (option == 'h') {
            help();
            return cli_flush(verb, CLI_FINE);
        }
        if ((code = take_option(w, option)))
            return code;
    }
    if (optind == argc)
        return cli_complain(CLI_USAGE, verb,
                            "which protocol? 'fulcrum list' shows them all");
    if (argc - optind > 1)
        return cli_complain(CLI_USAGE, verb,
                            "one protocol at a time; what is '%s'?",
                            argv[optind + 1]);
    w->words.protocol = argv[optind];
    *done = false;
    return check_counts(w);
}

/* ---- Running ------------------------------------------------------------- */

/* Memory the system could give, in bytes; 0 if it does not say. */
static uint64_t memory_available(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    uint64_t kilobytes = 0;

    if (!file)
        return 0;
    while (!kilobytes && fgets(line, sizeof line, file))
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kilobytes = strtoull(line + 13, NULL, 10);
    fclose(file);
    return kilobytes * 1024;
}

/* Refuses what would surely not fit, before the system kills us for it. */
static int check_memory(const struct wishes *w, const struct sim_setup *s)
{
    bool small = s->time == SIM_SYNC && !s->general && !w->trace && !w->svg &&
                 !w->hash && s->waking != SIM_WAKE_RANDOM;
    uint64_t each = small ? 16 : 80;
    uint64_t threads =
        w->threads_count < w->runs_count ? w->threads_count : w->runs_count;
    uint64_t needed = each * s->world.nodes * threads;
    uint64_t there = memory_available();

    if (!there || needed <= there)
        return 0;
    return cli_complain(CLI_SYSTEM, verb,
                        "%" PRIu32 " processors on %" PRIu64 " threads need "
                        "about %.1f GB, and %.1f are free; take fewer",
                        s->world.nodes, threads, (double)needed / 1e9,
                        (double)there / 1e9);
}

static int judge(const struct wishes *w, const struct sim_summary *s)
{
    if (s->no_memory)
        return cli_complain(CLI_SYSTEM, verb,
                            "out of memory after %" PRIu64 " runs; take fewer "
                            "processors or --threads 1",
                            s->runs);
    if (s->stopped && s->runs < w->runs_count)
        return CLI_INTERRUPTED;
    return s->violated ? CLI_VIOLATED : CLI_FINE;
}

static int run(const struct wishes *w, const struct cli_setup *setup,
               struct sim_trace *trace, struct sim_summary *summary)
{
    char title[96];
    struct cli_progress progress = {.title = title};
    struct sim_batch batch = {
        .setup = &setup->sim,
        .seed = w->first_seed,
        .runs = w->runs_count,
        .threads = w->threads_count,
        .hash = w->hash,
        .trace = trace,
        .stop = cli_catch_interrupt(),
        .tell = cli_progress_tell,
        .whom = &progress,
    };
    int failed;

    snprintf(title, sizeof title, "sim %s", w->words.protocol);
    failed = sim_batch(&batch, summary);
    cli_progress_end(&progress);
    if (failed)
        return cli_complain(CLI_SYSTEM, verb, "cannot start a thread: %s",
                            strerror(errno));
    if (summary->runs == 0 && summary->stopped)
        return cli_complain(CLI_INTERRUPTED, verb,
                            "stopped before the first run was complete");
    return 0;
}

static int show(const struct wishes *w, const struct cli_setup *setup,
                const struct sim_summary *summary)
{
    struct cli_report report = {
        .setup = setup,
        .words = &w->words,
        .summary = summary,
        .seed = w->first_seed,
        .runs = w->runs_count,
        .hash = w->hash || w->trace || w->svg,
    };

    if (summary->runs > 0) {
        if (w->json)
            cli_report_json(&report);
        else
            cli_report_table(&report);
    }
    return cli_flush(verb, judge(w, summary));
}

static int run_and_show(const struct wishes *w, struct cli_setup *setup)
{
    struct sim_summary summary;
    struct cli_picture picture;
    char command[CLI_COMMAND_SIZE + 64];
    int code;

    if (!w->trace && !w->svg) {
        code = run(w, setup, NULL, &summary);
        return code ? code : show(w, setup, &summary);
    }
    snprintf(command, sizeof command, "fulcrum sim %s --seed %" PRIu64,
             setup->command, w->first_seed);
    code = cli_picture_begin(&picture, w->trace, w->svg, setup->set, command,
                             verb);
    if (code)
        return code;
    code = run(w, setup, picture.trace, &summary);
    if (!code && summary.runs == 1)
        code = cli_picture_end(&picture, verb);
    else
        cli_picture_abort(&picture);
    return code ? code : show(w, setup, &summary);
}

int cli_sim(int argc, char **argv)
{
    struct wishes w = {.json = false};
    struct cli_setup setup;
    bool done;
    int code = read_wishes(&w, argc, argv, &done);

    if (done || code)
        return code;
    code = cli_setup_begin(&setup, &w.words, verb);
    setup.sim.general = w.engine && strcmp(w.engine, "general") == 0;
    if (!code)
        code = check_memory(&w, &setup.sim);
    if (!code)
        code = run_and_show(&w, &setup);
    cli_setup_free(&setup);
    return code;
}
