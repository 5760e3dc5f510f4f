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
#include "cli/json.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/sim_records.h"
#include "cli/sim_strategy.h"
#include "net/judge.h"
#include "trace/replay.h"
#include "trace/write.h"

/* What was asked for. */
struct wishes {
    struct cli_words words; /* first: see setup.h */
    const char *trace, *svg, *engine, *replay, *strategy, *records;
    const char *values[CLI_REPEATS_MAX];
    uint32_t values_count;
    bool json, hash, frames, judge;
    uint64_t seed, runs;
    uint32_t threads;

    struct cli_cases cases;
    bool all;        /* of them */
    uint64_t total;  /* runs */
    char more[1024]; /* options besides those of the setup */
    struct cli_recorder recorder;
};

#define AT(field)                  .offset = offsetof(struct wishes, field)
#define NUMBER(field, least, most) CLI_NUMBER(struct wishes, field, least, most)

static const struct cli_option options[] = {
    {.group = "runs"},
    {"seed", 0, "S", "of the first run; the next has S+1 [1]",
     NUMBER(seed, 0, INT64_MAX - UINT32_MAX)},
    {"runs", 0, "R", "how many, of each case [1]", NUMBER(runs, 1, UINT32_MAX)},
    {"threads", 0, "T", "on how many cores [all]",
     NUMBER(threads, 1, SIM_THREADS_MAX)},
    {"engine", 0, "WHICH", "auto or general [auto]", AT(engine),
     "auto|general"},
    {"judge", 0, NULL,
     "judge the whole network after every event, by the predicates that the "
     "protocol states ('fulcrum list PROTOCOL')",
     AT(judge), .again = true},
    {"value", 0, "NAME=TABLE:FORMULA",
     "a formula over the records of --records, such as "
     "share=entry:refusals/awake: its mean and extremes; may be repeated",
     AT(values), .count = offsetof(struct wishes, values_count), .again = true},
    {.group = "output"},
    {"json", 0, NULL, "for programs", AT(json)},
    {"trace", 0, "FILE",
     "write the run down, one line per event (- for standard output, before "
     "the report)",
     AT(trace), "@files"},
    {"svg", 0, "FILE", "draw it", AT(svg), "@files"},
    {"records", 0, "FILE",
     "write down each run, each entry, each name of a ring and each phase of "
     "an election, as comma-separated values",
     AT(records), "@files"},
    {"frames", 0, NULL, "in --svg: also messages that only say \"I am alive\"",
     AT(frames)},
    {"hash", 0, NULL, "also print a hash of all traces", AT(hash)},
    {"replay", 0, "FILE",
     "replay every event of a trace (- for standard input) and compare it with "
     "what is written there",
     AT(replay), "@files"},
    {"strategy", 0, "FILE",
     "play the schedulers of fulcrum check --strategy: coins are from the "
     "seed, all else is as written there",
     AT(strategy), "@files"},
    {0},
};

/* ---- Replaying a trace --------------------------------------------------- */

static int say_replayed(const struct trace_replay *r, bool differs,
                        const char *path, const struct fc_protocol *protocol)
{
    int code = differs ? CLI_VIOLATED : CLI_FINE;

    if (differs)
        printf("%s, line %" PRIu32 ": the replay differs\n  then: %s\n"
               "  now:  %s\n",
               path, r->line, r->then, r->now);
    else
        printf("%s: %" PRIu32 " events, each as written\n", path, r->events);
    for (uint32_t i = 0; i <= FC_SANE_BIT && !differs; i++)
        if (r->broken >> i & 1) {
            printf("%s violated: %s, line %" PRIu32 "\n", cli_cross(),
                   fc_property(protocol, i), r->broken_at);
            code = CLI_VIOLATED;
        }
    return code;
}

static void add_amount(json_t *o, const char *name, const char *of,
                       uint64_t value)
{
    char text[64];

    snprintf(text, sizeof text, "%s%s", name, of);
    json_object_set_new(o, text, cli_json_number(value));
}

/* What nodes sent, until something if `when` says so. */
static void add_sums(json_t *o, const struct trace_amounts *a,
                     const struct trace_sums *sums, const struct net *net,
                     const char *when)
{
    const struct fc_protocol *p = net->protocol;
    bool ring = !p->anonymous &&
                (p->topology == FC_RING || p->topology == FC_RING_BOTH);
    char name[64];

    add_amount(o, "messages", when, sums->messages);
    for (uint32_t kind = 1; kind < p->kinds_count; kind++) {
        snprintf(name, sizeof name, "messages.%s", p->kinds[kind].name);
        add_amount(o, name, when, sums->kinds[kind]);
    }
    add_amount(o, "paper-bits", when, sums->paper_bits);
    for (uint32_t i = 0; ring && i < net->world.nodes; i++) {
        snprintf(name, sizeof name, "passes.%" PRIu64, (uint64_t)a->name[i]);
        add_amount(o, name, when, sums->passes[i]);
    }
}

/* What the run amounts to, under the names of fulcrum check --max. */
static json_t *amounts_json(const struct trace_amounts *a,
                            const struct net *net)
{
    const struct fc_protocol *p = net->protocol;
    bool elects = strcmp(p->problem->name, "election") == 0;
    const struct fc_quantity *q;
    json_t *o = json_object();

    add_sums(o, a, &a->sums, net, "");
    if (elects && a->goal_at != FC_NEVER)
        add_sums(o, a, &a->at_goal, net, "@elected");
    if (p->problem->repeats) {
        add_amount(o, "overtaken", "", a->overtaken);
        add_amount(o, "overtaken.one", "", a->overtaken_one);
    }
    for (uint32_t i = 0;
         i < TRACE_OWN_MAX && (q = trace_own_quantity(net_type_of(net), i));
         i++)
        if (a->own[i].any || (q->over != FC_OVER_WAIT && q->over != FC_APART))
            add_amount(o, q->name, "", a->own[i].value);
    if (net->time == NET_ASYNC)
        return o;
    add_amount(o, "end", "", a->end);
    if (p->problem->repeats)
        add_amount(o, "granting-delay", "", a->granting);
    if (!elects || a->start_at == FC_NEVER)
        return o;
    add_amount(o, "end-after", "", a->end - a->start_at);
    if (a->goal_at == FC_NEVER)
        return o;
    add_amount(o, "elected-at", "", a->goal_at);
    add_amount(o, "elected-after", "", a->goal_at - a->start_at);
    return o;
}

static int say_replayed_json(const struct trace_replay *r, bool differs,
                             const char *path, const struct net *net)
{
    json_t *o = json_pack("{s:s,s:b}", "trace", path, "same", !differs);
    json_t *violated = json_array();
    int code = differs ? CLI_VIOLATED : CLI_FINE;

    if (differs)
        json_object_set_new(o, "differs",
                            json_pack("{s:o,s:s,s:s}", "line",
                                      cli_json_number(r->line), "then", r->then,
                                      "now", r->now));
    else
        json_object_set_new(o, "events", cli_json_number(r->events));
    if (!differs)
        json_object_set_new(o, "amounts", amounts_json(&r->amounts, net));
    for (uint32_t i = 0; i <= FC_SANE_BIT && !differs; i++)
        if (r->broken >> i & 1) {
            json_array_append_new(
                violated, json_pack("{s:s,s:o}", "property",
                                    fc_property(net->protocol, i), "line",
                                    cli_json_number(r->broken_at)));
            code = CLI_VIOLATED;
        }
    json_object_set_new(o, "violations", violated);
    cli_json_print(o, 0);
    return code;
}

static int report_replayed(enum trace_replayed how, struct trace_replay *r,
                           const struct wishes *w, const struct net *net)
{
    bool differs = how == TRACE_REPLAY_DIFFERS;
    int code;

    if (how == TRACE_REPLAY_UNREADABLE)
        return cli_refuse("%s, line %" PRIu32 ": %s", w->replay, r->line,
                          r->what);
    if (how == TRACE_REPLAY_NO_MEMORY)
        return cli_fail("no memory");
    code = w->json ? say_replayed_json(r, differs, w->replay, net)
                   : say_replayed(r, differs, w->replay, net->protocol);
    free(r->then);
    free(r->now);
    return code;
}

/* Complains if there is nothing to judge. */
static int set_predicates(const struct wishes *w, struct net *net)
{
    if (!w->judge)
        return 0;
    net->predicates = net_predicates(net->protocol, net->params);
    return net->predicates
               ? 0
               : cli_refuse("--judge: %s states no predicates over the whole "
                            "network with these parameters",
                            net->protocol->name);
}

static int replay(const struct wishes *w, const struct trace *t)
{
    struct net_made made;
    struct net_refusal refusal = {0};
    struct trace_replay result;
    int code;

    if (trace_network(t, &made, &refusal)) {
        code = set_predicates(w, &made.net);
        if (!code)
            code = report_replayed(trace_replay(&made.net, t, &result), &result,
                                   w, &made.net);
    } else
        code = cli_complain(refusal.system ? CLI_SYSTEM : CLI_USAGE, "%s: %s",
                            w->replay, refusal.why);
    net_unmake(&made);
    return code;
}

static int run_replay(const struct wishes *w)
{
    struct trace trace;
    char error[TRACE_ERROR_SIZE];
    int result = trace_read(&trace, w->replay, error, sizeof error);

    if (result < 0)
        return cli_complain(result == TRACE_SYSTEM ? CLI_SYSTEM : CLI_USAGE,
                            "%s", error);
    result = replay(w, &trace);
    trace_free(&trace);
    return result;
}

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
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int code;

    w->threads = cores > 0 ? (uint32_t)cores : 1;
    code = cli_options_read(&cli_sim, w, argc, argv);
    if (code != CLI_GO_ON)
        return code;
    if ((w->replay || w->strategy) && (w->records || w->values_count))
        return cli_refuse("--records and --value belong to a simulation of "
                          "its own");
    if (w->replay)
        return run_replay(w);
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
    bool small = s->net.time == NET_SYNC && !s->general && !w->trace &&
                 !w->svg && !w->hash && s->net.waking != NET_WAKE_RANDOM;
    uint64_t each = small ? 16 : 80;
    uint64_t threads = w->threads < w->total ? w->threads : w->total;
    uint64_t needed = each * s->net.world.nodes * threads;
    uint64_t there = memory_available();

    if (!there || needed <= there)
        return 0;
    return cli_fail(
        "%" PRIu32 " processors on %" PRIu64
        " threads need about %.1f GB, and %.1f are free; take fewer",
        s->net.world.nodes, threads, (double)needed / 1e9, (double)there / 1e9);
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
static int check_length(const struct sim_setup *s)
{
    const double messages_max = 1e13, messages_a_day = 1e12;
    double messages = messages_stated(s);

    if (s->until || messages <= messages_max)
        return 0;
    return cli_refuse("%s sends about %.1g messages here, which takes %.1g "
                      "days; take fewer processors, or say with --until how "
                      "many ticks to run all the same",
                      s->net.protocol->name, messages,
                      messages / messages_a_day);
}

static int judge(const struct wishes *w, const struct sim_summary *s)
{
    if (s->no_memory)
        return cli_fail("out of memory after %" PRIu64
                        " runs; take fewer processors or --threads 1",
                        s->runs);
    if (s->stopped && s->runs < w->total)
        return CLI_INTERRUPTED;
    return s->violated ? CLI_VIOLATED : CLI_FINE;
}

static int run(struct wishes *w, const struct cli_setup *setup,
               struct trace_listener *trace, struct sim_summary *summary)
{
    char title[96];
    struct cli_progress progress = {.title = title};
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
    size_t used = strlen(setup->command);

    cli_options_write(options, w, w->more, sizeof w->more);
    snprintf(setup->command + used, sizeof setup->command - used, "%s",
             w->more);
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

static int run_sim(int argc, char **argv)
{
    struct wishes w = {.seed = 1, .runs = 1};
    struct cli_setup setup;
    int code = read_wishes(&w, argc, argv), end;

    if (code != CLI_GO_ON)
        return code;
    code = set_up(&w, &setup);
    setup.sim.general = w.engine && strcmp(w.engine, "general") == 0;
    if (!code)
        code = set_predicates(&w, &setup.sim.net);
    if (!code)
        code = check_memory(&w, &setup.sim);
    if (!code)
        code = check_length(&setup.sim);
    if (!code)
        code = cli_recorder_begin(&w.recorder, w.records, w.values,
                                  w.values_count, &setup);
    if (!code) {
        set_more(&w, &setup);
        code = run_and_show(&w, &setup);
    }
    end = cli_recorder_end(&w.recorder, code != CLI_SYSTEM);
    cli_setup_free(&setup);
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
    .exits = "0 all properties held, 1 one failed, 2 used wrongly, 3 the "
             "system refused, 130 stopped by Ctrl-C (with the results so far).",
    .examples = "fulcrum sim vitanyi -n 8 --svg ring.svg\n"
                "fulcrum sim chang-roberts -n 1000 --runs 1000 --json\n"
                "fulcrum sim ricart-agrawala -n 9 --entries 100 --think exp:50",
    .options = {cli_words_options, options},
    .reports = true,
    .operands = {"@protocol"},
};
