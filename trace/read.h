/*
 * read.h - a recorded run, read from the text of a trace.
 *
 * The format is docs/trace.md.  A trace is foreign input: whatever its bytes,
 * reading ends with a complete record or with one sentence that names the
 * file, the line, the mistake and the remedy.
 */
#ifndef TRACE_READ_H
#define TRACE_READ_H

#include "net/why.h"
#include "trace/columns.h"

enum {
    TRACE_VIOLATIONS_MAX = 1000, /* that are kept */
    TRACE_HEAD_MAX = 1000, /* lines; a key that is not known has one, too */
};

#define TRACE_BYTES_MAX ((size_t)1 << 30)

/* Reads a file; - is the standard input.  Leaves nothing to free on failure. */
bool trace_read(struct trace *t, const char *path, struct net_why *why);

/* The same from memory; `path` is the name used in sentences. */
bool trace_parse(struct trace *t, const char *path, const char *bytes,
                 size_t size, struct net_why *why);

#endif
