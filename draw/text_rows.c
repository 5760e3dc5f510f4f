/*
 * text_rows.c - the rows of the text diagram; see text.h.
 *
 * A row is a line of characters: lanes first, then what is between them, then
 * the remarks.  Signs beyond ASCII are used only where the terminal has them.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "draw/text_page.h"

/* ---- Characters ---------------------------------------------------------- */

static uint32_t sign(bool ascii, enum sign which)
{
    static const uint32_t signs[SIGNS] = {
        0x250a, 0x2502, 0x2503, 0x2592, 0x2588, 0x2500, 0x254c, 0x254e, 0x256e,
        0x256d, 0x2570, 0x256f, 0x25ba, 0x25c4, 0x2524, 0x25cb, 0x2717,
    };
    static const char plain[] = ":|H%#-~!..''><xoX";

    _Static_assert(sizeof plain == SIGNS + 1, "a plain sign for each");
    return ascii ? (uint32_t)plain[which] : signs[which];
}

static void put_character(FILE *file, uint32_t c)
{
    if (c < 0x80) {
        fputc((int)c, file);
    } else if (c < 0x800) {
        fputc((int)(0xc0 | c >> 6), file);
        fputc((int)(0x80 | (c & 0x3f)), file);
    } else {
        fputc((int)(0xe0 | (c >> 12 & 0x0f)), file);
        fputc((int)(0x80 | (c >> 6 & 0x3f)), file);
        fputc((int)(0x80 | (c & 0x3f)), file);
    }
}

/* The next character of a string; what needs four bytes, and what ASCII does
 * not have, becomes a question mark. */
static uint32_t take_character(const char **text, bool ascii)
{
    const unsigned char *s = (const unsigned char *)*text;
    unsigned size = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t c = s[0];

    *text += size;
    if (size == 2)
        c = (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu);
    else if (size == 3)
        c = (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
    if (c == 0xa0 && ascii)
        return ' ';
    return size == 4 || (ascii && size > 1) ? '?' : c;
}

unsigned page_characters(const char *text)
{
    unsigned count = 0;

    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static unsigned lane_column(const struct page *p, unsigned column)
{
    return p->left + column * p->pitch;
}

/* ---- Rows ---------------------------------------------------------------- */

static enum sign lane_sign(const struct page *p, uint32_t lane)
{
    if (p->role[lane] == TRACE_LEADER)
        return SIGN_LEADER;
    if (p->rests[lane])
        return SIGN_RESTS;
    return p->role[lane] == TRACE_CANDIDATE ? SIGN_CANDIDATE
           : p->role[lane] == TRACE_ASLEEP || p->role[lane] == TRACE_DONE
               ? SIGN_ASLEEP
               : SIGN_LOST;
}

/* Characters of a gap, counted from the sender's lane. */
struct strip {
    uint32_t *line;
    unsigned start, inner;
    bool rightwards, ascii;
};

static void mark(struct strip s, unsigned at, uint32_t c)
{
    assert(at < s.inner);
    s.line[s.start + (s.rightwards ? at : s.inner - 1 - at)] = c;
}

/* A name in the middle of the first `length` characters, if it fits. */
static void name_line(struct strip s, unsigned length, const char *label)
{
    unsigned size = page_characters(label), at;
    unsigned around = length >= size + 4 ? 1 : 0;

    if (size > length)
        return;
    at = (length - size + 1 - around) / 2;
    at += s.rightwards ? s.start : s.start + s.inner - length;
    if (around != 0)
        s.line[at - 1] = s.line[at + size] = ' ';
    for (unsigned i = 0; i < size; i++)
        s.line[at + i] = take_character(&label, s.ascii);
}

static enum sign line_sign(const struct page *p, const struct trace_message *m)
{
    enum trace_meaning meaning = trace_meaning(p->t, m);

    return meaning == TRACE_CALLS || meaning == TRACE_TELLS ? SIGN_DASH
                                                            : SIGN_LINE;
}

static void draw_head(struct page *p, struct strip s,
                      const struct trace_message *m)
{
    enum sign head = (m->flags & TRACE_DIES) != 0     ? SIGN_DIES
                     : (m->flags & TRACE_SILENT) != 0 ? SIGN_SILENT
                     : s.rightwards                   ? SIGN_HEAD_RIGHT
                                                      : SIGN_HEAD_LEFT;

    p->signs |= 1u << head;
    mark(s, s.inner - 1, sign(p->ascii, head));
}

/* What is seen of one message in one row. */
static void draw_flight(struct page *p, const struct flight *f, struct strip s,
                        int row, int read_rows)
{
    const struct trace_message *m = &p->t->messages[f->message];
    uint32_t line = sign(p->ascii, line_sign(p, m));
    bool straight = f->send_row >= 0 && f->read_row >= 0;
    int send_row = f->send_row < 0 ? -1 : read_rows + f->send_row;
    char label[FINDING_LABEL_SIZE];
    unsigned end = straight ? s.inner - 1 : f->track;

    if (send_row == row) {
        for (unsigned i = 0; i < end; i++)
            mark(s, i, line);
        finding_label(p->t, m, p->ascii, label);
        name_line(s, end, label);
        if (straight)
            draw_head(p, s, m);
        else
            mark(s, end,
                 sign(p->ascii,
                      s.rightwards ? SIGN_LEAVES_RIGHT : SIGN_LEAVES_LEFT));
    } else if (!straight && f->read_row == row) {
        mark(s, f->track,
             sign(p->ascii, s.rightwards ? SIGN_COMES_RIGHT : SIGN_COMES_LEFT));
        for (unsigned i = f->track + 1; i < s.inner - 1; i++)
            mark(s, i, line);
        draw_head(p, s, m);
    } else if (row > send_row && (f->read_row < 0 || row < f->read_row)) {
        mark(s, f->track, sign(p->ascii, SIGN_DOWN));
    }
}

/* What became of a node, beside its lane, where nothing is in the way. */
static void draw_turn(const struct page *p, uint32_t *line, unsigned column)
{
    static const char *const words[TRACE_ROLES] = {
        "sleeps", "awake", "candidate", "lost", "elected", "done",
    };
    unsigned at = lane_column(p, column) + 2, free = 0;
    uint32_t lane = column;
    const char *word;

    if (column >= p->t->nodes || p->turned[lane] == 0)
        return;
    word = words[p->turned[lane] - 1];
    if (p->rests[lane])
        word = "rests";
    while (free < p->pitch - 2 && line[at - 1 + free] == ' ')
        free++;
    if (free < strlen(word) + 2)
        return;
    for (unsigned i = 0; word[i] != '\0'; i++)
        line[at + i] = (uint32_t)word[i];
}

/* Cuts the next piece off the remarks, for one row. */
static void draw_remark(const struct page *p, uint32_t *line, const char **left)
{
    unsigned least = p->t->nodes <= NARROW_LANES ? 8 : 22;
    unsigned width =
        p->remarks_at + least > SCREEN ? least : SCREEN - p->remarks_at;
    const char *at = *left, *end = NULL, *scan = *left;
    unsigned used = 0;

    while (*scan != '\0' && used < width) {
        if (*scan == ';' || *scan == ' ')
            end = scan;
        if (*scan == ';')
            break;
        take_character(&scan, false);
        used++;
    }
    if (*scan == '\0' || end == NULL || *scan == ' ')
        end = scan;
    for (unsigned i = 0; at < end; i++)
        line[p->remarks_at + i] = take_character(&at, p->ascii);
    while (*end == ';' || *end == ' ')
        end++;
    *left = end;
}

static void write_line(FILE *file, const uint32_t *line, unsigned length)
{
    while (length > 0 && line[length - 1] == ' ')
        length--;
    for (unsigned i = 0; i < length; i++)
        put_character(file, line[i]);
    fputc('\n', file);
}

static void draw_row(struct page *p, const char *time, int row, int read_rows,
                     const char **remarks)
{
    uint32_t line[LINE_MAX];

    for (unsigned i = 0; i < LINE_MAX; i++)
        line[i] = ' ';
    for (unsigned i = 0; time[i] != '\0'; i++)
        line[p->left - 2 - strlen(time) + i] = (uint32_t)time[i];
    for (unsigned column = 0; column < p->columns; column++) {
        enum sign lane = lane_sign(p, column % p->t->nodes);

        p->signs |= 1u << lane;
        line[lane_column(p, column)] = sign(p->ascii, lane);
    }
    for (unsigned gap = 0; gap + 1 < p->columns; gap++) {
        const struct gap *g = &p->gaps[gap];
        struct strip s = {
            .line = line,
            .start = lane_column(p, gap) + 1,
            .inner = p->pitch - 1,
            .ascii = p->ascii,
        };

        for (unsigned i = 0; i < g->count; i++) {
            unsigned same;

            page_gap(p, &p->t->messages[g->flights[i].message], &same,
                     &s.rightwards);
            draw_flight(p, &g->flights[i], s, row, read_rows);
        }
    }
    for (unsigned column = 0; row == 0 && column + 1 < p->columns; column++)
        draw_turn(p, line, column);
    draw_remark(p, line, remarks);
    write_line(p->file, line, LINE_MAX);
}

void page_tick(struct page *p, uint64_t tick, bool last)
{
    int read_rows = 1, send_rows = last ? 0 : 1, row = 0;
    const char *remarks = p->remark;
    char time[24];

    for (unsigned gap = 0; gap + 1 < p->columns; gap++) {
        const struct gap *g = &p->gaps[gap];

        read_rows = g->reads > read_rows ? g->reads : read_rows;
        send_rows = g->sends > send_rows ? g->sends : send_rows;
    }
    snprintf(time, sizeof time, "%" PRIu64, tick);
    while (row < read_rows + send_rows || *remarks != '\0') {
        draw_row(p, row == 0 ? time : "", row, read_rows, &remarks);
        row++;
    }
}

/* ---- Above and below ----------------------------------------------------- */

static void write_text(const struct page *p, const char *text)
{
    while (*text != '\0')
        put_character(p->file, take_character(&text, p->ascii));
    fputc('\n', p->file);
}

/* The same, broken at spaces into lines of the screen. */
static void write_wrapped(const struct page *p, const char *text)
{
    unsigned used = 0;

    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        const char *end = text + word;
        unsigned width = 0;

        for (const char *at = text; at < end; width++)
            take_character(&at, p->ascii);
        if (used > 0)
            fputc(used + 1 + width > SCREEN ? '\n' : ' ', p->file);
        used =
            used > 0 && used + 1 + width <= SCREEN ? used + 1 + width : width;
        while (text < end)
            put_character(p->file, take_character(&text, p->ascii));
        text += *text == ' ';
    }
    fputc('\n', p->file);
}

void page_head(const struct page *p)
{
    char title[FINDING_TITLE_SIZE], subtitle[FINDING_SUBTITLE_SIZE];
    uint32_t line[LINE_MAX];
    char name[24];

    finding_title(&p->found, p->t, title);
    finding_subtitle(p->t, subtitle);
    write_wrapped(p, title);
    write_wrapped(p, subtitle);
    fputc('\n', p->file);
    for (unsigned i = 0; i < LINE_MAX; i++)
        line[i] = ' ';
    line[p->left - 3] = 't';
    for (unsigned column = 0; column < p->columns; column++) {
        bool again = column == p->t->nodes;

        snprintf(name, sizeof name, again ? "(%" PRIu32 ")" : "%" PRIu32,
                 trace_name(p->t, column % p->t->nodes));
        for (unsigned i = 0; name[i] != '\0'; i++)
            line[lane_column(p, column) - (again ? 1 : 0) + i] =
                (uint32_t)name[i];
    }
    write_line(p->file, line, LINE_MAX);
}

void page_key(const struct page *p)
{
    static const struct {
        enum sign sign;
        const char *words;
    } keys[] = {
        {SIGN_ASLEEP, "asleep or done"}, {SIGN_LOST, "awake or lost"},
        {SIGN_CANDIDATE, "candidate"},   {SIGN_RESTS, "a message rests"},
        {SIGN_LEADER, "leader"},         {SIGN_DIES, "dies"},
        {SIGN_SILENT, "no answer"},
    };
    unsigned used = 0;

    fputc('\n', p->file);
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        unsigned width = (unsigned)strlen(keys[i].words) + 5;

        if ((p->signs & 1u << keys[i].sign) == 0)
            continue;
        if (used > 0 && used + width - 3 > SCREEN) {
            fputc('\n', p->file);
            used = 0;
        }
        if (used > 0)
            fputs("   ", p->file);
        put_character(p->file, sign(p->ascii, keys[i].sign));
        fprintf(p->file, " %s", keys[i].words);
        used += width;
    }
    fputc('\n', p->file);
    if (p->t->command[0] != '\0') {
        fputs("again: ", p->file);
        write_text(p, p->t->command);
    }
}
