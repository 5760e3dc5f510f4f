/*
 * quantity.h - how much of something a run has: at most, and at least.
 *
 * A quantity is a weight on transitions, and is not part of a state: its
 * extremes are the longest and the shortest path through the graph that the
 * search finds anyway.  What a quantity adds up, and over which part of a run,
 * is a row of the table in quantity.c.
 */
#ifndef CHECK_QUANTITY_H
#define CHECK_QUANTITY_H

#include "check/check.h"

struct check_weighing;

/* The part of a run over which weights are added. */
enum check_span {
    CHECK_WHOLE,   /* all of it */
    CHECK_TO_END,  /* up to its last event, if the run ends */
    CHECK_TO_GOAL, /* until it reaches what the problem is about */
    CHECK_WAIT,    /* from a request to its entry; each is an amount */
};

struct check_quantity {
    const char *name;    /* as people type it; ".KIND", ".NAME": one of those */
    const char *what;    /* as a noun, after "most" and "fewest" */
    const char *about;   /* for the help */
    const char *problem; /* that it is of; NULL: any */
    enum check_span span;
    bool timed;     /* it counts ticks */
    bool symmetric; /* the same for states that --symmetry merges */
    bool of_one;    /* CHECK_WAIT, without a weight: entries of one other node;
                     * else of all others */
    /* What one transition adds; NULL: CHECK_WAIT, an entry of another. */
    uint32_t (*weight)(const struct check_weighing *w);
};

/* A quantity that was asked for. */
struct check_measure {
    const struct check_quantity *of;
    const char *name;  /* as it was typed */
    uint64_t argument; /* the kind, or the name */
};

/* All quantities; ends with a row without a name. */
extern const struct check_quantity check_quantities[];

/* Whether there is such a quantity here, apart from what time and symmetry
 * make of it. */
bool check_quantity_fits(const struct check_quantity *q, const struct net *net);

/* Finds a quantity by its name.  Returns NULL, or a sentence that says why it
 * cannot be computed for this setup. */
const char *check_measure(const struct check_setup *setup, const char *name,
                          struct check_measure *out);

/* The greatest or the least amount, and a run that has it. */
struct check_extreme {
    enum check_limit limit; /* not CHECK_NO_LIMIT: nothing is known */
    const char *refusal;
    bool none;      /* no run has such an amount: it does not come to that */
    bool unbounded; /* the run repeats what follows from its `loop_at` */
    uint64_t value;
    bool cut_off; /* runs go on beyond the last tick that is tried */
    uint64_t states, transitions;
    double seconds;          /* of CPU time */
    struct check_result run; /* its moves; freed by check_free() */
};

/* Goes through all states, violations or not. */
void check_extreme(const struct check_setup *setup,
                   const struct check_measure *measure, bool greatest,
                   struct check_extreme *out);

#endif
