/*
 * svg_messages.c - messages as arrows, or as hairlines where there are many.
 *
 * What a message means decides its line and its end (the kinds and their
 * meanings stand in the head of the trace); this code knows no protocol.
 */
#include <math.h>
#include <string.h>

#include "draw/svg/pen.h"
#include "draw/svg/picture.h"

static const char *class_of(enum trace_meaning meaning)
{
    static const char *const classes[TRACE_MEANINGS] = {
        "ask", "claim", "grant", "refuse", "call", "tell", "token", "frame",
    };

    return classes[meaning];
}

struct picture_sign picture_kind_sign(const struct trace *t, uint32_t kind)
{
    enum trace_meaning meaning = t->head.kinds[kind].meaning;
    struct picture_sign sign = {class_of(meaning), 0};

    for (uint32_t k = 0; k < kind; k++)
        sign.variant += t->head.kinds[k].meaning == meaning;
    return sign;
}

struct picture_sign picture_sign(const struct picture *p,
                                 const struct trace_message *m)
{
    if (finding_wins(&p->found, p->t, m))
        return (struct picture_sign){"win", 0};
    return picture_kind_sign(p->t, m->kind);
}

const char *picture_variant_class(struct picture_sign sign)
{
    return sign.variant == 0 ? "" : sign.variant == 1 ? " v1" : " v2";
}

/* Keeps the line but not what lies far outside, where numbers get long. */
static void shorten(const struct scale *s, struct picture_path *path)
{
    double low = s->left - 40, high = s->left + s->width + 40;
    double dx = path->x[1] - path->x[0], dy = path->y[1] - path->y[0];

    if (path->x[0] < low && dx > 0) {
        path->y[0] += dy * (low - path->x[0]) / dx;
        path->x[0] = low;
    }
    for (unsigned i = 1; i < path->points; i++) {
        if (path->x[i] <= high)
            continue;
        if (i == 1 && dx > 0)
            path->y[1] -= dy * (path->x[1] - high) / dx;
        path->x[i] = high;
    }
}

static void queue_up(const struct picture *p, const struct trace_message *m,
                     struct picture_path *path)
{
    double above = path->y[1] > path->y[0] ? -12 : 12;

    path->x[3] = path->x[2] = scale_x(&p->s, m->read);
    path->y[3] = path->y[1];
    path->y[1] += above * p->s.bar;
    path->y[2] = path->y[1];
    path->points = 4;
    path->queued = true;
}

/* Where the first line passes dmax, if it does in the ticks shown. */
static void mark_late(const struct picture *p, const struct trace_message *m,
                      struct picture_path *path)
{
    uint64_t tick = trace_late_from(p->t, m);
    double dx = path->x[1] - path->x[0];

    if (tick == TRACE_NEVER || tick > p->s.to || dx <= 0)
        return;
    path->late = true;
    path->late_x = scale_x(&p->s, tick < p->s.from ? p->s.from : tick);
    path->late_y = path->y[0] +
                   (path->y[1] - path->y[0]) * (path->late_x - path->x[0]) / dx;
}

/* Half way, and a copy a little beside what it is a copy of. */
static void bend(const struct picture *p, const struct trace_message *m,
                 struct picture_path *path)
{
    const double aside = 5, right = p->s.left + p->s.width;

    if ((m->flags & TRACE_STRAY) != 0) {
        path->x[1] = (path->x[0] + path->x[1]) / 2;
        path->y[1] = (path->y[0] + path->y[1]) / 2;
        path->ends_shown = path->x[1] <= right;
    }
    if ((m->flags & TRACE_COPY) != 0 &&
        p->t->message.arrives[m->id - 1] == m->arrives)
        for (unsigned i = 0; i < 2; i++)
            path->x[i] += aside;
}

bool picture_path(const struct picture *p, const struct trace_message *m,
                  struct picture_path *path)
{
    const double queue_px = 5; /* shorter waits are not seen */
    const struct scale *s = &p->s;
    bool unread = m->read == TRACE_NEVER;
    uint64_t end = scale_message_end(s, m);
    uint32_t from, to;

    if (scale_hides(s, p->t, m) || !scale_shows(s, m->sent, end))
        return false;
    finding_rows(p->t, m, &from, &to);
    *path = (struct picture_path){
        .x = {scale_x(s, m->sent), scale_x(s, end)},
        .y = {scale_y(s, from), scale_y(s, to)},
        .points = 2,
        .ends_shown = end <= s->to,
        .unread = unread,
        .far = from > to + 1 || to > from + 1,
    };
    bend(p, m, path);
    if (!unread && (double)(m->read - m->arrives) * s->px >= queue_px) {
        path->x[1] = scale_x(s, m->arrives);
        queue_up(p, m, path);
    }
    mark_late(p, m, path);
    shorten(s, path);
    return true;
}

/* ---- Ends ---------------------------------------------------------------- */

/* The place of an end, and where it points. */
struct end {
    double x, y, dx, dy;
};

static struct end back(struct end e, double by)
{
    e.x -= e.dx * by;
    e.y -= e.dy * by;
    return e;
}

static void triangle(FILE *file, const char *class, struct end e, double length,
                     double half)
{
    struct end base = back(e, length);

    fprintf(file, "<path class='%sh'", class);
    pen(file, " d='M@ @L@ @L@ @Z'/>", e.x, e.y, base.x - e.dy * half,
        base.y + e.dx * half, base.x + e.dy * half, base.y - e.dx * half);
}

static void open_head(FILE *file, const char *class, struct end e, double size)
{
    struct end base = back(e, size);
    double half = size * 0.55;

    fprintf(file, "<path class='%sh'", class);
    pen(file, " d='M@ @L@ @L@ @'/>", base.x - e.dy * half, base.y + e.dx * half,
        e.x, e.y, base.x + e.dy * half, base.y - e.dx * half);
}

static void across(FILE *file, const char *class, struct end e, double half)
{
    fprintf(file, "<path class='%s bar'", class);
    pen(file, " d='M@ @L@ @'/>", e.x - e.dy * half, e.y + e.dx * half,
        e.x + e.dy * half, e.y - e.dx * half);
}

/* Round a disc of this radius, upright. */
static void square(FILE *file, const char *class, struct end e, double radius)
{
    fprintf(file, "<path class='%sh'", class);
    pen(file, " d='M@ @h@v@h@z'/>", e.x - radius, e.y - radius, 2 * radius,
        2 * radius, -2 * radius);
}

static void disc(FILE *file, const char *class, struct end e, double radius)
{
    fprintf(file, "<circle class='%sh'", class);
    pen(file, " cx='@' cy='@' r='@'/>", e.x, e.y, radius);
}

/* Lost, on the way or at a node that is down. */
static void cross(FILE *file, const char *class, double x, double y,
                  double half)
{
    fprintf(file, "<path class='m %s end'", class);
    pen(file, " d='M@ @l@ @m0 @l@ @'/>", x - half, y - half, 2 * half, 2 * half,
        -2 * half, -2 * half, 2 * half);
}

static bool is(const char *class, const char *other)
{
    return strcmp(class, other) == 0;
}

/* What matters is drawn last, over the rest; what matters least has no
 * halo. */
static unsigned rank(const char *class)
{
    if (is(class, "call") || is(class, "frame"))
        return 0;
    return is(class, "win") ? 2 : 1;
}

/* How far before the lane the line stops, so that its end can stand there. */
static double stop_before(const char *class, unsigned flags, double size)
{
    if ((flags & TRACE_DIES) != 0)
        return 9 * size;
    if ((flags & TRACE_MISSED) != 0)
        return 5 * size;
    if (is(class, "win"))
        return 10 * size;
    if (is(class, "call") || is(class, "tell") || is(class, "frame"))
        return 2;
    if (is(class, "grant"))
        return 8 * size;
    return 7 * size;
}

/* What a message means, as a head; other kinds of the same meaning have other
 * heads. */
static void draw_head(FILE *file, struct picture_sign sign, struct end e,
                      double size)
{
    const char *class = sign.class;
    bool other = sign.variant > 0;
    struct end tip = back(e, 2);

    if (is(class, "call") || is(class, "tell")) {
        double length = (is(class, "call") ? 6 : 7) * size;

        open_head(file, class, tip, length);
        if (other)
            open_head(file, class, back(tip, 5 * size), length);
    } else if (is(class, "grant") && other) {
        square(file, class, back(e, 4.5 * size), 3.8 * size);
    } else if (is(class, "grant")) {
        disc(file, class, back(e, 4.5 * size), 4.2 * size);
    } else if (is(class, "token")) {
        disc(file, class, back(e, 5 * size), 5.2 * size);
    } else if (is(class, "win")) {
        triangle(file, class, tip, 10 * size, 4 * size);
    } else if (!is(class, "frame")) {
        triangle(file, other ? is(class, "claim") ? "claimo" : "asko" : class,
                 tip, (other ? 9 : 8) * size, (other ? 4 : 3.3) * size);
    }
    if (is(class, "refuse"))
        across(file, class, tip, 5.5 * size);
}

static void draw_end(FILE *file, struct picture_sign sign, struct end e,
                     unsigned flags, double size)
{
    if ((flags & TRACE_DIES) != 0) {
        across(file, sign.class, back(e, 9 * size), 5 * size);
        return;
    }
    if ((flags & TRACE_MISSED) != 0) {
        e = back(e, 5 * size);
        cross(file, sign.class, e.x, e.y, 4 * size);
        return;
    }
    draw_head(file, sign, e, size);
    if ((flags & TRACE_SILENT) != 0)
        pen(file, "<circle class='ring' cx='@' cy='@' r='@'/>", e.x, e.y,
            7 * size);
}

/* ---- Lines --------------------------------------------------------------- */

static void polyline(FILE *file, struct picture_sign sign, const char *more,
                     const double *x, const double *y, unsigned points)
{
    fprintf(file, "<path class='m %s%s%s' d='", sign.class,
            picture_variant_class(sign), more);
    for (unsigned i = 0; i < points; i++) {
        fputc(i == 0 ? 'M' : 'L', file);
        pen(file, "@ @", x[i], y[i]);
    }
    fputs("'/>", file);
}

/* Paper below the line sets it off from what it crosses. */
static void halo(FILE *file, const struct picture_path *path, double width)
{
    pen(file, "<path class='under' stroke-width='@' d='M@ @L@ @'/>", width,
        path->x[0], path->y[0], path->x[1], path->y[1]);
}

static void double_line(FILE *file, struct picture_sign sign,
                        const struct picture_path *path, struct end e)
{
    for (int side = -1; side <= 1; side += 2) {
        double x[2], y[2];

        for (unsigned i = 0; i < 2; i++) {
            x[i] = path->x[i] - 2 * side * e.dy;
            y[i] = path->y[i] + 2 * side * e.dx;
        }
        polyline(file, sign, "", x, y, 2);
    }
}

static struct end end_of(const struct picture_path *path)
{
    unsigned last = path->points - 1;
    double dx = path->x[last] - path->x[last - 1];
    double dy = path->y[last] - path->y[last - 1];
    double length = hypot(dx, dy);

    if (length < 0.01)
        return (struct end){path->x[last], path->y[last], 1, 0};
    return (struct end){
        path->x[last],
        path->y[last],
        dx / length,
        dy / length,
    };
}

static void first_line(FILE *file, struct picture_sign sign,
                       const struct picture_path *path, struct end e)
{
    if (is(sign.class, "token"))
        double_line(file, sign, path, e);
    else
        polyline(file, sign, "", path->x, path->y, 2);
}

/* The part up to dmax; the rest of the line begins there. */
static void line_in_time(FILE *file, struct picture_sign sign,
                         struct picture_path *line, struct end e)
{
    struct picture_path before = *line;

    if (line->late_x > line->x[1]) {
        line->late_x = line->x[1];
        line->late_y = line->y[1];
    }
    before.x[1] = line->x[0] = line->late_x;
    before.y[1] = line->y[0] = line->late_y;
    first_line(file, sign, &before, e);
    pen(file, "<path class='dmax' d='M@ @v12'/><g class='late'>", line->late_x,
        line->late_y - 6);
}

void messages_arrow(FILE *file, struct picture_sign sign,
                    const struct picture_path *path, unsigned flags,
                    double size)
{
    const char *class = sign.class;
    struct picture_path line = *path;
    struct end e = end_of(path);
    unsigned last = path->points - 1;
    bool headless = !path->ends_shown || path->unread;
    bool copy = (flags & TRACE_COPY) != 0;

    if (!headless) {
        struct end stop = back(e, stop_before(class, flags, size));

        line.x[last] = stop.x;
        line.y[last] = stop.y;
    }
    fputs(copy ? "<g opacity='.6'>" : "", file);
    if ((rank(class) > 0 || path->far) && !is(class, "frame"))
        halo(file, &line, is(class, "win") ? 5 : 4);
    if (path->late)
        line_in_time(file, sign, &line, e);
    first_line(file, sign, &line, e);
    if (line.queued) {
        polyline(file, sign, " queue", line.x + 1, line.y + 1, 2);
        polyline(file, sign, "", line.x + 2, line.y + 2, 2);
    }
    if (!headless)
        draw_end(file, sign, e, flags, size);
    else if ((flags & TRACE_STRAY) != 0 && path->ends_shown)
        cross(file, class, e.x, e.y, 4 * size);
    fputs(path->late ? "</g>" : "", file);
    if (copy)
        pen(file, "<circle class='ring' cx='@' cy='@' r='3'/></g>", path->x[0],
            path->y[0]);
    fputc('\n', file);
}

/* ---- All of them --------------------------------------------------------- */

static void arrows(const struct picture *p, unsigned pass)
{
    double size = p->s.lane < 36 ? p->s.lane / 36 : 1;

    for (uint32_t i = 0; i < p->t->messages_count; i++) {
        const struct trace_message one = trace_message_at(p->t, i), *m = &one;
        struct picture_sign sign = picture_sign(p, m);
        struct picture_path path;

        if (rank(sign.class) != pass || !picture_path(p, m, &path))
            continue;
        messages_arrow(p->file, sign, &path, m->flags, size);
    }
}

/* One path for all messages of a kind. */
static void hairlines(const struct picture *p, uint32_t kind, bool wins)
{
    bool begun = false;

    for (uint32_t i = 0; i < p->t->messages_count; i++) {
        const struct trace_message one = trace_message_at(p->t, i), *m = &one;
        struct picture_path path;

        if (m->kind != kind || finding_wins(&p->found, p->t, m) != wins ||
            !picture_path(p, m, &path))
            continue;
        if (!begun) {
            struct picture_sign sign = picture_sign(p, m);

            fprintf(p->file, "<path class='m %s%s %s' d='", sign.class,
                    picture_variant_class(sign), wins ? "hairwin" : "hair");
        }
        begun = true;
        pen(p->file, "M@ @L@ @", path.x[0], path.y[0], path.x[1], path.y[1]);
        if (path.queued)
            pen(p->file, "M@ @L@ @", path.x[2], path.y[2], path.x[3],
                path.y[3]);
    }
    if (begun)
        fputs("'/>\n", p->file);
}

/* The parts later than dmax, over the hairlines. */
static void late_hairlines(const struct picture *p)
{
    fputs("<path class='hairlate' d='", p->file);
    for (uint32_t i = 0; i < p->t->messages_count; i++) {
        const struct trace_message m = trace_message_at(p->t, i);
        struct picture_path path;

        if (picture_path(p, &m, &path) && path.late)
            pen(p->file, "M@ @L@ @", path.late_x, path.late_y, path.x[1],
                path.y[1]);
    }
    fputs("'/>\n", p->file);
}

/* The claim that wins is followed at every zoom, unless it is everywhere. */
static bool winner_fits(const struct picture *p)
{
    enum { MOST = 2000 };
    uint32_t count = 0;

    for (uint32_t i = 0; i < p->t->messages_count; i++) {
        const struct trace_message m = trace_message_at(p->t, i);

        count += finding_wins(&p->found, p->t, &m);
    }
    return count <= MOST;
}

void messages_draw(const struct picture *p)
{
    uint32_t kinds = p->t->head.kinds_count;

    fputs("<g clip-path='url(#plot)'>\n", p->file);
    if (p->s.regime == SCALE_ARROWS) {
        for (unsigned pass = 0; pass < 3; pass++)
            arrows(p, pass);
    } else {
        for (uint32_t k = 0; k < kinds && p->s.regime == SCALE_LINES; k++)
            hairlines(p, k, false);
        for (uint32_t k = 0; k < kinds && winner_fits(p); k++)
            hairlines(p, k, true);
        if (p->s.regime == SCALE_LINES && (p->marks & MARK_LATE) != 0)
            late_hairlines(p);
    }
    fputs("</g>\n", p->file);
}
