/*
 * contest.h - many protocols under the same conditions: what `fulcrum compare`
 * runs and shows.
 */
#ifndef CLI_CONTEST_H
#define CLI_CONTEST_H

#include <jansson.h>

#include "cli/setup/setup.h"
#include "draw/chart/plot.h"
#include "sim/batch.h"

enum { POINTS_MAX = PLOT_POINTS_MAX, ROWS_MAX = PLOT_SERIES_MAX };

/* One protocol at one point: a size of the ring, or a number of competitors. */
struct cell {
    struct sim_summary summary;
    struct fc_claim bound; /* of the paper; value 0: none */
    bool refused;          /* it does not fit this setting */
};

struct row {
    const struct fc_protocol *protocol;
    struct cell cells[POINTS_MAX];
    double last;    /* the cost at the last point */
    uint32_t place; /* before they are sorted */
};

struct contest;

/* The contestants, and how they are shown. */
struct discipline {
    const char *problem;  /* as typed */
    const char *judge;    /* a protocol that takes any setting, to try it on */
    uint64_t runs;        /* by default */
    struct cli_verb form; /* of the verb, for --help */
    bool (*takes)(const struct fc_protocol *p);
    /* Sets the words of one point. */
    void (*place)(const struct contest *c, uint32_t point,
                  struct cli_words *words);
    /* By what rows are sorted and drawn, and the greatest of all runs. */
    double (*cost)(const struct cell *cell);
    double (*greatest)(const struct cell *cell);
    enum fc_cost claimed; /* the same cost in the papers */
    bool share;           /* drawn as a processor's share of it */
    void (*print)(const struct contest *c);
    json_t *(*to_json)(const struct contest *c, const struct row *row,
                       uint32_t point);
    /* Title, subtitle and axes; the series are filled in. */
    void (*entitle)(const struct contest *c, char *title, char *subtitle,
                    size_t size, struct plot *plot);
};

extern const struct cli_option cli_compare_points[], cli_compare_runs[];
#define CLI_COMPARE_OPTIONS                                                    \
    {                                                                          \
        cli_compare_points, cli_words_options, cli_compare_runs                \
    }
extern const struct discipline cli_compare_election, cli_compare_mutex;

/* A line that counts the runs in which a protocol failed, if it did. */
void cli_compare_failed(const struct row *row, uint64_t runs);

/* compare_plot.c: the paper's bound for a point, and the picture. */
void cli_compare_claim(const struct discipline *of,
                       const struct cli_setup *setup, struct cell *cell);
int cli_compare_draw(const struct contest *c);

struct contest {
    struct cli_words words; /* first: see setup.h */
    const struct discipline *of;
    const char *svg, *load;
    bool json;
    uint64_t first_seed, runs_count;
    uint32_t points[POINTS_MAX]; /* sorted */
    uint32_t points_count;
    uint32_t nodes;              /* where the points are not the sizes */
    uint64_t dmax;               /* of the runs */
    char number[POINTS_MAX][16]; /* points as text, for the words */
    struct row *rows;
    uint32_t rows_count;
    char command[512];
};

#endif
