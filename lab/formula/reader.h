/*
 * reader.h - the text of a formula while it is read: between expression.c,
 * which knows the operators, calls.c, which knows letters and functions, and
 * reader.c, which knows words, signs and terms.
 */
#ifndef LAB_READER_H
#define LAB_READER_H

#include "lab/formula/terms.h"

enum { LAB_NAME_SIZE = 32 };

struct lab_reader {
    const char *at;
    const struct lab_scope *scope;
    struct lab_tree *out;
    struct net_why *why;
    const char *wrong; /* where, once it failed */
    char variable[LAB_VARIABLES_MAX][LAB_NAME_SIZE];
    uint32_t variables;
    uint32_t depth, sums;
    bool failed, after;
};

/* It is wrong, here or at a place: a sentence, and what it is about in quotes,
 * unless that is NULL.  Only the first counts.  Returns a term, for callers
 * that return one. */
uint16_t lab_fail(struct lab_reader *r, const char *what, const char *where);
uint16_t lab_fail_at(struct lab_reader *r, const char *place, const char *what,
                     const char *where);

/* Blanks; a sign; a word, whole; a name, which is cut off if it is long. */
void lab_skip(struct lab_reader *r);
bool lab_take(struct lab_reader *r, const char *sign);
bool lab_take_word(struct lab_reader *r, const char *word);
void lab_take_name(struct lab_reader *r, char name[LAB_NAME_SIZE]);

/* The letters from here on that are one name: "a.b" is, where a scope has
 * functions. */
size_t lab_name_length(const struct lab_reader *r);
bool lab_goes_on(char c);

/* Whether a name is a word of the language. */
bool lab_is_reserved(const char *name);

/* A number as it is written, with a fraction and all: exact, while it fits. */
struct lab_number lab_literal(struct lab_reader *r);

/* A new term: as it is, of a number, of two others. */
struct lab_term *lab_add(struct lab_reader *r, enum lab_op op, uint16_t *at);
uint16_t lab_constant(struct lab_reader *r, struct lab_number number);
uint16_t lab_join(struct lab_reader *r, enum lab_op op, uint16_t a, uint16_t b);

/* A letter, or a function of what follows in brackets; a word of the list that
 * a function has, as its number there. (calls.c) */
uint16_t lab_word(struct lab_reader *r);
uint16_t lab_word_of(struct lab_reader *r, const struct lab_function *f);

/* What `then` has on its right side, and next() in its brackets: in the state
 * after a step. (calls.c) */
uint16_t lab_after(struct lab_reader *r, uint16_t (*what)(struct lab_reader *r),
                   const char *place);

/* All that is within brackets. (expression.c) */
uint16_t lab_formula_of(struct lab_reader *r);

#endif
