/*
 * svg.h - the space-time diagram of a trace, with a true time axis.
 *
 * One lane per node, in ring order; time from left to right; states as bars,
 * messages as arrows.  Long and wide runs lose detail step by step (scale.h),
 * but never a leader, a node that is inside, or a violation.
 */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include <stdio.h>

#include "net/why.h"
#include "trace/columns.h"

/* Lanes that are neighbours. */
struct svg_link {
    uint32_t a, b;
};

struct svg_options {
    uint64_t from, to; /* ticks; to = TRACE_NEVER: up to the end */
    bool dark;         /* for all readers, whatever their theme */
    bool frames;       /* also messages that only say "I am alive" */
    const char *set;   /* parameters with the values that are used; NULL: as
                        * the trace has them */
    const struct svg_link *links; /* of a tree; NULL: not known */
    uint32_t links_count;
};

struct svg_size {
    unsigned width, height; /* pixels */
};

/* Writes the picture.  False if there is nothing to draw in those ticks, or
 * memory ran out.  Errors of the file are the caller's. */
bool svg_draw(FILE *file, const struct trace *t,
              const struct svg_options *options, struct svg_size *size,
              struct net_why *why);

#endif
