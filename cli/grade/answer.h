/*
 * answer.h - what was handed in: a text with lines KEY = VALUE, from the page
 * or by hand, with the answers to one exercise or several.
 *
 *     student = ada
 *     exercise = names
 *     names = 1,2,3
 *
 * Everything else in it is for people.
 */
#ifndef GRADE_ANSWER_H
#define GRADE_ANSWER_H

#include "cli/grade/exercise.h"
#include "cli/grade/value.h"

enum { GRADE_LINES_MAX = 1000, GRADE_PARTS_MAX = 64 };

struct grade_line {
    char *key, *value;
    uint32_t number;
};

/* Lines of a text; the text is cut to pieces, and must stay. */
struct grade_lines {
    struct grade_line line[GRADE_LINES_MAX];
    uint32_t count;
};
void grade_lines_read(struct grade_lines *l, char *text, uint32_t rows);

/* The answer to one exercise: a part of the lines. */
struct grade_part {
    const char *exercise; /* as it was typed; or NULL */
    uint32_t from, to;
};
uint32_t grade_parts(const struct grade_lines *l,
                     struct grade_part part[GRADE_PARTS_MAX]);

/* What is said before the first exercise, or in this part; or NULL. */
const char *grade_said(const struct grade_lines *l,
                       const struct grade_part *part, const char *key);

/* Reads the fields of the exercise into values.  False: one is missing or has
 * not its form, and `why` says what was read and which form is wanted. */
bool grade_answer_read(const struct grade_exercise *x,
                       const struct grade_lines *l,
                       const struct grade_part *part, struct grade_values *v,
                       struct net_why *why);

/* form.c: an answer in the one way it is judged in; NULL: it has not this form.
 * `wanted` is a sentence that says which form it is. */
char *grade_form(const char *form, const char *typed, char *wanted,
                 size_t size);
/* Fields of which there may be several lines: moves and crashes. */
bool grade_form_repeats(const char *form);

#endif
