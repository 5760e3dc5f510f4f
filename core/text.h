/*
 * text.h - the few text functions that parameters need, without libc.
 */
#ifndef FC_TEXT_H
#define FC_TEXT_H

#include "core/fc.h"

/* True if both say the same. */
FC_EXTERN bool fc_same(const char *a, const char *b);

/* What follows `prefix` in `text`, or NULL if it does not begin with it. */
FC_EXTERN const char *fc_after(const char *text, const char *prefix);

/* Reads all of `text` as a whole number; false if it is not one, or too
 * large. */
FC_EXTERN bool fc_read_number(const char *text, uint64_t *number);

/* Reads "LEAST..GREATEST"; false if it is not a range. */
FC_EXTERN bool fc_read_range(const char *text, uint64_t *least,
                             uint64_t *greatest);

/* Reads all of `text` as a decimal with at most three places, in
 * thousandths. */
FC_EXTERN bool fc_read_thousandths(const char *text, uint64_t *number);

/* The position of `word` among the alternatives of `form` ("one|f"), or -1. */
FC_EXTERN int fc_find_choice(const char *form, const char *word);

#endif
