/*
 * pen.c - writes SVG; see pen.h.
 */
#include "draw/svg/pen.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Tenths of a pixel are finer than any screen and half as long to write. */
static void number(FILE *file, double value)
{
    const double limit = 1e8;
    long long tenths;

    value = value > limit ? limit : value < -limit ? -limit : value;
    tenths = llround(value * 10);
    if (tenths < 0)
        fputc('-', file);
    tenths = tenths < 0 ? -tenths : tenths;
    fprintf(file, "%lld", tenths / 10);
    if (tenths % 10 != 0)
        fprintf(file, ".%lld", tenths % 10);
}

void pen_numbers(FILE *file, const char *form, const double *numbers,
                 size_t count)
{
    size_t used = 0;

    for (; *form != '\0'; form++) {
        if (*form != '@') {
            fputc(*form, file);
            continue;
        }
        assert(used < count);
        number(file, numbers[used++]);
    }
    assert(used == count);
}

void pen_text(FILE *file, const char *text)
{
    static const char special[] = "&<>'\"";
    static const char *const written[] = {"&amp;", "&lt;", "&gt;", "&#39;",
                                          "&quot;"};

    for (; *text != '\0'; text++) {
        const char *found = strchr(special, *text);

        if (found != NULL)
            fputs(written[found - special], file);
        else
            fputc(*text, file);
    }
}

void pen_line(FILE *file, const char *class, double x, double y,
              const char *anchor, const char *text)
{
    fprintf(file, "<text class='%s' text-anchor='%s'", class, anchor);
    pen(file, " x='@' y='@'>", x, y);
    pen_text(file, text);
    fputs("</text>\n", file);
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* Hundredths of an em, from the space on: DejaVu Sans, which a bare system has
 * and which is wider than the fonts that are asked for first. */
static const unsigned char advances[] = {
    32,  40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, /* space */
    64,  64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, /* 0 */
    100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, /* @ */
    60,  79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, /* P */
    50,  61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, /* ` */
    63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,     /* p */
};

/* In ems.  Characters beyond Latin may be as wide as they are high; the
 * subscript digits, which we write ourselves, are narrow. */
static double advance(const char *c)
{
    unsigned char first = (unsigned char)*c;

    if (first == 0xe2)
        return (unsigned char)c[1] == 0x82 ? 0.41 : 1.0;
    if (first >= 0xe3)
        return 1.0;
    return first < ' ' || first > '~' ? 0.7 : advances[first - ' '] / 100.0;
}

double pen_width(const char *text, double size)
{
    double ems = 0;

    for (; *text != '\0'; text++)
        if (begins_character(*text))
            ems += advance(text);
    return ems * size;
}

double pen_bold(const char *text, double size)
{
    return pen_width(text, size) * 1.15;
}

/* Removes what a cut may have left of a character at the end. */
static void trim(char *text)
{
    size_t length = strlen(text), start = length;
    unsigned char lead;

    while (start > 0 && !begins_character(text[start - 1]))
        start--;
    if (start == 0)
        return;
    lead = (unsigned char)text[start - 1];
    if (length - start + 1 < (lead < 0x80   ? 1u
                              : lead < 0xe0 ? 2u
                              : lead < 0xf0 ? 3u
                                            : 4u))
        text[start - 1] = '\0';
}

void pen_add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    trim(text);
}

/* The next line of a text that breaks at spaces: bytes of it that fit into
 * `width`, at least one character. */
static size_t fit(const char *text, enum pen_type type, double size,
                  double width)
{
    size_t at = 0, space = 0;
    double used = 0;

    for (; text[at] != '\0'; at++) {
        if (!begins_character(text[at]))
            continue;
        if (text[at] == ' ')
            space = at;
        used += size * (type == PEN_MONO   ? 0.61
                        : type == PEN_BOLD ? advance(text + at) * 1.15
                                           : advance(text + at));
        if (used > width && at > 0)
            return space > 0 ? space : at;
    }
    return at;
}

double pen_paragraph(FILE *file, const char *class, enum pen_type type,
                     double size, const char *text, const struct pen_room *room)
{
    double y = room->y, pitch = size * 1.3;
    unsigned lines = room->lines;
    const char *more = " \u2026";
    char line[600], shown[616];

    while (*text != '\0' && lines > 0) {
        size_t fits = fit(text, type, size, room->width);
        bool cut;

        if (lines == 1 && text[fits] != '\0')
            fits = fit(text, type, size, room->width - pen_bold(more, size));
        fits = fits < sizeof line - 8 ? fits : sizeof line - 8;
        memcpy(line, text, fits);
        line[fits] = '\0';
        trim(line);
        text += strlen(line);
        text += *text == ' ';
        cut = --lines == 0 && *text != '\0';
        snprintf(shown, sizeof shown, "%s%s", line, cut ? more : "");
        if (file != NULL)
            pen_line(file, class, room->x, y, "start", shown);
        y += pitch;
    }
    return y - room->y;
}
