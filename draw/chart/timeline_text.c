/*
 * timeline_text.c - the same in characters; see timeline.h.
 */
#include "draw/chart/timeline.h"

#include <assert.h>
#include <string.h>

enum { COLUMNS_MAX = 512, LABEL_COLUMNS = 9, INDENT = 2 };

/* What a cell shows; CELL_CROSS is where somebody died. */
enum cell { CELL_CROSS = TIMELINE_STATES, CELL_NOTHING, CELLS };

static const char *const signs[CELLS][2] = {
    [TIMELINE_UP] = {"-", "─"},     [TIMELINE_DOWN] = {" ", " "},
    [TIMELINE_FROZEN] = {"=", "║"}, [TIMELINE_WAITS] = {":", "▒"},
    [TIMELINE_LEADS] = {"L", "▓"},  [TIMELINE_INSIDE] = {"#", "█"},
    [CELL_CROSS] = {"X", "✗"},      [CELL_NOTHING] = {" ", " "},
};

/* The first column whose middle is not before a time, at most `columns`. */
static unsigned column_of(const struct timeline *t, unsigned columns,
                          uint64_t time)
{
    double share = (double)(time - t->from) / (double)(t->to - t->from);
    unsigned column = (unsigned)(share * columns + 0.5);

    return column < columns ? column : columns;
}

/* Paints one interval over what has less power; a cross stays.  It gets the
 * columns whose middle it has, so that neighbours do not seem to overlap, and
 * one at least. */
static void paint(const struct timeline *t, unsigned columns,
                  const struct timeline_interval *v, uint8_t cells[COLUMNS_MAX])
{
    uint64_t from = v->from < t->from ? t->from : v->from;
    uint64_t to = v->to > t->to ? t->to : v->to;
    unsigned first, end;

    if (from > to)
        return;
    first = column_of(t, columns, from);
    first = first < columns ? first : columns - 1;
    end = column_of(t, columns, to);
    end = end > first ? end : first + 1;
    for (unsigned c = first; c < end; c++)
        if (cells[c] == CELL_NOTHING ||
            (cells[c] != CELL_CROSS && cells[c] < v->state))
            cells[c] = (uint8_t)v->state;
    if (v->state == TIMELINE_DOWN && v->from >= t->from)
        cells[first] = CELL_CROSS;
}

static void print_lane(FILE *file, const struct timeline *t, unsigned columns,
                       uint32_t lane, bool utf8)
{
    uint8_t cells[COLUMNS_MAX];
    unsigned used = columns;

    memset(cells, CELL_NOTHING, sizeof cells);
    for (size_t i = 0; i < t->intervals_count; i++)
        if (t->intervals[i].lane == lane)
            paint(t, columns, &t->intervals[i], cells);
    while (used > 0 && *signs[cells[used - 1]][0] == ' ')
        used--;
    for (unsigned c = 0; c < used; c++)
        fputs(signs[cells[c]][utf8], file);
    fputc('\n', file);
}

static void print_axis(FILE *file, const struct timeline *t, unsigned columns,
                       int names)
{
    uint64_t step = timeline_step(t, columns, LABEL_COLUMNS);
    char line[COLUMNS_MAX + 64], text[32];
    size_t end = 0;

    memset(line, ' ', sizeof line);
    for (uint64_t time = (t->from + step - 1) / step * step; time <= t->to;
         time += step) {
        unsigned at = column_of(t, columns, time);

        timeline_label(t, time, step, text);
        if (at + strlen(text) > columns)
            break;
        memcpy(line + at, text, strlen(text));
        end = at + strlen(text);
    }
    line[end] = '\0';
    fprintf(file, "%*s%-*s %s\n", INDENT, "", names, t->unit_name, line);
}

static void print_key(FILE *file, const struct timeline *t, bool utf8)
{
    int gap = INDENT;

    for (int s = TIMELINE_STATES - 1; s >= 0; s--) {
        if (!timeline_has(t, (enum timeline_state)s))
            continue;
        fprintf(file, "%*s%s %s", gap, "",
                signs[s == TIMELINE_DOWN ? (int)CELL_CROSS : s][utf8],
                timeline_word((enum timeline_state)s));
        gap = INDENT + 1;
    }
    fputc('\n', file);
}

void timeline_text(FILE *file, const struct timeline *t, unsigned columns,
                   bool utf8)
{
    int names = (int)strlen(t->unit_name);

    assert(t->from < t->to);
    for (uint32_t i = 0; i < t->lanes_count; i++)
        if ((int)strlen(t->lanes[i]) > names)
            names = (int)strlen(t->lanes[i]);
    columns = columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
    columns =
        columns < (unsigned)names + 20 ? 10 : columns - (unsigned)names - 3;
    print_axis(file, t, columns, names);
    for (uint32_t i = 0; i < t->lanes_count; i++) {
        fprintf(file, "%*s%-*s ", INDENT, "", names, t->lanes[i]);
        print_lane(file, t, columns, i, utf8);
    }
    fputc('\n', file);
    print_key(file, t, utf8);
}
