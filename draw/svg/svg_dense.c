/*
 * svg_dense.c - runs too large for single messages: density, then shares.
 *
 * Density: lanes stay, each a thin bar in its most frequent state; between two
 * lanes, cells of ink show the number of messages on their way.  Shares: lanes
 * are too thin to be seen, so columns show the number of nodes in each state,
 * most power on top, and one ribbon counts the messages.  Power is never lost:
 * it takes its column, never thinner than 3 px.
 */
#include <stdlib.h>
#include <string.h>

#include "draw/svg/pen.h"
#include "draw/svg/picture.h"

enum { CELL_PX = 6, SHARE_PX = 2, POWER_COLUMNS = 2, RIBBON_PX = 24 };
static const double shares_height = 360;

static uint32_t column_count(const struct picture *p, uint32_t px)
{
    return (uint32_t)(p->s.width / px) + 1;
}

/* The column of a tick, kept inside the plot. */
static uint32_t column(const struct picture *p, uint64_t tick, uint32_t px)
{
    uint32_t last = column_count(p, px) - 1;
    double x = (scale_x(&p->s, tick) - p->s.left) / px;

    return x <= 0 ? 0 : x >= last ? last : (uint32_t)x;
}

/* ---- Messages a cell ----------------------------------------------------- */

/* A message that is under way from column `first` up to `last`, in every row
 * between its lanes. */
static void count_message(uint32_t *cells, uint32_t columns, uint32_t low,
                          uint32_t high, uint32_t first, uint32_t last)
{
    do {
        uint32_t *row = cells + (size_t)low * (columns + 1);

        row[first]++;
        row[last + 1]--;
    } while (++low < high);
}

/* cells[row * columns + c]: messages under way in that column. */
static uint32_t *count_cells(const struct picture *p, uint32_t rows)
{
    uint32_t columns = column_count(p, CELL_PX);
    size_t size = (size_t)rows * (columns + 1);
    uint32_t *cells = calloc(size, sizeof *cells);

    if (cells == NULL)
        return NULL;
    /* First what begins less what ends, then sums along the row. */
    for (uint32_t i = 0; i < p->t->messages_count; i++) {
        const struct trace_message one = trace_message_at(p->t, i), *m = &one;
        uint64_t end = scale_message_end(&p->s, m);
        uint32_t from, to;

        if (scale_hides(&p->s, p->t, m) || !scale_shows(&p->s, m->sent, end))
            continue;
        finding_rows(p->t, m, &from, &to);
        if (rows == 1)
            from = to = 0;
        /* It is under way until just before it is read. */
        count_message(cells, columns, from < to ? from : to,
                      from < to ? to : from, column(p, m->sent, CELL_PX),
                      column(p, end > m->sent ? end - 1 : end, CELL_PX));
    }
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 1; c <= columns; c++)
            cells[(size_t)r * (columns + 1) + c] +=
                cells[(size_t)r * (columns + 1) + c - 1];
    return cells;
}

static uint32_t cell_rows(const struct picture *p)
{
    return p->s.regime == SCALE_SHARES ? 1 : p->s.rows;
}

/* Whether five steps of this factor leave most cells below the darkest. */
static bool reaches(const uint32_t *cells, size_t size, uint32_t factor)
{
    uint32_t darkest = factor * factor * factor * factor;
    size_t full = 0, dark = 0;

    for (size_t i = 0; i < size; i++) {
        full += cells[i] > 0;
        dark += cells[i] >= darkest;
    }
    return dark * 4 <= full;
}

int dense_measure(struct picture *p)
{
    uint32_t rows = cell_rows(p), columns = column_count(p, CELL_PX), factor;
    uint32_t *cells = count_cells(p, rows);
    size_t size = (size_t)rows * (columns + 1);

    if (cells == NULL)
        return -1;
    factor = reaches(cells, size, 2) ? 2 : reaches(cells, size, 4) ? 4 : 10;
    free(cells);
    p->levels[0] = 1;
    for (unsigned i = 1; i < PICTURE_LEVELS; i++)
        p->levels[i] = p->levels[i - 1] * factor;
    return 0;
}

/* 0: an empty cell. */
static uint8_t level(const struct picture *p, uint32_t count)
{
    uint8_t level = 0;

    while (level < PICTURE_LEVELS && count >= p->levels[level])
        level++;
    return level;
}

/* Columns of a row with the value that is wanted, neighbours joined: as lines,
 * or as cells of a height. */
static void draw_runs(const struct picture *p, const uint8_t *row,
                      uint32_t columns, uint8_t wanted, double y, double height)
{
    double right = p->s.left + p->s.width;

    for (uint32_t start = 0, end; start < columns; start = end) {
        double x0 = p->s.left + start * CELL_PX, x1;

        for (end = start; end < columns && row[end] == wanted;)
            end++;
        x1 = p->s.left + end * CELL_PX;
        x1 = x1 < right ? x1 : right;
        if (end == start)
            end++;
        else if (height == 0)
            pen(p->file, "M@ @H@", x0, y, x1);
        else if (x1 > x0)
            pen(p->file, "M@ @H@v@H@z", x0, y, x1, height, x0);
    }
}

static int draw_cells(const struct picture *p, double top, double pitch,
                      double height)
{
    uint32_t rows = cell_rows(p), columns = column_count(p, CELL_PX);
    uint32_t *cells = count_cells(p, rows);
    size_t size = (size_t)rows * (columns + 1);
    uint8_t *levels = calloc(size, 1);
    bool ready = cells != NULL && levels != NULL;

    for (size_t i = 0; ready && i < size; i++)
        levels[i] = level(p, cells[i]);
    for (uint8_t wanted = 1; ready && wanted <= PICTURE_LEVELS; wanted++) {
        pen(p->file, "<path class='cell level@' d='", wanted - 1);
        for (uint32_t r = 0; r < rows; r++)
            draw_runs(p, levels + (size_t)r * (columns + 1), columns, wanted,
                      top + r * pitch, height);
        fputs("'/>\n", p->file);
    }
    free(cells);
    free(levels);
    return ready ? 0 : -1;
}

/* ---- Density: lanes ------------------------------------------------------ */

/* The look that a lane has longest in each column; power counts at once. */
static void lane_looks(const struct picture *p, uint32_t lane, double *time,
                       uint8_t *looks, uint32_t columns)
{
    double end = (double)columns;

    memset(time, 0, (size_t)columns * LOOKS * sizeof *time);
    for (uint32_t i = p->spans.first[lane]; i < p->spans.first[lane + 1]; i++) {
        const struct trace_span *span = &p->spans.list[i];
        double x0 = (scale_x(&p->s, span->from) - p->s.left) / CELL_PX;
        double x1 = (scale_x(&p->s, span->to) - p->s.left) / CELL_PX;
        enum look look = picture_look(p, span);

        x0 = x0 < 0 ? 0 : x0;
        x1 = x1 > end ? end : x1;
        if (x1 < 0 || x0 >= end)
            continue;
        for (uint32_t c = (uint32_t)x0; c < columns && c <= x1; c++) {
            double low = c > x0 ? c : x0, high = c + 1 < x1 ? c + 1 : x1;

            time[c * LOOKS + look] += look_has_power(look) ? 2 : high - low;
        }
    }
    for (uint32_t c = 0; c < columns; c++) {
        looks[c] = 0;
        for (unsigned look = 1; look < LOOKS; look++)
            if (time[c * LOOKS + look] > time[c * LOOKS + looks[c]])
                looks[c] = (uint8_t)look;
    }
}

static void density_lanes(const struct picture *p, const uint8_t *looks,
                          uint32_t columns, uint32_t first, uint32_t last)
{
    static const double parts[LOOKS] = {0,    0,    0,   0.2, 0.25, 0.25,
                                        0.34, 0.34, 0.7, 0.7, 0.7};

    for (unsigned look = LOOK_ASLEEP; look < LOOKS; look++) {
        double width = parts[look] * p->s.lane;

        fprintf(p->file, "<path class='thin %st'",
                picture_look_class((enum look)look));
        pen(p->file, " stroke-width='@' d='",
            look <= LOOK_LOST                              ? 0.5
            : look_has_power((enum look)look) && width < 3 ? 3
            : width < 1                                    ? 1
                                                           : width);
        for (uint32_t row = first; row < last; row++)
            draw_runs(p, looks + (size_t)(row % p->t->head.nodes) * columns,
                      columns, (uint8_t)look, scale_y(&p->s, row), 0);
        fputs("'/>\n", p->file);
    }
}

static int draw_density(const struct picture *p)
{
    uint32_t columns = column_count(p, CELL_PX);
    double *time = malloc((size_t)columns * LOOKS * sizeof *time);
    uint8_t *looks = malloc((size_t)columns * p->t->head.nodes);
    double gap = p->s.lane * 0.56;
    int result = -1;

    if (time != NULL && looks != NULL) {
        for (uint32_t lane = 0; lane < p->t->head.nodes; lane++)
            lane_looks(p, lane, time, looks + (size_t)lane * columns, columns);
        density_lanes(p, looks, columns, 0, p->t->head.nodes);
        if (p->s.again) {
            fputs("<g opacity='.45'>\n", p->file);
            density_lanes(p, looks, columns, p->t->head.nodes, p->s.rows);
            fputs("</g>\n", p->file);
        }
        result = draw_cells(p, scale_y(&p->s, 0) + (p->s.lane - gap) / 2,
                            p->s.lane, gap);
    }
    free(time);
    free(looks);
    return result;
}

/* ---- Shares -------------------------------------------------------------- */

/* The first column that begins at a tick or after it, at most `columns`. */
static uint32_t share_column(const struct picture *p, uint64_t tick,
                             uint32_t columns)
{
    double x = (scale_x(&p->s, tick) - p->s.left) / SHARE_PX;

    return x <= 0 ? 0 : x >= columns ? columns : (uint32_t)(x + 0.999999);
}

/* A short time of power is seen, but never as more of them than there were
 * at once. */
static void keep_power(const struct picture *p, int32_t *shares,
                       uint32_t columns)
{
    const struct trace *t = p->t;

    for (uint32_t i = 0; i < p->spans.first[t->head.nodes]; i++) {
        const struct trace_span *span = &p->spans.list[i];
        enum look look = picture_look(p, span);
        int32_t *row = shares + (size_t)look * (columns + 1);
        uint32_t from = share_column(p, span->from, columns);

        if (!look_has_power(look) ||
            !scale_shows(&p->s, span->from, span->to) ||
            share_column(p, span->to, columns) >= from + POWER_COLUMNS)
            continue;
        if (from + POWER_COLUMNS > columns)
            from = columns - POWER_COLUMNS;
        for (uint32_t c = from; c < from + POWER_COLUMNS; c++)
            row[c] = row[c] > 0 ? row[c] : 1;
    }
}

/* shares[look * (columns + 1) + c]: nodes with that look when column c
 * begins. */
static int32_t *count_shares(const struct picture *p, uint32_t columns)
{
    const struct trace *t = p->t;
    int32_t *shares = calloc((size_t)(columns + 1) * LOOKS, sizeof *shares);

    if (shares == NULL)
        return NULL;
    for (uint32_t i = 0; i < p->spans.first[t->head.nodes]; i++) {
        const struct trace_span *span = &p->spans.list[i];
        int32_t *row = shares + (size_t)picture_look(p, span) * (columns + 1);

        row[share_column(p, span->from, columns)]++;
        row[share_column(p, span->to, columns)]--;
    }
    for (uint32_t i = 0; i < LOOKS; i++)
        for (uint32_t c = 1; c < columns; c++)
            shares[i * (columns + 1) + c] += shares[i * (columns + 1) + c - 1];
    keep_power(p, shares, columns);
    return shares;
}

/* Where the area of a look begins: below all that have more power.  The area of
 * look -1 is below all. */
static double share_top(const struct picture *p, const int32_t *shares,
                        uint32_t columns, int look, uint32_t c)
{
    const double least = 3;
    double y = 0;

    if (look < 0)
        return p->s.top + shares_height;
    for (int l = LOOKS - 1; l > look; l--) {
        double height = shares[(size_t)l * (columns + 1) + c] /
                        (double)p->t->head.nodes * shares_height;

        if (look_has_power((enum look)l) && height > 0 && height < least)
            height = least;
        y += height;
    }
    return p->s.top + (y < shares_height ? y : shares_height);
}

/* An area with steps, left to right along its top and back along its end. */
static void share_area(const struct picture *p, const int32_t *shares,
                       uint32_t columns, int look)
{
    double right = p->s.left + p->s.width, y, last = -1;

    fprintf(p->file, "<path class='%ss'", picture_look_class((enum look)look));
    pen(p->file, " d='M@ @", p->s.left, share_top(p, shares, columns, look, 0));
    for (uint32_t c = 0; c < columns; c++) {
        double x = p->s.left + c * SHARE_PX;

        y = share_top(p, shares, columns, look, c);
        if (y != last && c > 0)
            pen(p->file, "H@V@", x < right ? x : right, y);
        last = y;
    }
    pen(p->file, "H@", right);
    last = -1;
    for (uint32_t c = columns; c-- > 0;) {
        double x = p->s.left + (c + 1) * SHARE_PX;

        y = share_top(p, shares, columns, look - 1, c);
        if (y != last)
            pen(p->file, "H@V@", x < right ? x : right, y);
        last = y;
    }
    pen(p->file, "H@Z'/>\n", p->s.left);
}

/* Writes the name of a look into its area, where that is thickest. */
static void share_label(const struct picture *p, const int32_t *shares,
                        uint32_t columns, int look)
{
    char word[PICTURE_WORDS_SIZE];
    uint32_t half, best_c = 0;
    double best = 0, best_y = 0;

    picture_look_words(p, (enum look)look, false, word);
    half = (uint32_t)(pen_width(word, 12) / SHARE_PX / 2) + 12;
    for (uint32_t c = half; c + half < columns; c++) {
        double top = p->s.top, end = p->s.top + shares_height;

        for (uint32_t i = c - half; i <= c + half; i += half) {
            double y = share_top(p, shares, columns, look, i);
            double under = share_top(p, shares, columns, look - 1, i);

            top = y > top ? y : top;
            end = under < end ? under : end;
        }
        if (end - top > best) {
            best = end - top;
            best_c = c;
            best_y = (top + end) / 2;
        }
    }
    if (best >= 18)
        pen_line(p->file,
                 look == LOOK_CANDIDATE || look == LOOK_AWAKE ? "oncandidate"
                 : look == LOOK_INSIDE                        ? "onstrong"
                                                              : "onshare",
                 p->s.left + best_c * SHARE_PX, best_y + 4, "middle", word);
}

static void leader_label(const struct picture *p)
{
    const struct finding *f = &p->found;
    char words[48], name[FINDING_NODE_SIZE];
    bool late;

    if (f->leader == TRACE_NONE || f->elected < p->s.from ||
        f->elected > p->s.to || p->bad_shown)
        return;
    finding_node(p->t, f->leader, name);
    snprintf(words, sizeof words, "%s is elected", name);
    late = scale_x(&p->s, f->elected) + pen_width(words, 12) > p->width - 8;
    pen_line(p->file, "small leadertext halo", scale_x(&p->s, f->elected),
             p->s.top - 5, late ? "end" : "start", words);
}

static int draw_shares(const struct picture *p)
{
    uint32_t columns = column_count(p, SHARE_PX);
    int32_t *shares = count_shares(p, columns);

    if (shares == NULL)
        return -1;
    for (int look = 0; look < LOOKS; look++)
        if ((p->looks & 1u << look) != 0)
            share_area(p, shares, columns, look);
    for (int look = 0; look < LOOKS; look++)
        if ((p->looks & 1u << look) != 0 && look != LOOK_LEADER)
            share_label(p, shares, columns, look);
    free(shares);
    leader_label(p);
    return draw_cells(p, p->s.axis - RIBBON_PX - 4, 0, RIBBON_PX);
}

int dense_draw(const struct picture *p)
{
    return p->s.regime == SCALE_SHARES ? draw_shares(p) : draw_density(p);
}
