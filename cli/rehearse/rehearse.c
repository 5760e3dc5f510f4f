/*
 * rehearse.c - fulcrum rehearse: a cluster of live nodes in virtual time, with
 * faults drawn from a seed.
 */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/rehearse/rehearse.h"
#include "live/rehearse/series.h"
#include "sim/batch.h"

enum {
    SECOND = 1000000,
    NODES = 3,
    RUNS = 20,
    CLIENTS = 2,
    LOCKS = 2,
    MOST_TOGETHER = 8, /* clients of a node, and locks */
    THREADS_MAX = 256,
};

struct wishes {
    const char *config, *mode, *faults, *without;
    uint32_t nodes, clients, locks, threads;
    uint64_t seed, runs, time, every;
    uint32_t outside; /* faults that the mode does not promise to survive */
    bool witness, log, json, grace;
};
#define WISHES struct wishes

static const struct cli_option options[] = {
    {.group = "cluster"},
    {"config", 'c', "FILE",
     "this cluster: its nodes, witnesses and times; neither its addresses nor "
     "its key are used",
     AT(config), "@files"},
    {"nodes", 'n', "N",
     "without a file: this many nodes, with the usual times [3]",
     NUMBER(nodes, 2, LIVE_FIRST_MAX)},
    {"mode", 0, "MODE",
     "without a file: proven, or silence, which rests on hard bounds [proven]",
     AT(mode), "proven|silence"},
    {"witness", 0, NULL, "without a file: the last of them is a witness",
     AT(witness)},
    {"clients", 0, "K", "at each node [2]", NUMBER(clients, 1, MOST_TOGETHER)},
    {"locks", 0, "L", "that they ask for [2]", NUMBER(locks, 1, MOST_TOGETHER)},
    {.group = "faults"},
    {"faults", 0, "LIST",
     "kill, crash, freeze, sleep, stall, cut, flap, loss, disk, old, lost, "
     "clock, client, stop; or all, or none [all that the mode promises to "
     "survive]; and, only if they are asked for: change, key, upgrade (the "
     "list "
     "and the times, the key, and the versions of the nodes change while they "
     "run: all,change,key,upgrade), and generation, a list that changes node "
     "by node",
     AT(faults),
     "all|none|kill|crash|freeze|sleep|stall|cut|flap|loss|disk|old|lost|clock|"
     "client|stop|change|key|upgrade|generation"},
    {"every", 0, "T",
     "seconds from fault to fault, at most; all orders of magnitude below that "
     "are equally likely [1]",
     SECONDS(every, 1000)},
    {"grace", 0, NULL,
     "holders that must go are told so first, as 'fulcrum node' does; some "
     "end then, and some do not",
     AT(grace)},
    {"without", 0, "RULE",
     "leave out a rule of the locks, to see what it is for: a rule of the "
     "protocol (P2, F1 to F4, L2 to L6, V2 to V4, K4; with --faults change: "
     "R1-sync, R2, R2-lease, R2-quiet, R2-prev, R2a, R3, R4-wait, R5, "
     "R6-joins, R6a), of the desk (K, first-K, expiry, death, once), of the "
     "machine "
     "(P1, P3, P4, P6, R8, R9, vacate, guard, client, start), of mode silence "
     "(acks, mute, lease, pause, leave, "
     "floor)",
     AT(without), CLI_RULES "|acks|mute|lease|pause|leave|floor"},
    {.group = "runs"},
    {"time", 0, "T", "seconds of a run, before everything is healed [60]",
     SECONDS(time, SECOND)},
    {"seed", 0, "S", "of the first run [1]",
     NUMBER(seed, 0, INT64_MAX - UINT32_MAX), .once = true},
    {"runs", 0, "R", "with a seed each [20]", NUMBER(runs, 1, UINT32_MAX),
     .once = true},
    {"threads", 0, "T", "on how many cores; the result is the same [all]",
     NUMBER(threads, 1, THREADS_MAX), .once = true},
    {.group = "output"},
    {"log", 0, NULL, "of one run: what happens, a line each", AT(log),
     .once = true},
    {"json", 0, NULL, "for programs", AT(json), .once = true},
    {0},
};

/* ---- Reading the wishes -------------------------------------------------- */

int cli_read_faults(const char *list, enum live_mode_name mode, uint32_t *set)
{
    *set = 0;
    if (!list)
        list = "all";
    if (strcmp(list, "none") == 0)
        return 0;
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");
        bool all = length == 3 && strncmp(at, "all", 3) == 0;
        uint32_t i = 0;

        if (all) {
            *set |= live_faults_assumed(mode);
            at += length + (at[length] == ',');
            continue;
        }
        while (i < LIVE_FAULTS &&
               (strlen(live_fault_names[i]) != length ||
                strncmp(live_fault_names[i], at, length) != 0))
            i++;
        if (i == LIVE_FAULTS)
            return cli_refuse("--faults: there is no '%.*s'; 'fulcrum rehearse "
                              "--help' lists them",
                              (int)length, at);
        if (live_faults_unknown(mode) >> i & 1 && i == LIVE_FAULT_CHANGE)
            return cli_refuse("--faults change: in mode silence the list does "
                              "not change while nodes run; leave it out, or "
                              "--mode silence");
        if (live_faults_unknown(mode) >> i & 1)
            return cli_refuse("--faults %s: a node in mode silence whose "
                              "record is lost or set back cannot come back; "
                              "its cluster has to start over, with a higher "
                              "generation",
                              live_fault_names[i]);
        *set |= 1u << i;
        at += length + (at[length] == ',');
    }
    return 0;
}

/* P6 rests on nodes that hear each other while a list changes. */
static int refuse_deaf(uint32_t set)
{
    uint32_t deaf = live_faults_deaf(set), i = 0;

    if (set >> LIVE_FAULT_GENERATION & 1 && set >> LIVE_FAULT_CHANGE & 1)
        return cli_refuse("--faults generation, change: a list changes by one "
                          "of them; a new generation forgets the other "
                          "changes");
    if (!deaf)
        return 0;
    while (!(deaf >> i & 1))
        i++;
    return cli_refuse("--faults generation, %s: nodes that do not hear each "
                      "other while the list changes may give a lock twice, as "
                      "docs/live.md says; leave out %s",
                      live_fault_names[i], live_fault_names[i]);
}

/* What would be wrong with the file that is made of options: the user has not
 * written one, and a line of it would tell nothing. */
static int refuse_options(const struct wishes *w)
{
    bool silence = w->mode && strcmp(w->mode, "silence") == 0;

    if (w->mode && !silence && strcmp(w->mode, "proven") != 0)
        return cli_refuse("there is no mode '%s'; choose proven, "
                          "which assumes nothing of delays, or silence",
                          w->mode);
    if (silence && w->witness)
        return cli_refuse("mode silence needs no majority, and so no witness: "
                          "leave out --witness, or --mode silence");
    return 0;
}

/* A cluster with the usual times, as a file would have it. */
static bool make_config(const struct wishes *w, struct live_config *config,
                        struct net_why *error)
{
    char text[4096];
    bool silence = w->mode && strcmp(w->mode, "silence") == 0;
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "[cluster]\nkey = none\nstate = /\nsocket = /%%i\ngeneration = 1\n"
        "mode = %s\n%s",
        w->mode ? w->mode : "proven",
        silence ? "bounds = hard\ndmax = 5ms\nstep = 10ms\nlease = 100ms\n"
                : "");

    for (uint32_t i = 0; i < w->nodes; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "[node %c%s]\nhost = 127.0.0.1\nport = %" PRIu32 "\n%s",
            'a' + (int)i % 26, i < 26 ? "" : "2", 7001 + i,
            w->witness && i + 1 == w->nodes ? "witness = yes\n" : "");
    return live_config_parse(config, "the cluster", text, used, error);
}

static int read_config(const struct wishes *w, struct live_config *config)
{
    struct net_why error;

    if (w->config && (w->nodes || w->witness || w->mode))
        return cli_refuse("%s says which nodes there are, and how they agree: "
                          "leave out -n, --witness and --mode",
                          w->config);
    if (!w->config && refuse_options(w))
        return CLI_USAGE;
    if (!(w->config ? live_config_load(config, w->config, &error)
                    : make_config(w, config, &error)))
        return cli_refuse("%s", error.text);
    config->nodes_count = config->first_count;
    return 0;
}

int cli_refuse_rule(const char *rule, enum live_mode_name mode)
{
    char names[512] = "";
    const char *name;

    for (uint32_t i = 0; (name = live_left_out_name(i, mode)); i++)
        cli_append(names, sizeof names, "%s%s", i ? ", " : "", name);
    return cli_refuse("--without %s: there is no such rule%s; there are %s",
                      rule, mode == LIVE_SILENCE ? " in mode silence" : "",
                      names);
}

/* CLI_GO_ON, or an exit code. */
static int read_wishes(struct wishes *w, struct live_rehearsal *setup,
                       struct live_config *config, int argc, char **argv)
{
    int code = cli_options_read(&cli_rehearse, w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (optind < argc)
        return cli_refuse("'%s' is not an option", argv[optind]);
    if (w->log && w->runs != 1)
        return cli_refuse("--log is for one run: add --runs 1");
    if (w->log && w->json)
        return cli_refuse("--log is for people, --json for programs: take one");
    if (!w->threads)
        w->threads = cli_cores(THREADS_MAX);
    if (w->threads > w->runs)
        w->threads = (uint32_t)w->runs;
    if (!w->config && !w->nodes)
        w->nodes = NODES;
    *setup = (struct live_rehearsal){.config = config,
                                     .seed = w->seed,
                                     .time = w->time,
                                     .clients = w->clients,
                                     .locks = w->locks,
                                     .every = w->every,
                                     .grace = w->grace,
                                     .log = w->log};
    if ((code = read_config(w, config)) ||
        (code = cli_read_faults(w->faults, config->mode, &setup->faults)) ||
        (code = refuse_deaf(setup->faults)))
        return code;
    if (w->without &&
        !live_left_out_find(&setup->without, w->without, config->mode))
        return cli_refuse_rule(w->without, config->mode);
    w->outside = setup->faults & ~live_faults_assumed(config->mode) &
                 ~live_faults_asked();
    return CLI_GO_ON;
}

/* ---- Reporting ----------------------------------------------------------- */

const struct cli_promise cli_promises[CLI_PROMISES] = {
    [LIVE_TWO_INSIDE] = {"exclusion", "never two inside"},
    [LIVE_WITHOUT_LEASE] = {"lease", "no lock without a lease"},
    [LIVE_TOKEN_BACK] = {"tokens", "tokens grow"},
    [LIVE_BEYOND_DEADLINE] = {"deadline", "no command outlives its deadline"},
    [LIVE_NOT_SERVED] = {"served", "all are served after healing"},
    [LIVE_NODE_BROKE] = {"node", "no node stops without a reason"},
    [LIVE_HELD_OUTSIDE] = {"list", "who was removed holds nothing"},
    [LIVE_NOT_CHANGED] = {"change", "every change ends after healing"},
};

/* The command that shows one run. */
static void print_again(const struct wishes *w, uint64_t seed, char *text,
                        size_t size)
{
    int used = snprintf(text, size,
                        "fulcrum rehearse --seed %" PRIu64 " --runs 1", seed);

    if (used > 0 && (size_t)used < size)
        cli_options_write(options, w, text + used, size - (size_t)used);
}

static void print_json(const struct wishes *w, const struct live_config *config,
                       const struct live_series_sum *s)
{
    char again[512];
    json_t *faults = json_object(), *o, *one;

    for (uint32_t i = 0; i < LIVE_FAULTS; i++)
        json_object_set_new(faults, live_fault_names[i],
                            json_integer((json_int_t)s->all.done[i]));
    o = json_pack(
        "{s:s, s:I, s:s, s:o, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:o}",
        "version", FULCRUM_VERSION, "nodes", (json_int_t)config->nodes_count,
        "mode", config->mode == LIVE_SILENCE ? "silence" : "proven", "seed",
        cli_json_name(w->seed), "runs", (json_int_t)s->runs, "violations",
        (json_int_t)s->violations, "cluster_seconds",
        (double)s->all.at / SECOND, "events", (json_int_t)s->all.events,
        "datagrams", (json_int_t)s->all.datagrams, "entries",
        (json_int_t)s->all.entries, "lost", (json_int_t)s->all.lost, "changes",
        (json_int_t)s->all.changes, "faults", faults);
    if (s->violations) {
        print_again(w, s->seed, again, sizeof again);
        one = json_pack("{s:s, s:b, s:s, s:o, s:f, s:s}", "property",
                        cli_promises[s->first.broken].name, "outside",
                        w->outside != 0, "what", s->first.why, "seed",
                        cli_json_name(s->seed), "at",
                        (double)s->first.at / SECOND, "again", again);
        json_object_set_new(o, "violation", one);
    }
    json_object_set_new(o, "cpu_seconds", json_real(s->cpu_seconds));
    json_dumpf(o, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(o);
}

static void print_faults(const struct live_series_sum *s)
{
    char number[32];
    uint32_t count = 0;

    printf("  %-34s", "faults");
    for (uint32_t i = 0; i < LIVE_FAULTS; i++) {
        if (!s->all.done[i])
            continue;
        if (count && count % 4 == 0)
            printf(",\n  %-34s", "");
        else if (count)
            printf(", ");
        printf("%s %s", live_fault_names[i],
               cli_grouped(s->all.done[i], number, sizeof number));
        count++;
    }
    puts(count ? "" : "none");
}

static void print_count(const char *what, uint64_t count)
{
    char number[32];

    printf("  %-34s%s\n", what, cli_grouped(count, number, sizeof number));
}

static void print_text(const struct wishes *w, const struct live_config *config,
                       const struct live_series_sum *s)
{
    double hours = (double)s->all.at / SECOND / 3600;
    bool silence = config->mode == LIVE_SILENCE;
    bool changes = s->all.done[LIVE_FAULT_CHANGE] != 0;
    char again[512];

    printf("%" PRIu32 " node%s%s, %" PRIu32 " client%s each, %" PRIu32
           " lock%s; seed=%" PRIu64 " runs=%" PRIu64 "%s%s\n",
           config->nodes_count, config->nodes_count == 1 ? "" : "s",
           silence ? " in mode silence" : "", w->clients,
           w->clients == 1 ? "" : "s", w->locks, w->locks == 1 ? "" : "s",
           w->seed, s->runs, w->without ? ", without " : "",
           w->without ? w->without : "");
    printf("  %-34s%.2f in %.1f s of CPU time\n", "cluster hours", hours,
           s->cpu_seconds);
    print_count("datagrams", s->all.datagrams);
    print_count("entries", s->all.entries);
    print_count("commands killed", s->all.lost);
    if (changes)
        print_count("changes of the list, ended", s->all.changes);
    print_faults(s);
    for (uint32_t i = LIVE_KEPT + 1; i < CLI_PROMISES; i++) {
        bool good = !s->violations || s->first.broken != i;

        if ((s->violations && good) || (silence && i == LIVE_WITHOUT_LEASE) ||
            (!changes && i >= LIVE_HELD_OUTSIDE))
            continue;
        printf("  %-32s", cli_promises[i].sentence);
        cli_print_verdict(good, good ? "holds"
                                : w->outside
                                    ? "violated outside its assumptions"
                                    : "violated");
        putchar('\n');
    }
    if (!s->violations)
        return;
    print_again(w, s->seed, again, sizeof again);
    if (w->outside)
        puts("    mode silence assumes that no two live nodes are cut off from "
             "each other");
    printf("    seed %" PRIu64 ", after %.6f s: %s\n", s->seed,
           (double)s->first.at / SECOND, s->first.why);
    printf("again: %s --log\n", again);
}

/* ---- Running ------------------------------------------------------------- */

struct telling {
    struct cli_progress progress;
    uint64_t runs;
};

static void tell(void *whom, uint64_t done, uint64_t events, double seconds)
{
    struct telling *t = whom;
    struct sim_batch_progress p = {.runs_done = done,
                                   .runs = t->runs,
                                   .events = events,
                                   .seconds = seconds};

    cli_progress_tell(&t->progress, &p);
}

static int run_rehearse(int argc, char **argv)
{
    static struct live_config config;
    struct wishes w = {.clients = CLIENTS,
                       .locks = LOCKS,
                       .seed = 1,
                       .runs = RUNS,
                       .time = 60 * (uint64_t)SECOND,
                       .every = SECOND};
    struct telling telling = {.progress = {.title = "rehearse"}};
    struct live_series series = {.tell = tell, .whom = &telling};
    struct live_series_sum sum;
    int failed, code = read_wishes(&w, &series.setup, &config, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    series.runs = telling.runs = w.runs;
    series.threads = w.threads;
    series.stop = cli_catch_interrupt();
    if (w.log)
        series.tell = NULL;
    failed = live_series(&series, &sum);
    cli_progress_end(&telling.progress);
    if (failed)
        return cli_fail(
            "no memory for the runs, or no thread could be started; take "
            "--threads 1");
    if (w.json)
        print_json(&w, &config, &sum);
    else
        print_text(&w, &config, &sum);
    if (sum.violations)
        return CLI_VIOLATED;
    return sum.stopped ? CLI_INTERRUPTED : CLI_FINE;
}

const struct cli_verb cli_rehearse = {
    .name = "rehearse",
    .summary = "a live cluster in virtual time, with every fault",
    .run = run_rehearse,
    .usage = "[-n N | -c FILE] [OPTIONS]",
    .about =
        "Runs the code of the daemons, with links, records, clients, guards "
        "and commands, in virtual time. Faults are drawn from the seed: "
        "processes and machines die, freeze and come back, links are cut in "
        "any pattern, packets are lost, copied and late, disks are slow, full "
        "or set back, clocks run at different rates. Judged are exclusion, "
        "tokens, deadlines, and that everybody is served once everything is "
        "healed.",
    .exits = "0 as promised, 1 a promise was broken, 2 wrong usage, 3 a "
             "system error, 130 interrupted",
    .examples = "fulcrum rehearse -n 5 --runs 100\n"
                "fulcrum rehearse -c cluster.ini --faults cut,freeze\n"
                "fulcrum rehearse --without V3 --runs 1000",
    .options = {options},
    .reports = true,
};
