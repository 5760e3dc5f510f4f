/*
 * letters.h - what the letters of formulas stand for in a network: N, u, m, ...
 */
#ifndef LAB_LETTERS_H
#define LAB_LETTERS_H

#include "core/wait.h"
#include "lab/formula/expression.h"
#include "net/net.h"

enum { LAB_LETTERS_MAX = 32 };

/* Fills in the letters of a described network, and leaves room for two more: N;
 * l and L, the least and the greatest name; s that take part, or all, and k,
 * the same in elections, unless a parameter is called k; the bounds, if there
 * are any; numeric parameters.  The first without a name ends them; returns
 * their number. */
uint32_t lab_letters(const struct net *net,
                     struct lab_letter out[LAB_LETTERS_MAX]);

/* What formulas may speak of: these letters, f unless it is NULL, and the names
 * from `least` to `greatest`, if these are all the nodes. */
struct lab_scope lab_scope_with(const struct lab_letter *letters,
                                const struct fc_wait *f, int64_t least,
                                int64_t greatest, int64_t nodes);

/* The same in a network that is prepared: f is its parameter of that name. */
struct lab_scope lab_scope_of(const struct net *net,
                              const struct lab_letter *letters);

#endif
