/*
 * plot.c - see plot.h.
 */
#include "draw/chart/plot.h"

#include <math.h>
#include <stdlib.h>

#include "draw/style.h"
#include "draw/svg/pen.h"

enum {
    LEFT = 72,
    RIGHT = 560, /* the rest is for the names */
    WIDTH = 760,
    TOP = 112,
    BOTTOM = 440,
    HEIGHT = 540,
    NAME_GAP = 17, /* between the names of two series */
};

/* Whole decades that hold all points. */
struct frame {
    int x_low, x_high, y_low, y_high;
};

/* Widens low..high by the decades around a value; 100 is the end of one. */
static void hold(int *low, int *high, double value)
{
    double decade = log10(value);
    int below = (int)floor(decade + 1e-9), above = (int)ceil(decade - 1e-9);

    *low = below < *low ? below : *low;
    *high = above > *high ? above : *high;
    if (*high == *low)
        ++*high;
}

static struct frame frame_of(const struct plot *p)
{
    struct frame f = {99, -99, 99, -99};

    for (uint32_t s = 0; s < p->series_count; s++)
        for (uint32_t i = 0; i < p->series[s].count; i++) {
            hold(&f.x_low, &f.x_high, p->series[s].x[i]);
            hold(&f.y_low, &f.y_high, p->series[s].y[i]);
        }
    return f;
}

static double across(const struct frame *f, double x)
{
    return LEFT + (RIGHT - LEFT) * (log10(x) - f->x_low) /
                      (double)(f->x_high - f->x_low);
}

static double down(const struct frame *f, double y)
{
    return BOTTOM - (BOTTOM - TOP) * (log10(y) - f->y_low) /
                        (double)(f->y_high - f->y_low);
}

/* A tick label: 1 to 1000 in full, then powers of ten. */
static void draw_label(FILE *file, double x, double y, const char *anchor,
                       int decade)
{
    char text[24];

    if (decade >= 0 && decade <= 3) {
        snprintf(text, sizeof text, "%.0f", pow(10, decade));
        pen_line(file, "tick", x, y, anchor, text);
        return;
    }
    fprintf(file, "<text class='tick' text-anchor='%s'", anchor);
    pen(file, " x='@' y='@'>10<tspan dy='-4' font-size='9'>@</tspan></text>\n",
        x, y, decade);
}

static void draw_grid(FILE *file, const struct frame *f)
{
    int every = (f->y_high - f->y_low + 4) / 5;

    for (int d = f->y_low; d <= f->y_high; d += every) {
        double y = down(f, pow(10, d));

        pen(file, "<line class='grid' x1='@' x2='@' y1='@' y2='@'/>\n", LEFT,
            RIGHT, y, y);
        draw_label(file, LEFT - 8, y + 4, "end", d);
    }
    for (int d = f->x_low; d <= f->x_high; d++)
        draw_label(file, across(f, pow(10, d)), BOTTOM + 20, "middle", d);
}

/* Series by their last value, greatest first. */
static int by_end(const void *a, const void *b)
{
    const struct plot_series *x = *(const struct plot_series *const *)a;
    const struct plot_series *y = *(const struct plot_series *const *)b;
    double p = x->y[x->count - 1], q = y->y[y->count - 1];

    return (p < q) - (p > q);
}

static void draw_series(FILE *file, const struct frame *f,
                        const struct plot_series *s, double name_y)
{
    double x = 0, y = 0;

    fputs("<path class='m grant' d='", file);
    for (uint32_t i = 0; i < s->count; i++) {
        x = across(f, s->x[i]);
        y = down(f, s->y[i]);
        fputc(i ? 'L' : 'M', file);
        pen(file, "@ @", x, y);
    }
    fputs("'/>\n", file);
    for (uint32_t i = 0; i < s->count; i++)
        pen(file, "<circle class='inside' cx='@' cy='@' r='2.5'/>\n",
            across(f, s->x[i]), down(f, s->y[i]));
    pen(file, "<line class='grid' x1='@' y1='@' x2='@' y2='@'/>\n", x + 4, y,
        RIGHT + 16, name_y - 4);
    pen_line(file, "", RIGHT + 20, name_y, "start", s->name);
}

void plot_draw(FILE *file, const struct plot *p)
{
    const struct plot_series *order[PLOT_SERIES_MAX];
    struct frame f = frame_of(p);
    double lowest = TOP;
    uint32_t count = 0;

    style_chart(file, WIDTH, HEIGHT, p->title, p->subtitle);
    pen_line(file, "tick", LEFT, TOP - 14, "start", p->y_label);
    pen_line(file, "tick", RIGHT, BOTTOM + 40, "end", p->x_label);
    pen_line(file, "mono", 40, HEIGHT - 24, "start", p->command);
    for (uint32_t i = 0; i < p->series_count && count < PLOT_SERIES_MAX; i++)
        if (p->series[i].count)
            order[count++] = &p->series[i];
    if (count > 0) {
        draw_grid(file, &f);
        qsort(order, count, sizeof order[0], by_end);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct plot_series *s = order[i];
        double y = down(&f, s->y[s->count - 1]) + 4;

        /* Names keep their distance, downwards. */
        if (y < lowest)
            y = lowest;
        lowest = y + NAME_GAP;
        draw_series(file, &f, s, y);
    }
    fputs("</svg>\n", file);
}
