/*
 * write.h - writing a run down, one line per event (docs/trace.md): the
 * listener that makes text.
 */
#ifndef TRACE_WRITE_H
#define TRACE_WRITE_H

#include <stdio.h>

#include "trace/listen.h"

/* A trace that goes to `file` (NULL: nowhere, only the hash is wanted).  NULL:
 * no memory. */
struct trace_listener *trace_writer_new(FILE *file);

void trace_writer_free(struct trace_listener *writer);

/* What the head says of the run that comes: the parameters as typed, "key=value
 * key=value", and the line that shows it again. */
void trace_write_head(struct trace_listener *writer, const char *set,
                      const char *command);

#endif
