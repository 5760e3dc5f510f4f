/*
 * svg_lanes.c - states as bars: the more power a node has, the more ink.
 */
#include <string.h>

#include "draw/pen.h"
#include "draw/picture.h"

enum picture_look picture_look(const struct trace_span *span)
{
    if (span->role == TRACE_LEADER)
        return LOOK_LEADER;
    if (span->rests)
        return LOOK_RESTS;
    switch (span->role) {
    case TRACE_DOWN:
        return LOOK_DOWN;
    case TRACE_CANDIDATE:
        return LOOK_CANDIDATE;
    case TRACE_AWAKE:
        return LOOK_AWAKE;
    case TRACE_LOST:
        return LOOK_LOST;
    default:
        return LOOK_ASLEEP;
    }
}

const char *picture_look_class(enum picture_look look)
{
    static const char *const classes[LOOKS] = {
        "down", "asleep", "lost", "awake", "waiting", "candidate", "leader",
    };

    return classes[look];
}

double picture_look_height(enum picture_look look)
{
    static const double heights[LOOKS] = {0, 2, 2.5, 5, 9, 12, 20};

    return heights[look];
}

/* Where a span begins and ends in the plot; false if it is not seen.  Power
 * is seen however short it lasts. */
static bool extent(const struct picture *p, const struct trace_span *span,
                   double *x0, double *x1)
{
    const struct scale *s = &p->s;
    const double least = 3;

    if (span->to <= s->from || span->from > s->to) {
        if (span->to != s->from || span->role != TRACE_LEADER)
            return false;
    }
    *x0 = span->from > s->from ? scale_x(s, span->from) : s->left;
    *x1 = span->to < s->to ? scale_x(s, span->to) : s->left + s->width;
    if (span->role == TRACE_LEADER && *x1 - *x0 < least)
        *x1 = *x0 + least;
    return true;
}

static void bar(const struct picture *p, enum picture_look look, double x0,
                double x1, double y)
{
    const char *class = picture_look_class(look);
    double height = picture_look_height(look) * p->s.bar;

    if (look == LOOK_DOWN)
        return;
    pen(p->file, "<line class='rail' x1='@' y1='@' x2='@' y2='@'/>\n", x0, y,
        x1, y);
    if (look == LOOK_ASLEEP || look == LOOK_LOST) {
        fprintf(p->file, "<line class='%s'", class);
        pen(p->file, " x1='@' y1='@' x2='@' y2='@'/>\n", x0, y, x1, y);
        return;
    }
    fprintf(p->file, "<rect class='%s'", class);
    pen(p->file, " x='@' y='@' width='@' height='@'/>\n", x0, y - height / 2,
        x1 - x0, height);
}

static void lane(const struct picture *p, uint32_t row)
{
    const struct trace *t = p->t;
    uint32_t lane = row % t->nodes;
    double y = scale_y(&p->s, row), x0, x1;

    for (uint32_t i = t->first_span[lane]; i < t->first_span[lane + 1]; i++)
        if (extent(p, &t->spans[i], &x0, &x1))
            bar(p, picture_look(&t->spans[i]), x0, x1, y);
}

/* ---- Many lanes: one path a look ----------------------------------------- */

static double thin_height(const struct picture *p, enum picture_look look)
{
    static const double parts[LOOKS] = {0, 0, 0, 0.25, 0.35, 0.45, 0.85};
    double height = parts[look] * p->s.lane;
    double most = picture_look_height(look);

    if (look == LOOK_ASLEEP || look == LOOK_LOST)
        return 1;
    return height > most ? most : height < 2 ? 2 : height;
}

static void thin_rows(const struct picture *p, uint32_t first, uint32_t last,
                      enum picture_look look)
{
    const struct trace *t = p->t;
    bool begun = false;

    for (uint32_t row = first; row < last; row++) {
        uint32_t lane = row % t->nodes;

        for (uint32_t i = t->first_span[lane]; i < t->first_span[lane + 1];
             i++) {
            double x0, x1;

            if (picture_look(&t->spans[i]) != look ||
                !extent(p, &t->spans[i], &x0, &x1))
                continue;
            if (!begun) {
                fprintf(p->file, "<path class='thin %st'",
                        picture_look_class(look));
                pen(p->file, " stroke-width='@' d='", thin_height(p, look));
            }
            begun = true;
            pen(p->file, "M@ @H@", x0, scale_y(&p->s, row), x1);
        }
    }
    if (begun)
        fputs("'/>\n", p->file);
}

static void draw_rows(const struct picture *p, uint32_t first, uint32_t last)
{
    if (p->s.regime == SCALE_ARROWS)
        for (uint32_t row = first; row < last; row++)
            lane(p, row);
    else
        for (unsigned look = LOOK_ASLEEP; look < LOOKS; look++)
            thin_rows(p, first, last, (enum picture_look)look);
}

/* ---- Steps --------------------------------------------------------------- */

/* The last tick up to which a node's steps are those of the head: a pause or
 * a crash shifts them. */
static uint64_t steps_known(const struct picture *p, uint32_t lane)
{
    const struct trace *t = p->t;

    for (uint32_t i = 0; i < t->faults_count; i++)
        if (t->faults[i].lane == lane && t->faults[i].kind != TRACE_FAULT_CUT)
            return t->faults[i].from < p->s.to ? t->faults[i].from : p->s.to;
    return p->s.to;
}

/* Slow nodes are seen to be slow: an upright for every step they take. */
static void own_steps(const struct picture *p)
{
    const struct trace *t = p->t;
    const struct scale *s = &p->s;

    fputs("<path class='steps' d='", p->file);
    for (uint32_t lane = 0; lane < t->nodes; lane++) {
        const struct trace_step *step = &t->steps[lane];
        uint64_t tick = step->phase, last = steps_known(p, lane);
        double y = scale_y(s, lane) + 8 * s->bar;

        if (tick < s->from)
            tick += (s->from - tick + step->length - 1) / step->length *
                    step->length;
        for (; tick <= last; tick += step->length)
            pen(p->file, "M@ @v4", scale_x(s, tick), y);
    }
    fputs("'/>\n", p->file);
}

void lanes_draw(const struct picture *p)
{
    if ((p->marks & MARK_STEPS) != 0)
        own_steps(p);
    draw_rows(p, 0, p->t->nodes);
    if (!p->s.again)
        return;
    fputs("<g opacity='.45'>\n", p->file);
    draw_rows(p, p->t->nodes, p->s.rows);
    fputs("</g>\n", p->file);
}
