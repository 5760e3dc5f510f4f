/*
 * statement.h - what a claim states: messages <= 2*N + 3*N*u/m.
 *
 *     X OP E   max(X) OP E   min(X) OP E   mean(X) OP E   P(PROPERTY) OP E
 *     holds    PROPERTY      not PROPERTY
 *     X in O(E)   X in Theta(E)   mean(X) in O(E)   mean(X) in Theta(E)
 *
 * OP is <=, <, ==, >= or >.  X is a quantity, E a formula
 * (lab/formula/expression.h), in which mean(X of NAME), or beside a P(PROPERTY)
 * P(PROPERTY of NAME), is measured on another protocol.
 */
#ifndef LAB_STATEMENT_H
#define LAB_STATEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/formula/expression.h"
#include "lab/verdict/interval.h"

enum lab_left {
    LAB_EACH,     /* every run, or every entry */
    LAB_MOST,     /* the greatest */
    LAB_LEAST,    /* the least */
    LAB_MEAN,     /* on average */
    LAB_CHANCE,   /* how probable it is that a property is violated */
    LAB_PROPERTY, /* it is never violated */
    LAB_FAILS,    /* it is violated in some run */
};

enum lab_order { LAB_NO_ORDER, LAB_O, LAB_THETA };

/* mean(X of NAME) or P(X of NAME) in a formula; it stands there as @0, @1. */
enum { LAB_OTHERS_MAX = 4 };
struct lab_mean_of {
    char *quantity, *other;
};

struct lab_statement {
    const char *text;
    enum lab_left left;
    enum lab_relation op; /* if there is a formula, and no order */
    enum lab_order order;
    char *quantity; /* or the property; "" for all of them */
    char *formula;
    struct lab_mean_of others[LAB_OTHERS_MAX];
    uint32_t others_count;
};

/* To be freed in either case.  False: it is not one, and `why` says so. */
bool lab_statement_read(struct lab_statement *r, const char *text,
                        struct net_why *why);
void lab_statement_free(struct lab_statement *r);

/* As it is written. */
const char *lab_relation_sign(enum lab_relation op);

#endif
