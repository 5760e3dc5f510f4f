/*
 * shrink.h - makes a case simpler as long as it is no better for it: fewer
 * nodes that start, smaller ticks, names as a family has them.
 */
#ifndef LAB_SHRINK_H
#define LAB_SHRINK_H

#include "lab/search/crew.h"

/* Changes the case that was found, by at most `runs` runs, into a simpler one;
 * its score may rise, towards the worst case, and never falls. */
void lab_shrink(struct lab_worker *w, uint64_t runs, struct lab_found *found);

#endif
