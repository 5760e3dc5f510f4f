/*
 * inquiry.h - judging a claim from a notebook, and asking for what it lacks.
 *
 * A judgement is a function of the notebook alone.  Where an answer is missing
 * it is asked for, and the claim is judged again when it has come; so looks
 * that follow each other, repairs, and the way to a smaller witness need no
 * state.
 */
#ifndef LAB_INQUIRY_H
#define LAB_INQUIRY_H

#include "lab/claim/plan.h"
#include "lab/run/notebook.h"
#include "lab/verdict/verdict.h"

/* How often a mean or a share is looked at, each time with four times as many
 * runs; the error is spread over all of them, whether they are taken or not. */
enum { LAB_LOOKS = 3, LAB_LOOK_GROWS = 4 };

struct lab_inquiry {
    struct lab_notebook *notebook;
    bool full;      /* the tries of --full too */
    uint32_t looks; /* at most, up to LAB_LOOKS */
    uint64_t seed;
    bool (*is_option)(const char *verb, const char *name);
    /* Called for each command whose answer is missing. */
    void (*ask)(void *whom, const char *command);
    void *whom;
    bool waiting; /* some answer was missing */
};

/* The answer, or NULL after asking for it. */
const struct lab_answer *lab_ask(struct lab_inquiry *q, const char *command);

/* A part of a claim, judged. */
struct lab_ruling {
    const struct lab_claim *claim;
    enum lab_verdict verdict;
    struct lab_judgement *judgements; /* of every reading, then of repairs */
    uint32_t count;
    uint32_t told;   /* the one that decides */
    uint32_t repair; /* with LAB_REPAIRED: the one that holds */
    double seconds;  /* of CPU, of all its experiments */
    char *why;       /* a try that could not be made; or NULL */
};

/* Judges; false: answers are missing, and have been asked for.  To be freed in
 * either case. */
bool lab_rule(struct lab_ruling *r, struct lab_inquiry *q,
              const struct lab_claim *claim);
void lab_ruling_free(struct lab_ruling *r);

#endif
