/*
 * expression.h - formulas as papers write them: 2*N + 3*N*u/m.
 *
 * Numbers are exact where they can be (number.h); what is true is 1, and what
 * is not is 0.
 *
 *     + - * / ^ ( )      as usual; ^ binds from the right
 *     = != < <= > >=     1 or 0
 *     not and or implies of what is not 0, from the tightest to the loosest
 *     floor(x) ceil(x) log2(x) H(n) min(a,b) max(a,b) mod(a,b) if(c,a,b)
 *     mirror(i)          the binary digits of i behind the point, lowest first
 *     exp(x) e           of the natural logarithm
 *     f(i)               steps of a wait, in a scope that has one
 *     sum(E)             E added up over all names i of a scope that has some
 *
 * In a scope that has nodes (property.h), counted from 0:
 *
 *     some i: E          whether E holds of a node; E goes as far as it can
 *     every i, j: E      whether it holds of all pairs
 *     count i: E         of how many it holds; E is one call or in brackets
 *
 * and in one that has steps, from one state to the next:
 *
 *     next(E)            what E comes to in the state after the step
 *     A then B           A and next(B); looser than `implies`
 */
#ifndef LAB_EXPRESSION_H
#define LAB_EXPRESSION_H

#include <stddef.h>

#include "lab/formula/number.h"
#include "net/why.h"

/* A letter and what it stands for. */
struct lab_letter {
    const char *name;
    struct lab_number is;
};

enum { LAB_ARGUMENTS_MAX = 3 };

/* Which part of a call is a word from a list. */
enum lab_worded {
    LAB_NO_WORD,
    LAB_FIRST_WORD, /* the first argument: flying(token) */
    LAB_LAST_WORD,  /* the last: flags(i, open) */
    LAB_VALUE_WORD, /* what it is compared with: phase(i) = asking */
};

/* A function that a scope adds.  Several may have one name, if they differ in
 * the number of arguments. */
struct lab_function {
    const char *name, *form, *says; /* for a list: "lost(i)", a sentence */
    uint32_t arguments;
    enum lab_worded worded;
    const char *const *words;
    uint32_t words_count;
    uint32_t nodes; /* arguments that are nodes, a bit each */
    bool is_node;   /* its value is a node, or nobody */
    bool is_placed; /* it tells nodes apart that are alike: a name, a number
                     * that is made of one */
    int which;      /* for who gives its value */
};

/* What a formula may speak of. */
struct lab_scope {
    const struct lab_letter *letters; /* end with one without a name */
    /* f(i), or NULL; false: it has no value. */
    bool (*wait)(const void *of, int64_t i, struct lab_number *out);
    const void *of;
    int64_t first, last; /* all names; none if last < first */
    const struct lab_function *functions;
    uint32_t functions_count;
    uint32_t nodes;               /* that quantifiers range over, or 0 */
    const char *const *variables; /* that are bound already, by slot */
    uint32_t variables_count;
    bool steps; /* there is next() */
};

/* Evaluates a formula.  False: it is not one, or has no value, and `why` says
 * so. */
bool lab_evaluate(const char *text, const struct lab_letter *letters,
                  struct lab_number *out, struct net_why *why);
bool lab_evaluate_in(const struct lab_scope *scope, const char *text,
                     struct lab_number *out, struct net_why *why);

/* ---- Read once, evaluated often ------------------------------------------ */

enum { LAB_TERMS_MAX = 256, LAB_VARIABLES_MAX = 6 };

/* A part of a formula that was read: an operator, a number, a call. */
struct lab_term {
    struct lab_number number;
    const struct lab_function *own;
    uint16_t part[LAB_ARGUMENTS_MAX]; /* terms that it is made of */
    uint8_t op, which, last;          /* see terms.h */
    bool is_node;
};

struct lab_tree {
    struct lab_term term[LAB_TERMS_MAX];
    uint32_t count;
    uint16_t root;
    uint32_t nodes; /* of the scope */
    bool steps;     /* it has a next() */
    bool placed;    /* it may tell nodes apart that are alike */
};

/* Reads a formula from `*text` on, up to its end or to a word or sign that
 * cannot go on with it, to which *text is set.  False: it is not one, `why`
 * says so, and *text is where. */
bool lab_read(struct lab_tree *f, const struct lab_scope *scope,
              const char **text, struct net_why *why);

/* What gives values to the functions of a scope.  False: there is none. */
struct lab_sight {
    bool (*value)(void *whom, const struct lab_function *which,
                  const int64_t *arguments, bool after, struct lab_number *out);
    void *whom;
};

/* The value of a formula, with these nodes for its bound variables.  False: it
 * has none. */
bool lab_value_of(const struct lab_tree *f, const struct lab_sight *sight,
                  const int64_t *bound, struct lab_number *out);

#endif
