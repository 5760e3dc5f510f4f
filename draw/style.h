/*
 * style.h - colours, type and patterns of all pictures.
 */
#ifndef DRAW_STYLE_H
#define DRAW_STYLE_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the elements <style> and <defs>; the caller ends the latter.  A
 * picture follows the reader's theme, or is dark for all. */
void style_write(FILE *file, bool dark);

/* The same in two parts, for a page that contains pictures: the colours as
 * variables, light or dark, and the rules that use them. */
void style_colours(FILE *file, bool dark);
void style_rules(FILE *file, bool dark);

/* The words above a chart, in as many lines as they need; returns where they
 * end.  With file NULL only measures. */
double style_words(FILE *file, double width, const char *title,
                   const char *subtitle);

/* The beginning of a chart: size, title, style and paper. */
void style_chart(FILE *file, double width, double height, const char *title,
                 const char *subtitle);

#endif
