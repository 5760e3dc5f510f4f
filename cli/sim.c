/*
 * sim.c - fulcrum sim PROTOCOL: run it, count its costs, judge the outcome.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/replay.h"
#include "cli/report.h"
#include "cli/words.h"
#include "trace/write.h"

static const char verb[] = "sim";

/* What was asked for besides the setup. */
struct wishes {
    struct cli_words words;
    const char *seed, *runs, *threads, *trace, *svg, *engine, *replay;
    bool json, hash, frames;
    uint64_t first_seed, runs_count;
    uint32_t threads_count;
};

static void help(void)
{
    printf(
        "usage: fulcrum sim PROTOCOL -n N [OPTIONS]\n"
        "       fulcrum sim --replay FILE\n\n"
        "Runs a protocol in the simulator and prints what it cost beside what\n"
        "its paper states.\n\n");
    cli_words_help();
    printf(
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
        "  --frames           in --svg: also messages that only say \"I am\n"
        "                     alive\"\n"
        "  --hash             also print a hash of all traces\n"
        "  --replay FILE      every event of a trace once more, compared with\n"
        "                     what is written there\n\n"
        "Checks the properties of the problem: one leader, the right one, and\n"
        "all learn it; never two inside, and everybody gets in; one token.\n"
        "Chaos: steps, delays, phases, order of messages, wake-ups, names and\n"
        "workload, all from the seed.\n\n"
        "Exit: 0 all properties held, 1 one failed, 2 used wrongly, 3 the\n"
        "system refused, 130 stopped by Ctrl-C (with the results so far).\n\n"
        "Examples: fulcrum sim vitanyi -n 8 --svg ring.svg\n"
        "          fulcrum sim chang-roberts -n 1000 --runs 1000 --json\n"
        "          fulcrum sim ricart-agrawala -n 9 --entries 100 --think "
        "exp:50\n");
}

/* ---- Reading the wishes -------------------------------------------------- */

enum option_code {
    OPTION_SEED = 256,
    OPTION_RUNS,
    OPTION_THREADS,
    OPTION_ENGINE,
    OPTION_TRACE,
    OPTION_SVG,
    OPTION_FRAMES,
    OPTION_JSON,
    OPTION_HASH,
    OPTION_REPLAY,
};

static const struct option own_options[] = {
    {"seed", required_argument, NULL, OPTION_SEED},
    {"runs", required_argument, NULL, OPTION_RUNS},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"engine", required_argument, NULL, OPTION_ENGINE},
    {"trace", required_argument, NULL, OPTION_TRACE},
    {"svg", required_argument, NULL, OPTION_SVG},
    {"frames", no_argument, NULL, OPTION_FRAMES},
    {"json", no_argument, NULL, OPTION_JSON},
    {"hash", no_argument, NULL, OPTION_HASH},
    {"replay", required_argument, NULL, OPTION_REPLAY},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int take_option(struct wishes *w, int option)
{
    switch (option) {
    case OPTION_SEED:
        w->seed = optarg;
        return 0;
    case OPTION_RUNS:
        w->runs = optarg;
        return 0;
    case OPTION_THREADS:
        w->threads = optarg;
        return 0;
    case OPTION_ENGINE:
        w->engine = optarg;
        return 0;
    case OPTION_TRACE:
        w->trace = optarg;
        return 0;
    case OPTION_SVG:
        w->svg = optarg;
        return 0;
    case OPTION_FRAMES:
        w->frames = true;
        return 0;
    case OPTION_JSON:
        w->json = true;
        return 0;
    case OPTION_HASH:
        w->hash = true;
        return 0;
    case OPTION_REPLAY:
        w->replay = optarg;
        return 0;
    default:
        return cli_words_take(&w->words, option, optarg, verb);
    }
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
    if (w->frames && !w->svg)
        return cli_complain(CLI_USAGE, verb,
                            "--frames is about a picture: give --svg, too");
    if (w->engine && strcmp(w->engine, "auto") != 0 &&
        strcmp(w->engine, "general") != 0)
        return cli_complain(CLI_USAGE, verb,
                            "--engine %s: choose auto or general", w->engine);
    return 0;
}

/* Returns 0 to go on, or the exit code with *done set. */
static int read_wishes(struct wishes *w, int argc, char **argv, bool *done)
{
    struct option options[CLI_OPTIONS_MAX];
    int option, code;

    *done = true;
    cli_words_options(own_options, options);
    while ((option = getopt_long(argc, argv, "n:h", options, NULL)) != -1) {
        if (option == 'h') {
            help();
            return cli_flush(verb, CLI_FINE);
        }
        if ((code = take_option(w, option)))
            return code;
    }
    if (w->replay)
        return cli_replay(w->replay, verb);
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
    bool small = s->net.time == NET_SYNC && !s->general && !w->trace &&
                 !w->svg && !w->hash && s->net.waking != NET_WAKE_RANDOM;
    uint64_t each = small ? 16 : 80;
    uint64_t threads =
        w->threads_count < w->runs_count ? w->threads_count : w->runs_count;
    uint64_t needed = each * s->net.world.nodes * threads;
    uint64_t there = memory_available();

    if (!there || needed <= there)
        return 0;
    return cli_complain(CLI_SYSTEM, verb,
                        "%" PRIu32 " processors on %" PRIu64 " threads need "
                        "about %.1f GB, and %.1f are free; take fewer",
                        s->net.world.nodes, threads, (double)needed / 1e9,
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
               struct trace_writer *trace, struct sim_summary *summary)
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
    code = cli_picture_begin(&picture, w->trace, w->svg, setup->made.set,
                             command, verb);
    if (code)
        return code;
    picture.frames = w->frames;
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
