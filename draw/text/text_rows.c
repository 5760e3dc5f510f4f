/*
 * text_rows.c - the rows of the text diagram; see text.h.
 *
 * A row is a line of characters: lanes first, then the messages between them,
 * then the remarks.  Signs beyond ASCII are used only where the terminal has
 * them.
 */
#include <inttypes.h>
#include <string.h>

#include "draw/svg/pen.h"
#include "draw/text/text_page.h"

enum { KEY_SIZE = 128 };

/* ---- Characters ---------------------------------------------------------- */

static uint32_t sign(bool ascii, enum sign which)
{
    static const uint32_t signs[SIGNS] = {
        0x250a, 0x2502, 0x2503, 0x2592, 0x2588, 0x2593, 0x2500, 0x254c, 0x254e,
        0x256e, 0x256d, 0x2570, 0x256f, 0x25ba, 0x25c4, 0x2524, 0x25cb, 0x2717,
        0x253c, 0x00d7, 0x2573, 0x2016, 0x2032, 0x251c, ' ',
    };
    static const char plain[] = ":|H%#R-~!..''><xoX+*@='x ";

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

static void clear_line(uint32_t line[LINE_MAX])
{
    for (unsigned i = 0; i < LINE_MAX; i++)
        line[i] = ' ';
}

/* Writes words of ASCII into a line. */
static void put_words(uint32_t *at, const char *words)
{
    for (; *words != '\0'; words++)
        *at++ = (uint32_t)*words;
}

/* ---- Rows ---------------------------------------------------------------- */

static enum sign look_sign(enum look look)
{
    static const enum sign signs[LOOKS] = {
        [LOOK_DOWN] = SIGN_NONE,           [LOOK_ASLEEP] = SIGN_ASLEEP,
        [LOOK_LOST] = SIGN_LOST,           [LOOK_AWAKE] = SIGN_LOST,
        [LOOK_RESTS] = SIGN_RESTS,         [LOOK_ASKS] = SIGN_RESTS,
        [LOOK_WAITS] = SIGN_RESTS,         [LOOK_LEADER] = SIGN_LEADER,
        [LOOK_CANDIDATE] = SIGN_CANDIDATE, [LOOK_BESIDE] = SIGN_BESIDE,
        [LOOK_INSIDE] = SIGN_LEADER,
    };

    return signs[look];
}

static enum sign lane_sign(struct page *p, uint32_t lane, uint64_t tick,
                           int row)
{
    enum trace_role role = (enum trace_role)p->role[lane];
    enum look look = roles_look(p->t, role, p->rests[lane]);

    if (p->down[lane])
        return p->crashed[lane] && row == 0 ? SIGN_CRASH : SIGN_NONE;
    /* One row a tick says so, the others show the role. */
    if (tick < p->paused[lane] && row == 0)
        return SIGN_PAUSE;
    if (look == LOOK_RESTS)
        p->rested = true;
    else
        p->roles |= 1u << role;
    return look_sign(look);
}

/* One row of a tick. */
struct row {
    uint32_t line[LINE_MAX];
    int number, read_rows;
};

static bool is_lane(const struct page *p, unsigned at)
{
    return (at - p->left) % p->pitch == 0;
}

/* Writes a name into a part of a line where nothing crosses it (or, if that
 * must be, no lane does), the one nearest to the sender.  False if none is
 * long enough. */
static bool name_part(const struct page *p, uint32_t *line, struct part part,
                      bool rightwards, const char *label, bool over)
{
    unsigned size = page_characters(label), run = 0;
    unsigned length = part.high - part.low + 1;
    uint32_t crossing = sign(p->ascii, SIGN_CROSSING);

    for (unsigned i = 0; i <= length; i++) {
        unsigned at = rightwards ? part.low + i : part.high - i, around;

        if (i < length && !is_lane(p, at) && (over || line[at] != crossing)) {
            run++;
            continue;
        }
        if (run < size) {
            run = 0;
            continue;
        }
        around = run >= size + 4 ? 1 : 0;
        at = rightwards ? at - run : at + 1;
        at += (run - size + 1 - around) / 2;
        if (around != 0)
            line[at - 1] = line[at + size] = ' ';
        for (unsigned k = 0; k < size; k++)
            line[at + k] = take_character(&label, p->ascii);
        return true;
    }
    return false;
}

static uint32_t line_sign(const struct page *p, const struct flight *f)
{
    const struct trace_message m = trace_message_at(p->t, f->message);
    enum trace_meaning meaning = trace_meaning(p->t, &m);

    return sign(p->ascii, meaning == TRACE_CALLS || meaning == TRACE_TELLS
                              ? SIGN_DASH
                              : SIGN_LINE);
}

/* A line along the row; what it meets it crosses. */
static void draw_line(const struct page *p, uint32_t *line, struct part part,
                      uint32_t drawn)
{
    for (unsigned at = part.low; at <= part.high; at++)
        line[at] = line[at] == ' ' ? drawn : sign(p->ascii, SIGN_CROSSING);
}

static void draw_end(struct page *p, uint32_t *line, const struct flight *f)
{
    const struct trace_message one = trace_message_at(p->t, f->message),
                               *m = &one;
    bool rightwards = flight_rightwards(f);
    enum sign dies = rightwards ? SIGN_DIES : SIGN_DIES_LEFT;
    enum sign head = (m->flags & TRACE_DIES) != 0     ? dies
                     : (m->flags & TRACE_SILENT) != 0 ? SIGN_SILENT
                     : (m->flags & TRACE_MISSED) != 0 ? SIGN_STRAY
                     : rightwards                     ? SIGN_HEAD_RIGHT
                                                      : SIGN_HEAD_LEFT;

    p->signs |= 1u << (head == SIGN_DIES_LEFT ? SIGN_DIES : head);
    line[rightwards ? f->to - 1 : f->to + 1] = sign(p->ascii, head);
}

static void draw_leaving(struct page *p, uint32_t *line, const struct flight *f)
{
    const struct trace_message one = trace_message_at(p->t, f->message),
                               *m = &one;
    bool rightwards = flight_rightwards(f);
    enum sign corner = (m->flags & TRACE_STRAY) != 0 ? SIGN_STRAY
                       : rightwards                  ? SIGN_LEAVES_RIGHT
                                                     : SIGN_LEAVES_LEFT;
    char label[FINDING_LABEL_SIZE];
    struct part part = flight_leaves(f);

    draw_line(p, line, part, line_sign(p, f));
    if (flight_straight(f)) {
        draw_end(p, line, f);
    } else {
        p->signs |= 1u << corner;
        line[f->down] = sign(p->ascii, corner);
    }
    page_label(p, m, label);
    part.low += rightwards ? 0 : 1;
    part.high -= rightwards ? 1 : 0;
    if (part.low <= part.high &&
        !name_part(p, line, part, rightwards, label, false))
        name_part(p, line, part, rightwards, label, true);
}

static void draw_coming(struct page *p, uint32_t *line, const struct flight *f)
{
    bool rightwards = flight_rightwards(f);

    draw_line(p, line, flight_comes(f), line_sign(p, f));
    line[f->down] =
        sign(p->ascii, rightwards ? SIGN_COMES_RIGHT : SIGN_COMES_LEFT);
    draw_end(p, line, f);
}

/* First what goes down, then what crosses it. */
static void draw_flights(struct page *p, struct row *row)
{
    for (unsigned i = 0; i < p->flights_count; i++) {
        const struct flight *f = &p->flights[i];
        bool stray = (p->t->message.flags[f->message] & TRACE_STRAY) != 0;
        bool begun =
            f->send_row < 0 || row->number > row->read_rows + f->send_row;

        if (begun && !stray && !flight_straight(f) &&
            (!f->comes || row->number < f->read_row))
            row->line[f->down] = sign(p->ascii, SIGN_DOWN);
    }
    for (unsigned i = 0; i < p->flights_count; i++) {
        const struct flight *f = &p->flights[i];

        if (f->send_row >= 0 && row->read_rows + f->send_row == row->number)
            draw_leaving(p, row->line, f);
        else if (f->read_row == row->number && f->read_row >= 0)
            draw_coming(p, row->line, f);
    }
}

static const char *turn_word(const struct page *p, uint32_t lane)
{
    static const char *const words[TURNS] = {
        [TURN_LEAVE] = "leaves",     [TURN_CRASH] = "crashes",
        [TURN_RESTART] = "restarts", [TURN_PAUSE] = "pauses",
        [TURN_CUT] = "cut off",      [TURN_JOINED] = "joined",
    };
    const char *rests = problem_of(p->t)->rest_turn;
    unsigned turn = p->turned[lane] - 1u;

    if (turn >= TRACE_ROLES_ALL)
        return words[turn];
    if (p->rests[lane])
        return rests != NULL ? rests : "rests";
    return roles_of(p->t, (enum trace_role)turn).turn;
}

/* What became of a node, beside its lane, where nothing is in the way. */
static void draw_turn(const struct page *p, uint32_t *line, unsigned column)
{
    unsigned at = page_lane(p, column) + 2, free = 0;
    uint32_t lane = column;
    const char *word;

    if (column >= p->t->head.nodes || p->turned[lane] == 0)
        return;
    word = turn_word(p, lane);
    while (free < p->pitch - 2 && line[at - 1 + free] == ' ')
        free++;
    if (free < strlen(word) + 2)
        return;
    put_words(line + at, word);
}

/* Cuts the next piece off the remarks, for one row. */
static void draw_remark(const struct page *p, uint32_t *line, const char **left)
{
    bool narrow =
        p->t->head.nodes <= NARROW_LANES && p->remarks_at + 8 <= p->screen;
    unsigned least = narrow ? 8 : 22;
    unsigned width =
        p->remarks_at + least > p->screen ? least : p->screen - p->remarks_at;
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

/* All remarks, in lines of their own below the lanes. */
static void write_remarks(const struct page *p, const char *left)
{
    unsigned used = 0;

    while (*left != '\0') {
        size_t piece = strcspn(left, ";");
        unsigned width = 0;

        for (const char *at = left; at < left + piece; width++)
            take_character(&at, p->ascii);
        if (used > 0 && used + 2 + width <= p->screen)
            used += (unsigned)fprintf(p->file, "; ");
        else {
            fprintf(p->file, "%s%*s", used > 0 ? "\n" : "", (int)p->left, "");
            used = p->left;
        }
        used += width;
        for (const char *end = left + piece; left < end;)
            put_character(p->file, take_character(&left, p->ascii));
        left += strspn(left, "; ");
    }
    if (used > 0)
        fputc('\n', p->file);
}

static void write_line(FILE *file, const uint32_t *line, unsigned length)
{
    while (length > 0 && line[length - 1] == ' ')
        length--;
    for (unsigned i = 0; i < length; i++)
        put_character(file, line[i]);
    fputc('\n', file);
}

static void draw_row(struct page *p, uint64_t tick, struct row *row,
                     const char **remarks)
{
    uint32_t *line = row->line;
    unsigned turns = p->columns - (p->last_turns ? 0 : 1);
    char time[24];

    clear_line(line);
    snprintf(time, sizeof time, "%" PRIu64, tick);
    if (row->number == 0)
        put_words(line + p->left - 2 - strlen(time), time);
    for (unsigned column = 0; column < p->columns; column++) {
        enum sign lane =
            lane_sign(p, column % p->t->head.nodes, tick, row->number);

        p->signs |= 1u << lane;
        line[page_lane(p, column)] = sign(p->ascii, lane);
    }
    draw_flights(p, row);
    for (unsigned column = 0; row->number == 0 && column < turns; column++)
        draw_turn(p, line, column);
    if (!p->below)
        draw_remark(p, line, remarks);
    write_line(p->file, line, LINE_MAX);
}

void page_tick(struct page *p, uint64_t tick, bool last)
{
    int send_rows = last ? 0 : 1;
    const char *remarks = p->remark;
    struct row row = {.read_rows = 1};

    for (unsigned i = 0; i < p->flights_count; i++) {
        const struct flight *f = &p->flights[i];

        if (f->read_row >= row.read_rows)
            row.read_rows = f->read_row + 1;
        if (f->send_row >= send_rows)
            send_rows = f->send_row + 1;
    }
    for (; row.number < row.read_rows + send_rows ||
           (*remarks != '\0' && !p->below);
         row.number++) {
        draw_row(p, tick, &row, &remarks);
        if (p->below && row.number == row.read_rows - 1)
            write_remarks(p, remarks);
    }
}

/* ---- Above and below ----------------------------------------------------- */

/* Text broken at spaces into lines of the screen. */
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
            fputc(used + 1 + width > p->screen ? '\n' : ' ', p->file);
        used = used > 0 && used + 1 + width <= p->screen ? used + 1 + width
                                                         : width;
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
    finding_subtitle(p->t, p->t->head.set, subtitle);
    write_wrapped(p, title);
    write_wrapped(p, subtitle);
    fputc('\n', p->file);
    clear_line(line);
    if (finding_untimed(p->t))
        put_words(line + p->left - 6, "step");
    else
        line[p->left - 3] = 't';
    for (unsigned column = 0; column < p->columns; column++) {
        bool again = column == p->t->head.nodes;

        snprintf(name, sizeof name, again ? "(%" PRIu32 ")" : "%" PRIu32,
                 trace_name(&p->t->head, again ? 0 : column));
        put_words(line + page_lane(p, column) - (again ? 1 : 0), name);
    }
    write_line(p->file, line, LINE_MAX);
}

/* The words of a sign that lanes have; "" if none has it. */
static void lane_words(const struct page *p, enum sign lane, char out[KEY_SIZE])
{
    const struct problem *problem = problem_of(p->t);
    const char *fixed = lane == SIGN_ASLEEP ? problem->asleep
                        : lane == SIGN_LOST ? problem->awake
                                            : NULL;

    out[0] = '\0';
    if ((p->signs & 1u << lane) == 0)
        return;
    if (fixed != NULL || (lane == SIGN_RESTS && p->rested))
        pen_add(out, KEY_SIZE, "%s", fixed != NULL ? fixed : problem->rests);
    for (unsigned role = 0; role < TRACE_ROLES_ALL && fixed == NULL; role++) {
        struct role r = roles_of(p->t, (enum trace_role)role);
        const char *word = trace_role_said(&p->t->head, (enum trace_role)role);

        if ((p->roles & 1u << role) != 0 && look_sign(r.look) == lane)
            pen_add(out, KEY_SIZE, "%s%s", out[0] != '\0' ? " or " : "",
                    word != NULL ? word : r.key);
    }
}

static void key_entry(const struct page *p, enum sign which, const char *words,
                      unsigned *used)
{
    unsigned width = (unsigned)strlen(words) + 5;

    if (*used > 0 && *used + width - 3 > p->screen) {
        fputc('\n', p->file);
        *used = 0;
    }
    if (*used > 0)
        fputs("   ", p->file);
    put_character(p->file, sign(p->ascii, which));
    fprintf(p->file, " %s", words);
    *used += width;
}

void page_key(const struct page *p)
{
    static const enum sign lanes[] = {
        SIGN_ASLEEP, SIGN_LOST,   SIGN_CANDIDATE,
        SIGN_RESTS,  SIGN_LEADER, SIGN_BESIDE,
    };
    static const struct {
        enum sign sign;
        const char *words;
    } marks[] = {
        {SIGN_DIES, "dies"},    {SIGN_SILENT, "no answer"},
        {SIGN_STRAY, "lost"},   {SIGN_CRASH, "crashes"},
        {SIGN_PAUSE, "paused"}, {SIGN_COPY, "copy"},
    };
    const char *command = p->t->head.command;
    char words[KEY_SIZE];
    unsigned used = 0;

    fputc('\n', p->file);
    for (unsigned i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
        lane_words(p, lanes[i], words);
        if (words[0] != '\0')
            key_entry(p, lanes[i], words, &used);
    }
    for (unsigned i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if ((p->signs & 1u << marks[i].sign) != 0)
            key_entry(p, marks[i].sign, marks[i].words, &used);
    fputc('\n', p->file);
    if (*command == '\0')
        return;
    fputs("again: ", p->file);
    while (*command != '\0')
        put_character(p->file, take_character(&command, p->ascii));
    fputc('\n', p->file);
}
