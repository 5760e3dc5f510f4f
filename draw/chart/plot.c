/*
 * plot.c - see plot.h.
 */
#include "draw/chart/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/chart/axis.h"
#include "draw/output.h"
#include "draw/style.h"
#include "draw/svg/pen.h"

enum {
    MARGIN = 40,
    LEFT = 88,
    RIGHT = 560, /* the rest is for the names */
    WIDTH = 900,
    NAMES = RIGHT + 44, /* where they begin */
    LEAST = 330,        /* height of the plot */
    NAME_GAP = 17,      /* between the names of two series */
    LABEL_PX = 44,      /* between two numbers of the x axis */
    ORDER_MAX = 3 * PLOT_SERIES_MAX,
};

/* Where things are.  Nothing has no place on a logarithmic axis: it is drawn
 * below it, at `zero`, which is the bottom of a linear one. */
struct frame {
    struct axis x, y;
    double zero;
    bool has_zero;
};

/* A series in the order of the names, greatest last value first. */
struct entry {
    const struct plot_series *s;
    uint32_t look; /* its number within its kind */
    double y, name_y;
};

static void hold(double *low, double *high, double value)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

/* The least and the greatest of what is drawn. */
static void survey(const struct plot *p, struct frame *f)
{
    for (uint32_t s = 0; s < p->series_count; s++)
        for (uint32_t i = 0; i < p->series[s].count; i++) {
            const struct plot_series *of = &p->series[s];
            const double all[] = {of->y[i], of->most[i], of->high[i],
                                  of->low[i]};

            hold(&f->x.low, &f->x.high, of->x[i]);
            f->has_zero = f->has_zero || (of->y[i] <= 0 && !p->linear_y);
            for (int k = 0; k < 4; k++)
                if (all[k] > 0)
                    hold(&f->y.low, &f->y.high, all[k]);
        }
    if (f->y.high <= 0)
        f->y.low = f->y.high = 1;
}

static struct frame frame_of(const struct plot *p, double top, uint32_t names)
{
    double height = (double)names * NAME_GAP;
    struct frame f = {
        .x = {INFINITY, 0, LEFT, RIGHT, !p->linear_x},
        .y = {INFINITY, 0, .to = top, .logarithmic = !p->linear_y},
    };

    survey(p, &f);
    axis_round(&f.y);
    f.zero = top + (height > LEAST ? height : LEAST);
    f.y.from = f.zero - (f.has_zero ? 32 : 0);
    return f;
}

static double across(const struct frame *f, double x)
{
    return axis_at(&f->x, x);
}

static double down(const struct frame *f, double y)
{
    return f->y.logarithmic && y <= 0 ? f->zero : axis_at(&f->y, y);
}

/* ---- Axes ---------------------------------------------------------------- */

static void draw_y_axis(FILE *file, const struct frame *f)
{
    axis_lines(file, &f->y, LEFT, RIGHT, false);
    if (!f->has_zero)
        return;
    axis_line(file, LEFT, RIGHT, f->zero, "0");
    /* The axis is broken between nothing and the least of something. */
    pen(file, "<path class='axis' d='M@ @l-8 -6m8 12l-8 -6'/>\n", LEFT - 12,
        (f->zero + f->y.from) / 2);
}

/* The numbers that were tried, as far as they have room. */
static void draw_x_axis(FILE *file, const struct frame *f, const struct plot *p)
{
    double last = INFINITY, y = f->zero + 8;
    char number[AXIS_NUMBER_SIZE];

    for (uint32_t s = 0; s < p->series_count; s++) {
        const struct plot_series *of = &p->series[s];

        if (of->count == 0 || of->kind != PLOT_MEASURED)
            continue;
        for (uint32_t i = of->count; i-- > 0;) {
            double x = across(f, of->x[i]);

            pen(file, "<path class='axis' d='M@ @v5'/>\n", x, y);
            if (last - x < LABEL_PX)
                continue;
            axis_number(number, of->x[i]);
            pen_line(file, "tick", x, y + 20, "middle", number);
            last = x;
        }
        break;
    }
    pen(file, "<path class='axis' d='M@ @H@'/>\n", LEFT, y, RIGHT);
    pen_line(file, "tick", RIGHT, y + 40, "end", p->x_label);
}

/* ---- Series -------------------------------------------------------------- */

enum { COLOURS = 8, SHAPES = 5 };

/* A mark of about 8 pixels.  Triangles are left for the greatest found. */
static void draw_mark(FILE *file, uint32_t look, double x, double y)
{
    static const char *const shapes[SHAPES] = {
        "m-3.5 0a3.5 3.5 0 1 1 7 0a3.5 3.5 0 1 1 -7 0",
        "m-3.2 -3.2h6.4v6.4h-6.4z",
        "m0 -4.8l4.8 4.8l-4.8 4.8l-4.8 -4.8z",
        "m-3.6 -3.6l7.2 7.2m0 -7.2l-7.2 7.2",
        "m-4.6 0h9.2m-4.6 -4.6v9.2",
    };
    /* Once all colours are used, marks are hollow. */
    const char *fill = look / COLOURS % 2 ? "hollow" : "full";

    fprintf(file, "<path class='%s", fill);
    pen(file, " series@ line@' d='M@ @", look % COLOURS, look % COLOURS, x, y);
    fprintf(file, "%s'/>\n", shapes[(look + look / COLOURS) % SHAPES]);
}

static void draw_line(FILE *file, const struct frame *f,
                      const struct plot_series *s, const char *class,
                      uint32_t look)
{
    fprintf(file, "<path class='%s", class);
    if (s->kind == PLOT_MEASURED)
        pen(file, " line@", look % COLOURS);
    fputs("' d='", file);
    for (uint32_t i = 0; i < s->count; i++) {
        fputc(i ? 'L' : 'M', file);
        pen(file, "@ @", across(f, s->x[i]), down(f, s->y[i]));
    }
    fputs("'/>\n", file);
}

static bool is_above(const struct plot_series *s, uint32_t i)
{
    return s->most[i] > s->y[i] * 1.005;
}

static bool has_interval(const struct plot_series *s, uint32_t i)
{
    return i < s->count && s->high[i] > s->low[i];
}

/* The intervals of neighbours are joined to a band, and one that has none is a
 * bar; both pale. */
static void draw_band(FILE *file, const struct frame *f, const struct entry *e)
{
    const struct plot_series *s = e->s;

    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t next = has_interval(s, i + 1) ? i + 1 : i;
        bool alone = next == i && !(i > 0 && has_interval(s, i - 1));
        double wide = alone ? 3 : 0;

        if (!has_interval(s, i) || (next == i && !alone))
            continue;
        pen(file, "<path class='series@' opacity='.16' d='M@ @V@L@ @V@z'/>\n",
            e->look % COLOURS, across(f, s->x[i]) - wide, down(f, s->low[i]),
            down(f, s->high[i]), across(f, s->x[next]) + wide,
            down(f, s->high[next]), down(f, s->low[next]));
    }
}

static void draw_series(FILE *file, const struct frame *f,
                        const struct entry *e)
{
    static const char *const classes[] = {"plotline", "bound", "guide"};
    const struct plot_series *s = e->s;

    draw_band(file, f, e);
    draw_line(file, f, s, classes[s->kind], e->look);
    if (s->kind == PLOT_BOUND && s->count == 1)
        pen(file, "<path class='boundtick' d='M@ @h16'/>\n",
            across(f, s->x[0]) - 8, down(f, s->y[0]));
    for (uint32_t i = 0; i < s->count && s->kind == PLOT_MEASURED; i++) {
        double x = across(f, s->x[i]);

        if (is_above(s, i)) {
            pen(file, "<path class='most line@' d='M@ @l3.5 6h-7z'/>\n",
                e->look % COLOURS, x, down(f, s->most[i]) - 4);
        }
        draw_mark(file, e->look, x, down(f, s->y[i]));
    }
}

/* A bound is known by the marks of those it is for. */
static void draw_name(FILE *file, const struct frame *f, const struct entry *e)
{
    const struct plot_series *s = e->s;
    double x = across(f, s->x[s->count - 1]), y = e->name_y - 4;
    double at = NAMES;

    pen(file, "<path class='lead' d='M@ @L@ @H@'/>\n", x + 6, e->y, NAMES - 22,
        y, NAMES - 18);
    if (s->kind == PLOT_MEASURED) {
        draw_mark(file, e->look, NAMES - 10, y);
    } else {
        fprintf(file, "<path class='%s'",
                s->kind == PLOT_BOUND ? "bound" : "guide");
        pen(file, " d='M@ @h24'/>\n", NAMES - 18, y);
        at += 16;
    }
    for (uint32_t look = 0; look < PLOT_SERIES_MAX; look++)
        if (s->owners >> look & 1) {
            draw_mark(file, look, at, y);
            at += 14;
        }
    pen_line(file, s->kind == PLOT_MEASURED ? "" : "small",
             s->kind == PLOT_GUIDE ? at - 4 : at, e->name_y, "start", s->name);
}

/* ---- Names --------------------------------------------------------------- */

static int by_end(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return (x->y > y->y) - (x->y < y->y);
}

/* Names keep their distance. */
static void spread(struct entry *e, uint32_t count, double top, double bottom)
{
    struct axis_name names[ORDER_MAX];

    for (uint32_t i = 0; i < count; i++)
        names[i] = (struct axis_name){e[i].y + 4, NAME_GAP};
    axis_spread(names, count, top, bottom + NAME_GAP);
    for (uint32_t i = 0; i < count; i++)
        e[i].name_y = names[i].y;
}

static uint32_t put_in_order(const struct plot *p, struct entry *order)
{
    uint32_t kinds[3] = {0}, count = 0;

    for (uint32_t i = 0; i < p->series_count && count < ORDER_MAX; i++)
        if (p->series[i].count > 0)
            order[count++] = (struct entry){
                .s = &p->series[i],
                .look = kinds[p->series[i].kind]++,
            };
    return count;
}

/* ---- All of it ----------------------------------------------------------- */

/* Whether some point has it. */
static bool has_any(const struct plot *p,
                    bool (*it)(const struct plot_series *s, uint32_t i))
{
    for (uint32_t s = 0; s < p->series_count; s++)
        for (uint32_t i = 0; i < p->series[s].count; i++)
            if (it(&p->series[s], i))
                return true;
    return false;
}

static void draw_key(FILE *file, const struct plot *p, double y)
{
    if (has_any(p, is_above)) {
        pen(file, "<path class='most line0' d='M@ @l3.5 6h-7z'/>\n", LEFT + 4,
            y - 8);
        pen_line(file, "small", LEFT + 16, y, "start",
                 "the greatest of all runs; lines join the means");
        y += NAME_GAP;
    }
    if (has_any(p, has_interval)) {
        pen(file, "<path class='series0' opacity='.16' d='M@ @h9v9h-9z'/>\n",
            LEFT, y - 9);
        pen_line(file, "small", LEFT + 16, y, "start",
                 "where the mean is, with 95 % confidence");
    }
}

void plot_draw(FILE *file, const struct plot *p)
{
    struct entry order[ORDER_MAX];
    uint32_t count = put_in_order(p, order);
    double top = style_words(NULL, WIDTH, p->title, p->subtitle) + 40, end;
    struct frame f = frame_of(p, top, count);
    bool keys = has_any(p, is_above) && has_any(p, has_interval);
    struct pen_room foot = {MARGIN, f.zero + (keys ? 100 : 88),
                            WIDTH - 2 * MARGIN, 4};

    end =
        foot.y + pen_paragraph(NULL, "mono", PEN_MONO, 11.5, p->command, &foot);
    style_chart(file, WIDTH, ceil(end + 12), p->title, p->subtitle);
    style_words(file, WIDTH, p->title, p->subtitle);
    pen_line(file, "tick", LEFT - 40, top - 18, "start", p->y_label);
    pen_paragraph(file, "mono", PEN_MONO, 11.5, p->command, &foot);
    if (count > 0) {
        draw_y_axis(file, &f);
        draw_x_axis(file, &f, p);
        draw_key(file, p, f.zero + 48);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct plot_series *s = order[i].s;

        order[i].y = down(&f, s->y[s->count - 1]);
    }
    qsort(order, count, sizeof order[0], by_end);
    spread(order, count, top + 4, f.zero + 4);
    for (int kind = PLOT_GUIDE; kind >= PLOT_MEASURED; kind--)
        for (uint32_t i = 0; i < count; i++)
            if ((int)order[i].s->kind == kind)
                draw_series(file, &f, &order[i]);
    for (uint32_t i = 0; i < count; i++)
        draw_name(file, &f, &order[i]);
    fputs("</svg>\n", file);
}

bool plot_write(const char *path, const struct plot *plot, struct net_why *why)
{
    struct output_file out;
    FILE *file = output_open(&out, path, why);

    if (file)
        plot_draw(file, plot);
    return file && output_commit(&out, why);
}

/* ---- Bounds -------------------------------------------------------------- */

void plot_name_bound(struct plot_series *s, bool mean, const char *formula)
{
    s->kind = PLOT_BOUND;
    snprintf(s->name, sizeof s->name, "paper%s: %s", mean ? ", mean" : "",
             formula);
}

static bool same_bound(const struct plot_series *a, const struct plot_series *b)
{
    return a->count == b->count && strcmp(a->name, b->name) == 0 &&
           memcmp(a->x, b->x, a->count * sizeof a->x[0]) == 0 &&
           memcmp(a->y, b->y, a->count * sizeof a->y[0]) == 0;
}

uint32_t plot_gather_bounds(struct plot_series *all, uint32_t measured)
{
    struct plot_series *first = all + measured, *end = first;

    for (uint32_t i = 0; i < measured; i++) {
        struct plot_series bound = all[PLOT_SERIES_MAX + i], *same = first;

        if (bound.count == 0)
            continue;
        while (same < end && !same_bound(same, &bound))
            same++;
        if (same == end)
            *end++ = bound;
        same->owners |= 1u << i;
    }
    return (uint32_t)(end - all);
}
