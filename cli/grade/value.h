/*
 * value.h - what the words of an exercise stand for: what was drawn for the
 * student, what was answered, and what commands have said.
 *
 *     {ring}                the names that were drawn, 5,17,42
 *     {ring.sorted.1}       the least of them; also .least .greatest .count
 *     {a.messages.max}      a number of what `run a` has said
 *     {n - 2 .. n}          whole numbers with commas
 *     {a.messages.max + 1}  a formula (lab/formula/expression.h) of such
 */
#ifndef GRADE_VALUE_H
#define GRADE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/claim/words.h"
#include "net/why.h"

enum { GRADE_VALUES_MAX = 64 };

struct grade_value {
    char *name, *text;
    bool is_run; /* the text is what a command has said */
};

struct grade_values {
    struct grade_value one[GRADE_VALUES_MAX];
    uint32_t count;
};

/* Sets or replaces one; the text is copied.  False: no memory, or too many. */
bool grade_set_value(struct grade_values *v, const char *name, const char *text,
                     bool is_run);
const char *grade_value(const struct grade_values *v, const char *name);
void grade_values_free(struct grade_values *v);

/* What a reference stands for, appended to `out`; false: nothing. */
bool grade_resolve(const struct grade_values *v, const char *reference,
                   struct lab_text *out);

/* A text with {...} replaced; NULL: refused, and `why` says so.  To be
 * freed. */
char *grade_fill(const struct grade_values *v, const char *text,
                 struct net_why *why);

/* Whether a condition holds:
 *
 *     FORMULA                   it is not 0
 *     TEXT is TEXT              both are the same after {...} is replaced;
 *     TEXT is not TEXT          also
 *     TEXT has TEXT             the second is one of those in the first, which
 *                               have commas or semicolons between them
 *     NAME prints TEXT...TEXT   a line of what `run NAME` has said has these
 *                               pieces, in this order
 *
 * False with a reason in `why`: it cannot be known. */
bool grade_holds(const struct grade_values *v, const char *condition,
                 bool *holds, struct net_why *why);

/* lookup.c: what stands at a path of a text in JSON, "messages.max", appended;
 * of a list all, with semicolons.  False: nothing stands there. */
bool grade_lookup(const char *json, const char *path, struct lab_text *out);

#endif
