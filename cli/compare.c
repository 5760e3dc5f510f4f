/*
 * compare.c - fulcrum compare election: all elections on the same rings, one
 * table.
 */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "draw/output.h"
#include "draw/plot.h"
#include "problems/election.h"
#include "sim/batch.h"

static const char verb[] = "compare";

enum { SIZES_MAX = PLOT_POINTS_MAX, ROWS_MAX = PLOT_SERIES_MAX };

/* One protocol on one size of ring. */
struct cell {
    struct sim_summary summary;
    bool refused; /* it does not fit this setting */
};

struct row {
    const struct fc_protocol *protocol;
    struct cell cells[SIZES_MAX];
};

struct contest {
    struct cli_words words;
    const char *seed, *runs, *svg;
    bool json;
    uint64_t first_seed, runs_count;
    uint32_t sizes[SIZES_MAX];
    uint32_t sizes_count;
    struct row *rows;
    uint32_t rows_count;
    char command[512];
};

static void help(void)
{
    printf(
        "usage: fulcrum compare election -n N[,N...] [OPTIONS]\n\n"
        "Runs every election that works on a ring on the same rings and\n"
        "prints one table, sorted by messages; of several sizes the last.\n\n"
        "  -n, --nodes LIST   sizes of the ring, such as 1000 or 10,100\n"
        "  --runs R           placements of names [100]\n"
        "  --seed S           of the first [1]\n"
        "  --names, --wake, --time, --bounds, --clock, --links, --fault\n"
        "                     as for fulcrum sim\n"
        "  --json             for programs\n"
        "  --svg FILE         messages against N, on logarithmic axes\n\n"
        "Example: fulcrum compare election -n 10,100,1000,10000 "
        "--svg elections.svg\n");
}

/* ---- Wishes -------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static int read_sizes(struct contest *c, const char *list)
{
    char *copy = strdup(list), *rest = copy, *word;
    int code = 0;

    while (copy && !code && (word = strsep(&rest, ","))) {
        uint64_t n;

        code = cli_number(word, "-n", 2, 10000000, &n, verb);
        if (!code && c->sizes_count == SIZES_MAX)
            code = cli_complain(CLI_USAGE, verb, "-n: at most %d sizes",
                                SIZES_MAX);
        if (!code)
            c->sizes[c->sizes_count++] = (uint32_t)n;
    }
    free(copy);
    qsort(c->sizes, c->sizes_count, sizeof c->sizes[0], by_size);
    return code;
}

static int take_option(struct contest *c, int option)
{
    switch (option) {
    case 'n':
        return read_sizes(c, optarg);
    case 't':
        c->words.time = optarg;
        return 0;
    case 'b':
        c->words.bounds = optarg;
        return 0;
    case 'c':
        c->words.clock = optarg;
        return 0;
    case 'l':
        c->words.links = optarg;
        return 0;
    case 'w':
        c->words.wake = optarg;
        return 0;
    case 'm':
        c->words.names = optarg;
        return 0;
    case 'f':
        if (c->words.faults_count == CLI_SETTINGS_MAX)
            return cli_complain(CLI_USAGE, verb, "--fault at most %d times",
                                CLI_SETTINGS_MAX);
        c->words.faults[c->words.faults_count++] = optarg;
        return 0;
    case 's':
        c->seed = optarg;
        return 0;
    case 'r':
        c->runs = optarg;
        return 0;
    case 'v':
        c->svg = optarg;
        return 0;
    case 'j':
        c->json = true;
        return 0;
    default:
        return CLI_USAGE;
    }
}

static int read_wishes(struct contest *c, int argc, char **argv, bool *done)
{
    static const struct option options[] = {
        {"nodes", 1, NULL, 'n'},  {"time", 1, NULL, 't'},
        {"bounds", 1, NULL, 'b'}, {"clock", 1, NULL, 'c'},
        {"links", 1, NULL, 'l'},  {"wake", 1, NULL, 'w'},
        {"names", 1, NULL, 'm'},  {"fault", 1, NULL, 'f'},
        {"seed", 1, NULL, 's'},   {"runs", 1, NULL, 'r'},
        {"svg", 1, NULL, 'v'},    {"json", 0, NULL, 'j'},
        {"help", 0, NULL, 'h'},   {NULL, 0, NULL, 0},
    };
    int option, code;

    *done = true;
    while ((option = getopt_long(argc, argv, "n:h", options, NULL)) != -1) {
        if (option == 'h') {
            help();
            return cli_flush(verb, CLI_FINE);
        }
        if ((code = take_option(c, option)))
            return code;
    }
    *done = false;
    if (argc - optind != 1 || strcmp(argv[optind], "election") != 0)
        return cli_complain(CLI_USAGE, verb,
                            "compare what? So far there is: fulcrum compare "
                            "election -n N");
    if (c->sizes_count == 0)
        return cli_complain(CLI_USAGE, verb, "how large is the ring? Say -n N");
    c->first_seed = 1;
    c->runs_count = 100;
    if (c->seed && cli_number(c->seed, "--seed", 0, INT64_MAX - UINT32_MAX,
                              &c->first_seed, verb))
        return CLI_USAGE;
    if (c->runs &&
        cli_number(c->runs, "--runs", 1, UINT32_MAX, &c->runs_count, verb))
        return CLI_USAGE;
    return 0;
}

/* ---- Running ------------------------------------------------------------- */

static bool is_on_ring(const struct fc_protocol *p)
{
    return p->problem == &election_problem && p->answer == ELECTION_NO_ANSWER &&
           (p->topology == FC_RING || p->topology == FC_RING_BOTH);
}

static int run_cell(struct contest *c, struct row *row, uint32_t size,
                    atomic_bool *stop)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct cli_words words = c->words;
    struct cli_setup setup;
    char title[96], nodes[16];
    struct cli_progress progress = {.title = title};
    int code;

    snprintf(nodes, sizeof nodes, "%" PRIu32, c->sizes[size]);
    words.protocol = row->protocol->name;
    words.nodes = nodes;
    if (row->protocol->anonymous)
        words.names = NULL;
    code = cli_setup_begin(&setup, &words, verb);
    row->cells[size].refused = code != 0;
    if (!code) {
        struct sim_batch batch = {
            .setup = &setup.sim,
            .seed = c->first_seed,
            .runs = c->runs_count,
            .threads = cores > 0 ? (uint32_t)cores : 1,
            .stop = stop,
            .tell = cli_progress_tell,
            .whom = &progress,
        };

        snprintf(title, sizeof title, "compare %s n=%s", words.protocol,
                 words.nodes);
        if (sim_batch(&batch, &row->cells[size].summary) != 0)
            code = cli_complain(CLI_SYSTEM, verb, "cannot start a thread");
        cli_progress_end(&progress);
    }
    cli_setup_free(&setup);
    return code == CLI_USAGE ? 0 : code;
}

/* Whether the words make sense at all, tried on an election that takes any
 * setting. */
static int check_words(const struct contest *c)
{
    struct cli_words words = c->words;
    struct cli_setup setup;
    char nodes[16];
    int code;

    snprintf(nodes, sizeof nodes, "%" PRIu32, c->sizes[0]);
    words.protocol = "chang-roberts";
    words.nodes = nodes;
    code = cli_setup_begin(&setup, &words, verb);
    cli_setup_free(&setup);
    return code;
}

/* 1 if a property failed somewhere, 130 if it was stopped. */
static int outcome(const struct contest *c)
{
    int code = CLI_FINE;

    for (uint32_t i = 0; i < c->rows_count; i++)
        for (uint32_t s = 0; s < c->sizes_count; s++) {
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
        if (is_on_ring(sim_types[i]->protocol))
            c->rows[c->rows_count++].protocol = sim_types[i]->protocol;
    for (uint32_t s = 0; s < c->sizes_count && !code; s++)
        for (uint32_t i = 0; i < c->rows_count && !code; i++)
            if (c->rows[i].protocol &&
                !atomic_load_explicit(stop, memory_order_relaxed))
                code = run_cell(c, &c->rows[i], s, stop);
    return code;
}

/* ---- The table ----------------------------------------------------------- */

static uint32_t shown_size; /* for the sorting: qsort passes no context */

static int by_messages(const void *a, const void *b)
{
    const struct cell *x = &((const struct row *)a)->cells[shown_size];
    const struct cell *y = &((const struct row *)b)->cells[shown_size];
    double p = x->refused ? INFINITY : sim_stat_mean(&x->summary.messages);
    double q = y->refused ? INFINITY : sim_stat_mean(&y->summary.messages);

    return (p > q) - (p < q);
}

static void print_needs(const struct fc_protocol *p)
{
    printf(" %s%s%s%s%s", p->anonymous ? "" : " names",
           p->needs & FC_NEEDS_COUNT ? " n" : "",
           p->needs & FC_NEEDS_FIFO ? " FIFO" : "",
           p->needs & FC_NEEDS_BOUNDS ? " bounds" : "",
           p->topology == FC_RING_BOTH ? " two-way" : "");
}

static void print_row(const struct row *row, uint32_t size)
{
    const struct sim_summary *s = &row->cells[size].summary;
    char mean[32], most[32], bits[32], ticks[32];

    printf("%-19s", row->protocol->name);
    if (row->cells[size].refused || s->runs == 0) {
        printf(" %s\n", s->runs ? "" : "not run");
        return;
    }
    printf(" %9s %9s %10s %9s %5zu",
           cli_decimal(sim_stat_mean(&s->messages), mean, sizeof mean),
           cli_grouped(s->messages.max, most, sizeof most),
           cli_decimal(sim_stat_mean(&s->paper_bits), bits, sizeof bits),
           cli_decimal(sim_stat_mean(&s->end), ticks, sizeof ticks),
           row->protocol->state_size);
    print_needs(row->protocol);
    if (s->violated)
        printf("  %s %" PRIu64 " runs failed", cli_cross(), s->violated);
    putchar('\n');
}

/* By the messages on the last ring. */
static void sort_rows(struct contest *c)
{
    shown_size = c->sizes_count - 1;
    qsort(c->rows, c->rows_count, sizeof *c->rows, by_messages);
}

static void print_table(const struct contest *c)
{
    uint32_t last = c->sizes_count - 1;

    printf("elections on the same rings of %" PRIu32 ", %" PRIu64
           " runs each, seeds "
           "from %" PRIu64 "\n\n",
           c->sizes[last], c->runs_count, c->first_seed);
    printf("%-19s %9s %9s %10s %9s %5s  %s\n", "", "messages", "", "paper",
           "ticks", "state", "needs");
    printf("%-19s %9s %9s %10s %9s %5s\n", "", "mean", "greatest", "bits",
           "mean", "bytes");
    for (uint32_t i = 0; i < c->rows_count; i++)
        print_row(&c->rows[i], last);
}

static json_t *json_of_cell(const struct contest *c, const struct row *row,
                            uint32_t size)
{
    const struct sim_summary *s = &row->cells[size].summary;

    return json_pack(
        "{s:s,s:I,s:I,s:I,s:f,s:I,s:f,s:f,s:I,s:b,s:b,s:b,s:b,s:b}", "protocol",
        row->protocol->name, "nodes", (json_int_t)c->sizes[size], "runs",
        (json_int_t)s->runs, "violated", (json_int_t)s->violated,
        "messages_mean", sim_stat_mean(&s->messages), "messages_max",
        (json_int_t)s->messages.max, "paper_bits_mean",
        sim_stat_mean(&s->paper_bits), "end_mean", sim_stat_mean(&s->end),
        "state_bytes", (json_int_t)row->protocol->state_size, "needs_names",
        !row->protocol->anonymous, "needs_n",
        (row->protocol->needs & FC_NEEDS_COUNT) != 0, "needs_fifo",
        (row->protocol->needs & FC_NEEDS_FIFO) != 0, "needs_bounds",
        (row->protocol->needs & FC_NEEDS_BOUNDS) != 0, "two_way",
        row->protocol->topology == FC_RING_BOTH);
}

static void print_json(const struct contest *c)
{
    json_t *out = json_array();

    for (uint32_t s = 0; s < c->sizes_count; s++)
        for (uint32_t i = 0; i < c->rows_count; i++)
            if (!c->rows[i].cells[s].refused)
                json_array_append_new(out, json_of_cell(c, &c->rows[i], s));
    json_dumpf(out, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(out);
}

/* ---- The plot ------------------------------------------------------------ */

static void fill_series(const struct contest *c, const struct row *row,
                        struct plot_series *series)
{
    series->name = row->protocol->name;
    for (uint32_t s = 0; s < c->sizes_count; s++) {
        const struct cell *cell = &row->cells[s];

        if (cell->refused || cell->summary.runs == 0)
            continue;
        series->x[series->count] = (double)c->sizes[s];
        series->y[series->count++] = sim_stat_mean(&cell->summary.messages);
    }
}

/* The finding: who needs least on the largest ring.  Rows are sorted. */
static void entitle(const struct contest *c, char *title, size_t size)
{
    const struct row *best = &c->rows[0];
    uint32_t last = c->sizes_count - 1;
    double n = (double)c->sizes[last];

    snprintf(
        title, size, "%s needs fewest: %.1f messages a processor at %" PRIu32,
        best->protocol->name,
        sim_stat_mean(&best->cells[last].summary.messages) / n, c->sizes[last]);
}

static int draw(const struct contest *c)
{
    struct plot_series *series = calloc(c->rows_count, sizeof *series);
    struct output_file out;
    char error[512], title[160], subtitle[160];
    FILE *file;
    struct plot plot = {
        .title = title,
        .subtitle = subtitle,
        .command = c->command,
        .x_label = "processors (logarithmic)",
        .y_label = "messages, mean (logarithmic)",
        .series = series,
        .series_count = c->rows_count,
    };
    int failed;

    if (!series)
        abort();
    entitle(c, title, sizeof title);
    snprintf(subtitle, sizeof subtitle,
             "Elections on the same rings, %" PRIu64 " runs each, seeds from "
             "%" PRIu64,
             c->runs_count, c->first_seed);
    for (uint32_t i = 0; i < c->rows_count; i++)
        fill_series(c, &c->rows[i], &series[i]);
    file = output_open(&out, c->svg, error, sizeof error);
    if (file)
        plot_draw(file, &plot);
    failed = !file || output_commit(&out, error, sizeof error) != 0;
    free(series);
    return failed ? cli_complain(CLI_SYSTEM, verb, "%s", error) : 0;
}

/* What was typed, for the foot of the picture. */
static void note_command(struct contest *c, int argc, char **argv)
{
    size_t used = 0;

    for (int i = 0; i < argc && used < sizeof c->command; i++)
        used += (size_t)snprintf(c->command + used, sizeof c->command - used,
                                 "%s%s", i ? " " : "", argv[i]);
}

int cli_compare(int argc, char **argv)
{
    struct contest c = {.json = false};
    bool done;
    int code;

    note_command(&c, argc, argv);
    code = read_wishes(&c, argc, argv, &done);
    if (done || code)
        return code;
    c.rows = calloc(ROWS_MAX, sizeof *c.rows);
    if (!c.rows)
        return cli_complain(CLI_SYSTEM, verb, "no memory");
    code = run_all(&c);
    sort_rows(&c);
    if (!code && c.json)
        print_json(&c);
    else if (!code)
        print_table(&c);
    if (!code && c.svg)
        code = draw(&c);
    if (!code)
        code = outcome(&c);
    free(c.rows);
    return cli_flush(verb, code);
}
