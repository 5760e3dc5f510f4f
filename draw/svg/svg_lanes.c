/*
 * svg_lanes.c - states as bars: the more power a node has, the more ink.
 */

#include <inttypes.h>
#include <stdio.h>

#include "draw/svg/pen.h"
#include "draw/svg/picture.h"

enum look picture_look(const struct picture *p, const struct trace_span *span)
{
    return roles_look(p->t, (enum trace_role)span->role, span->rests);
}

const char *picture_look_class(enum look look)
{
    static const char *const classes[LOOKS] = {
        "down",    "asleep",    "lost",   "awake",  "waiting", "asking",
        "waiting", "candidate", "leader", "beside", "inside",
    };

    return classes[look];
}

void picture_look_words(const struct picture *p, enum look look, bool all,
                        char out[PICTURE_WORDS_SIZE])
{
    out[0] = '\0';
    if (look == LOOK_RESTS)
        pen_add(out, PICTURE_WORDS_SIZE, "%s", problem_of(p->t)->rests);
    for (unsigned role = 0; role < TRACE_ROLES_ALL; role++) {
        struct role r = roles_of(p->t, (enum trace_role)role);

        if (r.look == look && look != LOOK_RESTS &&
            (p->roles & 1u << role) != 0 && (out[0] == '\0' || all))
            pen_add(out, PICTURE_WORDS_SIZE, "%s%s", out[0] != '\0' ? ", " : "",
                    r.key);
    }
}

double picture_look_height(enum look look)
{
    static const double heights[LOOKS] = {0,  2,  2.5, 5,  9, 10,
                                          14, 12, 20,  28, 28};

    return heights[look];
}

/* The highest bars leave room between many lanes. */
double picture_bar_height(const struct picture *p, enum look look)
{
    const double few_lanes = 60, most = 20;
    double height = picture_look_height(look);

    if (p->s.lane < few_lanes && height > most)
        height = most;
    return height * p->s.bar;
}

/* Where a span begins and ends in the plot; false if it is not seen.  Power
 * is seen however short it lasts. */
static bool extent(const struct picture *p, const struct trace_span *span,
                   double *x0, double *x1)
{
    bool power = look_has_power(picture_look(p, span));

    return scale_extent(&p->s, span->from, span->to, power, x0, x1) &&
           (power || span->to != p->s.from);
}

void picture_bar(const struct picture *p, enum look look, double x0, double x1,
                 double y, double height)
{
    const char *class = picture_look_class(look);

    if (look <= LOOK_LOST) {
        fprintf(p->file, "<line class='%s'", class);
        pen(p->file, " x1='@' y1='@' x2='@' y2='@'/>\n", x0, y, x1, y);
        return;
    }
    fprintf(p->file, "<rect class='%s'", class);
    pen(p->file, " x='@' y='@' width='@' height='@'/>\n", x0, y - height / 2,
        x1 - x0, height);
}

static void bar(const struct picture *p, enum look look, double x0, double x1,
                double y)
{
    if (look == LOOK_DOWN)
        return;
    pen(p->file, "<line class='rail' x1='@' y1='@' x2='@' y2='@'/>\n", x0, y,
        x1, y);
    picture_bar(p, look, x0, x1, y, picture_bar_height(p, look));
}

static void lane(const struct picture *p, uint32_t row)
{
    const struct trace *t = p->t;
    uint32_t lane = row % t->head.nodes;
    double y = scale_y(&p->s, row), x0, x1;

    for (uint32_t i = p->spans.first[lane]; i < p->spans.first[lane + 1]; i++)
        if (extent(p, &p->spans.list[i], &x0, &x1))
            bar(p, picture_look(p, &p->spans.list[i]), x0, x1, y);
}

/* ---- Many lanes: one path a look ----------------------------------------- */

static double thin_height(const struct picture *p, enum look look)
{
    static const double parts[LOOKS] = {0,    0,    0,    0.25, 0.35, 0.35,
                                        0.45, 0.45, 0.85, 0.85, 0.85};
    double height = parts[look] * p->s.lane;
    double most = picture_look_height(look);

    if (look == LOOK_ASLEEP || look == LOOK_LOST)
        return 1;
    return height > most ? most : height < 2 ? 2 : height;
}

static void thin_rows(const struct picture *p, uint32_t first, uint32_t last,
                      enum look look)
{
    const struct trace *t = p->t;
    bool begun = false;

    for (uint32_t row = first; row < last; row++) {
        uint32_t lane = row % t->head.nodes;

        for (uint32_t i = p->spans.first[lane]; i < p->spans.first[lane + 1];
             i++) {
            double x0, x1;

            if (picture_look(p, &p->spans.list[i]) != look ||
                !extent(p, &p->spans.list[i], &x0, &x1))
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
            thin_rows(p, first, last, (enum look)look);
}

/* ---- Steps --------------------------------------------------------------- */

/* The last tick up to which a node's steps are as the head says: a pause or a
 * crash shifts them. */
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
    for (uint32_t lane = 0; lane < t->head.nodes; lane++) {
        const struct trace_step *step = &t->head.steps[lane];
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

/* ---- What applications ask ----------------------------------------------- */

static void wants(const struct picture *p, uint32_t first, uint32_t last)
{
    const struct trace *t = p->t;

    for (uint32_t i = 0; i < t->events_count && (p->marks & MARK_WANT) != 0;
         i++) {
        const struct trace_event one = trace_event_at(t, i), *e = &one;
        uint32_t row = first + e->lane;

        if ((e->what == TRACE_WANT || e->what == TRACE_WANT_SHARED) &&
            row < last && scale_shows(&p->s, e->tick, e->tick))
            pen(p->file, "<circle class='want' cx='@' cy='@' r='@'/>\n",
                scale_x(&p->s, e->tick), scale_y(&p->s, row), 3.5 * p->s.bar);
    }
}

/* A gap in the bar, and the number of the attempt where it has room. */
static void again(void *whom, const struct trace_event *e, uint32_t attempt)
{
    const struct picture *p = *(const struct picture **)whom;
    double x = scale_x(&p->s, e->tick), y = scale_y(&p->s, e->lane);
    double half = picture_bar_height(p, LOOK_BESIDE) / 2 + 2;
    char number[16];

    if (!scale_shows(&p->s, e->tick, e->tick))
        return;
    pen(p->file, "<path class='again' d='M@ @v@'/>\n", x, y - half, 2 * half);
    snprintf(number, sizeof number, "%" PRIu32, attempt);
    if (p->s.bar > 0.7 && 2 * p->s.px >= pen_bold(number, 11.5))
        pen_line(p->file, "onbeside", x + 5, y + 4.5, "start", number);
}

void lanes_draw(const struct picture *p)
{
    if ((p->marks & MARK_STEPS) != 0)
        own_steps(p);
    draw_rows(p, 0, p->t->head.nodes);
    wants(p, 0, p->t->head.nodes);
    if ((p->marks & MARK_AGAIN) != 0)
        (void)finding_attempts(p->t, again, &p);
    if (!p->s.again)
        return;
    fputs("<g opacity='.45'>\n", p->file);
    draw_rows(p, p->t->head.nodes, p->s.rows);
    wants(p, p->t->head.nodes, p->s.rows);
    fputs("</g>\n", p->file);
}
