/*
 * check_cluster.c - fulcrum check cluster: whole live nodes, in all runs that
 * depart from a calm day a few times.
 */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/rehearse/rehearse.h"
#include "live/rehearse/explore.h"

enum { SECOND = 1000000, TIME = 8 * SECOND, PATIENCE_SECONDS = 10 };

struct wishes {
    const char *faults, *without, *replay;
    uint64_t time, memory;
    uint32_t departures;
    bool json;
};
#define WISHES struct wishes

static const struct cli_option options[] = {
    {.group = "runs"},
    {"departures", 0, "D",
     "how often a run departs from a calm day, at most; fewer are tried first "
     "[1]",
     NUMBER(departures, 0, LIVE_DEPARTURES_MAX)},
    {"time", 0, "T", "seconds of a run in which it may depart [8]",
     SECONDS(time, 1000)},
    {"faults", 0, "LIST",
     "only such departures, as for rehearse: kill, crash, freeze, sleep, "
     "stall, cut, loss, disk, old, lost, clock, client, stop; or all, or none "
     "[all]; and, only if it is asked for, change",
     AT(faults),
     "all|none|kill|crash|freeze|sleep|stall|cut|loss|disk|old|lost|clock|"
     "client|stop|change"},
    {"without", 0, "RULE",
     "leave out a rule of the locks, to see what it is for, as for rehearse",
     AT(without), CLI_RULES},
    {.group = "search"},
    {"memory", 0, "MIB", "at most, for what was seen",
     NUMBER(memory, 1, UINT64_C(1) << 30)},
    {.group = "output"},
    {"replay", 0, "LIST",
     "one run, event by event: its departures as POINT:KIND,...; or calm",
     AT(replay), .once = true},
    {"json", 0, NULL, "for programs", AT(json), .once = true},
    {0},
};

static bool changes(const struct wishes *w)
{
    return w->faults && strstr(w->faults, "change");
}

/* ---- Reading the wishes -------------------------------------------------- */

/* One departure: "17:lost".  Returns what follows, or NULL. */
static const char *read_departure(const char *at, struct live_departure *d)
{
    char *rest;
    size_t length;

    d->number = strtoull(at, &rest, 10);
    if (rest == at || *at == '-' || *rest != ':')
        return NULL;
    length = strcspn(++rest, ",");
    for (uint32_t k = LIVE_IF_CALM + 1; k < LIVE_DEPARTURE_KINDS; k++) {
        const char *name = live_departure_name((enum live_departure_kind)k);

        d->kind = (enum live_departure_kind)k;
        if (strlen(name) == length && strncmp(name, rest, length) == 0)
            return rest + length + (rest[length] == ',');
    }
    return NULL;
}

/* Returns the number of departures, or -1 after a complaint. */
static int read_path(const char *list, struct live_departure *path)
{
    int count = 0;

    if (strcmp(list, "calm") == 0)
        return 0;
    while (*list) {
        const char *rest = count < LIVE_DEPARTURES_MAX
                               ? read_departure(list, &path[count])
                               : NULL;

        if (!rest || (count && path[count].number <= path[count - 1].number)) {
            cli_refuse("--replay: '%s' is not what a violation prints; "
                       "departures are POINT:KIND in the order of their "
                       "points, such as 17:lost,203:killed",
                       list);
            return -1;
        }
        list = rest;
        count++;
    }
    return count;
}

/* CLI_GO_ON, or an exit code. */
static int read_wishes(struct wishes *w, struct live_rehearsal *setup,
                       struct live_config *config, int argc, char **argv)
{
    struct net_why error;
    int code = cli_options_read(&cli_check_cluster, w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (optind < argc)
        return cli_refuse("'%s' is not an option", argv[optind]);
    if (w->replay && w->json)
        return cli_refuse(
            "--replay is for people, --json for programs: take one");
    if (!live_smallest_cluster(config, &error))
        return cli_fail("%s", error.text);
    *setup = (struct live_rehearsal){.config = config,
                                     .seed = 1,
                                     .time = w->time,
                                     .clients = 1,
                                     .locks = 1,
                                     .log = w->replay};
    if (w->without &&
        !live_left_out_find(&setup->without, w->without, LIVE_PROVEN))
        return cli_refuse_rule(w->without, LIVE_PROVEN);
    code = cli_read_faults(w->faults, LIVE_PROVEN, &setup->faults);
    for (uint32_t i = 0; i < LIVE_FAULTS && !code; i++)
        if (setup->faults >> i & 1 &&
            (i == LIVE_FAULT_GENERATION || i == LIVE_FAULT_KEY ||
             i == LIVE_FAULT_UPGRADE))
            code = cli_refuse("--faults %s: it is none of this search; "
                              "'fulcrum rehearse' has it",
                              live_fault_names[i]);
    return code ? code : CLI_GO_ON;
}

/* ---- Reporting ----------------------------------------------------------- */

static void write_command(const struct wishes *w, char *text, size_t size)
{
    snprintf(text, size, "fulcrum check cluster");
    cli_options_write(options, w, text, size);
}

/* The command that shows the run of the violation. */
static void write_again(const struct wishes *w, const struct live_explored *r,
                        char *text, size_t size)
{
    write_command(w, text, size);
    cli_append(text, size, " --replay %s", r->path_count ? "" : "calm");
    for (uint32_t i = 0; i < r->path_count; i++)
        cli_append(text, size, "%s%" PRIu64 ":%s", i ? "," : "",
                   r->path[i].number, live_departure_name(r->path[i].kind));
}

static const char *verdict_of(const struct live_explored *r)
{
    return r->end == LIVE_EXPLORED   ? "holds"
           : r->end == LIVE_VIOLATED ? "violated"
                                     : "incomplete";
}

static json_t *path_json(const struct live_config *config,
                         const struct live_explored *r)
{
    json_t *list = json_array();
    char text[128];

    for (uint32_t i = 0; i < r->path_count; i++) {
        const struct live_departure *d = &r->path[i];

        live_departure_tell(config, d, text, sizeof text);
        json_array_append_new(list,
                              json_pack("{s:I, s:s, s:f, s:s}", "point",
                                        (json_int_t)d->number, "kind",
                                        live_departure_name(d->kind), "at",
                                        (double)d->at / SECOND, "what", text));
    }
    return list;
}

static void print_json(const struct wishes *w, const struct live_config *config,
                       const struct live_explored *r)
{
    json_t *levels = json_array(), *o;
    char again[512];

    for (uint32_t d = 0; d <= r->departures; d++) {
        const struct live_level *l = &r->levels[d];

        json_array_append_new(
            levels,
            json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "departures",
                      (json_int_t)d, "runs", (json_int_t)l->runs, "merged",
                      (json_int_t)l->merged, "worlds", (json_int_t)l->worlds,
                      "points", (json_int_t)l->points, "ends",
                      (json_int_t)l->ends));
    }
    write_command(w, again, sizeof again);
    o = json_pack("{s:s, s:s, s:I, s:f, s:o, s:I, s:f, s:s}", "version",
                  FULCRUM_VERSION, "verdict", verdict_of(r), "departures",
                  (json_int_t)w->departures, "time", (double)w->time / SECOND,
                  "levels", levels, "bytes", (json_int_t)r->bytes, "seconds",
                  r->cpu_seconds, "command", again);
    if (r->end == LIVE_VIOLATED) {
        write_again(w, r, again, sizeof again);
        json_object_set_new(
            o, "violation",
            json_pack("{s:s, s:s, s:f, s:o, s:s}", "property",
                      cli_promises[r->first.broken].name, "what", r->first.why,
                      "at", (double)r->first.at / SECOND, "departures",
                      path_json(config, r), "again", again));
    }
    json_dumpf(o, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(o);
}

static void print_levels(const struct live_explored *r)
{
    printf("  departures        points          runs        merged\n");
    for (uint32_t d = 0; d <= r->departures; d++) {
        char points[32], runs[32], merged[32];

        printf("  %10" PRIu32 " %13s %13s %13s\n", d,
               cli_grouped(r->levels[d].points, points, sizeof points),
               cli_grouped(r->levels[d].runs, runs, sizeof runs),
               cli_grouped(r->levels[d].merged, merged, sizeof merged));
    }
}

static void print_violation(const struct wishes *w,
                            const struct live_config *config,
                            const struct live_explored *r)
{
    char text[512];

    for (uint32_t i = 0; i < r->path_count; i++) {
        const struct live_departure *d = &r->path[i];

        live_departure_tell(config, d, text, sizeof text);
        printf("  %12.6f  %s (%" PRIu64 ":%s)\n", (double)d->at / SECOND, text,
               d->number, live_departure_name(d->kind));
    }
    printf("  %12.6f  %s\n\n", (double)r->first.at / SECOND, r->first.why);
    write_again(w, r, text, sizeof text);
    printf("again: %s\n", text);
}

static const char *bound_of(uint32_t departures, char *text, size_t size)
{
    if (departures == 0)
        snprintf(text, size, "no departure");
    else
        snprintf(text, size, "at most %" PRIu32 " departure%s", departures,
                 departures == 1 ? "" : "s");
    return text;
}

/* The exact result so far. */
static void print_verdict(const struct wishes *w,
                          const struct live_config *config,
                          const struct live_explored *r)
{
    char bound[64], command[512];

    printf("\n");
    if (r->end == LIVE_VIOLATED) {
        printf("%s violated with %" PRIu32 " departure%s: %s\n\n", cli_cross(),
               r->path_count, r->path_count == 1 ? "" : "s",
               cli_promises[r->first.broken].sentence);
        print_violation(w, config, r);
        return;
    }
    if (r->end == LIVE_EXPLORED || r->departures > 0) {
        uint32_t known = r->departures - (r->end != LIVE_EXPLORED);

        printf("%s holds in every run of %g s with %s:\n", cli_tick(),
               (double)w->time / SECOND, bound_of(known, bound, sizeof bound));
        for (uint32_t i = LIVE_KEPT + 1;
             i < (changes(w) ? (uint32_t)CLI_PROMISES : LIVE_HELD_OUTSIDE); i++)
            printf("    %s\n", cli_promises[i].sentence);
    }
    if (r->end != LIVE_EXPLORED)
        printf("? incomplete with %s: %s\n",
               bound_of(r->departures, bound, sizeof bound),
               r->end == LIVE_NO_ROOM ? "memory is exhausted" : "stopped");
    write_command(w, command, sizeof command);
    printf("again: %s\n", command);
}

static void print_text(const struct wishes *w, const struct live_config *config,
                       const struct live_explored *r)
{
    char bound[64];

    printf("two nodes and a witness%s, a client at each node, one lock: %g s, "
           "%s%s%s\n\n",
           changes(w) ? ", and another that wants to join" : "",
           (double)w->time / SECOND,
           bound_of(w->departures, bound, sizeof bound),
           w->without ? ", without " : "", w->without ? w->without : "");
    print_levels(r);
    printf("  %-10s %13.2f  of CPU time\n", "seconds", r->cpu_seconds);
    print_verdict(w, config, r);
}

/* ---- Running ------------------------------------------------------------- */

struct telling {
    bool shown, told;
};

static void tell(void *whom, const struct live_explored *r)
{
    struct telling *t = whom;
    const struct live_level *l = &r->levels[r->departures];
    char runs[32];
    uint64_t whole = (uint64_t)r->seconds;

    cli_grouped(l->runs, runs, sizeof runs);
    if (cli_is_terminal(stderr) && whole > 0) {
        t->shown = true;
        fprintf(stderr,
                "\rcheck cluster  departures %" PRIu32
                "  %s runs  %.0f MB  %" PRIu64 ":%02" PRIu64 "\033[K",
                r->departures, runs, (double)r->bytes / 1e6, whole / 60,
                whole % 60);
    } else if (!t->told && whole >= PATIENCE_SECONDS) {
        t->told = true;
        cli_note("%s runs with at most %" PRIu32 " departures after %" PRIu64
                 " s; smaller: fewer --departures, a shorter --time, fewer "
                 "--faults; Ctrl-C stops it",
                 runs, r->departures, whole);
    }
}

static int replay(const struct wishes *w, const struct live_rehearsal *setup)
{
    struct live_departure path[LIVE_DEPARTURES_MAX];
    struct live_rehearsed result;
    int count = read_path(w->replay, path), made;

    if (count < 0)
        return CLI_USAGE;
    made = live_replay(setup, path, (uint32_t)count, &result);
    if (made < 0)
        return cli_no_memory("the run");
    if (made < count)
        return cli_refuse("--replay: at point %" PRIu64 " there is no '%s' in "
                          "this run; are the other options the same?",
                          path[made].number,
                          live_departure_name(path[made].kind));
    return result.broken == LIVE_KEPT ? CLI_FINE : CLI_VIOLATED;
}

static int run_cluster(int argc, char **argv)
{
    static struct live_config config;
    struct wishes w = {.time = TIME, .departures = 1};
    struct telling telling = {0};
    struct live_exploration what = {.tell = tell, .whom = &telling};
    struct live_explored result;
    int failed, code = read_wishes(&w, &what.setup, &config, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (w.replay)
        return replay(&w, &what.setup);
    what.departures = w.departures;
    what.memory = (size_t)w.memory << 20;
    what.stop = cli_catch_interrupt();
    failed = live_explore(&what, &result);
    if (telling.shown)
        fprintf(stderr, "\r\033[K");
    if (failed)
        return cli_fail("no memory for the states; take fewer --departures");
    if (w.json)
        print_json(&w, &config, &result);
    else
        print_text(&w, &config, &result);
    return result.end == LIVE_VIOLATED      ? CLI_VIOLATED
           : result.end == LIVE_INTERRUPTED ? CLI_INTERRUPTED
           : result.end == LIVE_NO_ROOM     ? CLI_SYSTEM
                                            : CLI_FINE;
}

const struct cli_verb cli_check_cluster = {
    .name = "check",
    .asked = "check cluster",
    .run = run_cluster,
    .usage = "cluster [OPTIONS]",
    .about =
        "Tries whole live nodes: the code of the daemons of two nodes and a "
        "witness, with links, records, and a client with guard and command at "
        "each node, in virtual time. All runs are tried that depart from a "
        "calm day at most so often: a datagram is lost or late, a link is cut, "
        "a daemon is killed or stands still before something that it does, a "
        "machine crashes or sleeps, a record is lost, a command stays long. "
        "After that time everybody must be served. A violation comes with the "
        "fewest departures that show it.",
    .exits = "0 all that is promised holds, 1 a promise is broken, 2 wrong "
             "usage, 3 incomplete: memory is exhausted, 130 stopped by Ctrl-C.",
    .examples = "fulcrum check cluster --departures 2 --faults cut,loss\n"
                "fulcrum check cluster --without V3",
    .options = {options},
    .reports = true,
};
