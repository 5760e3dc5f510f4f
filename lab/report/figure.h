/*
 * figure.h - the measured numbers beside the claimed bound, over the sizes: SVG
 * for a page that has the rules of draw/style.h.
 */
#ifndef LAB_FIGURE_H
#define LAB_FIGURE_H

#include "lab/report/report.h"

/* Whether there is something to draw: numbers at two sizes. */
bool lab_figure_is_worth(const struct lab_judgement *j);

/* Draws it, with a line above that says what y is. */
void lab_figure_draw(FILE *file, const struct lab_judgement *j,
                     const char *along, const char *title);

#endif
