/*
 * plot_series.c - from the rows of a sweep to the series of a plot.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/plot/plot.h"
#include "lab/run/table.h"

static const double error = 0.05; /* of the intervals */

/* NaN if it is none; 1/2 is a number, too. */
static double number_of(json_t *row, const char *key)
{
    char buffer[LAB_TEXT_SIZE], *rest;
    const char *text = lab_row_text(row, key, buffer);
    double above = strtod(text, &rest), below = 1;

    if (rest != text && *rest == '/') {
        text = rest + 1;
        below = strtod(text, &rest);
    }
    return rest == text || *rest || !(below > 0) ? NAN : above / below;
}

/* ---- Choosing ------------------------------------------------------------ */

/* Whether the rows differ in a column. */
static bool varies(json_t *rows, const char *key)
{
    char a[LAB_TEXT_SIZE], b[LAB_TEXT_SIZE];
    json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        if (strcmp(lab_row_text(row, key, a),
                   lab_row_text(json_array_get(rows, 0), key, b)) != 0)
            return true;
    }
    return false;
}

static bool are_numbers(json_t *rows, const char *key)
{
    json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        if (isnan(number_of(row, key)))
            return false;
    }
    return true;
}

/* "gamma=1/2": whether the row has that value. */
static bool fits(json_t *row, const char *where)
{
    const char *equals = strchr(where, '=');
    char key[LAB_TEXT_SIZE], text[LAB_TEXT_SIZE];

    snprintf(key, sizeof key, "%.*s", (int)(equals - where), where);
    return strcmp(lab_row_text(row, key, text), equals + 1) == 0;
}

/* Those that have numbers, and are wanted. */
static int choose_rows(struct cli_plot *p)
{
    json_t *row;
    size_t i;

    for (uint32_t k = 0; k < p->where_count; k++)
        if (!strchr(p->where[k], '='))
            return cli_refuse("--where %s: write KEY=VALUE", p->where[k]);
    p->rows = json_array();
    json_array_foreach(json_object_get(p->about, "rows"), i, row)
    {
        bool wanted = json_object_get(row, "runs") != NULL;

        for (uint32_t k = 0; k < p->where_count; k++)
            wanted = wanted && fits(row, p->where[k]);
        if (wanted)
            (void)json_array_append(p->rows, row);
    }
    if (json_array_size(p->rows) == 0)
        return cli_refuse("%s: no row%s", p->file,
                          p->where_count ? " is like that" : " in it");
    return 0;
}

static bool is_by(const struct cli_plot *p, const char *key)
{
    for (uint32_t i = 0; i < p->by_count; i++)
        if (strcmp(p->by[i], key) == 0)
            return true;
    return false;
}

static bool can_be_x(const struct cli_plot *p, const char *key)
{
    return !is_by(p, key) && varies(p->rows, key) && are_numbers(p->rows, key);
}

static int choose_x(struct cli_plot *p, json_t *axes)
{
    json_t *axis;
    size_t i;

    if (!p->x && can_be_x(p, "n"))
        p->x = "n";
    json_array_foreach(axes, i, axis)
    {
        if (!p->x && can_be_x(p, json_string_value(axis)))
            p->x = json_string_value(axis);
    }
    if (!p->x)
        return cli_refuse("nothing on the grid takes several numbers, against "
                          "which to draw; name a column with --x");
    if (!are_numbers(p->rows, p->x))
        return cli_refuse("--x %s: not every row has a number there", p->x);
    return 0;
}

static int choose_by(struct cli_plot *p, json_t *axes)
{
    bool said = p->by_count > 0;
    json_t *axis;
    size_t i;

    json_array_foreach(axes, i, axis)
    {
        const char *key = json_string_value(axis);
        bool known =
            strcmp(key, p->x) == 0 || !varies(p->rows, key) || is_by(p, key);

        if (!known && said)
            return cli_refuse("%s takes several values: give --by %s too, or "
                              "choose one with --where %s=VALUE",
                              key, key, key);
        if (!known && p->by_count < CLI_REPEATS_MAX)
            p->by[p->by_count++] = key;
    }
    return 0;
}

static bool is_measured(const struct cli_plot *p, const char *quantity)
{
    struct lab_point point;
    json_t *row;
    size_t i;

    json_array_foreach(p->rows, i, row)
    {
        if (lab_point_read(&point, row, quantity, error))
            return true;
    }
    return false;
}

/* The name of a quantity as a column has it: messages.M is messages_kinds_M,
 * granting-delay is granting_delay. */
static int choose_y(struct cli_plot *p)
{
    const char *y = p->y, *dot;

    if (!y)
        y = is_measured(p, "messages_per_entry") ? "messages_per_entry"
                                                 : "messages";
    dot = strchr(y, '.');
    if (dot)
        snprintf(p->quantity, sizeof p->quantity, "%.*s_kinds_%s",
                 (int)(dot - y), y, dot + 1);
    else
        snprintf(p->quantity, sizeof p->quantity, "%s", y);
    if (!dot && !is_measured(p, p->quantity))
        for (char *c = p->quantity; *c; c++)
            *c = (char)(*c == '-' ? '_' : *c);
    if (!is_measured(p, p->quantity))
        return cli_refuse("--y %s: it was not measured; the columns that end "
                          "in _mean were",
                          y);
    p->y = y;
    if (!p->per)
        p->per = strcmp(p->x, "n") == 0 && strncmp(y, "messages", 8) == 0 &&
                         strcmp(y, "messages_per_entry") != 0 &&
                         strcmp(y, "messages-per-entry") != 0
                     ? "n"
                     : "none";
    if (strcmp(p->per, "none") == 0)
        p->per = NULL;
    return p->per && !are_numbers(p->rows, p->per)
               ? cli_refuse("--per %s: not every row has a number there",
                            p->per)
               : 0;
}

int cli_plot_choose(struct cli_plot *p)
{
    json_t *axes = json_object_get(p->about, "axes");
    int code = choose_rows(p);

    if (!code)
        code = choose_x(p, axes);
    if (!code)
        code = choose_by(p, axes);
    return code ? code : choose_y(p);
}

/* ---- Filling ------------------------------------------------------------- */

/* "gamma=1/2, f=exp:2", or the protocol where there is nothing to tell apart.
 */
static void name_of(const struct cli_plot *p, json_t *row,
                    char out[PLOT_NAME_SIZE])
{
    char text[LAB_TEXT_SIZE];

    snprintf(out, PLOT_NAME_SIZE, "%s",
             p->by_count ? "" : lab_row_text(row, "protocol", text));
    for (uint32_t i = 0; i < p->by_count; i++)
        cli_append(out, PLOT_NAME_SIZE, "%s%s=%s", i ? ", " : "", p->by[i],
                   lab_row_text(row, p->by[i], text));
}

/* Where x belongs among the points; the others make room. */
static uint32_t insert(struct plot_series *s, double x)
{
    uint32_t at = s->count++;

    for (; at > 0 && s->x[at - 1] > x; at--) {
        s->x[at] = s->x[at - 1];
        s->y[at] = s->y[at - 1];
        s->most[at] = s->most[at - 1];
        s->low[at] = s->low[at - 1];
        s->high[at] = s->high[at - 1];
    }
    s->x[at] = x;
    s->y[at] = s->most[at] = s->low[at] = s->high[at] = 0;
    return at;
}

static double positive(double value)
{
    return value > 0 ? value : 0;
}

static void add_point(struct plot_series *s, double x, double unit,
                      const struct lab_point *point)
{
    uint32_t at = insert(s, x);

    s->y[at] = point->mean / unit;
    if (!isnan(point->greatest))
        s->most[at] = point->greatest / unit;
    if (isfinite(point->within.low) && isfinite(point->within.high)) {
        s->low[at] = positive(point->within.low / unit);
        s->high[at] = positive(point->within.high / unit);
    }
}

/* What the paper says of it, unless that is about other means. */
static void add_bound(const struct cli_plot *p, json_t *row,
                      struct plot_series *s, double x, double unit)
{
    char column[2 * PLOT_NAME_SIZE], text[LAB_TEXT_SIZE];
    const char *relation;
    double value;
    bool mean;

    snprintf(column, sizeof column, "%s_claimed", p->quantity);
    value = number_of(row, column);
    snprintf(column, sizeof column, "%s_relation", p->quantity);
    relation = lab_row_text(row, column, text);
    if (!(value > 0) || strcmp(relation, "on average") == 0)
        return;
    s->y[insert(s, x)] = value / unit;
    mean = strcmp(relation, "mean at most") == 0;
    snprintf(column, sizeof column, "%s_formula", p->quantity);
    plot_name_bound(s, mean, lab_row_text(row, column, text));
}

static int add_row(const struct cli_plot *p, struct cli_series *s, json_t *row)
{
    struct plot_series *to = s->of, *bound;
    double x = number_of(row, p->x);
    double unit = p->per ? number_of(row, p->per) : 1;
    char name[PLOT_NAME_SIZE];
    struct lab_point point;

    if (!lab_point_read(&point, row, p->quantity, error))
        return 0;
    name_of(p, row, name);
    while (to < s->of + s->measured && strcmp(to->name, name) != 0)
        to++;
    if (to == s->of + PLOT_SERIES_MAX)
        return cli_refuse("more than %d series; choose some with --where",
                          PLOT_SERIES_MAX);
    if (to == s->of + s->measured)
        memcpy(s->of[s->measured++].name, name, sizeof name);
    for (uint32_t i = 0; i < to->count; i++)
        if (to->x[i] >= x && to->x[i] <= x)
            return cli_refuse("two rows of %s have the same %s; tell them "
                              "apart with --by",
                              name, p->x);
    if (to->count == PLOT_POINTS_MAX)
        return cli_refuse("more than %d points; choose some with --where",
                          PLOT_POINTS_MAX);
    bound = to + PLOT_SERIES_MAX;
    add_point(to, x, unit, &point);
    add_bound(p, row, bound, x, unit);
    s->share = point.share;
    s->runs_most = point.runs > s->runs_most ? point.runs : s->runs_most;
    s->runs_least = point.runs < s->runs_least ? point.runs : s->runs_least;
    return 0;
}

int cli_plot_fill(const struct cli_plot *p, struct cli_series *s)
{
    int code = 0;
    json_t *row;
    size_t i;

    s->runs_least = UINT64_MAX;
    json_array_foreach(p->rows, i, row)
    {
        code = add_row(p, s, row);
        if (code)
            return code;
    }
    s->count = plot_gather_bounds(s->of, s->measured);
    return code;
}
