/*
 * scan.h - takes a line of text apart, from left to right.
 *
 * Every function either takes what it looks for and moves on, or returns
 * false and leaves the place where it was.
 */
#ifndef TRACE_SCAN_H
#define TRACE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
