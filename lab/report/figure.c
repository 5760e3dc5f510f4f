/*
 * figure.c - the measured numbers beside the claimed bound, over the sizes: SVG
 * for a page that has the rules of draw/style.h (see report.h).
 *
 * What grows with the size is divided by it, so that linear is level; what
 * still spans too much gets a logarithmic axis, which says so.  A quantity in
 * an order is divided by its formula.
 */
#include "lab/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/chart/axis.h"
#include "draw/svg/pen.h"

enum {
    WIDTH = 760,
    HEIGHT = 292,
    LEFT = 56,
    RIGHT = 610,
    TOP = 18,
    BOTTOM = 248,
    NAMES = RIGHT + 12,
    NAMES_WIDTH = WIDTH - NAMES,
    LINE = 15,
    LABEL_PX = 40, /* between two numbers of the x axis */
    POINTS_MAX = 400,
};

struct point {
    double x, y, low, high, bound;
    enum lab_verdict verdict;
    enum lab_evidence evidence;
};

struct figure {
    struct point points[POINTS_MAX]; /* in the order of x */
    uint32_t count;
    bool order; /* y is the quotient by the formula */
    bool share; /* y is in per cent */
    bool per_x; /* y is divided by x */
    struct axis x, y;
    bool one_each;  /* one point at each x */
    bool one_bound; /* one bound at each x */
    bool bounded;   /* there is a bound */
};

/* ---- Points -------------------------------------------------------------- */

static int by_x(const void *a, const void *b)
{
    const struct point *p = a, *q = b;

    return p->x != q->x ? (p->x > q->x) - (p->x < q->x)
                        : (p->y > q->y) - (p->y < q->y);
}

static bool is_order(const struct lab_judgement *j)
{
    return strstr(j->relation, " in ") != NULL;
}

/* A cell as a point; false: it has no place. */
static bool point_of(struct point *p, const struct lab_cell *c, bool order)
{
    double by = order ? c->bound : 1;

    *p = (struct point){c->x,         c->measured / by,       c->low / by,
                        c->high / by, order ? NAN : c->bound, c->verdict,
                        c->evidence};
    /* An order is violated by all points together. */
    if (order)
        p->verdict = LAB_HOLDS;
    if (!isfinite(p->low) || !isfinite(p->high))
        p->low = p->high = p->y;
    if (!isfinite(p->bound))
        p->bound = NAN;
    return isfinite(p->x) && p->x > 0 && isfinite(p->y);
}

static void gather(struct figure *f, const struct lab_judgement *j)
{
    uint32_t stride = j->count / POINTS_MAX + 1;

    f->order = is_order(j);
    for (uint32_t i = 0; i < j->count; i += stride)
        f->count += point_of(&f->points[f->count], &j->cells[i], f->order);
    qsort(f->points, f->count, sizeof f->points[0], by_x);
}

bool lab_figure_is_worth(const struct lab_judgement *j)
{
    double first = NAN;
    struct point p;

    /* Whether a property is violated is not a number. */
    if (!is_order(j) && !strpbrk(j->relation, "<=>"))
        return false;
    for (uint32_t i = 0; i < j->count; i++) {
        if (!point_of(&p, &j->cells[i], is_order(j)))
            continue;
        if (isnan(first))
            first = p.x;
        else if (p.x != first)
            return true;
    }
    return false;
}

/* ---- Scales -------------------------------------------------------------- */

/* The least positive and the greatest number that is drawn. */
static void range_of(struct figure *f)
{
    f->y.low = INFINITY;
    f->y.high = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct point *p = &f->points[i];
        const double all[] = {p->y, p->low, p->high, p->bound};

        for (int k = 0; k < 4; k++)
            if (isfinite(all[k])) {
                f->y.low = fmin(f->y.low, all[k]);
                f->y.high = fmax(f->y.high, all[k]);
            }
    }
}

static void divide_by_x(struct figure *f)
{
    double span = f->y.high / f->y.low;

    for (uint32_t i = 0; i < f->count; i++) {
        struct point *p = &f->points[i];

        p->y /= p->x, p->low /= p->x, p->high /= p->x, p->bound /= p->x;
    }
    range_of(f);
    f->per_x = f->y.high / f->y.low < span / 4;
    if (f->per_x)
        return;
    for (uint32_t i = 0; i < f->count; i++) {
        struct point *p = &f->points[i];

        p->y *= p->x, p->low *= p->x, p->high *= p->x, p->bound *= p->x;
    }
    range_of(f);
}

static void choose_scales(struct figure *f)
{
    const double much = 20;

    range_of(f);
    f->x.from = LEFT, f->x.to = RIGHT;
    f->y.from = BOTTOM, f->y.to = TOP;
    f->x.low = f->points[0].x;
    f->x.high = f->points[f->count - 1].x;
    f->x.logarithmic = f->x.high / f->x.low >= 8;
    if (!f->order && !f->share && f->y.low > 0 && f->y.high / f->y.low > much)
        divide_by_x(f);
    f->y.logarithmic = !f->share && f->y.low > 0 && f->y.high / f->y.low > much;
    if (f->y.high <= 0)
        f->y.high = f->share ? 0.01 : 1;
    axis_round(&f->y);
}

static void look_at_neighbours(struct figure *f)
{
    f->one_each = f->one_bound = true;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct point *p = &f->points[i];

        f->bounded = f->bounded || isfinite(p->bound);
        f->one_bound = f->one_bound && isfinite(p->bound);
        if (i == 0 || p->x != p[-1].x)
            continue;
        f->one_each = false;
        if (fabs(p->bound - p[-1].bound) > 1e-9 * fabs(p->bound))
            f->one_bound = false;
    }
}

/* ---- Axes ---------------------------------------------------------------- */

static void draw_x_axis(FILE *file, const struct figure *f, const char *along)
{
    double last = INFINITY;
    char text[64];

    for (uint32_t i = f->count; i-- > 0;) {
        double x = axis_at(&f->x, f->points[i].x);

        if (last - x < LABEL_PX)
            continue;
        lab_word_number(text, sizeof text, f->points[i].x);
        pen_line(file, "tick", x, BOTTOM + 20, "middle", text);
        last = x;
    }
    snprintf(text, sizeof text, "%s%s", along,
             f->x.logarithmic ? ", logarithmic" : "");
    pen_line(file, "tick", (LEFT + RIGHT) / 2.0, HEIGHT - 6, "middle", text);
}

/* ---- Marks --------------------------------------------------------------- */

static void draw_path(FILE *file, const struct figure *f, const char *class,
                      bool bound)
{
    fprintf(file, "<path class='%s' d='", class);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct point *p = &f->points[i];

        if (i > 0 && p->x == p[-1].x)
            continue;
        fputc(i ? 'L' : 'M', file);
        pen(file, "@ @", axis_at(&f->x, p->x),
            axis_at(&f->y, bound ? p->bound : p->y));
    }
    fputs("'/>\n", file);
}

static void draw_bounds(FILE *file, const struct figure *f)
{
    if (f->one_bound) {
        draw_path(file, f, "bound", true);
        return;
    }
    for (uint32_t i = 0; i < f->count; i++)
        if (isfinite(f->points[i].bound))
            pen(file, "<path class='boundtick' d='M@ @h16'/>\n",
                axis_at(&f->x, f->points[i].x) - 8,
                axis_at(&f->y, f->points[i].bound));
}

/* A dot; an open triangle for the worst that was found; and a cross through
 * what violates. */
static void draw_mark(FILE *file, const struct figure *f, const struct point *p)
{
    double x = axis_at(&f->x, p->x), y = axis_at(&f->y, p->y);
    bool bad = p->verdict == LAB_VIOLATED;

    if (p->low < p->high)
        pen(file, "<path class='reach' d='M@ @V@'/>\n", x,
            axis_at(&f->y, p->low), axis_at(&f->y, p->high));
    fprintf(file, "<path class='%s", bad ? "badmark" : "mark");
    if (p->evidence == LAB_BY_SEARCH)
        pen(file, " open' d='M@ @l4.5 8h-9z'/>\n", x, y - 5);
    else
        pen(file, "' d='M@ @a3.8 3.8 0 1 1 7.6 0a3.8 3.8 0 1 1 -7.6 0'/>\n",
            x - 3.8, y);
    if (bad)
        pen(file, "<path class='badline' d='M@ @l12 12m0 -12l-12 12'/>\n",
            x - 6, y - 6);
}

/* ---- Names, at the right ends -------------------------------------------- */

static const char *what_marks_are(const struct figure *f)
{
    bool reach = false, search = false, random = false;

    for (uint32_t i = 0; i < f->count; i++) {
        reach = reach || f->points[i].low < f->points[i].high;
        search = search || f->points[i].evidence == LAB_BY_SEARCH;
        random = random || f->points[i].evidence == LAB_BY_RANDOM;
    }
    return reach    ? "bar: its interval"
           : search ? "triangle: worst found"
           : random ? "worst of the runs"
                    : "all cases";
}

/* What was measured and what is claimed, above the numbers of the x axis. */
static void draw_names(FILE *file, const struct figure *f, const char *claimed)
{
    const struct point *last = &f->points[f->count - 1];
    struct pen_room room = {NAMES, 0, NAMES_WIDTH, 3};
    struct axis_name names[2],
        measured = {axis_at(&f->y, last->y) + 4, 2 * LINE + 2};
    struct axis_name bound = {axis_at(&f->y, last->bound) + 4, 0};
    bool over = bound.y <= measured.y;

    if (f->bounded && isfinite(last->bound)) {
        bound.height =
            pen_paragraph(NULL, "", PEN_BOLD, 12.5, claimed, &room) + 4;
        names[over] = measured;
        names[!over] = bound;
        axis_spread(names, 2, TOP, BOTTOM + LINE);
        measured = names[over];
        room.y = names[!over].y;
        (void)pen_paragraph(file, "papername", PEN_BOLD, 12.5, claimed, &room);
    } else {
        measured.y = fmin(measured.y, BOTTOM - LINE);
    }
    pen_line(file, "dataname", NAMES, measured.y, "start", "measured");
    pen_line(file, "small", NAMES, measured.y + LINE, "start",
             what_marks_are(f));
}

/* ---- All of it ----------------------------------------------------------- */

static void draw_y_name(FILE *file, const struct figure *f,
                        const struct lab_judgement *j, const char *along)
{
    const char *ends[] = {" in ", "<", ">", "=="};
    size_t length = strlen(j->relation);

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const char *end = strstr(j->relation, ends[i]);

        if (end && (size_t)(end - j->relation) < length)
            length = (size_t)(end - j->relation);
    }
    while (length > 0 && j->relation[length - 1] == ' ')
        length--;
    fputs("<p class='yl'>", file);
    for (size_t i = 0; i < length; i++)
        pen_text(file, (const char[]){j->relation[i], '\0'});
    if (f->order)
        fputs(", divided by the formula", file);
    if (f->per_x) {
        fputs(", divided by ", file);
        pen_text(file, along);
    }
    fprintf(file, "%s</p>\n", f->y.logarithmic ? ", logarithmic" : "");
}

void lab_figure_draw(FILE *file, const struct lab_judgement *j,
                     const char *along, const char *title)
{
    struct figure *f = calloc(1, sizeof *f);
    char claimed[LAB_WORDING_SIZE], named[LAB_WORDING_SIZE + 10];

    if (!f)
        return;
    f->share = strncmp(j->relation, "P(", 2) == 0;
    gather(f, j);
    choose_scales(f);
    look_at_neighbours(f);
    draw_y_name(file, f, j, along);
    pen(file, "<div class='fit'><svg viewBox='0 0 @ @' role='img' aria-label='",
        WIDTH, HEIGHT);
    pen_text(file, title);
    fputs("'>\n", file);
    axis_lines(file, &f->y, LEFT, RIGHT, f->share);
    draw_x_axis(file, f, along);
    draw_bounds(file, f);
    if (f->one_each)
        draw_path(file, f, "joined", false);
    for (uint32_t i = 0; i < f->count; i++)
        draw_mark(file, f, &f->points[i]);
    lab_word_claimed(claimed, sizeof claimed, j);
    snprintf(named, sizeof named, "paper: %s", claimed);
    draw_names(file, f, named);
    fputs("</svg></div>\n", file);
    free(f);
}
