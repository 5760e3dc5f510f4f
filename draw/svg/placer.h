/*
 * placer.h - finds room for labels: they touch no bar, no message and no other
 * label.
 */
#ifndef DRAW_PLACER_H
#define DRAW_PLACER_H

#include "draw/svg/picture.h"

enum { PLACER_BOXES_MAX = 1024 };

/* A rectangle, or a line between two corners. */
struct box {
    double x0, y0, x1, y1;
};

struct placer {
    const struct picture *p;
    struct box *lines;
    size_t lines_count;
    struct box taken[PLACER_BOXES_MAX];
    size_t taken_count;
    bool dry; /* only to count the labels that have room */
};

/* Takes the messages into account; false if memory ran out. */
bool placer_lines(struct placer *placer);

/* The room of a label; those in colour are bold. */
double placer_width(const char *class, const char *text);

/* Writes a label that begins (or ends, if `left`) at x, if it is free. */
bool placer_put(struct placer *placer, const char *class, const char *text,
                double x, double y, bool left);

/* The same beside the line of a message, in its colour. */
bool placer_beside(struct placer *placer, const struct trace_message *m,
                   const char *text);

/* In a bar, from `gap` pixels behind its beginning on, where no message is in
 * the way. */
bool placer_in_bar(struct placer *placer, const char *class, const char *text,
                   double size, const struct box *bar, double gap);

/* The class of a label in the colour of its message. */
const char *placer_class(const struct picture *p,
                         const struct trace_message *m);

#endif
