/*
 * terms.h - the parts that a formula is read into: between expression.c, which
 * reads, and evaluate.c, which computes.
 */
#ifndef LAB_TERMS_H
#define LAB_TERMS_H

#include "lab/formula/expression.h"

/* The slot of sum(), beside those of quantifiers. */
enum { LAB_SLOT_OF_SUM = LAB_VARIABLES_MAX };

enum lab_op {
    LAB_NUMBER,
    LAB_VARIABLE, /* `which` is its slot */
    LAB_NEGATIVE,
    LAB_PLUS,
    LAB_MINUS,
    LAB_TIMES,
    LAB_OVER,
    LAB_POWER,
    LAB_COMPARED, /* `which` is an enum lab_sign */
    LAB_NOT,
    LAB_AND,
    LAB_OR,
    LAB_IMPLIES,
    LAB_SOME, /* `which` is the slot of the variable, part[0] its body */
    LAB_EVERY,
    LAB_COUNT,
    LAB_NEXT,
    LAB_SUM,  /* over the names of the scope */
    LAB_CALL, /* `which` is a function of all scopes */
    LAB_OWN,  /* `own` is one that the scope adds */
};

/* In the order in which they are looked for: "<" begins "<=". */
enum lab_sign {
    LAB_AT_MOST,
    LAB_AT_LEAST,
    LAB_DIFFERS,
    LAB_LESS,
    LAB_MORE,
    LAB_SAME,
    LAB_SIGNS,
};

/* The functions of all scopes, by number. */
struct lab_common {
    const char *name;
    uint32_t arguments;
};
extern const struct lab_common lab_common[];
extern const uint32_t lab_common_count;

/* A formula with what it may speak of; `why` gets the sentence. */
bool lab_compute(const struct lab_tree *f, const struct lab_scope *scope,
                 const struct lab_sight *sight, const int64_t *bound,
                 struct lab_number *out, struct net_why *why);

#endif
