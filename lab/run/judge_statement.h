/*
 * judge_statement.h - the verdict on a statement, from the verdicts on
 * its cells.
 */
#ifndef LAB_JUDGE_STATEMENT_H
#define LAB_JUDGE_STATEMENT_H

#include "lab/claim/claim.h"
#include "lab/verdict/verdict.h"

/* A bound is loose if what comes closest to it stays this factor away. */
#define LAB_LOOSE_FROM 1.1

/* Sets verdict, evidence, worst, factor, growth and why. */
void lab_judge_statement(struct lab_judgement *j, const struct lab_stated *s);

/* The nodes of a cell, by its network: "n=8 ..."; 0: not known. */
uint64_t lab_cell_nodes(const struct lab_cell *c);

#endif
