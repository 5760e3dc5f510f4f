/*
 * verdict.h - what measurements say of a claim.
 *
 * A claim is judged in cells: one network each, with its number of processors,
 * bounds and parameters.  One bad cell violates it.  The cells come from
 * experiments, which are command lines; nothing here runs anything.
 */
#ifndef LAB_VERDICT_H
#define LAB_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

enum lab_verdict {
    LAB_UNDECIDED,
    LAB_HOLDS,
    LAB_LOOSE, /* it holds, and what was measured stays away from it */
    LAB_VIOLATED,
    LAB_REPAIRED, /* violated as printed, and holds with a repair */
};

/* From the weakest to the strongest. */
enum lab_evidence {
    LAB_BY_NOTHING,
    LAB_BY_RANDOM,     /* runs that were drawn */
    LAB_BY_SEARCH,     /* the worst that was found */
    LAB_BY_EXHAUSTION, /* all cases of these sizes */
    LAB_BY_EXACT,      /* a count or a probability, computed */
    LAB_BY_ARGUMENT,   /* a proof in docs, for all sizes */
};

/* The whole name of a part of a claim: "v84-linear", "st89-ra-delay.a". */
struct lab_name {
    char text[96];
};
struct lab_name lab_name_of(const char *id, const char *part);

/* As users and programs read them: "holds", "exhaustive". */
const char *lab_verdict_word(enum lab_verdict verdict);
const char *lab_evidence_word(enum lab_evidence evidence);

/* One cell, judged. */
struct lab_cell {
    enum lab_verdict verdict;
    enum lab_evidence evidence;
    char *network; /* what differs from cell to cell: "n=8 f=exp:2" */
    char *command; /* the experiment */
    char *field;   /* where in its JSON the value stands */
    double x;      /* what `along` names: N, ... */
    double measured, low, high; /* low and high: the interval of a mean or a
                                 * share; otherwise as measured */
    double bound;               /* NaN: there is none */
    uint64_t runs;
    double seconds;
    uint32_t from; /* which of the statement's tries */
};

/* The witness that proves a violation. */
struct lab_witness {
    char *command; /* NULL: none */
    char *field;   /* where in its JSON the value stands */
    char *value;   /* as in the JSON */
};

/* One relation in one reading. */
struct lab_judgement {
    enum lab_verdict verdict;
    enum lab_evidence evidence;
    const char *reading;  /* or "" */
    const char *repair;   /* with LAB_REPAIRED: which; else "" */
    const char *relation; /* as in the file of claims */
    struct lab_cell *cells;
    uint32_t count;
    uint32_t worst; /* the cell that is reported: the smallest network that
                     * violates it, else the closest to the bound */
    double factor;  /* bound by measured of that cell; NaN: none */
    char *growth;   /* of an order: "constant 2.5", "grows as log N"; or NULL */
    const char *why; /* undecided: the reason */
    struct lab_witness witness;
};

#endif
