/*
 * plot.c - fulcrum plot: what a sweep measured, as a picture.
 */
#include "cli/plot/plot.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/picture.h"
#include "lab/run/table.h"
#include "lab/verdict/interval.h"

#define WISHES struct cli_plot

static const struct cli_option options[] = {
    {"x", 0, "KEY", "a column of numbers [n, or what else varies]", AT(x)},
    {"y", 0, "QUANTITY",
     "a column without its ending: messages, end, granting_delay, "
     "messages_kinds_M (also messages.M), violated, violated_PROPERTY "
     "[messages_per_entry, or messages]",
     AT(y)},
    {"by", 0, "KEY",
     "a series for each of its values; may be repeated [what varies besides x]",
     MANY(by)},
    {"where", 0, "KEY=VALUE", "only rows with this value; may be repeated",
     MANY(where)},
    {"per", 0, "KEY",
     "y divided by this column, or none [n for messages against n, which makes "
     "linear costs level]",
     AT(per)},
    {"log", 0, NULL,
     "both axes logarithmic [each where its values span a factor of 20]",
     AT(log)},
    {"linear", 0, NULL, "neither is", AT(linear)},
    {"output", 'o', "FILE",
     "where to write; - is the standard output [FILE.db with its suffix "
     "replaced by .svg]",
     AT(out), "@files"},
    {0},
};

enum { LOGARITHMIC_FROM = 20, WORDS_SIZE = 240, TITLE_SIZE = 640 };

/* ---- Axes ---------------------------------------------------------------- */

/* Whether an axis had better be logarithmic. */
static bool spans(const struct cli_series *s, bool x)
{
    double low = INFINITY, high = 0;

    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; k < s->of[i].count; k++) {
            double value = x ? s->of[i].x[k] : s->of[i].y[k];

            if (!(value > 0))
                return false;
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
    return high >= LOGARITHMIC_FROM * low;
}

static bool are_positive(const struct cli_series *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->of[i].count && s->of[i].x[0] <= 0)
            return false;
    return true;
}

/* What y is, in words. */
static void say_y(const struct cli_plot *p, char out[WORDS_SIZE])
{
    static const char *const words[][2] = {
        {"violated", "share of runs that violate a property"},
        {"end", "ticks until the end"},
        {"elected_at", "ticks until a leader is elected"},
    };
    static const char violated[] = "violated_";
    bool processor = p->per && strcmp(p->per, "n") == 0;
    const char *what = p->quantity;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(what, words[i][0]) == 0)
            what = words[i][1];
    if (strncmp(what, violated, sizeof violated - 1) == 0)
        snprintf(out, WORDS_SIZE, "share of runs that violate %s",
                 what + sizeof violated - 1);
    else
        snprintf(out, WORDS_SIZE, "%s%s%s", what,
                 processor ? " a processor"
                 : p->per  ? " / "
                           : "",
                 p->per && !processor ? p->per : "");
    for (char *c = out; *c; c++)
        *c = (char)(*c == '_' ? ' ' : *c);
}

/* ---- Words --------------------------------------------------------------- */

static const char *number(double value, bool share, char out[LAB_TEXT_SIZE])
{
    if (share)
        snprintf(out, LAB_TEXT_SIZE, "%.3g %%", 100 * value);
    else if (value >= 1000)
        snprintf(out, LAB_TEXT_SIZE, "%.0f", value);
    else
        snprintf(out, LAB_TEXT_SIZE, "%.3g", value);
    return out;
}

static double last_y(const struct plot_series *s)
{
    return s->y[s->count - 1];
}

/* The finding: from the first x to the last, or the least and the most of the
 * series at their ends. */
static void entitle(const struct cli_plot *p, const struct cli_series *s,
                    const char *y_words, char out[TITLE_SIZE])
{
    const struct plot_series *first = s->of, *least = first, *most = first;
    uint32_t last = first->count - 1;
    char protocol[LAB_TEXT_SIZE], a[LAB_TEXT_SIZE], b[LAB_TEXT_SIZE];
    const char *name =
        lab_row_text(json_array_get(p->rows, 0), "protocol", protocol);

    for (uint32_t i = 1; i < s->measured; i++) {
        least = last_y(&s->of[i]) < last_y(least) ? &s->of[i] : least;
        most = last_y(&s->of[i]) > last_y(most) ? &s->of[i] : most;
    }
    if (s->measured > 1 && least != most)
        snprintf(out, TITLE_SIZE, "%s, %s at %s = %g: %s with %s, %s with %s",
                 name, y_words, p->x, first->x[last],
                 number(last_y(least), s->share, a), least->name,
                 number(last_y(most), s->share, b), most->name);
    else if (last > 0)
        snprintf(out, TITLE_SIZE, "%s, %s: %s at %s = %g, %s at %g", name,
                 y_words, number(first->y[0], s->share, a), p->x, first->x[0],
                 number(first->y[last], s->share, b), first->x[last]);
    else
        snprintf(out, TITLE_SIZE, "%s, %s: %s at %s = %g", name, y_words,
                 number(first->y[0], s->share, a), p->x, first->x[0]);
}

static void say_runs(const struct cli_plot *p, const struct cli_series *s,
                     char out[WORDS_SIZE])
{
    json_t *row = json_array_get(p->rows, 0);
    char least[32], most[32], seed[LAB_TEXT_SIZE], text[LAB_TEXT_SIZE];

    (void)cli_grouped(s->runs_least, least, sizeof least);
    (void)cli_grouped(s->runs_most, most, sizeof most);
    snprintf(out, WORDS_SIZE,
             "%s%s%s runs a point, seeds from %s, fulcrum %s%s", least,
             s->runs_least < s->runs_most ? " to " : "",
             s->runs_least < s->runs_most ? most : "",
             lab_row_text(row, "seed", seed),
             lab_row_text(p->about, "version", text),
             s->runs_most < LAB_RUNS_LEAST && !s->share
                 ? "; too few runs for intervals"
                 : "");
}

/* ---- Drawing ------------------------------------------------------------- */

static int draw(const struct cli_plot *p, struct cli_series *s,
                const char *path)
{
    char title[TITLE_SIZE], subtitle[WORDS_SIZE], x[WORDS_SIZE],
        y_words[WORDS_SIZE], y[WORDS_SIZE + 20];
    struct plot plot = {
        .title = title,
        .subtitle = subtitle,
        .command = json_string_value(json_object_get(p->about, "command")),
        .x_label = x,
        .y_label = y,
        .series = s->of,
        .series_count = s->count,
    };
    struct net_why why;
    int code = cli_plot_fill(p, s);

    if (code)
        return code;
    plot.series_count = s->count;
    plot.linear_x = p->linear || !(p->log || spans(s, true));
    plot.linear_y = p->linear || !(p->log || spans(s, false));
    if (!plot.linear_x && !are_positive(s))
        return cli_refuse("--log: %s is not positive everywhere", p->x);
    say_y(p, y_words);
    entitle(p, s, y_words, title);
    say_runs(p, s, subtitle);
    snprintf(x, sizeof x, "%s%s", strcmp(p->x, "n") == 0 ? "processors" : p->x,
             plot.linear_x ? "" : " (logarithmic)");
    snprintf(y, sizeof y, "%s%s", y_words,
             plot.linear_y ? "" : " (logarithmic)");
    if (!plot_write(path, &plot, &why))
        return cli_refused(&why);
    if (strcmp(path, "-") != 0)
        printf("%s\n", path);
    return 0;
}

static int plot(struct cli_plot *p)
{
    struct cli_series *s = calloc(1, sizeof *s);
    char *name = p->out ? NULL : cli_picture_name(p->file);
    const char *path = p->out ? p->out : name;
    int code;

    if (!s || !path)
        code = cli_no_memory("the curves");
    else if (strcmp(path, p->file) == 0)
        code = cli_refuse("the picture would replace the sweep; name another "
                          "file with -o");
    else
        code = draw(p, s, path);
    free(name);
    free(s);
    return code;
}

static int run_plot(int argc, char **argv)
{
    struct cli_plot p = {0};
    struct net_why why = {0};
    int code = cli_options_read(&cli_plot, &p, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (argc - optind != 1)
        return cli_refuse("which file?  Try: fulcrum plot v.db, or fulcrum "
                          "plot --help");
    if (p.log && p.linear)
        return cli_refuse("--log or --linear, not both");
    p.file = argv[optind];
    p.about = lab_table_read(p.file, &why);
    if (!p.about)
        return cli_refused(&why);
    code = cli_plot_choose(&p);
    if (!code)
        code = plot(&p);
    json_decref(p.rows);
    json_decref(p.about);
    return code;
}

const struct cli_verb cli_plot = {
    .name = "plot",
    .summary = "draw what a sweep measured",
    .run = run_plot,
    .usage = "FILE.db [OPTIONS]",
    .about =
        "Draws a quantity of a sweep against one of its values: means with "
        "their intervals, the greatest of all runs, and what the paper "
        "says where it says something.",
    .exits = "0 drawn, 2 wrong usage, 3 a system error.",
    .examples = "fulcrum plot v.db\n"
                "fulcrum plot v.db --x gamma --y end --by n --log -o end.svg",
    .options = {options},
    .operands = {"@files"},
};
