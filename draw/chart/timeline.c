/*
 * timeline.c - the picture; see timeline.h.
 */
#include "draw/chart/timeline.h"

#include <assert.h>

#include "draw/chart/axis.h"
#include "draw/style.h"
#include "draw/svg/pen.h"

enum {
    MARGIN = 40,
    WIDTH = 960,
    TOP = 108,   /* of the lanes */
    LANE = 44,   /* from lane to lane */
    KEY = 52,    /* from the axis to the key */
    FOOT = 40,   /* from the key to the command */
    SAMPLE = 32, /* of the key */
    LABEL_PX = 64,
};

/* ---- Shared with the text ------------------------------------------------ */

const char *timeline_word(enum timeline_state state)
{
    static const char *const words[TIMELINE_STATES] = {
        [TIMELINE_UP] = "runs",       [TIMELINE_DOWN] = "killed",
        [TIMELINE_FROZEN] = "frozen", [TIMELINE_WAITS] = "waits",
        [TIMELINE_LEADS] = "leads",   [TIMELINE_INSIDE] = "inside",
    };

    return words[state];
}

static bool is_shown(const struct timeline *t,
                     const struct timeline_interval *v)
{
    return v->from <= t->to && v->to >= t->from;
}

bool timeline_has(const struct timeline *t, enum timeline_state state)
{
    for (size_t i = 0; i < t->intervals_count; i++)
        if (t->intervals[i].state == state && is_shown(t, &t->intervals[i]))
            return true;
    return false;
}

uint64_t timeline_step(const struct timeline *t, double width, double least)
{
    double ticks = (double)(t->to - t->from) * least / width;

    return ticks <= 1 ? 1 : (uint64_t)axis_above(ticks);
}

void timeline_label(const struct timeline *t, uint64_t time, uint64_t step,
                    char text[32])
{
    int decimals = 0;

    for (uint64_t unit = t->unit; step < unit && decimals < 9; step *= 10)
        decimals++;
    snprintf(text, 32, "%.*f", decimals, (double)time / (double)t->unit);
    for (char *c = text; *c; c++) /* whatever the locale says */
        if (*c == ',')
            *c = '.';
}

/* ---- Lanes --------------------------------------------------------------- */

struct picture {
    FILE *file;
    const struct timeline *t;
    struct axis x;
    double axis; /* its height */
};

static double x_of(const struct picture *p, uint64_t time)
{
    const struct timeline *t = p->t;

    time = time < t->from ? t->from : time > t->to ? t->to : time;
    return axis_at(&p->x, (double)time);
}

static double y_of(uint32_t lane)
{
    return TOP + LANE * lane + LANE / 2.0;
}

static const struct look {
    const char *class;
    double height;
} looks[TIMELINE_STATES] = {
    [TIMELINE_UP] = {"awake", 5},      [TIMELINE_DOWN] = {"paper", 20},
    [TIMELINE_FROZEN] = {"pause", 20}, [TIMELINE_WAITS] = {"waiting", 12},
    [TIMELINE_LEADS] = {"leader", 20}, [TIMELINE_INSIDE] = {"inside", 28},
};

static void bar(const struct picture *p, enum timeline_state state, double x0,
                double x1, double y, double highest)
{
    const double thinnest = 3;
    const struct look *look = &looks[state];
    double height = look->height < highest ? look->height : highest;

    fprintf(p->file, "<rect class='%s'", look->class);
    pen(p->file, " x='@' y='@' width='@' height='@'/>\n", x0, y - height / 2,
        x1 - x0 < thinnest ? thinnest : x1 - x0, height);
}

/* What lies over the bars: brackets round a freeze, a cross for a death. */
static void sign(const struct picture *p, enum timeline_state state, double x0,
                 double x1, double y)
{
    const double cross = 5;
    static const char *const classes[] = {"under' stroke-width='6", "crash"};

    for (int i = 0; i < 2 && state == TIMELINE_DOWN; i++) {
        fprintf(p->file, "<path class='%s'", classes[i]);
        pen(p->file, " d='M@ @l@ @m0 @l@ @'/>\n", x0 - cross, y - cross,
            2 * cross, 2 * cross, -2 * cross, -2 * cross, 2 * cross);
    }
    if (state == TIMELINE_FROZEN)
        pen(p->file, "<path class='bracket' d='M@ @h-4v30h4M@ @h4v30h-4'/>\n",
            x0 + 4, y - 15, x1 - 4, y - 15);
}

/* The word in a bar, where there is room. */
static void word_in(const struct picture *p, enum timeline_state state,
                    double x0, double x1, double y)
{
    const char *word = timeline_word(state);

    if (state >= TIMELINE_LEADS && x1 - x0 > pen_width(word, 11.5) + 12)
        pen_line(p->file, "oninside", x0 + 8, y + 4, "start", word);
}

/* State by state, so that those with power lie on top; stripes, signs and
 * words over them all. */
static void draw_intervals(const struct picture *p)
{
    static const enum timeline_state order[TIMELINE_STATES] = {
        TIMELINE_UP,    TIMELINE_DOWN,   TIMELINE_WAITS,
        TIMELINE_LEADS, TIMELINE_INSIDE, TIMELINE_FROZEN};
    const struct timeline *t = p->t;

    for (unsigned s = 0; s < TIMELINE_STATES; s++)
        for (size_t i = 0; i < t->intervals_count; i++) {
            const struct timeline_interval *v = &t->intervals[i];
            double x0 = x_of(p, v->from), x1 = x_of(p, v->to);

            if (v->state != order[s] || !is_shown(t, v))
                continue;
            bar(p, v->state, x0, x1, y_of(v->lane), LANE);
        }
    for (size_t i = 0; i < t->intervals_count; i++) {
        const struct timeline_interval *v = &t->intervals[i];
        double x0 = x_of(p, v->from), x1 = x_of(p, v->to);

        if (!is_shown(t, v))
            continue;
        sign(p, v->state, x0, x1, y_of(v->lane));
        word_in(p, v->state, x0, x1, y_of(v->lane));
    }
}

/* ---- Round the lanes ----------------------------------------------------- */

static void draw_axis(const struct picture *p)
{
    const struct timeline *t = p->t;
    uint64_t step = timeline_step(t, p->x.to - p->x.from, LABEL_PX);
    uint64_t first = (t->from + step - 1) / step * step;
    char text[32], label[64];

    for (uint64_t time = first; time <= t->to; time += step)
        pen(p->file, "<line class='grid' x1='@' y1='@' x2='@' y2='@'/>\n",
            x_of(p, time), TOP, x_of(p, time), p->axis);
    pen(p->file, "<path class='axis' d='M@ @H@", p->x.from, p->axis, p->x.to);
    for (uint64_t time = first; time <= t->to; time += step)
        pen(p->file, "M@ @v5", x_of(p, time), p->axis);
    fputs("'/>\n", p->file);
    for (uint64_t time = first; time <= t->to; time += step) {
        timeline_label(t, time, step, text);
        snprintf(label, sizeof label, "%s%s %s", time == first ? "t = " : "",
                 text, time == first ? t->unit_name : "");
        pen_line(p->file, "tick", x_of(p, time), p->axis + 19, "middle", label);
    }
}

static void draw_names(const struct picture *p)
{
    for (uint32_t i = 0; i < p->t->lanes_count; i++) {
        pen_line(p->file, "lane", p->x.from - 16, y_of(i) + 5, "end",
                 p->t->lanes[i]);
        pen(p->file, "<path class='rail' d='M@ @H@'/>\n", p->x.from, y_of(i),
            p->x.to);
    }
}

static void draw_key(const struct picture *p)
{
    double x = MARGIN, y = p->axis + KEY;

    for (int s = TIMELINE_STATES - 1; s >= 0; s--) {
        const char *word = timeline_word((enum timeline_state)s);

        if (!timeline_has(p->t, (enum timeline_state)s))
            continue;
        bar(p, (enum timeline_state)s, x, x + SAMPLE, y, 20);
        sign(p, (enum timeline_state)s,
             s == TIMELINE_DOWN ? x + SAMPLE / 2.0 : x, x + SAMPLE, y);
        pen_line(p->file, "small", x + SAMPLE + 8, y + 4, "start", word);
        x += SAMPLE + 8 + pen_width(word, 11.5) + 24;
    }
}

static double names_width(const struct timeline *t)
{
    double widest = 0;

    for (uint32_t i = 0; i < t->lanes_count; i++) {
        double width = pen_bold(t->lanes[i], 14);

        widest = width > widest ? width : widest;
    }
    return widest;
}

void timeline_svg(FILE *file, const struct timeline *t)
{
    struct picture p = {.file = file, .t = t};
    double height;

    assert(t->from < t->to);
    p.x = (struct axis){.low = (double)t->from,
                        .high = (double)t->to,
                        .from = MARGIN + names_width(t) + 16,
                        .to = WIDTH - MARGIN};
    p.axis = TOP + LANE * (double)t->lanes_count + 4;
    height = p.axis + KEY + FOOT + 24;
    style_chart(file, WIDTH, height, t->title, t->subtitle);
    style_words(file, WIDTH, t->title, t->subtitle);
    draw_axis(&p);
    draw_names(&p);
    draw_intervals(&p);
    draw_key(&p);
    pen_line(file, "mono", MARGIN, p.axis + KEY + FOOT, "start", t->command);
    fputs("</svg>\n", file);
}
