/*
 * svg_labels.c - names things where they stand, as far as there is room.
 *
 * A label is written only where it touches no bar, no message and no other
 * label; what matters most is placed first.  A message that rests or wins is
 * named once, not at every hop.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/svg/pen.h"
#include "draw/svg/picture.h"

enum { TEXT_SIZE = 192, BOXES_MAX = 1024 };
static const double type = 11.5;

/* A rectangle, or a line between two corners. */
struct box {
    double x0, y0, x1, y1;
};

struct placer {
    const struct picture *p;
    struct box *lines;
    size_t lines_count;
    struct box taken[BOXES_MAX];
    size_t taken_count;
};

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
    uint32_t lane = row % t->nodes;
    double y = scale_y(&p->s, row);

    for (uint32_t i = t->first_span[lane]; i < t->first_span[lane + 1]; i++) {
        const struct trace_span *span = &t->spans[i];
        double half = picture_bar_height(p, picture_look(span)) / 2;
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

    if (b->x0 < s->left || b->x1 > s->left + s->width + 16 || b->y0 < s->top ||
        b->y1 > s->axis)
        return false;
    for (uint32_t r = above; r < s->rows && r < above + 3; r++)
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

/* Writes a label that begins (or ends, if `left`) at x, if it is free. */
static bool put(struct placer *placer, const char *class, const char *text,
                double x, double y, bool left)
{
    double width = pen_width(text, type);
    struct box b = {
        (left ? x - width : x) - 3,
        y - 9,
        (left ? x : x + width) + 3,
        y + 3,
    };

    if (placer->taken_count == BOXES_MAX || !is_free(placer, &b))
        return false;
    placer->taken[placer->taken_count++] = b;
    pen_line(placer->p->file, class, x, y, left ? "end" : "start", text);
    return true;
}

static bool collect_lines(struct placer *placer)
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
        struct picture_path path;

        if (!picture_path(p, &t->messages[i], &path))
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

/* Labels keep clear of crosses, uprights and brackets; a restart without
 * memory is named. */
static void take_faults(struct placer *placer)
{
    enum { MOST = BOXES_MAX / 2 };
    const struct picture *p = placer->p;

    for (uint32_t i = 0; i < p->t->faults_count && i < MOST; i++) {
        const struct trace_fault *f = &p->t->faults[i];
        double x = scale_x(&p->s, f->from), y = scale_y(&p->s, f->lane);

        if (f->blank && f->to <= p->s.to &&
            !put(placer, "small halo", "blank", scale_x(&p->s, f->to) + 5,
                 y - 9, false))
            put(placer, "small halo", "blank", scale_x(&p->s, f->to) + 5,
                y + 17, false);
        placer->taken[placer->taken_count++] =
            (struct box){x - 7, y - 14, x + 7, y + 9};
    }
}

/* ---- Messages ------------------------------------------------------------ */

static bool same_message(const struct trace_message *a,
                         const struct trace_message *b)
{
    return a->kind == b->kind && a->fields == b->fields &&
           memcmp(a->field, b->field, a->fields * sizeof a->field[0]) == 0;
}

static const char *text_class(const struct picture *p,
                              const struct trace_message *m)
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
    return put(placer, class, text, falls ? x + 5 : x - 5, y - 6, !falls) ||
           put(placer, class, text, falls ? x - 5 : x + 5, y + 14, falls);
}

/* Beside the line of a message: right of it, then left. */
static bool put_beside(struct placer *placer, const struct trace_message *m,
                       const char *text)
{
    static const double places[] = {0.5, 0.62, 0.38};
    struct picture_path path;

    if (!picture_path(placer->p, m, &path))
        return false;
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        double x = path.x[0] + (path.x[1] - path.x[0]) * places[i];
        double y = path.y[0] + (path.y[1] - path.y[0]) * places[i];
        const char *class = text_class(placer->p, m);

        if (put(placer, class, text, x + 11, y + 4, false) ||
            put(placer, class, text, x - 11, y + 4, true) ||
            put_along(placer, class, text, x, y, path.y[1] > path.y[0]))
            return true;
    }
    return false;
}

/* Ticks from hop to hop, if they are always the same; 0 if not. */
static uint64_t hop_ticks(const struct trace *t, const struct trace_message *m)
{
    const struct trace_message *last = NULL;
    uint64_t hop = 0;
    unsigned hops = 0;

    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message *next = &t->messages[i];

        if (!same_message(m, next) || (next->flags & TRACE_COPY) != 0)
            continue;
        if (last != NULL && hops++ > 0 && next->sent - last->sent != hop)
            return 0;
        if (last != NULL)
            hop = next->sent - last->sent;
        last = next;
    }
    return hops >= 2 ? hop : 0;
}

/* Names a message that goes round, once, as near the middle as can be. */
static void label_journey(struct placer *placer, const struct trace_message *m)
{
    const struct trace *t = placer->p->t;
    char text[TEXT_SIZE], label[FINDING_LABEL_SIZE];
    uint64_t hop = hop_ticks(t, m);
    uint32_t middle, count = t->messages_count;

    finding_label(t, m, false, label);
    if (hop > 0)
        snprintf(text, sizeof text, "%s, %" PRIu64 " tick%s a hop", label, hop,
                 hop == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "%s", label);
    middle = (uint32_t)(m - t->messages);
    middle += (count - middle) / 2;
    for (uint32_t off = 0; off < count; off++) {
        uint32_t at = off % 2 == 0 ? middle + off / 2 : middle - (off + 1) / 2;

        if (at < count && same_message(m, &t->messages[at]) &&
            put_beside(placer, &t->messages[at], text))
            return;
    }
}

/* The winning claim, and each kind of message that tells. */
static void label_journeys(struct placer *placer)
{
    const struct picture *p = placer->p;
    const struct trace *t = p->t;
    uint32_t told = 0;
    bool won = false;

    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message *m = &t->messages[i];

        if (finding_wins(&p->found, t, m) && !won) {
            label_journey(placer, m);
            won = true;
        }
        if (trace_meaning(t, m) == TRACE_TELLS && (told & 1u << m->kind) == 0) {
            label_journey(placer, m);
            told |= 1u << m->kind;
        }
    }
}

/* With much room, every message has its name. */
static void label_all(struct placer *placer)
{
    const struct picture *p = placer->p;
    const struct trace *t = p->t;
    char label[FINDING_LABEL_SIZE], text[TEXT_SIZE];

    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message *m = &t->messages[i];

        if (finding_wins(&p->found, t, m) ||
            trace_meaning(t, m) == TRACE_TELLS ||
            trace_meaning(t, m) == TRACE_FRAME)
            continue; /* these need no name at every hop */
        finding_label(t, m, false, label);
        snprintf(text, sizeof text, "%s%s", label,
                 (m->flags & TRACE_COPY) != 0 ? " copy" : "");
        put_beside(placer, m, text);
    }
}

/* Where a message becomes late, above the mark or below it. */
static void label_late(struct placer *placer)
{
    const struct trace *t = placer->p->t;

    for (uint32_t i = 0; i < t->messages_count; i++) {
        struct picture_path path;

        if (!picture_path(placer->p, &t->messages[i], &path) || !path.late ||
            path.late_x <= placer->p->s.left)
            continue;
        if (!put(placer, "small halo", "dmax", path.late_x + 4, path.late_y - 7,
                 false))
            put(placer, "small halo", "dmax", path.late_x - 4, path.late_y + 15,
                true);
    }
}

/* A claim that came some way before it died. */
static void label_deaths(struct placer *placer)
{
    const struct trace *t = placer->p->t;
    char text[TEXT_SIZE], label[FINDING_LABEL_SIZE];

    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message *m = &t->messages[i];
        struct picture_path path;
        uint32_t before = 0;
        unsigned last;

        if ((m->flags & TRACE_DIES) == 0 || m->fields == 0)
            continue;
        while (before < i && !same_message(m, &t->messages[before]))
            before++;
        if (before == i || !picture_path(placer->p, m, &path))
            continue;
        finding_label(t, m, false, label);
        snprintf(text, sizeof text, "%s dies", label);
        last = path.points - 1;
        put(placer, text_class(placer->p, m), text, path.x[last] + 8,
            path.y[last] - 9, false);
    }
}

/* ---- Lanes --------------------------------------------------------------- */

/* Below the bar, from its start. */
static void label_rest(struct placer *placer, const struct trace_span *span,
                       const char *words, const struct trace_message *m)
{
    const struct picture *p = placer->p;
    char text[TEXT_SIZE], label[FINDING_LABEL_SIZE];
    double x0 = scale_x(&p->s, span->from), y = scale_y(&p->s, span->lane);
    double x1 = scale_inside(&p->s, span->to);

    finding_label(p->t, m, false, label);
    snprintf(text, sizeof text, words, label);
    if (pen_width(text, type) > (x1 - x0) * 1.5)
        return;
    if (!put(placer, text_class(p, m), text, x0 + 5, y + 19 * p->s.bar, false))
        put(placer, text_class(p, m), text, x0 + 5, y - 11 * p->s.bar, false);
}

/* "M3 rests" once for each message, and who overtakes it. */
static void label_rests(struct placer *placer, bool overtaken)
{
    const struct trace *t = placer->p->t;

    for (uint32_t i = 0; i < t->first_span[t->nodes]; i++) {
        const struct trace_span *span = &t->spans[i];
        const struct trace_message *m;
        bool follows = i > 0 && t->spans[i - 1].lane == span->lane &&
                       t->spans[i - 1].rests;
        uint32_t k = 0;

        if (!span->rests || span->message == TRACE_NONE ||
            !problem_of(t)->message_rests || follows != overtaken ||
            span->to == span->from ||
            !scale_shows(&placer->p->s, span->from, span->to))
            continue;
        m = &t->messages[span->message];
        /* The winner is named by its journey; others at their first rest. */
        if (!follows && finding_wins(&placer->p->found, t, m))
            continue;
        while (k < span->message &&
               !(same_message(m, &t->messages[k]) &&
                 (t->messages[k].flags & TRACE_DIES) == 0 &&
                 t->messages[k].from != m->from))
            k++;
        if (!follows && k < span->message)
            continue;
        label_rest(placer, span, follows ? "overtaken by %s" : "%s rests", m);
    }
}

/* In a bar, from `gap` pixels behind its beginning on, where no message is in
 * the way. */
static bool put_in_bar(struct placer *placer, const char *class,
                       const char *text, double size, const struct box *bar,
                       double gap)
{
    const double step = gap < 12 ? gap : 12, end = gap < 8 ? gap : 8;
    double width = pen_width(text, size), y = bar->y0;

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

/* In the bar if it has room, beside it if the lanes are thin. */
static bool label_leader(struct placer *placer, const char *text,
                         const struct box *bar)
{
    const struct picture *p = placer->p;
    double width = pen_width(text, 12.5);
    bool after = bar->x0 - 6 - width < p->s.left;

    if (p->s.regime == SCALE_ARROWS)
        return p->s.bar > 0.7 &&
               put_in_bar(placer, "onstrong", text, 12.5, bar, 18);
    pen_line(p->file, "small leadertext halo",
             after ? bar->x1 + 6 : bar->x0 - 6, bar->y0 + 4,
             after ? "start" : "end", text);
    return true;
}

static void label_elected(struct placer *placer, const struct trace_span *span,
                          const struct box *bar)
{
    char text[48], name[FINDING_NODE_SIZE];

    finding_node(placer->p->t, span->lane, name);
    snprintf(text, sizeof text, "%s is elected", name);
    if (!label_leader(placer, text, bar))
        label_leader(placer, "elected", bar);
}

/* What somebody does inside; of those beside others, a letter. */
static void label_inside(struct placer *placer, const struct trace_span *span,
                         const struct box *bar)
{
    const struct role *role = roles_of((enum trace_role)span->role);

    if (placer->p->s.regime != SCALE_ARROWS || placer->p->s.bar <= 0.7)
        return;
    if (role->look == LOOK_BESIDE)
        put_in_bar(placer, "onbeside", "R", type, bar, 5);
    else
        put_in_bar(placer, "oninside", role->key, type, bar, 5);
}

static void label_power(struct placer *placer)
{
    enum { LEADERS = 20 };
    const struct picture *p = placer->p;
    const struct trace *t = p->t;
    unsigned leaders = 0;

    for (uint32_t i = 0; i < t->first_span[t->nodes]; i++) {
        const struct trace_span *span = &t->spans[i];
        enum look look = picture_look(span);
        struct box bar = {.y0 = scale_y(&p->s, span->lane)};

        if (!look_has_power(look) ||
            !scale_extent(&p->s, span->from, span->to, false, &bar.x0, &bar.x1))
            continue;
        if (look_is_inside(look))
            label_inside(placer, span, &bar);
        else if (leaders++ < LEADERS)
            label_elected(placer, span, &bar);
    }
}

int labels_draw(const struct picture *p)
{
    const double roomy_px = 40, lane_least = 28;
    struct placer *placer = calloc(1, sizeof *placer);
    bool arrows = p->s.regime == SCALE_ARROWS;

    if (placer == NULL)
        return -1;
    placer->p = p;
    if (arrows && !collect_lines(placer)) {
        free(placer);
        return -1;
    }
    label_power(placer);
    if (arrows && p->s.lane >= lane_least) {
        take_faults(placer);
        label_late(placer);
        label_journeys(placer);
        label_rests(placer, false);
        label_rests(placer, true);
        if (p->s.delay_px >= roomy_px)
            label_all(placer);
        else
            label_deaths(placer);
    }
    free(placer->lines);
    free(placer);
    return 0;
}
