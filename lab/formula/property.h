/*
 * property.h - properties as they are typed (docs/properties.md):
 *
 *     always: E               E holds in every state; with next() or `then`, of
 *                             every step
 *     never: E                not E does
 *     eventually: E           every run comes to a state in which E holds
 *     P leads-to Q            whenever P holds, Q holds then or later
 *     every i: P leads-to Q   for each node on its own
 *
 * E, P and Q are formulas (expression.h) over a network (vocabulary.h).  The
 * last three end with `under fairness`, `under chance` or `under no fairness`,
 * or leave it to the model of time.  A name and a colon may stand before it
 * all: "no-revival: never: some i: lost(i) then leader(i)".
 */
#ifndef LAB_PROPERTY_H
#define LAB_PROPERTY_H

#include "lab/formula/vocabulary.h"

enum { LAB_PROPERTY_TEXT_MAX = 300 };

/* What was read of one. */
struct lab_property {
    struct lab_tree wanted, got; /* `got` is all there is, except of
                                     * P leads-to Q */
    bool never, at_start;
    uint32_t bound; /* variables of `every i:` before P leads-to Q */
    uint32_t nodes;
};

struct lab_asked {
    struct net_asked asked; /* for the net */
    struct lab_vocabulary words;
    struct lab_property property[NET_ASKED_MAX];
    char says[NET_ASKED_MAX][LAB_PROPERTY_TEXT_MAX + 1];
};

/* Reads one more property of the network, which is prepared and stays where it
 * is, for as long as this does.  Begin with all of it zero.  False: it is not
 * one; `why` says so, with the text and a mark at the place, in two lines more.
 */
bool lab_property_read(struct lab_asked *a, const struct net *net,
                       const char *text, struct net_why *why);

#endif
