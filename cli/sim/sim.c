/*
 * sim.c - fulcrum sim PROTOCOL: run it, count its costs, judge the outcome.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/report/report.h"
#include "cli/sim/sim.h"

/* What was asked for. */
struct wishes {
    struct cli_words words; /* first: see setup.h */
    const char *trace, *svg, *engine, *replay, *states, *strategy, *records;
    const char *values[CLI_REPEATS_MAX];
    uint32_t values_count;
    const char *judge[CLI_REPEATS_MAX];
    uint32_t judge_count;
    bool json, hash, frames;
    uint64_t seed, runs;
    uint32_t threads;

    struct cli_cases cases;
    bool all;        /* of them */
    uint64_t total;  /* runs */
    double messages; /* of one, as its paper states */
    char more[1024]; /* options besides the setup */
    struct cli_recorder recorder;
    struct lab_asked *asked; /* what was read of --judge; or NULL */
};

#define WISHES struct wishes

static const struct cli_option options[] = {
    {.group = "runs"},
    {"seed", 0, "S", "of the first run; the next has S+1 [1]",
     NUMBER(seed, 0, INT64_MAX - UINT32_MAX), .once = true},
    {"runs", 0, "R", "how many, of each case [1]", NUMBER(runs, 1, UINT32_MAX),
     .once = true},
    {"threads", 0, "T", "on how many cores [all]",
     NUMBER(threads, 1, SIM_THREADS_MAX), .once = true},
    {"engine", 0, "WHICH", "auto or general [auto]", AT(engine), "auto|general",
     .once = true},
    {"judge", 0, "TEXT",
     "judge the whole network after every event, by the predicates that the "
     "protocol states ('fulcrum list PROTOCOL'), or by a property of one's "
     "own, such as 'never: some i: lost(i) then leader(i)' (help lists what "
     "it may speak of); may be repeated",
     MANY(judge), .optional = true, .apart = true},
    {"value", 0, "NAME=TABLE:FORMULA",
     "a formula over the records of --records, such as "
     "share=entry:refusals/awake: its mean and extremes; may be repeated",
     MANY(values)},
    {.group = "output"},
    {"json", 0, NULL, "for programs", AT(json), .once = true},
    {"trace", 0, "FILE",
     "write the run down, one line per event (- for standard output, before "
     "the report)",
     AT(trace), "@files", .once = true},
    {"svg", 0, "FILE", "draw it", AT(svg), "@files", .once = true},
    {"records", 0, "FILE",
     "write down each run, each entry, each name of a ring and each phase of "
     "an election, as comma-separated values",
     AT(records), "@files", .once = true},
    {"frames", 0, NULL, "in --svg: also messages that only say \"I am alive\"",
     AT(frames), .once = true},
    {"hash", 0, NULL, "also print a hash of all traces", AT(hash),
     .once = true},
    {"replay", 0, "FILE",
     "replay every event of a trace (- for standard input) and compare it with "
     "what is written there",
     AT(replay), "@files", .once = true},
    {"states", 0, "NODE",
     "with --replay: print each event, and what it changes in the state of its "
     "node; of all nodes, or of one",
     AT(states), .optional = true, .once = true},
    {"strategy", 0, "FILE",
     "play the schedulers of fulcrum check --strategy: coins are from the "
     "seed, all else is as written there",
     AT(strategy), "@files", .once = true},
    {0},
};

/* ---- Reading the wishes -------------------------------------------------- */

static int check_wishes(const struct wishes *w)
{
    int code;

    if (w->runs > 1 && (w->trace || w->svg))
        return cli_refuse("--trace and --svg show one run: leave out --runs "
                          "and choose it by --seed");
    if (w->frames && !w->svg)
        return cli_refuse("--frames is about a picture: give --svg, too");
    if (w->engine && strcmp(w->engine, "auto") != 0 &&
        strcmp(w->engine, "general") != 0)
        return cli_refuse("--engine %s: choose auto or general", w->engine);
    code = cli_can_write(w->trace, w->svg);
    if (!code && w->records)
        code = cli_can_write(w->records, w->trace ? w->trace : w->svg);
    return code ? code : CLI_GO_ON;
}

static int run_replay(const struct wishes *w, int operands)
{
    struct cli_replay r = {w->replay, w->states, w->json, w->judge,
                           w->judge_count};

    if (operands > 0)
        return cli_refuse("--replay: the file says which protocol it is%s",
                          w->states ? "; one node alone is --states=NODE" : "");
    return cli_replay(&r);
}

static int run_strategy(const struct wishes *w, int operands)
{
    struct cli_strategy s = {w->strategy, w->trace, w->svg,
                             w->json,     w->seed,  w->runs};
    int code = check_wishes(w);

    if (operands > 0)
        return cli_refuse("--strategy: the file says which protocol it is");
    return code == CLI_GO_ON ? cli_play_strategy(&s) : code;
}

/* Returns CLI_GO_ON, or an exit code. */
static int read_wishes(struct wishes *w, int argc, char **argv)
{
    int code;

    w->threads = cli_cores(SIM_THREADS_MAX);
    code = cli_options_read(&cli_sim, w, argc, argv);
    if (code != CLI_GO_ON)
        return code;
    if ((w->replay || w->strategy) && (w->records || w->values_count))
        return cli_refuse("--records and --value belong to a simulation of "
                          "its own");
    if (w->states && !w->replay)
        return cli_refuse("--states is about a trace: give --replay, too");
    if (w->replay)
        return run_replay(w, argc - optind);
    if (w->strategy)
        return run_strategy(w, argc - optind);
    code =
        cli_one_protocol(argc - optind, argv + optind, &w->words.net.protocol);
    if (code || (code = check_wishes(w)) != CLI_GO_ON)
        return code;
    cli_words_defaults(&w->words);
    return CLI_GO_ON;
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
    bool told = w->trace || w->svg || w->hash || w->records || w->values_count;
    uint64_t threads = w->threads < w->total ? w->threads : w->total;
    bool lockstep;
    uint64_t needed = sim_least_bytes(s, told, &lockstep) * threads;
    uint64_t there = memory_available();

    if (!there || needed <= there)
        return 0;
    return cli_fail("%" PRIu32 " processors on %" PRIu64
                    " thread%s, in the %s engine, need about %.1f GB, and %.1f "
                    "are free; take fewer",
                    s->net.world.nodes, threads, threads == 1 ? "" : "s",
                    lockstep ? "lockstep" : "general", (double)needed / 1e9,
                    (double)there / 1e9);
}

/* The messages that one run sends by the paper's own count, the least that it
 * states; 0 if it states nothing. */
static double messages_stated(const struct sim_setup *s)
{
    const struct fc_protocol *p = s->net.protocol;
    struct fc_claim claims[FC_CLAIMS_MAX];
    uint32_t count =
        p->claims ? p->claims(s->net.params, &s->net.world, claims) : 0;
    double least = 0;

    for (uint32_t i = 0; i < count; i++) {
        double entries = (double)s->work.entries * s->net.world.initiators;
        double value = claims[i].cost == FC_COST_MESSAGES ? claims[i].value
                       : claims[i].cost == FC_COST_PER_ENTRY
                           ? claims[i].value * entries
                           : 0;

        if (value > 0 && (least == 0 || value < least))
            least = value;
    }
    return least;
}

/* Refuses a run that will not end in anybody's time. */
static int check_length(struct wishes *w, const struct sim_setup *s)
{
    const double messages_max = 1e13, messages_a_day = 1e12;
    double messages = w->messages = messages_stated(s);

    if (s->until || messages <= messages_max)
        return 0;
    return cli_refuse("%s sends about %.1g messages here, which takes %.0f "
                      "days; take fewer processors, or say with --until how "
                      "many ticks to run all the same",
                      s->net.protocol->name, messages,
                      messages / messages_a_day);
}

static int judge(const struct wishes *w, const struct sim_summary *s)
{
    if (s->no_memory)
        return cli_fail("no memory for another run after %" PRIu64
                        "; take fewer processors or --threads 1",
                        s->runs);
    if (s->stopped && s->runs < w->total)
        return CLI_INTERRUPTED;
    return s->violated ? CLI_VIOLATED : CLI_FINE;
}

static int run(struct wishes *w, const struct cli_setup *setup,
               struct trace_listener *trace, struct sim_summary *summary)
{
    char title[96];
    struct cli_progress progress = {.title = title, .messages = w->messages};
    struct sim_batch batch = {
        .setup = &setup->sim,
        .cases = w->all ? &w->cases.sim : NULL,
        .seed = w->seed,
        .runs = w->total,
        .threads = w->threads,
        .recorder = w->recorder.sim.begin ? &w->recorder.sim : NULL,
        .hash = w->hash,
        .trace = trace,
        .stop = cli_catch_interrupt(),
        .tell = cli_progress_tell,
        .whom = &progress,
    };
    int failed;

    snprintf(title, sizeof title, "sim %s", w->words.net.protocol);
    w->recorder.batch = batch;
    cli_recorder_head(&w->recorder);
    failed = sim_batch(&batch, summary);
    cli_progress_end(&progress);
    if (failed)
        return cli_fail("cannot start a thread: %s", strerror(errno));
    if (summary->runs == 0 && summary->stopped)
        return cli_complain(CLI_INTERRUPTED,
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
        .cases = w->all ? &w->cases : NULL,
        .seed = w->seed,
        .runs = w->total,
        .values = &w->recorder.values,
        .more = w->more,
        .hash = w->hash || w->trace || w->svg,
    };

    if (summary->runs > 0) {
        if (w->json)
            cli_report_json(&report);
        else
            cli_report_table(&report);
    }
    return judge(w, summary);
}

static int run_and_show(struct wishes *w, struct cli_setup *setup)
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
             setup->command, w->seed);
    code =
        cli_picture_begin(&picture, w->trace, w->svg, setup->made.set, command);
    if (code)
        return code;
    picture.frames = w->frames;
    code = run(w, setup, picture.trace, &summary);
    if (!code && summary.runs == 1)
        code = cli_picture_end(&picture);
    else
        cli_picture_abort(&picture);
    return code ? code : show(w, setup, &summary);
}

/* What follows the words of the setup in a command. */
static void set_more(struct wishes *w, struct cli_setup *setup)
{
    cli_options_write(options, w, w->more, sizeof w->more);
    cli_append(setup->command, sizeof setup->command, "%s", w->more);
}

/* Makes the setup, or the one of which all cases are made. */
static int set_up(struct wishes *w, struct cli_setup *setup)
{
    struct cli_words plain;
    int code;

    w->total = w->runs;
    w->all = cli_cases_read(&w->cases, &w->words, &plain);
    code = cli_setup_begin(setup, &plain);
    if (code || !w->all)
        return code;
    if (w->trace || w->svg)
        return cli_refuse("--trace and --svg show one run: say which names or "
                          "which starters");
    cli_words_write(&w->words, setup->command, sizeof setup->command);
    code = cli_cases_begin(&w->cases, setup, w->runs);
    w->total = cli_cases_runs(&w->cases);
    return code;
}

/* Reads the wishes, and sets up what can be run; `one`: a run that is kept.
 * Returns CLI_GO_ON, or an exit code; the setup is to be freed in any case. */
static int prepare(struct wishes *w, struct cli_setup *setup, bool one,
                   int argc, char **argv)
{
    int code;

    memset(setup, 0, sizeof *setup);
    *w = (struct wishes){.seed = 1, .runs = 1};
    code = read_wishes(w, argc, argv);
    if (code != CLI_GO_ON)
        return code;
    for (uint32_t i = 0; one && i < w->judge_count; i++)
        if (*w->judge[i])
            return cli_refuse("--judge without a text, here");
    if (one && (w->runs > 1 || w->records || w->values_count))
        return cli_refuse("this shows one run: leave out --runs, --records and "
                          "--value");
    if (one)
        w->trace = "-";
    code = set_up(w, setup);
    setup->sim.general = w->engine && strcmp(w->engine, "general") == 0;
    if (!code)
        code =
            cli_judge_all(&setup->sim.net, w->judge, w->judge_count, &w->asked);
    if (code == CLI_GO_ON)
        return CLI_FINE; /* it has helped */
    if (code || (code = check_memory(w, &setup->sim)) ||
        (code = check_length(w, &setup->sim)))
        return code;
    set_more(w, setup);
    return CLI_GO_ON;
}

int cli_sim_read(struct cli_one_run *run, int argc, char **argv)
{
    struct wishes w;
    int code = prepare(&w, &run->setup, true, argc, argv);

    run->seed = w.seed;
    snprintf(run->command, sizeof run->command,
             "fulcrum sim %s --seed %" PRIu64, run->setup.command, w.seed);
    return code;
}

void cli_sim_report(const struct cli_one_run *run,
                    const struct sim_summary *summary)
{
    const struct cli_values none = {.count = 0};
    struct cli_report report = {.setup = &run->setup,
                                .summary = summary,
                                .seed = run->seed,
                                .runs = 1,
                                .values = &none};

    cli_report_json(&report);
}

static int run_sim(int argc, char **argv)
{
    struct wishes w;
    struct cli_setup setup;
    int code = prepare(&w, &setup, false, argc, argv), end;

    if (code == CLI_GO_ON &&
        !(code = cli_recorder_begin(&w.recorder, w.records, w.values,
                                    w.values_count, &setup)))
        code = run_and_show(&w, &setup);
    end = cli_recorder_end(&w.recorder, code != CLI_SYSTEM);
    cli_setup_free(&setup);
    free(w.asked);
    return end ? end : code;
}

const struct cli_verb cli_sim = {
    .name = "sim",
    .summary = "run a protocol, count its costs, judge the outcome",
    .run = run_sim,
    .usage = "PROTOCOL [OPTIONS]\n--replay FILE\n--strategy FILE [OPTIONS]",
    .about =
        "Runs a protocol in the simulator and prints what it cost beside what "
        "its paper states. Checks the properties of the problem: one leader, "
        "the right one, and all learn it; never two inside, and everybody "
        "gets in; one token. Chaos: steps, delays, phases, order of messages, "
        "wake-ups, names and workload, all from the seed.",
    .exits = "0 all properties held, 1 one failed, 2 wrong usage, 3 a "
             "system error, 130 stopped by Ctrl-C (with the results so far).",
    .examples = "fulcrum sim vitanyi -n 8 --svg ring.svg\n"
                "fulcrum sim chang-roberts -n 1000 --runs 1000 --json\n"
                "fulcrum sim ricart-agrawala -n 9 --entries 100 --think exp:50",
    .options = {cli_words_options, options},
    .reports = true,
    .operands = {"@protocol"},
};
