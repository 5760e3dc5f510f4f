/*
 * svg_frame.c - what stands round the lanes: names, time axis, scale.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "draw/svg/pen.h"
#include "draw/svg/picture.h"

static const double label_px = 64; /* from label to label on the axis */

static double right(const struct picture *p)
{
    return p->s.left + p->s.width;
}

/* ---- Time ---------------------------------------------------------------- */

void frame_grid(const struct picture *p)
{
    const struct scale *s = &p->s;
    uint64_t step = scale_step(s, label_px);

    if (finding_untimed(p->t))
        return;
    for (uint64_t tick = s->from; tick <= s->to;
         tick = (tick / step + 1) * step)
        pen(p->file, "<line class='grid' x1='@' y1='@' x2='@' y2='@'/>\n",
            scale_x(s, tick), s->top, scale_x(s, tick), s->axis);
}

/* Labels keep clear of the first one and of the violation's. */
static bool has_room(const struct picture *p, double x, double bad_x)
{
    return x - p->s.left >= 46 && (x < bad_x - 46 || x > bad_x + 46);
}

static void tick_label(const struct picture *p, const char *class, double x,
                       bool full, uint64_t tick)
{
    char text[FINDING_WHEN_SIZE];

    if (full)
        finding_when(p->t, tick, text);
    else
        finding_number(tick, text);
    pen_line(p->file, class, x, p->s.axis + 19, "middle", text);
}

void frame_axis(const struct picture *p)
{
    const struct scale *s = &p->s;
    uint64_t step = scale_step(s, label_px), tick = s->from;
    double bad_x = p->bad_shown ? scale_x(s, p->found.bad->tick) : -1e6;
    double last = s->left;
    bool untimed = finding_untimed(p->t);

    pen(p->file, "<path class='axis' d='M@ @H@", s->left, s->axis, right(p));
    for (; tick <= s->to && !untimed; tick = (tick / step + 1) * step)
        pen(p->file, "M@ @v5", scale_x(s, tick), s->axis);
    fputs("'/>\n", p->file);
    if (bad_x - s->left >= 46 || bad_x < 0)
        tick_label(p, "tick", s->left, true, s->from);
    for (tick = (s->from / step + 1) * step; tick <= s->to;
         tick = (tick / step + 1) * step) {
        double x = scale_x(s, tick);

        if (!has_room(p, x, bad_x))
            continue;
        tick_label(p, "tick", x, false, tick);
        last = x;
    }
    if (p->bad_shown)
        tick_label(p, "badtext", bad_x, true, p->found.bad->tick);
    last = bad_x > last ? bad_x : last;
    if (right(p) - last > 60)
        pen_line(p->file, "tick", right(p), s->axis + 19, "end",
                 untimed ? "steps" : "ticks");
}

/* ---- Scale --------------------------------------------------------------- */

/* Like the scale of a map: a bar from 0 to the upper bound, with a mark at
 * the lower one.  Ends at x; returns where it begins. */
static double scale_bar(const struct picture *p, const char *word, uint64_t low,
                        uint64_t high, double x, double y)
{
    const double shortest = 4, longest = 240;
    double length = (double)high * p->s.px, low_x;
    char text[96], a[40], b[40];

    finding_number(low, a);
    finding_number(high, b);
    snprintf(text, sizeof text, low == high ? "%s %s" : "%s %s\u2026%s", word,
             a, high == TRACE_NEVER ? "any" : b);
    pen_line(p->file, "tick", x, y, "end", text);
    x -= pen_width(text, 11.5) + 8;
    if (length < shortest || length > longest)
        return x;
    low_x = x - length + (double)low * p->s.px;
    pen(p->file, "<path class='axis' d='M@ @v8M@ @H@M@ @v8M@ @v8'/>\n",
        x - length, y - 8, x - length, y - 4, x, x, y - 8, low_x, y - 8);
    return x - length - 24;
}

void frame_scale_note(const struct picture *p, double y)
{
    const struct trace_bounds *b = &p->t->head.bounds;
    double x = right(p);

    if (finding_untimed(p->t)) {
        pen_line(p->file, "tick", x, y, "end",
                 "events in their order; there is no time");
        return;
    }
    if (strcmp(p->t->head.time, "async") == 0) {
        pen_line(p->file, "tick", x, y, "end",
                 "steps and delays have no bound");
        return;
    }
    x = scale_bar(p, "delay", b->dmin, b->dmax, x, y);
    scale_bar(p, "step", b->rmin, b->rmax, x - 8, y);
}

/* ---- Names --------------------------------------------------------------- */

static void share_names(const struct picture *p)
{
    const struct scale *s = &p->s;
    char number[40], none[40];

    finding_number(p->t->head.nodes, number);
    snprintf(none, sizeof none, "0 %ss", problem_of(p->t)->one);
    pen_line(p->file, "tick", s->left - 12, s->top + 9, "end", number);
    pen_line(p->file, "tick", s->left - 12, s->axis - 36, "end", none);
    pen_line(p->file, "tick", s->left - 12, s->axis - 10, "end", "messages");
}

void frame_names(const struct picture *p)
{
    const struct scale *s = &p->s;
    uint32_t every = s->lane < 14 ? (uint32_t)(14 / s->lane) + 1 : 1;
    const char *class = s->lane < 18 ? "lane2" : "lane";
    char name[24] = "";

    assert(p->t->head.nodes > 0);
    if (s->regime == SCALE_SHARES) {
        share_names(p);
        return;
    }
    for (uint32_t row = 0; row < s->rows; row++) {
        bool again = row == p->t->head.nodes;

        if (row % every != 0 && !again)
            continue;
        if (s->again && !again && row + every > p->t->head.nodes && row != 0)
            continue;
        snprintf(name, sizeof name, "%" PRIu32,
                 trace_name(&p->t->head, row % p->t->head.nodes));
        if (again)
            fputs("<g opacity='.45'>", p->file);
        pen_line(p->file, class, s->left - 16, scale_y(s, row) + 5, "end",
                 name);
        if (again)
            fputs("</g>\n", p->file);
        if (row != 0 && !again)
            continue;
        pen_line(p->file, "small",
                 s->left - 24 - pen_width(name, s->lane < 18 ? 11.5 : 15),
                 scale_y(s, row) + 5, "end",
                 again                      ? "again"
                 : p->t->head.names != NULL ? problem_of(p->t)->lane
                                            : "position");
    }
}
