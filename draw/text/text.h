/*
 * text.h - the space-time diagram in characters, time downwards.
 */
#ifndef DRAW_TEXT_H
#define DRAW_TEXT_H

#include <stdio.h>

#include "net/why.h"
#include "trace/columns.h"

enum { TEXT_LANES_MAX = 8, TEXT_TICKS_MAX = 200 };

struct text_options {
    uint64_t from, to; /* ticks; to = TRACE_NEVER: the last event */
    unsigned columns;  /* of the screen, taken as 80 to 240 */
    bool ascii;
    bool frames; /* also messages that only say "I am alive" */
};

/* Writes the diagram.  False if the run is too large for characters, or memory
 * ran out. */
bool text_draw(FILE *file, const struct trace *t,
               const struct text_options *options, struct net_why *why);

#endif
