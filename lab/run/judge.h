/*
 * judge.h - judges a statement: its cells from the answers to experiments, the
 * statement from its cells, and the smallest run that shows a violation.
 *
 * An order of growth is judged along lines: cells whose networks differ in one
 * word alone, along which the quotient of what was measured and the formula may
 * grow.
 */
#ifndef LAB_JUDGE_H
#define LAB_JUDGE_H

#include "lab/claim/claim.h"
#include "lab/run/inquiry.h"

/* ---- The numbers of an answer (answer_numbers.c) ------------------------- */

enum { LAB_FIELD_SIZE = 120 };

/* A number, and where it stands: "messages.max", "quantity.max.value". */
struct lab_found {
    bool any;
    double is; /* infinite: without bound */
    char field[LAB_FIELD_SIZE];
};

/* What an experiment says of a quantity or of a property. */
struct lab_measured {
    struct lab_found least, most, mean;
    double sd;                 /* of the runs */
    double low, high;          /* of all runs: the least and the most; NaN */
    uint64_t runs, hits;       /* hits: runs that violate the property */
    struct lab_found violated; /* of a property */
    bool computed;   /* the mean, or the probability, is from `least` to `most`
                      * for certain */
    bool exhaustive; /* no case of this size is left out */
    bool unfinished; /* runs were cut short, or a limit was reached */
};

/* False: it says nothing of that, and `why` says so. */
bool lab_measured_read(struct lab_measured *m, const struct lab_answer *answer,
                       enum lab_kind kind, const struct lab_statement *of,
                       const char *quantity, struct net_why *why);

/* The letters of its network; `values` belongs to the caller. */
enum { LAB_LETTERS_ROOM = 40 };
uint32_t lab_measured_letters(const struct lab_answer *answer,
                              struct lab_letter out[LAB_LETTERS_ROOM]);

/* The JSON at "a.b.0.c"; NULL: there is none. */
json_t *lab_json_at(json_t *json, const char *field);

/* ---- Judging ------------------------------------------------------------- */

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

/* A bound is loose if what comes closest to it stays this factor away. */
#define LAB_LOOSE_FROM 1.1

/* Sets verdict, evidence, worst, factor, growth and why. */
void lab_judge_statement(struct lab_judgement *j, const struct lab_stated *s);

/* Sets verdict, evidence, worst, growth and why of a statement with an
 * order. */
void lab_judge_order(struct lab_judgement *j, const struct lab_stated *s);

/* Sets the witness of a judgement that is violated: fewer nodes, one run, fewer
 * entries, smaller delays, fewer starters, while it stays violated; each is an
 * experiment.  What does not come out the same a second time is no witness, and
 * the verdict becomes undecided. */
void lab_find_witness(struct lab_judgement *j, struct lab_inquiry *q,
                      const struct lab_claim *c, const struct lab_stated *s,
                      const struct lab_variant *v);

#endif
