/*
 * compare_plot.c - the picture of a comparison: what was measured, and what
 * the papers promise.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compare/contest.h"
#include "draw/output.h"

void cli_compare_claim(const struct discipline *of,
                       const struct cli_setup *setup, struct cell *cell)
{
    const struct fc_protocol *p = setup->sim.net.protocol;
    const struct sim_stat *initiators = &cell->summary.initiators;
    struct fc_world world = setup->sim.net.world;
    struct fc_claim claims[FC_CLAIMS_MAX];
    uint32_t count;

    if (!p->claims || !world.bounded || setup->sim.bits)
        return;
    if (!p->problem->repeats) /* there the setup names the starters */
        world.initiators = (uint32_t)initiators->max;
    count = p->claims(setup->sim.net.params, &world, claims);
    for (uint32_t i = 0; i < count; i++)
        if (claims[i].cost == of->claimed &&
            claims[i].relation != FC_ON_AVERAGE && cell->bound.value <= 0)
            cell->bound = claims[i];
}

static bool has_run(const struct cell *cell)
{
    return !cell->refused && cell->summary.runs > 0;
}

static void fill_series(const struct contest *c, const struct row *row,
                        struct plot_series *series)
{
    snprintf(series->name, sizeof series->name, "%s", row->protocol->name);
    for (uint32_t s = 0; s < c->points_count; s++) {
        const struct cell *cell = &row->cells[s];
        double unit = c->of->share ? (double)c->points[s] : 1;

        if (!has_run(cell))
            continue;
        series->x[series->count] = (double)c->points[s];
        series->most[series->count] = c->of->greatest(cell) / unit;
        series->y[series->count++] = c->of->cost(cell) / unit;
    }
}

static void fill_bound(const struct contest *c, const struct row *row,
                       struct plot_series *series)
{
    const char *formula = NULL;
    bool mean = false;

    series->kind = PLOT_BOUND;
    for (uint32_t s = 0; s < c->points_count; s++) {
        const struct cell *cell = &row->cells[s];
        double unit = c->of->share ? (double)c->points[s] : 1;

        if (!has_run(cell) || cell->bound.value <= 0)
            continue;
        formula = cell->bound.formula;
        mean = cell->bound.relation == FC_MEAN_AT_MOST;
        series->x[series->count] = (double)c->points[s];
        series->y[series->count++] = cell->bound.value / unit;
    }
    if (formula)
        snprintf(series->name, sizeof series->name, "paper%s: %s",
                 mean ? ", mean" : "", formula);
}

/* What comparisons of names cost at least, as a processor's share. */
static void fill_guide(const struct contest *c, struct plot_series *series)
{
    series->kind = PLOT_GUIDE;
    snprintf(series->name, sizeof series->name, "N log\u2082 N");
    for (uint32_t s = 0; s < c->points_count; s++) {
        series->x[s] = (double)c->points[s];
        series->y[s] = log2(series->x[s]);
    }
    series->count = c->points_count;
}

/* Bounds that are the same function are drawn once. */
static bool same_bound(const struct plot_series *a, const struct plot_series *b)
{
    return a->count == b->count && strcmp(a->name, b->name) == 0 &&
           memcmp(a->y, b->y, a->count * sizeof a->y[0]) == 0;
}

/* Measured series first, in the order of rows, then bounds. */
static uint32_t fill(const struct contest *c, struct plot_series *series)
{
    uint32_t first = c->rows_count, count = first, drawn = 0;

    for (uint32_t i = 0; i < c->rows_count; i++) {
        uint32_t same = first;

        fill_series(c, &c->rows[i], &series[i]);
        if (series[i].count == 0)
            continue;
        fill_bound(c, &c->rows[i], &series[count]);
        while (same < count && !same_bound(&series[same], &series[count]))
            same++;
        if (same == count && series[count].count > 0)
            count++;
        else
            memset(&series[count], 0, sizeof series[count]);
        series[same].owners |= same < count ? 1u << drawn : 0;
        drawn++;
    }
    if (c->of->share && c->points_count > 1)
        fill_guide(c, &series[count++]);
    return count;
}

int cli_compare_draw(const struct contest *c)
{
    struct plot_series *series = calloc(2 * c->rows_count + 2, sizeof *series);
    struct output_file out;
    struct net_why why;
    char title[160], subtitle[160];
    FILE *file;
    struct plot plot = {
        .title = title,
        .subtitle = subtitle,
        .command = c->command,
        .series = series,
    };
    bool drawn;

    if (!series)
        return cli_no_memory("the chart");
    c->of->entitle(c, title, subtitle, sizeof title, &plot);
    plot.series_count = fill(c, series);
    file = output_open(&out, c->svg, &why);
    if (file)
        plot_draw(file, &plot);
    drawn = file && output_commit(&out, &why);
    free(series);
    return drawn ? 0 : cli_refused(&why);
}
