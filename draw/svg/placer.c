/*
 * placer.c - see placer.h.
 */
#include "draw/svg/placer.h"

#include <stdlib.h>
#include <string.h>

#include "draw/svg/pen.h"

static const double type = 11.5;

/* ---- Is there room? ------------------------------------------------------ */

static bool boxes_meet(const struct box *a, const struct box *b)
{
    return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

/* Narrows the part [*in, *out] of a line that lies between low and high. */
static bool narrow(double start, double delta, double low, double high,
                   double *in, double *out)
{
    double a, b;

    if (delta > -1e-9 && delta < 1e-9)
        return start > low && start < high;
    a = (low - start) / delta;
    b = (high - start) / delta;
    if (a > b) {
        double c = a;

        a = b;
        b = c;
    }
    *in = a > *in ? a : *in;
    *out = b < *out ? b : *out;
    return *in < *out;
}

static bool line_meets(const struct box *s, const struct box *b)
{
    double in = 0, out = 1;

    return narrow(s->x0, s->x1 - s->x0, b->x0, b->x1, &in, &out) &&
           narrow(s->y0, s->y1 - s->y0, b->y0, b->y1, &in, &out);
}

static bool bars_meet(const struct picture *p, uint32_t row,
                      const struct box *b)
{
    const struct trace *t = p->t;
    uint32_t lane = row % t->head.nodes;
    double y = scale_y(&p->s, row);

    for (uint32_t i = p->spans.first[lane]; i < p->spans.first[lane + 1]; i++) {
        const struct trace_span *span = &p->spans.list[i];
        double half = picture_bar_height(p, picture_look(p, span)) / 2;
        struct box bar = {
            scale_x(&p->s, span->from),
            y - half,
            span->to == TRACE_NEVER ? p->s.left + p->s.width
                                    : scale_x(&p->s, span->to),
            y + half,
        };

        if (boxes_meet(&bar, b))
            return true;
    }
    return false;
}

static bool is_free(const struct placer *placer, const struct box *b)
{
    const struct picture *p = placer->p;
    const struct scale *s = &p->s;
    double row = (b->y0 - s->top) / s->lane - 0.5;
    uint32_t above = row < 0 ? 0 : (uint32_t)row;

    if (b->x0 < s->left || b->x1 > s->left + s->width + 3 || b->y0 < s->top ||
        b->y1 > s->axis)
        return false;
    /* Thin lanes leave no room beside them. */
    for (uint32_t r = above;
         s->regime == SCALE_ARROWS && r < s->rows && r < above + 3; r++)
        if (bars_meet(p, r, b))
            return false;
    for (size_t i = 0; i < placer->taken_count; i++)
        if (boxes_meet(&placer->taken[i], b))
            return false;
    for (size_t i = 0; i < placer->lines_count; i++)
        if (line_meets(&placer->lines[i], b))
            return false;
    return true;
}

double placer_width(const char *class, const char *text)
{
    return strstr(class, "text") != NULL ? pen_bold(text, type)
                                         : pen_width(text, type);
}

bool placer_put(struct placer *placer, const char *class, const char *text,
                double x, double y, bool left)
{
    double width = placer_width(class, text);
    struct box b = {
        (left ? x - width : x) - 3,
        y - 9,
        (left ? x : x + width) + 3,
        y + 3,
    };

    if (placer->taken_count == PLACER_BOXES_MAX || !is_free(placer, &b))
        return false;
    placer->taken[placer->taken_count++] = b;
    if (!placer->dry)
        pen_line(placer->p->file, class, x, y, left ? "end" : "start", text);
    return true;
}

bool placer_lines(struct placer *placer)
{
    const struct picture *p = placer->p;
    const struct trace *t = p->t;

    placer->lines =
        malloc(((size_t)t->messages_count * 3 + 1) * sizeof *placer->lines);
    if (placer->lines == NULL)
        return false;
    if (p->bad_shown) {
        double x = scale_x(&p->s, p->found.bad->tick);

        placer->lines[placer->lines_count++] =
            (struct box){x, p->s.top, x, p->s.axis};
    }
    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message m = trace_message_at(t, i);
        struct picture_path path;

        if (!picture_path(p, &m, &path))
            continue;
        for (unsigned k = 1; k < path.points; k++)
            placer->lines[placer->lines_count++] = (struct box){
                path.x[k - 1],
                path.y[k - 1],
                path.x[k],
                path.y[k],
            };
    }
    return true;
}

const char *placer_class(const struct picture *p, const struct trace_message *m)
{
    const char *class = picture_sign(p, m).class;

    return strcmp(class, "win") == 0 || strcmp(class, "tell") == 0
               ? "small leadertext halo"
           : strcmp(class, "claim") == 0 ? "small ambertext halo"
                                         : "small halo";
}

/* Over or under a line that is not steep, on the side it turns from. */
static bool put_along(struct placer *placer, const char *class,
                      const char *text, double x, double y, bool falls)
{
    return placer_put(placer, class, text, falls ? x + 5 : x - 5, y - 6,
                      !falls) ||
           placer_put(placer, class, text, falls ? x - 5 : x + 5, y + 14,
                      falls);
}

/* Right of the line, then left. */
bool placer_beside(struct placer *placer, const struct trace_message *m,
                   const char *text)
{
    static const double places[] = {0.5, 0.62, 0.38};
    struct picture_path path;

    if (!picture_path(placer->p, m, &path))
        return false;
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        double x = path.x[0] + (path.x[1] - path.x[0]) * places[i];
        double y = path.y[0] + (path.y[1] - path.y[0]) * places[i];
        const char *class = placer_class(placer->p, m);

        if (placer_put(placer, class, text, x + 11, y + 4, false) ||
            placer_put(placer, class, text, x - 11, y + 4, true) ||
            put_along(placer, class, text, x, y, path.y[1] > path.y[0]))
            return true;
    }
    return false;
}

bool placer_in_bar(struct placer *placer, const char *class, const char *text,
                   double size, const struct box *bar, double gap)
{
    const double step = gap < 12 ? gap : 12, end = gap < 8 ? gap : 8;
    double width = pen_bold(text, size), y = bar->y0;

    for (unsigned place = 0;; place++) {
        double x = bar->x0 + gap + step * place;
        struct box b = {x - 4, y - 7, x + width + 4, y + 7};
        size_t i = 0;

        if (x + width + end > bar->x1)
            return false;
        while (i < placer->lines_count && !line_meets(&placer->lines[i], &b))
            i++;
        if (i < placer->lines_count)
            continue;
        pen_line(placer->p->file, class, x, y + 4.5, "start", text);
        return true;
    }
}
