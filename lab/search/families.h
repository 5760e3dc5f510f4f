/*
 * families.h - hard networks as formulas: the file families.ini.
 */
#ifndef LAB_FAMILIES_H
#define LAB_FAMILIES_H

#include "lab/formula/expression.h"

/* The file as it stood when this was built. */
extern const char lab_families_text[];

enum lab_formula {
    LAB_PLACE,
    LAB_ORDER,
    LAB_WAKE,
    LAB_STEP,
    LAB_PHASE,
    LAB_DELAY,
    LAB_FORMULAS,
};

struct lab_family {
    const char *name;
    const char *formula[LAB_FORMULAS]; /* NULL: not given */
};

/* Values of a parameter, with blanks between them. */
struct lab_values {
    const char *key, *list;
};

enum { LAB_FAMILIES_MAX = 64, LAB_VALUES_MAX = 16 };

struct lab_families {
    char *text; /* that all others point into */
    struct lab_family family[LAB_FAMILIES_MAX];
    uint32_t count;
    struct lab_values values[LAB_VALUES_MAX];
    uint32_t values_count;
};

/* Reads them; false: it is no such file, or there is no memory, and `why` says
 * where and what.  To be freed in either case. */
bool lab_families_read(struct lab_families *f, const char *text,
                       struct net_why *why);
void lab_families_free(struct lab_families *f);

/* The placement of a family: out[i] is the rank of the name at place i, from 0.
 * The letters have room for one more.  False: a formula has no value. */
bool lab_family_place(const struct lab_family *f, struct lab_letter *letters,
                      uint32_t nodes, uint32_t *out, struct net_why *why);

/* The value of one of its formulas at place i, rounded down; `otherwise` if it
 * has none. */
bool lab_family_value(const struct lab_family *f, enum lab_formula which,
                      struct lab_letter *letters, uint32_t i, int64_t otherwise,
                      int64_t *out, struct net_why *why);

#endif
