/*
 * live.c - fulcrum live PROTOCOL: run it as processes over real links, count
 * its costs, judge the outcome.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/report/report.h"
#include "cli/sim/sim.h"
#include "core/text.h"
#include "live/common/crc.h"
#include "live/play/merge.h"
#include "sim/typed.h"

/* A run that does not end on its own is ended after so long. */
#define PATIENCE_US UINT64_C(60000000)

/* On a busy machine a run that should be over by its horizon may need a few
 * times as long. */
enum { HORIZONS = 10 };

/* In time without bounds a tick is only a unit. */
enum { ASYNC_TICK_US = 100 };

struct wishes {
    struct cli_words words; /* first: see setup.h */
    const char *config, *node, *tick, *trace, *svg;
    bool json, frames, judge;
    uint64_t seed;
};
#define WISHES struct wishes

static const struct cli_option options[] = {
    {.group = "network"},
    {"nodes", LIKE("how many processes, 2 to 64 [8; 5 if all are linked]"),
     .once = true},
    {"config", 'c', "FILE",
     "the nodes of a cluster instead: each is started on its machine, with the "
     "same words and its own -i; the first of the file reports",
     AT(config), "@files"},
    {"node", 'i', "NAME", "which node of the cluster this is", AT(node)},
    {"delays", LIKE(""), .once = true}, /* refused */
    {"bits", LIKE(""), .once = true},   /* refused */
    {.group = "time"},
    {"tick", 0, "TIME",
     "how long a tick lasts, such as 500us, 2ms or 1s; auto measures the links "
     "first [auto; async: 100us]",
     AT(tick), "auto|1ms|10ms"},
    {.group = "runs"},
    {"seed", 0, "S", "of names, steps, coins and workload [1]",
     NUMBER(seed, 0, INT64_MAX - UINT32_MAX), .once = true},
    {"judge", 0, NULL,
     "judge the whole network after every event, by the predicates that the "
     "protocol states ('fulcrum list PROTOCOL')",
     AT(judge)},
    {.group = "output"},
    {"json", 0, NULL, "for programs", AT(json), .once = true},
    {"trace", 0, "FILE",
     "write the run down, one line per event (- for standard output, before "
     "the report)",
     AT(trace), "@files", .once = true},
    {"svg", 0, "FILE", "draw it", AT(svg), "@files", .once = true},
    {"frames", 0, NULL, "in --svg: also messages that only say \"I am alive\"",
     AT(frames), .once = true},
    {0},
};

/* Everything of one run. */
struct played {
    struct wishes *w;
    struct cli_setup setup;
    struct net_memory memory;
    struct net_names names;
    struct net_graph graph;
    struct live_play play;
    struct live_stage stage;
    struct live_log log;
    struct live_result result;
    struct live_config config;
    uint64_t horizon; /* the tick by which it is over within its bounds */
    bool impatient;   /* no --until: it is ended by PATIENCE_US */
};

/* ---- Reading the wishes -------------------------------------------------- */

/* Reads "500us", "2ms", "1s". */
static bool read_time(const char *text, uint64_t *us)
{
    static const struct {
        const char *unit;
        uint64_t us;
    } units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};
    size_t digits = strspn(text, "0123456789");
    char number[24];

    if (digits == 0 || digits >= sizeof number)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(text + digits, units[i].unit) == 0)
            return fc_read_number(number, us) &&
                   !__builtin_mul_overflow(*us, units[i].us, us) &&
                   *us >= LIVE_TICK_LEAST_US && *us <= LIVE_TICK_MOST_US;
    return false;
}

static int read_wishes(struct wishes *w, int argc, char **argv)
{
    int code = cli_options_read(&cli_live, w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    code =
        cli_one_protocol(argc - optind, argv + optind, &w->words.net.protocol);
    if (code)
        return code;
    if (w->frames && !w->svg)
        return cli_refuse("--frames is about a picture: give --svg, too");
    code = cli_can_write(w->trace, w->svg);
    if (code)
        return code;
    if (!w->config != !w->node)
        return cli_refuse("-c says which cluster and -i which of its nodes "
                          "this is: give both or neither");
    if (w->config && w->words.net.nodes)
        return cli_refuse("-c says how many nodes there are: leave out -n");
    if (!w->config)
        cli_words_defaults(&w->words);
    return CLI_GO_ON;
}

/* What real links and processes cannot be told. */
static int refuse_what_is_real(const struct wishes *w, const struct net *net)
{
    const struct net_type *type = net_find(net->protocol);
    /* Most states have room for all that links connect. */
    uint32_t most = type->nodes_max < NET_SCENE_MAX ? type->nodes_max
                                                    : (uint32_t)LIVE_PEERS_MAX;

    if (w->words.net.delays || w->words.bits)
        return cli_refuse("%s: real links take as long as they take; 'fulcrum "
                          "sim' has links that do as they are told",
                          w->words.net.delays ? "--delays" : "--bits");
    if (net->world.nodes > most)
        return cli_refuse("%" PRIu32 " processes; %s runs live with up to "
                          "%" PRIu32 ", 'fulcrum sim' with more",
                          net->world.nodes, net->protocol->name, most);
    if (net->type == NULL && type->inside && net->clock == NET_CLOCK_DRIFT &&
        net->time == NET_ARCHIMEDEAN)
        return cli_refuse("%s reads clocks, and those of a machine do not "
                          "drift; leave out --clock drift",
                          net->protocol->name);
    return 0;
}

/* ---- A cluster ----------------------------------------------------------- */

/* Reads the cluster; there are as many nodes as it has. */
static int read_cluster(struct played *p)
{
    static char nodes[16];
    struct net_why error;
    int self;

    if (!live_config_read(&p->config, p->w->config, &error))
        return cli_refuse("%s", error.text);
    self = live_config_find(&p->config, p->w->node);
    if (self < 0)
        return cli_refuse("-i %s: %s names no such node", p->w->node,
                          p->w->config);
    snprintf(nodes, sizeof nodes, "%" PRIu32, p->config.nodes_count);
    p->w->words.net.nodes = nodes;
    p->stage.config = &p->config;
    p->stage.self = (uint32_t)self;
    return 0;
}

/* What only processes of one machine can have; and nodes that were not told the
 * same do not understand each other. */
static int settle_cluster(struct played *p)
{
    const struct net *net = &p->setup.sim.net;
    struct wishes same = *p->w;
    char words[CLI_COMMAND_SIZE];

    if (!p->stage.config)
        return 0;
    if (net->protocol->cells)
        return cli_refuse("%s shares memory, which machines do not: leave out "
                          "-c",
                          net->protocol->name);
    if (p->stage.faults_count)
        return cli_refuse("-c: nodes crash, pause and are cut off where they "
                          "run, not by --fault");
    same.config = same.node = NULL;
    cli_words_write(&same.words, words, sizeof words);
    cli_options_write(options, &same, words, sizeof words);
    cli_append(words, sizeof words, " --seed %" PRIu64, p->w->seed);
    p->config.hash ^= live_crc(words, strlen(words)) + UINT64_C(1);
    return 0;
}

/* ---- Making the run ------------------------------------------------------ */

static int make_places(struct played *p)
{
    const struct net *net = &p->setup.sim.net;
    struct sim_job job = {.seed = p->w->seed, .memory = &p->memory};
    bool failed = false;

    p->play = (struct live_play){.net = net,
                                 .type = net_find(net->protocol),
                                 .names = &p->names,
                                 .graph = &p->graph,
                                 .work = &p->setup.sim.work,
                                 .faults = &p->setup.sim.faults,
                                 .seed = p->w->seed};
    if (net_names_begin(&p->names, net, p->w->seed, true, &p->memory) != 0 ||
        (net->protocol->topology == FC_TREE &&
         net_graph_begin(&p->graph, net, p->w->seed, &p->memory) != 0))
        return cli_no_memory("the network");
    p->play.wakes = sim_wakes(&p->setup.sim, &job, &p->names,
                              &p->play.wakes_count, &failed);
    p->stage.faults =
        sim_faults_begin(&p->setup.sim, &p->names, p->w->seed, &p->memory,
                         &p->stage.faults_count, &failed);
    if (failed)
        return cli_no_memory("the faults");
    for (uint32_t i = 0; i < p->stage.faults_count; i++)
        if (p->stage.faults[i].kind == NET_FAULT_CHANGE)
            return cli_refuse("--fault 'change ...': the processes of a play "
                              "keep their list; try 'fulcrum sim' with it");
    return 0;
}

static int make_stage(struct played *p)
{
    struct sim_setup *s = &p->setup.sim;
    const struct fc_protocol *protocol = s->net.protocol;
    struct live_stage *stage = &p->stage;

    stage->play = &p->play;
    p->horizon = stage->until = sim_last_tick(s);
    if (!s->until && protocol->problem->ends)
        stage->until = fc_times(HORIZONS, p->horizon);
    stage->restless = protocol->restless && protocol->restless(s->net.params);
    stage->stop = cli_catch_interrupt();
    p->impatient = !s->until;
    stage->patience = p->impatient ? PATIENCE_US : UINT64_MAX / 4;
    if (s->net.time == NET_ASYNC)
        stage->tick = ASYNC_TICK_US;
    if (p->w->tick && strcmp(p->w->tick, "auto") != 0 &&
        !read_time(p->w->tick, &stage->tick))
        return cli_refuse("--tick %s: a tick lasts 100us to 10s, such as 2ms; "
                          "or auto",
                          p->w->tick);
    return 0;
}

static int make_run(struct played *p)
{
    int code = p->w->config ? read_cluster(p) : 0;

    if (!code)
        code = cli_setup_begin(&p->setup, &p->w->words);
    if (!code && p->w->judge)
        code = cli_judge(&p->setup.sim.net);
    if (code || (code = refuse_what_is_real(p->w, &p->setup.sim.net)) ||
        (code = make_places(p)) || (code = settle_cluster(p)))
        return code;
    if (p->w->config) { /* the file lists the nodes */
        p->w->words.net.nodes = NULL;
        cli_words_write(&p->w->words, p->setup.command,
                        sizeof p->setup.command);
    }
    cli_options_write(options, p->w, p->setup.command, sizeof p->setup.command);
    return make_stage(p);
}

/* ---- The report ---------------------------------------------------------- */

static void fill_result(const struct played *p, struct sim_result *out)
{
    const struct live_result *r = &p->result;

    *out = (struct sim_result){
        .seed = p->w->seed,
        .paper_bits = r->paper_bits,
        .wire_bits = r->wire_bits,
        .events = r->events,
        .end = r->end,
        .entries = r->entries_done,
        .hash = r->hash,
        .lost = r->lost,
        .copied = r->copied,
        .late = r->delays.count,
        .crashes = r->crashes,
        .pauses =
            r->steps.count > r->pauses ? (uint32_t)r->steps.count : r->pauses,
        .cuts = r->cuts,
        .cut = r->cut,
        .coins = r->coins,
    };
    memcpy(out->by_kind, r->by_kind, sizeof out->by_kind);
    sim_finish(&p->setup.sim, r->broken, &r->outcome, out);
}

static void fill_tally(const struct live_result *r, uint64_t messages,
                       struct sim_tally *t)
{
    uint64_t billed = 0;

    for (uint32_t i = 0; i < r->entries_count; i++) {
        const struct live_entry *e = &r->entries[i];

        sim_scale_add(&t->granting, e->granting);
        sim_stat_add(&t->overtaken, e->overtaken);
        if (e->handoff != FC_NEVER)
            sim_scale_add(&t->handoff, e->handoff);
        if (e->attempts)
            sim_scale_add(&t->attempts, e->attempts);
        t->torn += e->torn;
    }
    for (uint32_t i = 0; i < r->bills_count; i++) {
        sim_stat_add(&t->messages, r->bills[i].messages);
        sim_stat_add(&t->refusals, r->bills[i].refusals);
        billed += r->bills[i].messages;
    }
    t->abandoned = r->abandoned;
    t->unbilled = messages - billed;
    sim_tally_end_run(t, 0);
}

static struct cli_live_bound bound_of(const struct played *p,
                                      const struct live_bound *b)
{
    bool nameless = net_nameless(&p->setup.sim.net);

    return (struct cli_live_bound){
        b->count, b->worst, nameless ? b->node : net_name(&p->names, b->node)};
}

static int show(struct played *p)
{
    static const struct cli_values none;
    struct cli_live live = {
        .tick = p->log.tick,
        .calibrated = p->log.calibrated,
        .round_trip = p->log.round_trip,
        .late = p->log.late,
        .elapsed = p->log.end,
        .unasked = p->result.unasked,
        .steps = bound_of(p, &p->result.steps),
        .delays = bound_of(p, &p->result.delays),
    };
    struct sim_summary summary;
    struct sim_result result;
    struct cli_report report = {
        .setup = &p->setup,
        .words = &p->w->words,
        .summary = &summary,
        .seed = p->w->seed,
        .runs = 1,
        .values = &none,
        .more = "",
        .hash = p->w->trace || p->w->svg,
        .live = &live,
    };

    memset(&summary, 0, sizeof summary);
    fill_result(p, &result);
    sim_summary_add(&summary, &result, 0);
    if (p->setup.sim.net.protocol->problem->repeats)
        fill_tally(&p->result, result.messages, &summary.tally);
    summary.cpu_ns = p->log.cpu_us * 1000;
    if (p->w->json)
        cli_report_json(&report);
    else
        cli_report_table(&report);
    if (p->log.stopped)
        return CLI_INTERRUPTED;
    return summary.violated || live.unasked ? CLI_VIOLATED : CLI_FINE;
}

/* ---- Running ------------------------------------------------------------- */

/* A run that was stopped: how far it came is how far it was meant to go. */
static void set_end(struct played *p)
{
    struct sim_setup *s = &p->setup.sim;
    uint64_t ticks = p->log.end / p->log.tick;

    if (p->log.quiet || p->log.done)
        return;
    if (p->log.stopped || (p->impatient && ticks < p->horizon))
        s->until = ticks ? ticks : 1;
}

static int play(struct played *p, struct trace_listener *trace)
{
    struct net_why error;

    if (!live_stage_play(&p->stage, &p->log, &error))
        return cli_fail("%s", error.text);
    if (p->log.stopped && p->log.acts_count == 0)
        return cli_complain(CLI_INTERRUPTED, "stopped before the start");
    set_end(p);
    if (!live_merge(&p->play, &p->log, trace, &p->result))
        return cli_fail("no memory for the run; stop earlier by --until");
    if (p->result.differs)
        return cli_fail("node %" PRIu32 " did what its protocol does not do; "
                        "please report this",
                        p->result.differs_node);
    return 0;
}

static int play_and_show(struct played *p)
{
    struct wishes *w = p->w;
    struct cli_picture picture;
    char command[CLI_COMMAND_SIZE + 64];
    int code;

    if (!w->trace && !w->svg) {
        code = play(p, NULL);
        return code ? code : show(p);
    }
    snprintf(command, sizeof command, "fulcrum live %s --seed %" PRIu64,
             p->setup.command, w->seed);
    code = cli_picture_begin(&picture, w->trace, w->svg, p->setup.made.set,
                             command);
    if (code)
        return code;
    picture.frames = w->frames;
    code = play(p, picture.trace);
    if (code)
        cli_picture_abort(&picture);
    else
        code = cli_picture_end(&picture);
    return code ? code : show(p);
}

/* A node whose stage is elsewhere. */
static int join(struct played *p)
{
    struct net_why error;

    if (!live_stage_join(&p->stage, &error))
        return cli_fail("%s", error.text);
    if (atomic_load_explicit(p->stage.stop, memory_order_relaxed))
        return CLI_INTERRUPTED;
    printf("%s has played its part; %s reports\n", p->w->node,
           p->config.nodes[0].name);
    return CLI_FINE;
}

static int run_live(int argc, char **argv)
{
    struct wishes w = {.seed = 1};
    struct played *p;
    int code = read_wishes(&w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    p = calloc(1, sizeof *p);
    if (!p)
        return cli_no_memory("the run");
    p->w = &w;
    code = make_run(p);
    if (!code)
        code = p->stage.config && p->stage.self ? join(p) : play_and_show(p);
    live_result_free(&p->result);
    live_log_free(&p->log);
    net_memory_free(&p->memory);
    cli_setup_free(&p->setup);
    free(p);
    return code;
}

const struct cli_verb cli_live = {
    .name = "live",
    .summary = "run a protocol as processes over real links",
    .run = run_live,
    .usage = "PROTOCOL [OPTIONS]\nPROTOCOL -c FILE -i NAME [OPTIONS]",
    .about =
        "Runs a protocol as one process for each node on this machine, over "
        "the authenticated links of the daemons, and prints what it cost as "
        "'fulcrum sim' does. Nodes take steps and count ticks as in the "
        "simulator, but a tick is real time, delays are those of the links, "
        "and faults are done to the processes: crash is kill -9, pause stops "
        "one, cut drops its links. Says when a bound was broken, how often "
        "and how badly.",
    .exits = "0 all properties held, 1 one failed or a node died "
             "unexpectedly, 2 wrong usage, 3 a system error, 130 stopped by "
             "Ctrl-C (with the results so far).",
    .examples = "fulcrum live vitanyi -n 5 --tick 2ms --svg real.svg\n"
                "fulcrum live bully -n 5 --fault 'crash 4@40'\n"
                "fulcrum live ricart-agrawala -n 4 --time async --json",
    .options = {options, cli_words_options},
    .reports = true,
    .operands = {"@protocol"},
};
