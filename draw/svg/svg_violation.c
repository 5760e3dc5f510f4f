/*
 * svg_violation.c - the marks of a violation, which go through everything:
 * band, line, flag, outlines, and an arrow between the offenders.
 *
 * What lasts (two lead) has its band up to the end.  What comes and goes (too
 * many are inside) has one as long as it lasts, each time.
 */
#include <string.h>

#include "draw/svg/pen.h"
#include "draw/svg/picture.h"

/* As long as the violation lasts, over every lane: with these attributes. */
static void bands(const struct picture *p, const char *attributes)
{
    const struct finding *f = &p->found;
    struct finding_overlap whole = {0, TRACE_NEVER};
    const struct finding_overlap *o = f->overlaps;
    uint32_t count = f->overlaps_count;

    if (count == 0 && p->bad_shown) {
        whole.from = f->bad->tick;
        o = &whole;
        count = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        double x0, x1;

        if (!scale_extent(&p->s, o[i].from, o[i].to, true, &x0, &x1))
            continue;
        fprintf(p->file, "<rect %s", attributes);
        pen(p->file, " x='@' y='@' width='@' height='@'/>\n", x0, p->s.top,
            x1 - x0, p->s.axis - p->s.top);
    }
}

void violation_ground(const struct picture *p)
{
    bands(p, "fill='url(#alarm)'");
}

/* Returns where the flag ends. */
static double flag(const struct picture *p, double x)
{
    char words[FINDING_FLAG_SIZE];
    double width, left, top = p->s.top - 30;

    finding_flag(&p->found, words);
    width = pen_bold(words, 14) * 1.08 + 56;
    left =
        x - 1 + width > p->width - 8 && x - width > 8 ? x - width + 1 : x - 1;
    pen(p->file,
        "<rect class='bad' x='@' y='@' width='@' height='30' "
        "rx='2'/>",
        left, top, width);
    pen(p->file, "<path class='badcross' d='M@ @l14 14m0 -14l-14 14'/>",
        left + 16, top + 8);
    pen_line(p->file, "flag", left + 41, top + 20, "start", words);
    return left + width;
}

/* ---- Offenders ----------------------------------------------------------- */

/* Half the height of an outline round a bar. */
static double half_height(const struct picture *p, enum look look)
{
    double half = picture_bar_height(p, look) / 2, least = 4 * p->s.bar;

    if (p->s.regime != SCALE_ARROWS)
        return p->s.lane * 0.45;
    return half < least ? least : half;
}

/* Round a part of a bar; open where the bar goes on beyond the plot. */
static void outline(const struct picture *p, const struct trace_span *span,
                    uint64_t from, uint64_t to)
{
    double half = half_height(p, picture_look(p, span));
    double y = scale_y(&p->s, span->lane), x0, x1;

    (void)scale_extent(&p->s, from, to, true, &x0, &x1);
    pen(p->file, "<path class='badline' d='M@ @H@V@H@", x1, y - half, x0,
        y + half, x1);
    fputs(span->to < p->s.to ? "z'/>\n" : "'/>\n", p->file);
}

/* The span of an offender when it happened. */
static const struct trace_span *bad_span(const struct picture *p, uint32_t lane)
{
    uint32_t i = p->spans.first[lane], last = p->spans.first[lane + 1] - 1;

    while (i < last && p->spans.list[i].to <= p->found.bad->tick)
        i++;
    return &p->spans.list[i];
}

/* Between two offenders, while both are: from y0 to y1 at x. */
struct between {
    double x, y0, y1;
};

static bool between_offenders(const struct picture *p, struct between *b)
{
    const struct finding *f = &p->found;
    double start, end;
    uint64_t to = TRACE_NEVER;

    if (!p->bad_shown || f->offenders_count < 2 || f->blame == BLAME_WAITING)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        const struct trace_span *span = bad_span(p, f->offenders[i]);

        to = span->to < to ? span->to : to;
    }
    to = f->overlaps_count > 0 ? f->overlaps[0].to : to;
    start = scale_x(&p->s, f->bad->tick);
    end = scale_inside(&p->s, to);
    b->x = start + (end - start) * 0.6;
    b->y0 = scale_y(&p->s, f->offenders[0]) +
            half_height(p, picture_look(p, bad_span(p, f->offenders[0]))) + 1;
    b->y1 = scale_y(&p->s, f->offenders[1]) -
            half_height(p, picture_look(p, bad_span(p, f->offenders[1]))) - 1;
    return b->y1 - b->y0 >= 14;
}

bool violation_words(const struct picture *p, struct picture_box *box)
{
    struct between b;
    double y;

    if (p->s.regime == SCALE_SHARES || !between_offenders(p, &b) ||
        p->s.left + p->s.width - b.x <= 70 || p->s.lane < 28)
        return false;
    /* Over no lane. */
    y = scale_y(&p->s, p->found.offenders[0]) + p->s.lane / 2 + 4;
    *box = (struct picture_box){b.x - 6, y - 12,
                                b.x + 14 + pen_bold("at once", 12.5), y + 5};
    return true;
}

bool violation_arrow(const struct picture *p, struct picture_box *box)
{
    struct between b;

    if (p->s.regime == SCALE_SHARES || !between_offenders(p, &b))
        return false;
    *box = (struct picture_box){b.x - 7, b.y0, b.x + 7, b.y1};
    return true;
}

static void double_arrow(const struct picture *p)
{
    struct picture_box box;
    struct between b;

    if (!between_offenders(p, &b))
        return;
    pen(p->file,
        "<path class='badline' d='M@ @l5 -6l5 6M@ @V@M@ @l5 6l5 -6'"
        "/>\n",
        b.x - 5, b.y0 + 6, b.x, b.y0 + 1, b.y1 - 1, b.x - 5, b.y1 - 6);
    if (violation_words(p, &box))
        pen_line(p->file, "badtext halo", b.x + 10, box.y1 - 5, "start",
                 "at once");
}

/* All that are inside while too many are. */
static void outline_overlap(const struct picture *p,
                            const struct finding_overlap *o)
{
    const struct trace *t = p->t;

    if (!scale_shows(&p->s, o->from, o->to))
        return;
    for (uint32_t i = 0; i < p->spans.first[t->head.nodes]; i++) {
        const struct trace_span *span = &p->spans.list[i];

        if (look_is_inside(picture_look(p, span)) && span->from <= o->to &&
            span->to > o->from)
            outline(p, span, span->from > o->from ? span->from : o->from,
                    span->to < o->to ? span->to : o->to);
    }
}

static void offenders(const struct picture *p)
{
    const struct finding *f = &p->found;

    for (uint32_t i = 0; i < f->overlaps_count; i++)
        outline_overlap(p, &f->overlaps[i]);
    if (!p->bad_shown)
        return;
    for (uint32_t i = 0; i < f->offenders_count && f->overlaps_count == 0;
         i++) {
        const struct trace_span *span = bad_span(p, f->offenders[i]);
        /* Only the end of the run shows that all of a wait was in vain. */
        bool in_vain = f->blame == BLAME_WAITING;

        outline(p, span, in_vain ? span->from : f->bad->tick, span->to);
    }
    double_arrow(p);
}

/* ---- All of it ----------------------------------------------------------- */

/* A further violation: a thin line, and its words above if they have room
 * behind the words that are there already; returns where they end. */
static double further(const struct picture *p, uint64_t tick, const char *words,
                      double end)
{
    double x = scale_x(&p->s, tick), width = pen_bold(words, 12.5);

    if (tick < p->s.from || tick > p->s.to)
        return end;
    pen(p->file, "<path class='badthin' d='M@ @V@'/>\n", x, p->s.top,
        p->s.axis);
    if (x < end + 8 || x + width > p->width - 8)
        return end;
    pen_line(p->file, "badtext", x, p->s.top - 6, "start", words);
    return x + width;
}

static void all_further(const struct picture *p, double end)
{
    enum { FURTHER = 40 };
    const struct trace *t = p->t;

    for (uint32_t i = 1; i < t->violations_count && i < FURTHER; i++) {
        const char *name = trace_violated(t, &t->violations[i]);
        const struct property *property = property_of(name);

        if (t->violations[i].tick != p->found.bad->tick)
            end = further(p, t->violations[i].tick,
                          strcmp(name, p->found.broken) == 0 ? "again"
                          : property && property->flag       ? property->flag
                                                             : name,
                          end);
    }
    for (uint32_t i = 1; i < p->found.overlaps_count; i++)
        end = further(p, p->found.overlaps[i].from, "again", end);
}

void violation_marks(const struct picture *p)
{
    const struct scale *s = &p->s;
    double x, end = p->width; /* no words above a part that is not shown */

    if (s->regime == SCALE_SHARES)
        bands(p, "class='badthin'"); /* shares hide the ground */
    else
        offenders(p);
    if (p->bad_shown) {
        x = scale_x(s, p->found.bad->tick);
        pen(p->file, "<path class='badline' d='M@ @V@'/>\n", x, s->top,
            s->axis + 5);
        end = flag(p, x);
    }
    if (p->found.bad != NULL)
        all_further(p, end);
}
