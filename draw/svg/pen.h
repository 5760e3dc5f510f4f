/*
 * pen.h - writes SVG: numbers that no locale can spoil, text that no
 * character can break, and the room that text will take.
 *
 * In a form, each @ stands for the next number:
 *
 *     pen(file, "<circle cx='@' cy='@' r='3.5'/>\n", x, y);
 */
#ifndef DRAW_PEN_H
#define DRAW_PEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define pen(file, form, ...)                                                   \
    pen_numbers(file, form, (const double[]){__VA_ARGS__},                     \
                sizeof(const double[]){__VA_ARGS__} / sizeof(double))

void pen_numbers(FILE *file, const char *form, const double *numbers,
                 size_t count);

/* Text between tags or in an attribute. */
void pen_text(FILE *file, const char *text);

/* One line of text; anchor is start, middle or end. */
void pen_line(FILE *file, const char *class, double x, double y,
              const char *anchor, const char *text);

/* The width a text will have at most, in pixels, for a size of type.  Fonts
 * differ; this is a wide one, so that what seems to fit does fit. */
double pen_width(const char *text, double size);
double pen_bold(const char *text, double size);

/* Adds to a text of `size` bytes; what does not fit is cut between
 * characters. */
void pen_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum pen_type { PEN_PLAIN, PEN_BOLD, PEN_MONO };

/* Where lines of text go: from the baseline y on, at most `lines`. */
struct pen_room {
    double x, y, width;
    unsigned lines;
};

/* Writes text in lines and returns their height; with file NULL only measures.
 * What does not fit ends with an ellipsis. */
double pen_paragraph(FILE *file, const char *class, enum pen_type type,
                     double size, const char *text,
                     const struct pen_room *room);

#endif
