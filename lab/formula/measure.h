/*
 * measure.h - what can be measured of a simulated run, by the names of fulcrum
 * check --max.
 */
#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include "lab/formula/expression.h"
#include "sim/sim.h"
#include "sim/tally.h"

struct lab_quantity {
    const char
        *name; /* as people type it; "messages.KIND": one kind; or NULL */
    const char *what; /* as a noun, after "most" and "fewest" */
    /* Of a run; false: the run does not come to that. */
    bool (*of)(const struct sim_result *r, const struct sim_tally *t,
               uint32_t kind, uint64_t *out);
    bool (*fits)(const struct fc_protocol *p); /* NULL: any */
    int cost;     /* of enum fc_cost, by which papers bound it; or -1 */
    bool shared;  /* what each processor adds to, so that a share of it says
                   * something */
    bool tallied; /* it is counted entry by entry */
};

/* One that was asked for. */
struct lab_measure {
    const struct lab_quantity *of;
    uint32_t kind;
};

/* Finds it by its name.  False: there is none, and `why` lists the quantities
 * of this protocol. */
bool lab_measure(const struct fc_protocol *p, const char *name,
                 struct lab_measure *out, struct net_why *why);

#endif
