/*
 * quantity.h - how much of something a run has: at most, and at least.
 *
 * A quantity is a weight on transitions, and is not part of a state: its
 * extremes are the longest and the shortest path through the graph that the
 * search finds anyway.  What a quantity adds up, and over which part of a run,
 * is a row of the table in quantity.c; problems and protocols have rows of
 * their own (struct fc_quantity).
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
    CHECK_TURN,    /* from a request until it is served, at that node */
    CHECK_PEAK,    /* all of it; they are not added: the greatest counts */
    /* These need to know how far each node is (front.c): */
    CHECK_FURTHEST, /* all of it, at the node where it is most */
    CHECK_APART,    /* from the first node's to the last one's; each time */
};

/* Which networks have a quantity. */
enum check_has {
    CHECK_HAS_ALL,
    CHECK_HAS_NAMES,   /* rings with names, one of which is chosen */
    CHECK_HAS_GOAL,    /* of a problem with a goal */
    CHECK_HAS_ENTRIES, /* where nodes wait to be let in */
};

struct check_quantity {
    const char *name;  /* as people type it; ".KIND", ".NAME": one of those;
                        * "*": the goal of the problem */
    const char *what;  /* as a noun, after "most" and "fewest" */
    const char *about; /* for the help */
    enum check_has has;
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
    enum check_span span;          /* the same as of `of`, or up to the goal */
    const struct fc_quantity *own; /* of the problem or protocol; or NULL */
    bool by_view;                  /* of the problem */
    const char *name;              /* as it was typed */
    const char *what;              /* what it counts, as a noun */
    uint64_t argument;             /* the kind, or the name */
};

/* The names of all quantities here, whether or not time and symmetry allow
 * them; returns their number. */
enum { CHECK_QUANTITIES_MAX = 24, CHECK_QUANTITY_BYTES = 64 };
uint32_t
check_quantities(const struct net *net,
                 char names[CHECK_QUANTITIES_MAX][CHECK_QUANTITY_BYTES]);

/* Finds a quantity by its name.  "@elected" behind one that is added up over
 * the whole run means: until a leader is elected, if that is the goal of the
 * problem.  Returns NULL, or a sentence that says why it cannot be computed for
 * this setup. */
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
    uint64_t bytes;          /* of all tables at their largest */
    double seconds;          /* of CPU time */
    struct check_result run; /* its moves; freed by check_free() */
};

/* The extreme that is wanted, and the best that was found so far. */
struct check_wanted {
    struct check_measure measure;
    bool greatest;
    bool found_any; /* `found` is from an earlier call */
    bool improved;  /* `found` is from the last call */
    struct check_extreme found;
};

enum { CHECK_WANTED_MAX = 32 };

/* Goes through all states once, violations or not, and computes all that is
 * wanted.  What exceeds what was found before replaces it, and so does a
 * limit. */
void check_extremes(const struct check_setup *setup, struct check_wanted *list,
                    uint32_t count);

#endif
