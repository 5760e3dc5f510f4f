/*
 * plot.c - see plot.h.
 */
#include "draw/chart/plot.h"

#include <math.h>
#include <stdlib.h>

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

static void text_of(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            fputc(*text, file);
    }
}

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

static void draw_style(FILE *file)
{
    fputs("<style>\n"
          ":root { --paper: #FBFAF7; --ink: #1B1F24; --ink2: #545D67; "
          "--grid: #ECEAE4; --measure: #2672A8; }\n"
          "@media (prefers-color-scheme: dark) { :root { --paper: #14171A; "
          "--ink: #ECEAE5; --ink2: #A9B1B9; --grid: #24292E; "
          "--measure: #7CC0EE; } }\n"
          "text { font-family: Inter, system-ui, Arial, sans-serif; "
          "fill: var(--ink); font-size: 12.5px; }\n"
          ".title { font-size: 20px; font-weight: 650; }\n"
          ".sub { fill: var(--ink2); font-size: 13.5px; }\n"
          ".tick { fill: var(--ink2); font-size: 11.5px; }\n"
          ".mono { font-family: 'JetBrains Mono', ui-monospace, monospace; "
          "font-size: 11.5px; fill: var(--ink2); }\n"
          ".grid { stroke: var(--grid); }\n"
          ".line { stroke: var(--measure); stroke-width: 1.5; fill: none; }\n"
          ".dot { fill: var(--measure); }\n"
          ".lead { stroke: var(--grid); }\n"
          "</style>\n",
          file);
}

static void draw_words(FILE *file, const struct plot *p)
{
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' "
            "width='%d' height='%d' role='img'>\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    text_of(file, p->title);
    fputs("</title>\n<desc>", file);
    text_of(file, p->subtitle);
    fputs("</desc>\n", file);
    draw_style(file);
    fprintf(file, "<rect width='%d' height='%d' fill='var(--paper)'/>\n", WIDTH,
            HEIGHT);
    fputs("<text class='title' x='40' y='44'>", file);
    text_of(file, p->title);
    fputs("</text>\n<text class='sub' x='40' y='68'>", file);
    text_of(file, p->subtitle);
    fprintf(file, "</text>\n<text class='tick' x='%d' y='%d'>", LEFT, TOP - 14);
    text_of(file, p->y_label);
    fprintf(file,
            "</text>\n<text class='tick' x='%d' y='%d' "
            "text-anchor='end'>",
            RIGHT, BOTTOM + 40);
    text_of(file, p->x_label);
    fprintf(file, "</text>\n<text class='mono' x='40' y='%d'>", HEIGHT - 24);
    text_of(file, p->command);
    fputs("</text>\n", file);
}

/* A tick label: 1 to 1000 in full, then powers of ten. */
static void draw_label(FILE *file, double x, double y, const char *anchor,
                       int decade)
{
    fprintf(file, "<text class='tick' x='%.1f' y='%.1f' text-anchor='%s'>", x,
            y, anchor);
    if (decade >= 0 && decade <= 3)
        fprintf(file, "%.0f</text>\n", pow(10, decade));
    else
        fprintf(file, "10<tspan dy='-4' font-size='9'>%d</tspan></text>\n",
                decade);
}

static void draw_grid(FILE *file, const struct frame *f)
{
    int every = (f->y_high - f->y_low + 4) / 5;

    for (int d = f->y_low; d <= f->y_high; d += every) {
        double y = down(f, pow(10, d));

        fprintf(file,
                "<line class='grid' x1='%d' x2='%d' y1='%.1f' y2='%.1f'/>\n",
                LEFT, RIGHT, y, y);
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

    fputs("<path class='line' d='", file);
    for (uint32_t i = 0; i < s->count; i++) {
        x = across(f, s->x[i]);
        y = down(f, s->y[i]);
        fprintf(file, "%c%.1f %.1f", i ? 'L' : 'M', x, y);
    }
    fputs("'/>\n", file);
    for (uint32_t i = 0; i < s->count; i++)
        fprintf(file, "<circle class='dot' cx='%.1f' cy='%.1f' r='2.5'/>\n",
                across(f, s->x[i]), down(f, s->y[i]));
    fprintf(file,
            "<line class='lead' x1='%.1f' y1='%.1f' x2='%d' y2='%.1f'/>\n",
            x + 4, y, RIGHT + 16, name_y - 4);
    fprintf(file, "<text x='%d' y='%.1f'>", RIGHT + 20, name_y);
    text_of(file, s->name);
    fputs("</text>\n", file);
}

void plot_draw(FILE *file, const struct plot *p)
{
    const struct plot_series *order[PLOT_SERIES_MAX];
    struct frame f = frame_of(p);
    double lowest = TOP;
    uint32_t count = 0;

    draw_words(file, p);
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
