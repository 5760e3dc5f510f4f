/*
 * claim.h - the claims of the papers as data: lab/claims/SOURCE.ini.
 *
 * A section is a claim, [id], or a part of one, [id.a].  docs/lab.md describes
 * its fields.
 */
#ifndef LAB_CLAIM_H
#define LAB_CLAIM_H

#include "lab/claim/statement.h"
#include "lab/claim/words.h"

enum lab_kind {
    LAB_TRY_CHECK,  /* fulcrum check */
    LAB_TRY_EXACT,  /* fulcrum check --worst, --expect */
    LAB_TRY_ALL,    /* fulcrum sim --names all, --wake sets */
    LAB_TRY_COUNT,  /* fulcrum sim, one network a cell */
    LAB_TRY_SEARCH, /* fulcrum worst */
    LAB_TRY_RANDOM, /* fulcrum sim */
    LAB_TRIES,
};

/* The verb that does it. */
const char *lab_kind_verb(enum lab_kind kind);

struct lab_try {
    enum lab_kind kind;
    struct lab_words words;
    bool full; /* only with --full */
    uint32_t line;
};

enum { LAB_TRIES_MAX = 12, LAB_STATED_MAX = 6, LAB_VARIANTS_MAX = 12 };

/* One relation, and what it is tried on. */
struct lab_stated {
    struct lab_statement relation;
    const char *variant; /* only of the reading or repair of this name; or
                          * NULL: of all */
    const char *along;   /* the letter that grows, of an order */
    struct lab_try tries[LAB_TRIES_MAX];
    uint32_t tries_count;
    uint32_t line;
};

/* Whether the relation is one of this reading or repair, or of none. */
bool lab_stated_of(const struct lab_stated *s, const char *variant);

/* A reading, a repair, another protocol (which has one), or a quantity of
 * records (whose words are not read). */
struct lab_variant {
    const char *name, *protocol, *text;
    struct lab_words words;
    uint32_t line;
};

struct lab_variants {
    struct lab_variant of[LAB_VARIANTS_MAX];
    uint32_t count;
};

struct lab_claim {
    const char *file; /* "v84" */
    const char *id;   /* without the part */
    const char *part; /* "a", or "" */
    const char *place, *says, *note, *argument, *undecided;
    struct lab_variant on; /* its name is empty */
    struct lab_variants readings, repairs, others, values;
    struct lab_stated stated[LAB_STATED_MAX];
    uint32_t stated_count;
    uint32_t line;
};

struct lab_claims {
    struct lab_claim *claim;
    uint32_t count;
    char **texts; /* that all others point into */
    uint32_t texts_count;
};

/* Those that are built in. */
struct lab_claims_file {
    const char *name, *text;
};
extern const struct lab_claims_file lab_claims_files[]; /* NULL ends them */

/* Adds the claims of a file; false: refused, and `why` says where and what.
 * They are to be freed in either case. */
bool lab_claims_read(struct lab_claims *c, const char *file, const char *text,
                     struct net_why *why);
void lab_claims_free(struct lab_claims *c);

#endif
