/*
 * worst.c - fulcrum worst PROTOCOL --of Q: the most of something that any case
 * costs, or the most that can be found.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/worst/worst.h"
#include "net/grow.h"
#include "net/outside.h"
#include "net/seconds.h"

enum { DEFAULT_BUDGET = 200000 };

#define WISHES struct cli_worst

static const struct cli_option options[] = {
    {.group = "search"},
    {"of", 0, "Q",
     "what to look for: messages, messages.KIND, passes, paper-bits, "
     "wire-bits, end, elected-at, queue, granting-delay, handoff, overtaken, "
     "refusals, attempts",
     AT(of),
     "messages|passes|paper-bits|wire-bits|end|elected-at|queue|granting-delay|"
     "handoff|overtaken|refusals|attempts"},
    {"least", 0, NULL, "the least of it, not the most", AT(least)},
    {"over", 0, "LIST",
     "what varies: names, wake or wake:TICK, delays, speeds, phases, seed or "
     "seed:COUNT, and parameters of the protocol [all of the first four that "
     "no option fixes]",
     AT(over), "names|wake|delays|speeds|phases|seed"},
    {"budget", 0, "B",
     "how many runs, or for how long: 30s; all cases are tried if they are no "
     "more [200000]",
     AT(budget)},
    {"than", 0, "FORMULA",
     "look for the smallest number of processors, up to N, with more than "
     "this: 5*N, 2*N + 3*N*u/m",
     AT(than)},
    {"families", 0, "FILE", "begin with these, not with those built in",
     AT(families_file), "@files"},
    {.group = "runs"},
    {"seed", 0, "S", "of the search, and of all that is drawn in a run [1]",
     NUMBER(seed, 0, INT64_MAX - UINT32_MAX)},
    {"threads", 0, "T", "on how many cores; the result is the same [all]",
     NUMBER(threads, 1, SIM_THREADS_MAX)},
    {.group = "output"},
    {"json", 0, NULL, "for programs", AT(json)},
    {0},
};

/* ---- Reading the wishes -------------------------------------------------- */

/* Runs, or seconds. */
static int read_budget(struct cli_worst *w)
{
    const char *text = w->budget;
    size_t length = text ? strlen(text) : 0;
    char *end;

    w->runs = DEFAULT_BUDGET;
    if (!text)
        return 0;
    if (!length || text[length - 1] != 's')
        return cli_number(text, "--budget", 1, UINT64_C(1) << 48, &w->runs);
    w->seconds = strtod(text, &end);
    w->runs = 0;
    if (end == text || strcmp(end, "s") != 0 || !(w->seconds > 0) ||
        w->seconds > 1e7)
        return cli_refuse("--budget %s: give a number of runs, or seconds such "
                          "as 30s",
                          text);
    return 0;
}

/* The whole of a file; NULL: complained. */
static char *read_file(const char *path)
{
    struct net_why why = {.text = "it is empty"};
    size_t size;
    char *text = outside_text(path, OUTSIDE_HAND_MAX, &size, &why);

    if (text && size > 0)
        return text;
    (void)cli_fail("cannot read the families %s: %s", path, why.text);
    free(text);
    return NULL;
}

static int read_families(struct cli_worst *w)
{
    const char *path = w->families_file;
    struct net_why why = {0};
    char *text = path ? read_file(path) : NULL;
    bool fine;

    if (path && !text)
        return CLI_SYSTEM;
    fine =
        lab_families_read(&w->families, path ? text : lab_families_text, &why);
    free(text);
    return fine ? 0
                : cli_refuse("%s, %s", path ? path : "lab/families.ini",
                             why.text);
}

/* Returns CLI_GO_ON, or an exit code. */
static int read_wishes(struct cli_worst *w, int argc, char **argv)
{
    struct net_why why = {0};
    const struct fc_protocol *p;
    int code;

    w->threads = cli_cores(SIM_THREADS_MAX);
    code = cli_options_read(&cli_worst, w, argc, argv);
    if (code != CLI_GO_ON)
        return code;
    code =
        cli_one_protocol(argc - optind, argv + optind, &w->words.net.protocol);
    if (code)
        return code;
    p = net_choose(w->words.net.protocol, &why);
    if (!p)
        return cli_refused(&why);
    if (!w->of)
        return cli_refuse("what of it? Say --of messages, or --of end; "
                          "'fulcrum worst --help' lists more");
    if (!lab_measure(p, w->of, &w->measure, &why))
        return cli_refuse("--of %s: %s", w->of, why.text);
    if (w->than && !cli_counts_names(w->words.net.names))
        return cli_refuse("--than tries several numbers of processors: leave "
                          "out the list of names, and say -n N");
    if ((code = read_budget(w)) || (code = read_families(w)))
        return code;
    cli_words_defaults(&w->words);
    return CLI_GO_ON;
}

/* ---- Searching ----------------------------------------------------------- */

/* Seconds become runs, by how long some take here. */
static int count_runs(struct cli_worst *w, const struct cli_arena *a)
{
    const double sample_seconds = 0.2;
    struct lab_trial trial;
    struct lab_random random = {w->seed};
    uint64_t *genes = calloc(a->space.genes + 1, sizeof *genes);
    double from, seconds = 0;
    int64_t score;
    bool fine = genes != NULL;

    if (w->runs || !fine) {
        free(genes);
        return fine ? 0 : cli_no_memory("a case");
    }
    fine = lab_trial_begin(&trial, &a->space, &w->measure, w->least);
    from = net_seconds();
    while (fine && seconds < sample_seconds) {
        lab_space_random(&a->space, &random, genes);
        fine = lab_trial_run(&trial, genes, &score) == SIM_OK;
        seconds = net_seconds() - from;
    }
    w->runs = 1 + (uint64_t)((double)trial.runs * w->threads * w->seconds /
                             (seconds > 0 ? seconds : 1));
    lab_trial_end(&trial);
    free(genes);
    return fine ? 0 : cli_no_memory("a case");
}

/* The same for a size of which nothing else is wanted now. */
static int count_runs_of(struct cli_worst *w, uint32_t nodes)
{
    struct cli_arena arena;
    int code = cli_arena_begin(&arena, w, nodes);

    if (!code)
        code = count_runs(w, &arena);
    cli_arena_free(&arena);
    return code;
}

/* The score that must be exceeded. */
static int64_t goal_of(const struct cli_worst *w, const struct lab_number *than)
{
    double near = than->exact ? 0 : 1e-9 * than->value;
    struct lab_number bound = *than;
    int64_t whole = 0;

    if (!than->exact)
        bound.value += w->least ? -near : near;
    if (w->least) {
        bound.top = -bound.top;
        bound.value = -bound.value;
    }
    (void)lab_floor(&bound, &whole);
    return whole;
}

static int evaluate_than(const struct cli_worst *w, struct cli_finding *f)
{
    struct lab_letter letters[LAB_LETTERS_MAX];
    struct net_why why = {0};
    char known[256] = "";

    if (!w->than)
        return 0;
    (void)lab_letters(&f->arena.sims[0].net, letters);
    if (lab_evaluate(w->than, letters, &f->than, &why))
        return 0;
    for (const struct lab_letter *l = letters; l->name; l++)
        cli_append(known, sizeof known, "%s%s", l == letters ? "" : ", ",
                   l->name);
    return cli_refuse("--than %s: %s; letters here are %s", w->than, why.text,
                      known);
}

/* Looks for the worst of one size. */
static int search(const struct cli_worst *w, struct cli_finding *f,
                  const uint64_t *starts, uint32_t starts_count)
{
    char title[96];
    struct cli_progress progress = {.title = title};
    struct lab_quest quest = {
        .space = &f->arena.space,
        .measure = w->measure,
        .least = w->least,
        .budget = w->runs,
        .seed = w->seed,
        .threads = w->threads,
        .families = &w->families,
        .starts = starts,
        .starts_count = starts_count,
        .has_goal = w->than != NULL,
        .goal = w->than ? goal_of(w, &f->than) : 0,
        .stop = cli_catch_interrupt(),
        .tell = cli_progress_tell,
        .whom = &progress,
    };
    int failed;

    snprintf(title, sizeof title, "worst %s -n %" PRIu32, w->words.net.protocol,
             f->arena.space.nodes);
    failed = lab_worst(&quest, &f->found);
    cli_progress_end(&progress);
    if (failed || f->found.no_memory)
        return cli_fail(
            "no memory for the runs, or no thread could be started; take "
            "fewer processors or --threads 1");
    f->exceeds =
        w->than && f->found.score != LAB_NONE && f->found.score > quest.goal;
    return 0;
}

static void free_finding(struct cli_finding *f)
{
    cli_arena_free(&f->arena);
    free(f->found.genes);
}

static int search_one(struct cli_worst *w)
{
    struct cli_finding f = {0};
    int code = cli_arena_begin(&f.arena, w, 0);

    if (!code)
        code = count_runs(w, &f.arena);
    if (!code)
        code = search(w, &f, NULL, 0);
    if (!code)
        code =
            cli_worst_report(w, &f, 1, f.found.score == LAB_NONE ? NULL : &f);
    if (!code && f.found.stopped)
        code = CLI_INTERRUPTED;
    free_finding(&f);
    return code;
}

/* ---- The smallest size --------------------------------------------------- */

/* All sizes that are tried, in the order in which they are. */
struct sizes {
    struct cli_finding *all;
    uint32_t count;
};

/* Sets up one more, and what points to the others is void; NULL with an exit
 * code. */
static struct cli_finding *add_size(const struct cli_worst *w, struct sizes *s,
                                    uint32_t nodes, int *code)
{
    struct cli_finding *f;

    if (!net_grow(&s->all, s->count, sizeof *s->all)) {
        *code = cli_no_memory("the findings");
        return NULL;
    }
    f = &s->all[s->count++];
    memset(f, 0, sizeof *f);
    *code = cli_arena_begin(&f->arena, w, nodes);
    if (*code == 0)
        *code = evaluate_than(w, f);
    return *code == 0 ? f : NULL;
}

/* From the larger ring's case, with each of its nodes left out. */
static int search_below(const struct cli_worst *w, struct cli_finding *f,
                        const struct cli_finding *larger)
{
    const struct lab_space *s = &f->arena.space, *l = &larger->arena.space;
    enum { STARTS_MAX = 64 };
    uint32_t count = l->nodes < STARTS_MAX ? l->nodes : STARTS_MAX;
    uint64_t *starts = calloc((size_t)count * s->genes + 1, sizeof *starts);
    int code;

    if (!starts)
        return cli_no_memory("the cases");
    /* The first has the least name. */
    for (uint32_t i = 0; i < count; i++)
        lab_space_without(s, l->nodes - 1 - i, l, larger->found.genes,
                          starts + (size_t)i * s->genes);
    code = search(w, f, starts, count);
    free(starts);
    return code;
}

static bool goes_on(const struct cli_finding *last)
{
    return !last->found.stopped && !last->exceeds;
}

/* From the smallest on, while all cases can be tried; *next is the first size
 * of which they cannot, or 0: that was all. */
static int search_upwards(const struct cli_worst *w, struct sizes *s,
                          uint32_t most, uint32_t *next)
{
    struct cli_finding *f;
    int code;

    *next = 0;
    for (uint32_t n = 2; n <= most; n++) {
        if (!(f = add_size(w, s, n, &code)))
            return code;
        if (lab_space_count(&f->arena.space) > w->runs) {
            cli_arena_free(&f->arena);
            s->count--;
            *next = n;
            return 0;
        }
        if ((code = search(w, f, NULL, 0)) || !goes_on(f))
            return code;
    }
    return 0;
}

/* From the largest down, each beginning with what was found of the one above
 * it, until nothing is. */
static int search_downwards(const struct cli_worst *w, struct sizes *s,
                            uint32_t most, uint32_t least)
{
    struct cli_finding *f;
    int code;

    for (uint32_t n = most; n >= least; n--) {
        if (!(f = add_size(w, s, n, &code)))
            return code;
        code = n < most ? search_below(w, f, f - 1) : search(w, f, NULL, 0);
        if (code || !f->exceeds || f->found.stopped)
            return code;
    }
    return 0;
}

static int search_smallest(struct cli_worst *w)
{
    struct sizes sizes = {0};
    const struct cli_finding *chosen = NULL;
    uint64_t most;
    uint32_t next = 0;
    bool stopped = false;
    int code = cli_number(w->words.net.nodes, "-n", 2, 100000, &most);

    if (code)
        return code;
    code = count_runs_of(w, (uint32_t)most);
    if (!code)
        code = search_upwards(w, &sizes, (uint32_t)most, &next);
    if (!code && next)
        code = search_downwards(w, &sizes, (uint32_t)most, next);
    for (uint32_t i = 0; i < sizes.count; i++) {
        const struct cli_finding *f = &sizes.all[i];

        stopped |= f->found.stopped;
        if (f->exceeds &&
            (!chosen || f->arena.space.nodes < chosen->arena.space.nodes))
            chosen = f;
    }
    if (!code && sizes.count)
        code = cli_worst_report(w, sizes.all, sizes.count, chosen);
    if (!code)
        code = stopped ? CLI_INTERRUPTED : chosen ? CLI_FINE : CLI_VIOLATED;
    for (uint32_t i = 0; i < sizes.count; i++)
        free_finding(&sizes.all[i]);
    free(sizes.all);
    return code;
}

static int run_worst(int argc, char **argv)
{
    struct cli_worst w = {.seed = 1};
    int code = read_wishes(&w, argc, argv);

    if (code == CLI_GO_ON)
        code = w.than ? search_smallest(&w) : search_one(&w);
    lab_families_free(&w.families);
    return code;
}

const struct cli_verb cli_worst = {
    .name = "worst",
    .summary = "look for the names, wake-ups, delays and speeds that cost most",
    .run = run_worst,
    .usage = "PROTOCOL --of Q [OPTIONS]",
    .about =
        "Simulates cases of one size and prints the one that costs most, as a "
        "command for 'fulcrum sim', beside what the paper states. All cases "
        "are tried if they fit in the budget. Otherwise simulated annealing "
        "looks for a bad one, from random cases and from families of known bad "
        "ones; what it finds is a lower bound on the worst.",
    .exits = "0 done, 1 no size exceeds what --than says, 2 wrong usage, 3 "
             "a system error, 130 stopped by Ctrl-C (with the worst so "
             "far).",
    .examples = "fulcrum worst vitanyi -n 4 --of passes\n"
                "fulcrum worst vitanyi -n 22 --of passes --than 5*N\n"
                "fulcrum worst franklin -n 8 --of end --bounds 1:2:0:1",
    .options = {options, cli_words_options},
    .reports = true,
    .operands = {"@protocol"},
};
