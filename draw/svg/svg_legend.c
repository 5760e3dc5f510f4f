/*
 * svg_legend.c - the key: what occurs in the picture, and nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "draw/svg/pen.h"
#include "draw/svg/picture.h"

enum { ROW = 26, SAMPLE = 32, TEXT_SIZE = 128 };

/* The place for the next entry. */
struct cursor {
    const struct picture *p;
    double x, y;
    bool draw;
};

/* Makes room for an entry, in a new row if it must be; writes its words and
 * returns where its sample goes. */
static double entry(struct cursor *c, double sample, const char *text)
{
    double width = sample + 8 + pen_width(text, 11.5), x;

    if (c->x > c->p->margin && c->x + width > c->p->width - c->p->margin) {
        c->x = c->p->margin;
        c->y += ROW;
    }
    x = c->x;
    if (c->draw)
        pen_line(c->p->file, "small", x + sample + 8, c->y + 4, "start", text);
    c->x += width + 24;
    return x;
}

/* ---- States -------------------------------------------------------------- */

static void look_sample(const struct picture *p, unsigned look, double x,
                        double y)
{
    const double highest = 20; /* rows of the key are low */
    const char *class = picture_look_class((enum look)look);
    double height = picture_look_height((enum look)look);

    height = height > highest ? highest : height;
    if (p->s.regime == SCALE_SHARES) {
        fprintf(p->file, "<rect class='%ss'", class);
        pen(p->file, " x='@' y='@' width='@' height='14'/>\n", x, y - 7,
            SAMPLE);
    } else if (p->s.regime != SCALE_ARROWS) {
        fprintf(p->file, "<path class='thin %st'", class);
        pen(p->file, " stroke-width='@' d='M@ @h@'/>\n",
            look <= LOOK_LOST ? 1 : height * 0.6, x, y, SAMPLE);
    } else {
        picture_bar(p, (enum look)look, x, x + SAMPLE, y, height);
        if (look == LOOK_BESIDE)
            pen_line(p->file, "onbeside", x + SAMPLE / 2.0, y + 4, "middle",
                     "R");
    }
}

static void looks(struct cursor *c)
{
    static const unsigned order[LOOKS] = {
        LOOK_CANDIDATE, LOOK_AWAKE,  LOOK_LOST,   LOOK_RESTS,
        LOOK_ASKS,      LOOK_WAITS,  LOOK_INSIDE, LOOK_BESIDE,
        LOOK_LEADER,    LOOK_ASLEEP, LOOK_DOWN,
    };
    char words[PICTURE_WORDS_SIZE];

    for (unsigned i = 0; i < LOOKS; i++) {
        double x;

        if ((c->p->looks & 1u << order[i]) == 0 ||
            (order[i] == LOOK_DOWN && c->p->s.regime != SCALE_SHARES))
            continue;
        picture_look_words(c->p, (enum look)order[i], true, words);
        x = entry(c, SAMPLE, words);
        if (c->draw)
            look_sample(c->p, order[i], x, c->y);
    }
}

/* ---- Messages ------------------------------------------------------------ */

/* A short message, which becomes late on its way if it is told to. */
static void sample_path(struct cursor *c, struct picture_sign sign,
                        unsigned flags, const char *text, bool late)
{
    double x = entry(c, SAMPLE, text);
    struct picture_path path = {
        .x = {x, x + SAMPLE + 2},
        .y = {c->y, c->y},
        .points = 2,
        .ends_shown = true,
        .late = late,
        .late_x = x + SAMPLE * 0.45,
        .late_y = c->y,
    };

    if (!c->draw)
        return;
    if (late || c->p->s.regime == SCALE_ARROWS) {
        messages_arrow(c->p->file, sign, &path, flags, 1);
        return;
    }
    fprintf(c->p->file, "<path class='m %s%s %s'", sign.class,
            picture_variant_class(sign),
            strcmp(sign.class, "win") == 0 ? "hairwin" : "hair");
    pen(c->p->file, " d='M@ @h@'/>\n", x, c->y, SAMPLE);
}

static void arrow_sample(struct cursor *c, const char *class, unsigned flags,
                         const char *text)
{
    sample_path(c, (struct picture_sign){class, 0}, flags, text, false);
}

/* One letter says little on its own. */
static void kind_words(const struct picture *p, uint32_t number,
                       char out[TEXT_SIZE])
{
    const struct trace_kind *kind = &p->t->head.kinds[number];
    static const char *const nouns[TRACE_MEANINGS] = {
        "request", "claim", "grant", "refusal",
        "call",    "news",  "token", "frame",
    };

    bool hidden = kind->meaning == TRACE_FRAME && !p->s.frames;

    if (strlen(kind->label) <= 3)
        snprintf(out, TEXT_SIZE, "%.60s %s",
                 strcmp(kind->word, kind->label) == 0 ? nouns[kind->meaning]
                                                      : kind->word,
                 kind->label);
    else
        snprintf(out, TEXT_SIZE, "%.80s", kind->label);
    if (kind->numbers != NULL)
        pen_add(out, TEXT_SIZE, "(%.80s)", kind->numbers);
    pen_add(out, TEXT_SIZE, "%s", hidden ? " (not shown)" : "");
}

static void kinds(struct cursor *c)
{
    const struct trace *t = c->p->t;
    char words[TEXT_SIZE];

    for (uint32_t kind = 0; kind < t->head.kinds_count; kind++) {
        if ((c->p->kinds & 1u << kind) == 0)
            continue;
        kind_words(c->p, kind, words);
        sample_path(c, picture_kind_sign(t, kind), 0, words, false);
    }
}

/* ---- Marks --------------------------------------------------------------- */

static void path_sample(struct cursor *c, const char *class, const char *d,
                        const char *text)
{
    double x = entry(c, 20, text);

    if (!c->draw)
        return;
    pen(c->p->file, "<g transform='translate(@ @)'>", x, c->y);
    fprintf(c->p->file, "<path class='%s' d='%s'/></g>\n", class, d);
}

/* A message whose line or end is not the usual one. */
static void odd_messages(struct cursor *c, const char *class)
{
    const struct picture *p = c->p;
    char line[32], queue[32];

    snprintf(line, sizeof line, "m %s", class);
    snprintf(queue, sizeof queue, "m %s queue", class);
    if ((p->marks & MARK_DIES) != 0)
        arrow_sample(c, class, TRACE_DIES, "dies");
    if ((p->marks & MARK_SILENT) != 0)
        path_sample(c, "ring", "M3 0a7 7 0 1 1 14 0a7 7 0 1 1 -14 0",
                    "read, no answer");
    if ((p->marks & MARK_WAITS) != 0)
        path_sample(c, queue, "M0 0h20", "has arrived, waits to be read");
    if ((p->marks & MARK_UNREAD) != 0)
        path_sample(c, line, "M0 0h20",
                    !p->t->quiet ? "not yet read when the run was cut"
                                 : "never read");
    if ((p->marks & MARK_STRAY) != 0)
        path_sample(c, line, "M0 0h14m-4 -4l8 8m0 -8l-8 8", "lost on its way");
    if ((p->marks & MARK_MISSED) != 0)
        path_sample(c, line, "M0 0h16m-4 -4l8 8m0 -8l-8 8M22 -9v18",
                    "comes to a node that is down");
    if ((p->marks & MARK_COPY) != 0)
        arrow_sample(c, class, TRACE_COPY, "a copy, by the network");
}

static void faults(struct cursor *c)
{
    static const struct {
        enum picture_mark mark;
        const char *words;
    } keys[] = {
        {MARK_CRASH, "crashes"},
        {MARK_RESTART, "restarts"},
        {MARK_PAUSE, "paused"},
        {MARK_CUT, "cut off from the others"},
    };

    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        double x;

        if ((c->p->marks & keys[i].mark) == 0)
            continue;
        if (c->p->s.regime == SCALE_SHARES && keys[i].mark != MARK_CRASH &&
            keys[i].mark != MARK_PAUSE)
            continue;
        x = entry(c, SAMPLE, keys[i].words);
        if (c->draw)
            faults_key(c->p, keys[i].mark, x, c->y);
    }
}

/* For samples of what can happen to any message: a claim, or a request, or
 * whatever there is. */
static const char *usual_class(const struct picture *p)
{
    uint32_t meanings = 0;

    for (uint32_t kind = 0; kind < p->t->head.kinds_count; kind++)
        meanings |= 1u << p->t->head.kinds[kind].meaning;
    return (meanings & 1u << TRACE_CLAIMS) != 0  ? "claim"
           : (meanings & 1u << TRACE_ASKS) != 0  ? "ask"
           : (meanings & 1u << TRACE_TOKEN) != 0 ? "token"
                                                 : "ask";
}

static void marks(struct cursor *c)
{
    const struct picture *p = c->p;
    const char *class = usual_class(p);
    double x;

    if (p->s.regime == SCALE_ARROWS)
        odd_messages(c, class);
    if ((p->marks & MARK_LATE) != 0)
        sample_path(c, (struct picture_sign){class, 0}, 0, "later than dmax",
                    true);
    if ((p->marks & MARK_WANT) != 0) {
        x = entry(c, 8, "wants in");
        if (c->draw)
            pen(p->file, "<circle class='want' cx='@' cy='@' r='3.5'/>\n",
                x + 4, c->y);
    }
    if ((p->marks & MARK_AGAIN) != 0) {
        x = entry(c, SAMPLE, "a new attempt, and its number");
        if (c->draw) {
            picture_bar(p, LOOK_BESIDE, x, x + SAMPLE, c->y, 20);
            pen(p->file, "<path class='again' d='M@ @v24'/>\n", x + 12,
                c->y - 12);
            pen_line(p->file, "onbeside", x + 17, c->y + 4.5, "start", "2");
        }
    }
    if ((p->marks & MARK_STEPS) != 0)
        path_sample(c, "steps", "M2 -2v4M10 -2v4M18 -2v4",
                    "the node\u2019s own steps");
}

/* ---- Density ------------------------------------------------------------- */

static void levels(struct cursor *c)
{
    const struct picture *p = c->p;
    double x;

    if (p->s.regime < SCALE_DENSITY)
        return;
    for (unsigned i = 0; i < PICTURE_LEVELS; i++) {
        char number[40], words[80];

        finding_number(p->levels[i], number);
        snprintf(words, sizeof words, "%s%s", number,
                 i + 1 < PICTURE_LEVELS ? "" : " and more messages a cell");
        x = entry(c, 14, words);
        c->x -= i + 1 < PICTURE_LEVELS ? 10 : 0;
        if (c->draw)
            pen(p->file,
                "<rect class='cell level@' x='@' y='@' width='14' "
                "height='14'/>\n",
                i, x, c->y - 7);
    }
}

double legend_draw(const struct picture *p, double y, bool draw)
{
    struct cursor c = {.p = p, .x = p->margin, .y = y, .draw = draw};

    looks(&c);
    if (p->s.regime < SCALE_DENSITY)
        kinds(&c);
    if ((p->marks & MARK_WINS) != 0 && p->s.regime != SCALE_SHARES)
        arrow_sample(&c, "win", 0, "the claim that wins");
    if (p->s.regime < SCALE_DENSITY)
        marks(&c);
    else
        levels(&c);
    faults(&c);
    return c.y - y + ROW;
}
