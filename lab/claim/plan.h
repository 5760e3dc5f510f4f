/*
 * plan.h - from a try to experiments, which are command lines.
 */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include "lab/claim/claim.h"
#include "lab/claim/grid.h"

/* One cell of a try. */
struct lab_planned {
    char *network; /* what differs from cell to cell: "n=8 f=exp:2" */
    char *command; /* "fulcrum sim ..." */
};

struct lab_plan {
    struct lab_planned *cell;
    uint32_t count;
};

/* A planned experiment.  Two words are in no command: protocol=NAME, or several
 * in braces, stands for the protocol that the claim is on, and let.X=NUMBER is
 * a letter of the formula. */
struct lab_planning {
    const struct lab_claim *claim;
    const struct lab_stated *stated;
    const struct lab_try *how;
    const struct lab_variant *variant; /* a reading or a repair, or NULL */
    const struct lab_variant *other;   /* another protocol, or NULL; it has as
                                        * many cells */
    const char *quantity;              /* that is measured */
    uint64_t seed;
    /* Whether a verb has an option of this name. */
    bool (*is_option)(const char *verb, const char *name);
};

/* To be freed in either case.  False: it cannot be tried like this, and `why`
 * says so. */
bool lab_plan_make(struct lab_plan *p, const struct lab_planning *of,
                   struct net_why *why);
void lab_plan_free(struct lab_plan *p);

#endif
