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

/* `set` is the parameters as typed, "key=value key=value"; `command` the line
 * that shows the run again. */
struct trace_head {
    const char *set;
    const char *command;
};

/* What the head says of them; before the run. */
void trace_write_head(struct trace_listener *writer,
                      const struct trace_head *head);

#endif
