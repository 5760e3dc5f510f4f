/*
 * paragraph.h - text for a terminal of 80 columns: words go to the next line
 * when the line is full.
 */
#ifndef CLI_PARAGRAPH_H
#define CLI_PARAGRAPH_H

#include <stdint.h>

/* How wide lines may be: COLUMNS, or the terminal, or 80. */
uint32_t paragraph_columns(void);

struct paragraph {
    uint32_t column; /* where the next word goes */
    uint32_t indent; /* of the lines after the first */
};

/* Begins with `first` spaces. */
struct paragraph paragraph_begin(uint32_t first, uint32_t indent);

/* Adds words, divided by single spaces; one at the beginning divides them from
 * what was said before.  What a terminal must not get is shown as \xNN. */
void paragraph_say(struct paragraph *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Spaces up to a column, and one at least. */
void paragraph_go_to(struct paragraph *p, uint32_t column);

void paragraph_end(struct paragraph *p);

#endif
