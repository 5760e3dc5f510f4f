/*
 * text.h - the space-time diagram in characters, time downwards.
 */
#ifndef DRAW_TEXT_H
#define DRAW_TEXT_H

#include <stdio.h>

#include "draw/trace_read.h"

enum { TEXT_LANES_MAX = 8, TEXT_TICKS_MAX = 200 };

/* Draws the ticks from `from` to `to` (TRACE_NEVER: the last event).  -1 with
 * a sentence if the run is too large for characters. */
int text_draw(FILE *file, const struct trace *t, uint64_t from, uint64_t to,
              bool ascii, char *error, size_t error_size);

#endif
