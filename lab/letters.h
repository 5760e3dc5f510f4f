/*
 * letters.h - what the letters of formulas stand for in a network: N, u, m, ...
 */
#ifndef LAB_LETTERS_H
#define LAB_LETTERS_H

#include "lab/expression.h"
#include "net/net.h"

enum { LAB_LETTERS_MAX = 24 };

/* Fills in those of a described network, and leaves room for two more.  The
 * first without a name ends them; returns how many there are. */
uint32_t lab_letters(const struct net *net,
                     struct lab_letter out[LAB_LETTERS_MAX]);

#endif
