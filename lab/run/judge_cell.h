/*
 * judge_cell.h - judges a cell of a claim from the answers to its experiments.
 */
#ifndef LAB_JUDGE_CELL_H
#define LAB_JUDGE_CELL_H

#include "lab/run/answer_numbers.h"
#include "lab/run/inquiry.h"

/* What to judge in a cell. */
struct lab_question {
    const struct lab_claim *claim;
    const struct lab_stated *stated;
    const struct lab_try *how;
    const struct lab_variant *variant; /* or NULL */
    double error;                      /* of each interval */
};

/* Judges an answer; `others` are the answers of the other protocols, one for
 * each that the statement names.  The texts of the cell are not set.  False: it
 * cannot be judged, and `why` says so. */
bool lab_judge_cell(struct lab_cell *cell, const struct lab_question *q,
                    const char *command, const struct lab_answer *answer,
                    const struct lab_answer *const *others,
                    char field[LAB_FIELD_SIZE], struct net_why *why);

#endif
