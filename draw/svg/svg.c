/*
 * svg.c - puts the space-time diagram together; see svg.h.
 */
#include "draw/svg/svg.h"

#include <math.h>
#include <string.h>

#include "draw/style.h"
#include "draw/svg/pen.h"
#include "draw/svg/picture.h"

static const double margin = 40, title_size = 20, sub_size = 13.5,
                    mono_size = 11.5;

enum { TITLE_LINES = 3, COMMAND_LINES = 4 };

/* ---- What occurs --------------------------------------------------------- */

static void survey_lane(struct picture *p, uint32_t lane)
{
    for (uint32_t i = p->spans.first[lane]; i < p->spans.first[lane + 1]; i++) {
        const struct trace_span *span = &p->spans.list[i];

        if (span->from > p->s.to || span->to < p->s.from)
            continue;
        p->looks |= 1u << picture_look(p, span);
        p->roles |= 1u << span->role;
    }
}

static void survey_event(struct picture *p, uint32_t i)
{
    uint64_t tick = p->t->event.tick[i];
    unsigned what = p->t->event.what[i];

    if ((what == TRACE_WANT || what == TRACE_WANT_SHARED) &&
        p->s.regime == SCALE_ARROWS && scale_shows(&p->s, tick, tick))
        p->marks |= MARK_WANT;
}

static void survey_message(struct picture *p, uint32_t id)
{
    const struct trace_message one = trace_message_at(p->t, id), *m = &one;
    static const struct {
        unsigned flag;
        enum picture_mark mark;
    } marks[] = {
        {TRACE_DIES, MARK_DIES},     {TRACE_SILENT, MARK_SILENT},
        {TRACE_STRAY, MARK_STRAY},   {TRACE_COPY, MARK_COPY},
        {TRACE_MISSED, MARK_MISSED},
    };
    struct picture_path path;

    /* That something is hidden stands in the key. */
    if (scale_hides(&p->s, p->t, m) &&
        scale_shows(&p->s, m->sent, scale_message_end(&p->s, m)))
        p->kinds |= 1u << m->kind;
    if (!picture_path(p, m, &path))
        return;
    if (finding_wins(&p->found, p->t, m))
        p->marks |= MARK_WINS;
    else
        p->kinds |= 1u << m->kind;
    for (unsigned i = 0; i < sizeof marks / sizeof marks[0]; i++)
        p->marks |= (m->flags & marks[i].flag) != 0 ? marks[i].mark : 0;
    if (path.unread && (m->flags & TRACE_STRAY) == 0)
        p->marks |= MARK_UNREAD;
    if (path.late)
        p->marks |= MARK_LATE;
    if (path.queued)
        p->marks |= MARK_WAITS;
}

/* Own steps are worth showing where they differ and can be told apart. */
static bool steps_show(const struct picture *p)
{
    const double least_px = 12;
    const struct trace *t = p->t;
    bool differ = false;

    if (t->head.steps == NULL || p->s.regime != SCALE_ARROWS)
        return false;
    for (uint32_t lane = 0; lane < t->head.nodes; lane++) {
        if ((double)t->head.steps[lane].length * p->s.px < least_px)
            return false;
        if (t->head.steps[lane].length != t->head.steps[0].length ||
            t->head.steps[lane].phase != t->head.steps[0].phase)
            differ = true;
    }
    return differ;
}

static void survey(struct picture *p)
{
    const struct trace_violation *bad = p->found.bad;

    for (uint32_t lane = 0; lane < p->t->head.nodes; lane++)
        survey_lane(p, lane);
    for (uint32_t i = 0; i < p->t->messages_count; i++)
        survey_message(p, i);
    for (uint32_t i = 0; i < p->t->events_count; i++)
        survey_event(p, i);
    faults_survey(p);
    if (p->found.attempts > 1 && p->s.regime == SCALE_ARROWS)
        p->marks |= MARK_AGAIN;
    if (steps_show(p))
        p->marks |= MARK_STEPS;
    p->bad_shown =
        bad != NULL && bad->tick >= p->s.from && bad->tick <= p->s.to;
}

/* ---- Text above and below ------------------------------------------------ */

struct words {
    char title[FINDING_TITLE_SIZE];
    char subtitle[FINDING_SUBTITLE_SIZE + 160];
};

static void find_words(const struct picture *p, struct words *w)
{
    const struct trace *t = p->t;
    char from[FINDING_WHEN_SIZE], to[40], end[40],
        subtitle[FINDING_SUBTITLE_SIZE];

    finding_title(&p->found, t, w->title);
    finding_subtitle(t, p->options->set ? p->options->set : t->head.set,
                     subtitle);
    finding_when(t, p->s.from, from);
    finding_number(p->s.to, to);
    finding_number(t->end_tick, end);
    if (p->s.from == 0 && p->s.to > t->end_tick)
        snprintf(w->subtitle, sizeof w->subtitle, "%s", subtitle);
    else
        snprintf(w->subtitle, sizeof w->subtitle, "%s; shown: %s to %s of %s",
                 subtitle, from, to, end);
}

/* Title and subtitle; returns where they end.  With file NULL only measures. */
static double words_draw(const struct picture *p, const struct words *w,
                         FILE *file)
{
    struct pen_room room = {margin, 48, p->width - 2 * margin, TITLE_LINES};

    room.y +=
        pen_paragraph(file, "title", PEN_BOLD, title_size, w->title, &room);
    room.y -= 2;
    return room.y + 2 +
           pen_paragraph(file, "sub", PEN_PLAIN, sub_size, w->subtitle, &room);
}

/* ---- Size ---------------------------------------------------------------- */

/* Room for the longest name and the word before it: name, position, again. */
static double left_margin(const struct picture *p)
{
    const struct trace *t = p->t;
    uint32_t longest = t->head.nodes - 1;
    bool is_name =
        t->head.names != NULL && strcmp(problem_of(t)->lane, "name") == 0;
    char name[24];

    if (p->s.regime == SCALE_SHARES)
        return margin + 72;
    for (uint32_t lane = 0; lane < t->head.nodes; lane++)
        if (trace_name(&t->head, lane) > longest)
            longest = trace_name(&t->head, lane);
    snprintf(name, sizeof name, "%u", longest);
    return margin + (is_name ? 40 : 54) + 24 + pen_width(name, 14.5);
}

/* Sets the scale's place and the picture's width; returns where the words
 * above the plot end. */
static void place(struct picture *p, const struct words *w)
{
    const double width_least = 640, title_most = 880;
    double left = left_margin(p), title = pen_bold(w->title, title_size);

    p->margin = margin;
    p->width = left + p->s.width + margin;
    if (p->width < width_least)
        p->width = width_least;
    title = title > title_most ? title_most : title;
    if (p->width < title + 2 * margin)
        p->width = title + 2 * margin;
    p->width = ceil(p->width);
    if (p->s.regime != SCALE_SHARES)
        p->s.width = p->width - margin - left;
    p->inset = tree_width(p);
    p->width += p->inset;
    p->s.px = p->s.width / (double)(p->s.to - p->s.from);
    scale_place(&p->s, left, words_draw(p, w, NULL) + (p->bad_shown ? 44 : 8));
}

/* ---- The picture --------------------------------------------------------- */

static void head(const struct picture *p, const struct words *w, double height,
                 bool dark)
{
    FILE *file = p->file;

    pen(file,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 @ @' "
        "width='@' height='@' role='img' aria-labelledby='t d'>\n<title "
        "id='t'>",
        p->width, height, p->width, height);
    pen_text(file, w->title);
    fprintf(file,
            "</title>\n<desc id='d'>Space-time diagram %s, one lane per node. ",
            finding_untimed(p->t) ? "of events in their order"
                                  : "with a true time axis");
    pen_text(file, w->subtitle);
    fputs(".</desc>\n", file);
    style_write(file, dark);
    pen(file,
        "<clipPath id='plot'><rect x='@' y='@' width='@' height='@'/>"
        "</clipPath>\n",
        p->s.left - 4, p->s.top, p->s.width + 12, p->s.axis - p->s.top);
    pen(file, "</defs>\n<rect class='paper' width='@' height='@'/>\n", p->width,
        height);
}

static int draw_parts(const struct picture *p, const struct words *w)
{
    int result = 0;

    words_draw(p, w, p->file);
    violation_ground(p);
    frame_grid(p);
    frame_names(p);
    if (p->s.regime >= SCALE_DENSITY)
        result = dense_draw(p);
    else
        lanes_draw(p);
    faults_draw(p);
    if (p->s.regime != SCALE_SHARES)
        messages_draw(p);
    violation_marks(p);
    if (result == 0 && p->s.regime != SCALE_SHARES)
        result = labels_draw(p);
    frame_axis(p);
    if (p->inset > 0)
        tree_draw(p);
    return result;
}

static bool choose_ticks(struct picture *p, struct net_why *why)
{
    const struct svg_options *options = p->options;
    uint64_t end = p->t->end_tick + 1;
    uint64_t to = options->to < end ? options->to : end;

    if (options->from >= to)
        return finding_nothing(p->t, options->from, why);
    scale_choose(&p->s, p->t, &p->spans, options->from, to, options->frames);
    return true;
}

/* Returns false before anything is written, or if there is no memory. */
static bool draw(struct picture *p, struct svg_size *size, struct net_why *why)
{
    const char *said = p->t->head.command;
    struct words w;
    struct pen_room command = {.x = margin, .lines = COMMAND_LINES};
    double note, legend, height;

    if (!choose_ticks(p, why))
        return false;
    survey(p);
    find_words(p, &w);
    place(p, &w);
    if (p->s.regime >= SCALE_DENSITY && dense_measure(p) < 0)
        return net_no_memory(why, "the picture");
    note = p->s.axis + 42;
    legend = note + 40;
    command.y = legend + legend_draw(p, legend, false) + 4;
    command.width = p->width - 2 * margin;
    height =
        ceil(command.y + 12 +
             pen_paragraph(NULL, "mono", PEN_MONO, mono_size, said, &command));
    head(p, &w, height, p->options->dark);
    if (draw_parts(p, &w) < 0)
        return net_no_memory(why, "the picture");
    frame_scale_note(p, note);
    legend_draw(p, legend, true);
    pen_paragraph(p->file, "mono", PEN_MONO, mono_size, said, &command);
    fputs("</svg>\n", p->file);
    *size = (struct svg_size){(unsigned)p->width, (unsigned)height};
    return true;
}

bool svg_draw(FILE *file, const struct trace *t,
              const struct svg_options *options, struct svg_size *size,
              struct net_why *why)
{
    struct picture p = {.file = file, .t = t, .options = options};
    bool drawn;

    if (finding_make(&p.found, t) && trace_spans_of(&p.spans, t))
        drawn = draw(&p, size, why);
    else
        drawn = net_no_memory(why, "the picture");
    trace_spans_free(&p.spans);
    return drawn;
}
