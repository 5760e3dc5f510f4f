/*
 * compare.c - fulcrum compare PROBLEM: all protocols that solve it, under the
 * same conditions, in one table.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compare/contest.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "problems/mutex.h"

static const struct discipline *const disciplines[] = {&cli_compare_election,
                                                       &cli_compare_mutex};
enum { DISCIPLINES = sizeof disciplines / sizeof disciplines[0] };

#define WISHES struct contest

const struct cli_option cli_compare_points[] = {
    {.group = "network"},
    {"nodes", 'n', "LIST",
     "how many processors; of elections several numbers, such as 10,100",
     AT(words.net.nodes)},
    {.group = "work (mutual exclusion)"},
    {"load", 0, "LIST", "how many sites compete [1,N]", AT(load)},
    {"entries", LIKE("how often each site enters [20]")},
    {"competitors", LIKE("")},
    {"phases", LIKE("")},
    {"delays", LIKE("")},
    {"set", LIKE("")},
    {0},
};

const struct cli_option cli_compare_runs[] = {
    {.group = "runs"},
    {"seed", 0, "S", "of the first run [1]",
     NUMBER(first_seed, 0, INT64_MAX - UINT32_MAX)},
    {"runs", 0, "R", "how many for each number",
     NUMBER(runs_count, 1, UINT32_MAX)},
    {.group = "output"},
    {"json", 0, NULL, "for programs", AT(json)},
    {"svg", 0, "FILE", "costs against the numbers, on logarithmic axes",
     AT(svg), "@files"},
    {0},
};

/* ---- Wishes -------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static int read_points(struct contest *c, const char *list, const char *option,
                       uint64_t least, uint64_t greatest)
{
    char *copy = strdup(list), *rest = copy, *word;
    int code = 0;

    while (copy && !code && (word = strsep(&rest, ","))) {
        uint64_t n;

        code = cli_number(word, option, least, greatest, &n);
        if (!code && c->points_count == POINTS_MAX)
            code = cli_refuse("%s: at most %d numbers", option, POINTS_MAX);
        if (!code)
            c->points[c->points_count++] = (uint32_t)n;
    }
    free(copy);
    qsort(c->points, c->points_count, sizeof c->points[0], by_size);
    for (uint32_t i = 0; i < c->points_count; i++)
        snprintf(c->number[i], sizeof c->number[i], "%" PRIu32, c->points[i]);
    return code;
}

/* The points of an election are its sizes; the points of mutual exclusion are
 * the numbers of competitors, one and all unless others are given. */
static int set_points(struct contest *c)
{
    const char *nodes = c->words.net.nodes;
    char ends[32];
    uint64_t n;

    if (!nodes)
        return cli_refuse("how many processors? Say -n N");
    if (c->of == &cli_compare_election) {
        if (c->load)
            return cli_refuse("--load is for fulcrum compare mutex");
        return read_points(c, nodes, "-n", 2, 10000000);
    }
    if (cli_number(nodes, "-n", 2, FC_NODES_MAX, &n))
        return CLI_USAGE;
    c->nodes = (uint32_t)n;
    snprintf(ends, sizeof ends, "1,%" PRIu64, n);
    return read_points(c, c->load ? c->load : ends, "--load", 1, n);
}

static int read_wishes(struct contest *c, int argc, char **argv)
{
    const struct cli_verb *form = &cli_compare;
    int code;

    for (int i = 1; i < argc; i++)
        for (int j = 0; j < DISCIPLINES; j++)
            if (strcmp(argv[i], disciplines[j]->problem) == 0)
                form = &disciplines[j]->form;
    code = cli_options_read(form, c, argc, argv);
    if (code != CLI_GO_ON)
        return code;
    for (int i = 0; i < DISCIPLINES && optind < argc; i++)
        if (strcmp(argv[optind], disciplines[i]->problem) == 0)
            c->of = disciplines[i];
    if (!c->of)
        return cli_refuse("compare what? There is: fulcrum compare election -n "
                          "N, fulcrum compare mutex -n N");
    if (optind + 1 < argc)
        return cli_refuse("one problem at a time; what is '%s'?",
                          argv[optind + 1]);
    if (!c->runs_count)
        c->runs_count = c->of->runs;
    if (c->words.net.settings_count || c->words.competitors ||
        c->words.net.phases || c->words.net.delays)
        return cli_refuse("%s is not for all protocols",
                          c->words.competitors  ? "--competitors (say --load)"
                          : c->words.net.phases ? "--phases"
                          : c->words.net.delays ? "--delays"
                                                : "--set");
    if ((code = set_points(c)) || (code = cli_can_write(c->svg, NULL)))
        return code;
    return CLI_GO_ON;
}

/* ---- Running ------------------------------------------------------------- */

static int run_cell(struct contest *c, struct row *row, uint32_t point,
                    atomic_bool *stop)
{
    struct cli_words words = c->words;
    struct cli_setup setup;
    char title[96];
    struct cli_progress progress = {.title = title};
    int code;

    words.net.protocol = row->protocol->name;
    c->of->place(c, point, &words);
    if (row->protocol->anonymous)
        words.net.names = NULL;
    if (row->protocol->topology != FC_TREE)
        words.net.topology = NULL;
    if (!mutex_terms_of(row->protocol).shares)
        words.shared = NULL;
    code = cli_setup_begin(&setup, &words);
    row->cells[point].refused =
        code != 0 || net_unmet(&setup.sim.net) & FC_NEEDS_UNISON;
    if (!row->cells[point].refused) {
        struct sim_batch batch = {
            .setup = &setup.sim,
            .seed = c->first_seed,
            .runs = c->runs_count,
            .threads = cli_cores(SIM_THREADS_MAX),
            .stop = stop,
            .tell = cli_progress_tell,
            .whom = &progress,
        };

        c->dmax = setup.sim.net.world.bounds.dmax;
        snprintf(title, sizeof title, "compare %s %s", words.net.protocol,
                 c->number[point]);
        if (sim_batch(&batch, &row->cells[point].summary) != 0)
            code = cli_fail("cannot start a thread");
        cli_compare_claim(c->of, &setup, &row->cells[point]);
        cli_progress_end(&progress);
    }
    cli_setup_free(&setup);
    return code == CLI_USAGE ? 0 : code;
}

/* Whether the words make sense at all, tried on a protocol that takes any
 * setting. */
static int check_words(const struct contest *c)
{
    struct cli_words words = c->words;
    struct cli_setup setup;
    int code;

    words.net.protocol = c->of == &cli_compare_mutex && words.shared
                             ? "rw-preventive"
                             : c->of->judge;
    words.net.topology = NULL;
    c->of->place(c, 0, &words);
    code = cli_setup_begin(&setup, &words);
    cli_setup_free(&setup);
    return code;
}

/* 1 if a property failed somewhere, 130 if it was stopped. */
static int outcome(const struct contest *c)
{
    int code = CLI_FINE;

    for (uint32_t i = 0; i < c->rows_count; i++)
        for (uint32_t s = 0; s < c->points_count; s++) {
            const struct cell *cell = &c->rows[i].cells[s];

            if (!cell->refused && cell->summary.runs < c->runs_count)
                return CLI_INTERRUPTED;
            if (cell->summary.violated)
                code = CLI_VIOLATED;
        }
    return code;
}

static int run_all(struct contest *c)
{
    atomic_bool *stop = cli_catch_interrupt();
    int code = check_words(c);

    for (uint32_t i = 0; sim_types[i] && c->rows_count < ROWS_MAX; i++)
        if (c->of->takes(sim_types[i]->protocol))
            c->rows[c->rows_count++].protocol = sim_types[i]->protocol;
    for (uint32_t s = 0; s < c->points_count && !code; s++)
        for (uint32_t i = 0; i < c->rows_count && !code; i++)
            if (!atomic_load_explicit(stop, memory_order_relaxed))
                code = run_cell(c, &c->rows[i], s, stop);
    return code;
}

/* ---- Showing ------------------------------------------------------------- */

void cli_compare_failed(const struct row *row, uint64_t runs)
{
    if (runs)
        printf("%s %s: a property failed in %" PRIu64 " run%s\n", cli_cross(),
               row->protocol->name, runs, runs > 1 ? "s" : "");
}

static int by_cost(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return x->last < y->last || x->last > y->last
               ? (x->last > y->last) - (x->last < y->last)
               : (x->place > y->place) - (x->place < y->place);
}

/* By the cost at the last point; those that did not run come last. */
static void sort_rows(struct contest *c)
{
    for (uint32_t i = 0; i < c->rows_count; i++) {
        const struct cell *last = &c->rows[i].cells[c->points_count - 1];

        c->rows[i].place = i;
        c->rows[i].last = last->refused ? INFINITY : c->of->cost(last);
    }
    qsort(c->rows, c->rows_count, sizeof *c->rows, by_cost);
}

static void print_json(const struct contest *c)
{
    json_t *out = json_array();

    for (uint32_t s = 0; s < c->points_count; s++)
        for (uint32_t i = 0; i < c->rows_count; i++)
            if (!c->rows[i].cells[s].refused)
                json_array_append_new(out, c->of->to_json(c, &c->rows[i], s));
    cli_json_print(out, JSON_REAL_PRECISION(12));
}

/* What was typed, for the foot of the picture. */
static void note_command(struct contest *c, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        cli_append(c->command, sizeof c->command, "%s%s", i ? " " : "fulcrum ",
                   argv[i]);
}

static int run_compare(int argc, char **argv)
{
    struct contest c = {.first_seed = 1};
    int code;

    note_command(&c, argc, argv);
    code = read_wishes(&c, argc, argv);
    if (code != CLI_GO_ON)
        return code;
    c.rows = calloc(ROWS_MAX, sizeof *c.rows);
    if (!c.rows)
        return cli_no_memory("the table");
    code = run_all(&c);
    sort_rows(&c);
    if (!code && c.json)
        print_json(&c);
    else if (!code)
        c.of->print(&c);
    if (!code && c.svg)
        code = cli_compare_draw(&c);
    if (!code)
        code = outcome(&c);
    free(c.rows);
    return code;
}

const struct cli_verb cli_compare = {
    .name = "compare",
    .summary = "all protocols for a problem, one table",
    .run = run_compare,
    .usage = "election -n N[,N...] [OPTIONS]\nmutex -n N [OPTIONS]",
    .about = "Runs all protocols that solve a problem under the same "
             "conditions and prints one table. 'fulcrum compare election "
             "--help' is about elections on the same rings, 'fulcrum compare "
             "mutex --help' about mutual exclusion under load.",
    .examples = "fulcrum compare mutex -n 16",
    .options = CLI_COMPARE_OPTIONS,
    .reports = true,
    .operands = {"election|mutex"},
};
