/*
 * svg_faults.c - what goes wrong with nodes: crashes, pauses, cuts.
 *
 * A crash is a cross, and then the lane has nothing until an upright where the
 * node is up again; a pause is stripes over the bar, with a bracket at both
 * ends; a cut is a thin line beside the lane, as long as it lasts.  None is
 * lost at any zoom: where lanes are thin the marks are smaller, and where
 * there are no lanes they stand below the shares.
 */
#include "draw/svg/pen.h"
#include "draw/svg/picture.h"

static bool begins(const struct picture *p, const struct trace_fault *f)
{
    return f->from >= p->s.from && f->from <= p->s.to;
}

static bool ends(const struct picture *p, const struct trace_fault *f)
{
    return f->to >= p->s.from && f->to <= p->s.to;
}

void faults_survey(struct picture *p)
{
    for (uint32_t i = 0; i < p->t->faults_count; i++) {
        const struct trace_fault *f = &p->t->faults[i];

        if (f->kind == TRACE_FAULT_DOWN) {
            p->marks |= begins(p, f) ? MARK_CRASH : 0;
            p->marks |= ends(p, f) ? MARK_RESTART : 0;
        } else if (scale_shows(&p->s, f->from, f->to)) {
            p->marks |= f->kind == TRACE_FAULT_PAUSE ? MARK_PAUSE : MARK_CUT;
        }
    }
}

/* ---- Marks --------------------------------------------------------------- */

static void cross(FILE *file, double x, double y, double half)
{
    pen(file, "<path class='crash' d='M@ @l@ @m0 @l@ @'/>\n", x - half,
        y - half, 2 * half, 2 * half, -2 * half, -2 * half, 2 * half);
}

static void upright(FILE *file, double x, double y, double half)
{
    pen(file, "<path class='restart' d='M@ @v@'/>\n", x, y - half, 2 * half);
}

static void stripes(FILE *file, double x0, double x1, double y, double half)
{
    double bracket = half + 5, tip = x1 - x0 < 8 ? (x1 - x0) / 2 : 4;

    pen(file, "<rect class='pause' x='@' y='@' width='@' height='@'/>", x0,
        y - half, x1 - x0, 2 * half);
    pen(file, "<path class='bracket' d='M@ @h@v@h@M@ @h@v@h@'/>\n", x0 + tip,
        y - bracket, -tip, 2 * bracket, tip, x1 - tip, y - bracket, tip,
        2 * bracket, -tip);
}

/* Solid where it begins and ends, dashed between. */
static void beside(const struct picture *p, const struct trace_fault *f,
                   double x0, double x1, double y, double away)
{
    double top = y - away, foot = away * 0.6;

    pen(p->file, "<path class='cut' d='M@ @H@'/>", x0, top, x1);
    if (begins(p, f))
        pen(p->file, "<path class='cutend' d='M@ @v@'/>", x0, top - 3, foot);
    if (ends(p, f))
        pen(p->file, "<path class='cutend' d='M@ @v@'/>", x1, top - 3, foot);
    fputc('\n', p->file);
}

/* Half the height of the highest bar that a pause lies over. */
static double bar_half(const struct picture *p, const struct trace_fault *f)
{
    double most = 10 * p->s.bar;

    for (uint32_t i = p->spans.first[f->lane]; i < p->spans.first[f->lane + 1];
         i++) {
        double height =
            picture_bar_height(p, picture_look(p, &p->spans.list[i]));

        if (p->spans.list[i].from < f->to && p->spans.list[i].to > f->from &&
            height > most)
            most = height;
    }
    return most / 2;
}

/* ---- All of them --------------------------------------------------------- */

static void on_lane(const struct picture *p, const struct trace_fault *f,
                    double y)
{
    bool large = p->s.regime == SCALE_ARROWS;
    double half = large ? 6 * p->s.bar : p->s.lane * 0.3, x0, x1;

    half = half < 3 ? 3 : half > 6 ? 6 : half;
    if (!scale_extent(&p->s, f->from, f->to, true, &x0, &x1))
        return;
    switch ((enum trace_fault_kind)f->kind) {
    case TRACE_FAULT_DOWN:
        if (begins(p, f))
            cross(p->file, x0, y, half);
        if (ends(p, f))
            upright(p->file, scale_x(&p->s, f->to), y, half * 1.35);
        break;
    case TRACE_FAULT_PAUSE:
        if (large)
            stripes(p->file, x0, x1, y, bar_half(p, f));
        else
            pen(p->file,
                "<rect class='pausethin' x='@' y='@' width='@' "
                "height='@'/>\n",
                x0, y - half, x1 - x0, 2 * half);
        break;
    case TRACE_FAULT_CUT:
        beside(p, f, x0, x1, y,
               large || p->s.lane > 37 ? 15 * p->s.bar : p->s.lane * 0.4);
        break;
    }
}

/* Where there are no lanes: an upright where a crash or a pause begins, one
 * for all that begin in the same place. */
static void below_shares(const struct picture *p)
{
    static const char *const classes[] = {"crash", "bracket"};
    double last[2] = {-1, -1}, y = p->s.axis - 46;

    for (uint32_t i = 0; i < p->t->faults_count; i++) {
        const struct trace_fault *f = &p->t->faults[i];
        double x = scale_x(&p->s, f->from);

        if (f->kind > TRACE_FAULT_PAUSE || !begins(p, f) ||
            x - last[f->kind] < 2)
            continue;
        last[f->kind] = x;
        fprintf(p->file, "<path class='%s'", classes[f->kind]);
        pen(p->file, " d='M@ @v10'/>\n", x, y);
    }
}

void faults_draw(const struct picture *p)
{
    const struct trace *t = p->t;

    if (p->s.regime == SCALE_SHARES) {
        below_shares(p);
        return;
    }
    for (uint32_t i = 0; i < t->faults_count; i++)
        on_lane(p, &t->faults[i], scale_y(&p->s, t->faults[i].lane));
    if (!p->s.again || t->faults_count == 0)
        return;
    fputs("<g opacity='.45'>\n", p->file);
    for (uint32_t i = 0; i < t->faults_count; i++)
        if (t->faults[i].lane == 0)
            on_lane(p, &t->faults[i], scale_y(&p->s, t->head.nodes));
    fputs("</g>\n", p->file);
}

void faults_key(const struct picture *p, enum picture_mark mark, double x,
                double y)
{
    FILE *file = p->file;

    if (p->s.regime == SCALE_SHARES) {
        fprintf(file, "<path class='%s'",
                mark == MARK_CRASH ? "crash" : "bracket");
        pen(file, " d='M@ @v10'/>\n", x + 28, y - 5);
    } else if (mark == MARK_CRASH) {
        pen(file, "<rect class='awake' x='@' y='@' width='14' height='5'/>", x,
            y - 2.5);
        cross(file, x + 14, y, 6);
    } else if (mark == MARK_RESTART) {
        upright(file, x + 12, y, 8);
        pen(file, "<rect class='awake' x='@' y='@' width='20' height='5'/>\n",
            x + 12, y - 2.5);
    } else if (mark == MARK_PAUSE && p->s.regime != SCALE_ARROWS) {
        pen(file,
            "<rect class='pausethin' x='@' y='@' width='32' "
            "height='6'/>\n",
            x, y - 3);
    } else if (mark == MARK_PAUSE) {
        stripes(file, x, x + 32, y, 5);
    } else {
        pen(file,
            "<path class='cut' d='M@ @h32'/><path class='cutend' d='M@ @v9m32 "
            "0v-9'/>\n",
            x, y - 3, x, y - 6);
    }
}
