/*
 * answer_numbers.h - numbers from the JSON of an experiment.
 */
#ifndef LAB_ANSWER_NUMBERS_H
#define LAB_ANSWER_NUMBERS_H

#include "lab/claim/claim.h"
#include "lab/run/notebook.h"

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

#endif
