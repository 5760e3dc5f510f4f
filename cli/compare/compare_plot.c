/*
 * compare_plot.c - the picture of a comparison: what was measured, and what
 * the papers promise.
 */
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/compare/contest.h"

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

/* What was measured, and what the paper says of it. */
static void fill_row(const struct contest *c, const struct row *row,
                     struct plot_series *measured, struct plot_series *bound)
{
    snprintf(measured->name, sizeof measured->name, "%s", row->protocol->name);
    for (uint32_t s = 0; s < c->points_count; s++) {
        const struct cell *cell = &row->cells[s];
        double x = (double)c->points[s], unit = c->of->share ? x : 1;

        if (cell->refused || cell->summary.runs == 0)
            continue;
        measured->x[measured->count] = x;
        measured->most[measured->count] = c->of->greatest(cell) / unit;
        measured->y[measured->count++] = c->of->cost(cell) / unit;
        if (cell->bound.value <= 0)
            continue;
        bound->x[bound->count] = x;
        bound->y[bound->count++] = cell->bound.value / unit;
        plot_name_bound(bound, cell->bound.relation == FC_MEAN_AT_MOST,
                        cell->bound.formula);
    }
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

/* Measured series first, in the order of rows, then bounds. */
static uint32_t fill(const struct contest *c, struct plot_series *series)
{
    uint32_t drawn = 0, count;

    for (uint32_t i = 0; i < c->rows_count; i++) {
        fill_row(c, &c->rows[i], &series[drawn],
                 &series[PLOT_SERIES_MAX + drawn]);
        drawn += series[drawn].count > 0;
    }
    count = plot_gather_bounds(series, drawn);
    if (c->of->share && c->points_count > 1)
        fill_guide(c, &series[count++]);
    return count;
}

int cli_compare_draw(const struct contest *c)
{
    /* One more for the guide. */
    struct plot_series *series =
        calloc(2 * PLOT_SERIES_MAX + 1, sizeof *series);
    char title[160], subtitle[160];
    struct net_why why;
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
    drawn = plot_write(c->svg, &plot, &why);
    free(series);
    return drawn ? 0 : cli_refused(&why);
}
