/*
 * reader.h - what the parts of the trace reader share: read.c has the file and
 * its end, read_head.c the head, read_body.c the events.
 *
 * What fails returns -1, and has said why.
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "trace/columns_parts.h"
#include "trace/read.h"

/* ---- A line of text, taken apart from left to right (scan.c) ------------- */

/* Every function either takes what it looks for and moves on, or returns false
 * and leaves the place where it was. */

struct scan {
    const char *at, *end;
};

/* Exactly these characters. */
bool scan_literal(struct scan *s, const char *literal);

/* Decimal digits, at most `max`. */
bool scan_number(struct scan *s, uint64_t max, uint64_t *number);

/* At least one character, up to the end or one of `stops`. */
bool scan_until(struct scan *s, const char *stops, struct scan *word);

bool scan_done(const struct scan *s);
bool scan_equals(const struct scan *word, const char *other);

/* Whether all bytes are printable UTF-8 that may stand in XML; otherwise
 * *bad is the first that is not. */
bool scan_printable(const struct scan *s, const char **bad);

/* The start of the text for an error message: quoted, cut where it is long. */
enum { SCAN_QUOTE_SIZE = 56 };
void scan_quote(const struct scan *s, char out[SCAN_QUOTE_SIZE]);

/* ---- The reader ---------------------------------------------------------- */

/* A name and its lane, sorted by name. */
struct reader_name {
    uint32_t name, lane;
};

struct reader {
    struct trace *t;
    const char *path;
    char *next, *end; /* the rest of the text */
    struct scan line; /* the present line, without its end */
    unsigned long line_number;
    struct net_why *why;

    unsigned keys_seen; /* in the head, a bit each */
    uint64_t names_count, steps_count;
    struct scan first; /* the role before the first event, if the head says */
    struct reader_name *by_name;
    uint64_t last_tick;
};

/* Writes the sentence, with file and line before it. */
__attribute__((format(printf, 2, 3))) int reader_say(struct reader *r,
                                                     const char *format, ...);
/* The same, with the advice to record the run again. */
__attribute__((format(printf, 2, 3))) int
reader_refuse(struct reader *r, const char *format, ...);
/* Memory ran out. */
int reader_no_memory(struct reader *r);

/* The next line: 1, 0 at the end of the file, or -1. */
int reader_next_line(struct reader *r);

/* The file is over before that line came. */
int reader_ends_early(struct reader *r, const char *missing);

/* Notes that a property was violated, at an event or at the end: TRACE_NONE. */
int reader_violated(struct reader *r, const struct scan *property,
                    uint32_t event);

/* read_head.c: all lines up to ----. */
int reader_head(struct reader *r);

/* read_body.c: the present line is an event. */
int reader_event(struct reader *r);

#endif
