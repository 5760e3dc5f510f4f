/*
 * judge_order.h - judges an order of growth: cells whose networks differ in one
 * word alone are a line, along which the quotient of what was measured and the
 * formula may grow.
 */
#ifndef LAB_JUDGE_ORDER_H
#define LAB_JUDGE_ORDER_H

#include "lab/claim/claim.h"
#include "lab/verdict/verdict.h"

/* Sets verdict, evidence, worst, growth and why of a statement with an
 * order. */
void lab_judge_order(struct lab_judgement *j, const struct lab_stated *s);

#endif
