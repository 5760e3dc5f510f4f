/*
 * lines.h - an order, judged: cells that differ in one word alone are a line,
 * along which the quotient of what was measured and the formula may grow.
 */
#ifndef LAB_LINES_H
#define LAB_LINES_H

#include "lab/claim/claim.h"
#include "lab/verdict/verdict.h"

/* Sets verdict, evidence, worst, growth and why of a statement with an
 * order. */
void lab_sum_lines(struct lab_judgement *j, const struct lab_stated *s);

#endif
