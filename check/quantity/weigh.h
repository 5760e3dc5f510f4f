/*
 * weigh.h - what the parts of a computation of an extreme share: the graph with
 * its weights (weigh.c), and the paths through it (longest.c, shortest.c,
 * track.c).
 */
#ifndef CHECK_WEIGH_H
#define CHECK_WEIGH_H

#include "check/quantity/quantity.h"
#include "check/search/explore.h"

/* One transition, to be weighed. */
struct check_weighing {
    const struct check_model *model;
    const struct check_move *move;
    const struct check_outcome *outcome; /* of a node that acts; or NULL */
    uint64_t argument;
};

/* A transition: to which state, what it adds, and what is special about it. */
struct check_arc {
    uint32_t to;
    uint32_t cost; /* the weight, shifted by 8, and marks */
};

/* Marks of an arc: 1 + the node that enters by it, or 0; and these. */
enum {
    CHECK_ARC_ENTERED = 0x1f,
    CHECK_ARC_GOAL = 0x20,  /* it reaches what the problem is about */
    CHECK_ARC_EVENT = 0x40, /* it is not a tick */
    CHECK_WEIGHT_MAX = (1 << 24) - 1,
};

/* Marks of a state: the nodes that wait, a bit each; and this. */
enum { CHECK_RUN_ENDS = 1u << CHECK_NODES_MAX };

struct check_weighted {
    uint32_t states, initial; /* the first so many are where runs begin */
    uint32_t *first;          /* arc of each state, and one more */
    uint32_t *marks;          /* of each state */
    struct check_arc *arcs;
};

/* The marks of a state, and what a transition from it adds, with its marks. */
uint32_t check_marks(const struct check_model *m,
                     const struct check_spread *base, bool quiet);
uint32_t check_cost(struct check_model *m, const struct check_measure *measure,
                    const struct check_spread *base,
                    const struct check_next *next);

/* The part of the graph that is looked at: for CHECK_WAIT, one node's wait. */
struct check_part {
    const struct check_weighted *graph;
    const struct check_quantity *of;
    uint32_t node;  /* CHECK_WAIT: that waits */
    uint32_t other; /* whose entries count; or CHECK_NODES_MAX: all others' */
    bool greatest;
};

/* Whether weights are added up in this state. */
static inline bool check_part_has(const struct check_part *p, uint32_t state)
{
    return p->of->span != CHECK_WAIT || (p->graph->marks[state] >> p->node & 1);
}

/* Whether they are by this arc, from a state that is in the part. */
static inline bool check_part_stops(const struct check_part *p,
                                    const struct check_arc *arc)
{
    switch (p->of->span) {
    case CHECK_TO_END:
        return (arc->cost & CHECK_ARC_EVENT) &&
               (p->graph->marks[arc->to] & CHECK_RUN_ENDS);
    case CHECK_TO_GOAL:
        return (arc->cost & CHECK_ARC_GOAL) != 0;
    case CHECK_WAIT:
        return (arc->cost & CHECK_ARC_ENTERED) == p->node + 1;
    default:
        return false;
    }
}

/* Whether the part goes on behind this arc. */
static inline bool check_part_goes_on(const struct check_part *p,
                                      const struct check_arc *arc)
{
    if (p->of->span == CHECK_TO_GOAL)
        return !(arc->cost & CHECK_ARC_GOAL);
    return check_part_has(p, arc->to) &&
           (p->of->span != CHECK_WAIT || !check_part_stops(p, arc));
}

/* Whether what was added up so far is an amount if the run stays here.  What
 * only grows is greatest at some moment; the least is that of a whole run, and
 * of a wait that is over. */
static inline bool check_part_rests(const struct check_part *p, uint32_t state)
{
    if (p->of->span == CHECK_WHOLE)
        return p->greatest || (p->graph->marks[state] & CHECK_RUN_ENDS);
    return p->of->span == CHECK_WAIT && p->greatest && !p->of->weight;
}

static inline uint32_t check_part_weight(const struct check_part *p,
                                         const struct check_arc *arc)
{
    uint32_t entered = arc->cost & CHECK_ARC_ENTERED;

    if (p->of->weight)
        return arc->cost >> 8;
    return entered != 0 && entered != p->node + 1 &&
           (p->other == CHECK_NODES_MAX || entered == p->other + 1);
}

/* A path: the state in which it begins, and arcs. */
struct check_track {
    uint32_t first;
    uint32_t *arcs;
    uint32_t count, loop_at;
};

/* What was found of one part. */
struct check_amount {
    bool none, unbounded;
    uint64_t value;
};

/* The greatest and the least amount, from where the part is entered; the states
 * in which it begins are marked in `begins`.  With a track, a shortest path
 * that has it.  False if there is no memory. */
bool check_longest(const struct check_part *p, const uint8_t *begins,
                   struct check_memory *memory, struct check_amount *out,
                   struct check_track *track);
bool check_shortest(const struct check_part *p, const uint8_t *begins,
                    struct check_memory *memory, struct check_amount *out,
                    struct check_track *track);

/* A shortest path from a state that is `from` to one that is `to`, by arcs that
 * may be taken; the last one may be another. */
struct check_quest {
    const struct check_weighted *graph;
    const void *whom;
    bool (*from)(const void *whom, uint32_t state);
    /* Whether the path may end here, or with this arc; NULL: here. */
    bool (*ends)(const void *whom, uint32_t state, const struct check_arc *arc);
    bool (*takes)(const void *whom, uint32_t state,
                  const struct check_arc *arc);
};

/* Appends the path to the track, whose `first` is set if it was empty.  False
 * if there is no memory, or no path. */
bool check_quest(const struct check_quest *q, struct check_memory *memory,
                 struct check_track *track);

/* Appends one arc. */
bool check_track_add(struct check_track *track, uint32_t arc);

/* The state in which a track ends. */
uint32_t check_track_end(const struct check_weighted *g,
                         const struct check_track *track);

#endif
