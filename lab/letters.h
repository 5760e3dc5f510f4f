/*
 * letters.h - what the letters of formulas stand for in a network: N, u, m, ...
 */
#ifndef LAB_LETTERS_H
#define LAB_LETTERS_H

#include "lab/expression.h"
#include "net/net.h"

enum { LAB_LETTERS_MAX = 32 };

/* Fills in those of a described network, and leaves room for two more: N; l and
 * L, the least and the greatest name; s that take part, or all, and k, the same
 * in elections, unless a parameter is called k; the bounds, if there are any;
 * numeric parameters.  The first without a name ends them; returns how many
 * there are. */
uint32_t lab_letters(const struct net *net,
                     struct lab_letter out[LAB_LETTERS_MAX]);

/* What formulas may speak of in a network that is prepared: these letters, f if
 * a parameter is called so, and all names, if none between is missing. */
void lab_scope_of(const struct net *net, const struct lab_letter *letters,
                  struct lab_scope *out);

#endif
