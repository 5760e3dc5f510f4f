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

/* In ems.  Characters beyond Latin may be as wide as they are high; the
 * subscript digits, which we write ourselves, are narrow. */
static double advance(const char *c)
{
    if ((unsigned char)*c >= 0xe3)
        return 1.0;
    if (strchr("il.,:;|' !()[]tfj-", *c) != NULL)
        return 0.4;
    if (*c == 'm' || *c == 'w' || *c == 'M' || *c == 'W')
        return 0.95;
    return (*c >= 'A' && *c <= 'Z') || *c == '=' || *c == '+' ? 0.74 : 0.61;
}

double pen_width(const char *text, double size)
{
    double ems = 0;

    for (; *text != '\0'; text++)
        if (begins_character(*text))
            ems += advance(text);
    return ems * size;
}

void pen_trim(char *text)
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
    pen_trim(text);
}

size_t pen_fit(const char *text, double size, double width, bool mono)
{
    size_t at = 0, space = 0;
    double used = 0;

    for (; text[at] != '\0'; at++) {
        if (!begins_character(text[at]))
            continue;
        if (text[at] == ' ')
            space = at;
        used += (mono ? 0.61 : advance(text + at)) * size;
        if (used > width && at > 0)
            return space > 0 ? space : at;
    }
    return at;
}
