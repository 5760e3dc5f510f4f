/*
 * shrink.h - makes a case simpler as long as it is no better for it: fewer
 * nodes that start, smaller ticks, names as a family has them.
 */
#ifndef LAB_SHRINK_H
#define LAB_SHRINK_H

#include "lab/search/crew.h"

/* Changes the case that was found, by at most so many runs; its score may get
 * worse, which is what is looked for, and never better. */
void lab_shrink(struct lab_worker *w, uint64_t runs, struct lab_found *found);

#endif
