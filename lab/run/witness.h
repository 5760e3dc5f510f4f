/*
 * witness.h - the smallest run that shows a violation, run again.
 */
#ifndef LAB_WITNESS_H
#define LAB_WITNESS_H

#include "lab/run/inquiry.h"

/* Sets the witness of a judgement that is violated: fewer nodes, one run, fewer
 * entries, smaller delays, fewer starters, while it stays violated; each is an
 * experiment.  What does not come out the same a second time is no witness, and
 * the verdict becomes undecided. */
void lab_find_witness(struct lab_judgement *j, struct lab_inquiry *q,
                      const struct lab_claim *c, const struct lab_stated *s,
                      const struct lab_variant *v);

#endif
