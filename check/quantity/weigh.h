/*
 * weigh.h - what the parts of a computation of an extreme share: the graph with
 * its weights (weigh.c, scale.c), how far each node is (front.c), and the paths
 * through it (longest.c, shortest.c, track.c).
 */
#ifndef CHECK_WEIGH_H
#define CHECK_WEIGH_H

#include "check/model/expand.h"
#include "check/model/step.h"
#include "check/quantity/quantity.h"
#include "check/search/explore.h"

/* ---- Weights of transitions (scale.c) ------------------------------------ */

/* Levels of local states that are known, plus 1; 0: not known. */
struct check_levels {
    uint32_t *of;
    uint32_t room;
};

/* What transitions are weighed with. */
struct check_scale {
    struct check_model *model;
    const struct check_measure *measure;
    struct check_levels levels[CHECK_NODES_MAX];
};

/* One transition, to be weighed. */
struct check_weighing {
    struct check_scale *scale;
    const struct check_model *model;
    const struct check_measure *measure;
    const struct check_spread *base; /* the state in which it begins */
    const struct check_move *move;
    const struct check_outcome *outcome;     /* of a node that acts; or NULL */
    const struct check_info *before, *after; /* of that node */
};

/* Marks of a transition: 1 + the node that acts, or 0; and these. */
enum {
    CHECK_ARC_NODE = 0x1f,
    CHECK_ARC_GOAL = 0x20,  /* it reaches what the problem is about */
    CHECK_ARC_EVENT = 0x40, /* it is not a tick */
    CHECK_ARC_DONE = 0x80,  /* the node enters, is served, or begins */
    CHECK_WEIGHT_MAX = (1 << 24) - 1,
};

/* What a transition adds, shifted by 8, and its marks. */
uint32_t check_weigh(struct check_scale *s, const struct check_spread *base,
                     const struct check_next *next);
void check_scale_free(struct check_scale *s);

/* Whether a step counts for a quantity that goes by notes. */
static inline uint32_t check_counts(const struct check_outcome *outcome,
                                    const struct fc_quantity *q)
{
    return (outcome->counted & q->note / FC_NOTE_OWN) != 0;
}

/* The level of the state to which a transition leads. */
uint32_t check_level(const struct check_weighing *w);

/* ---- The graph ----------------------------------------------------------- */

/* A transition: its target, the amount that it adds, and its flags. */
struct check_arc {
    uint32_t to;
    uint32_t cost; /* as check_weigh() gives it */
};

/* Marks of a state: the nodes that wait, a bit each; and this. */
enum { CHECK_RUN_ENDS = 1u << CHECK_NODES_MAX };

uint32_t check_marks(const struct check_model *m,
                     const struct check_spread *base, bool quiet);

struct check_weighted {
    uint32_t states, initial; /* runs begin in the first `initial` states */
    uint32_t *first;          /* arc of each state, and one more */
    uint32_t *marks;          /* of each state */
    uint32_t *to, *cost;      /* of each arc */
};

static inline struct check_arc check_arc_at(const struct check_weighted *g,
                                            uint32_t i)
{
    return (struct check_arc){g->to[i], g->cost[i]};
}

/* ---- How far each node is (front.c) -------------------------------------- */

/* A graph whose states also know that, and where they come from. */
struct check_unfolded {
    struct check_weighted graph;
    uint32_t *state_of, *arc_of;
    uint32_t states_room, first_room, arcs_count, to_room, cost_room, of_room;
    const char *refusal;
};

/* For CHECK_FURTHEST the weight of an arc is what it adds to the node that is
 * furthest.  For CHECK_APART an arc that begins a phase may also begin a wait
 * of node 0, which ends with the arc by which the last node begins the phase.
 * False if there is no memory, or with a refusal. */
bool check_unfold(const struct check_weighted *g, enum check_span span,
                  uint32_t nodes, struct check_memory *memory,
                  struct check_unfolded *out);
void check_unfolded_free(struct check_unfolded *u, struct check_memory *memory);

/* ---- Parts of it --------------------------------------------------------- */

/* The part of the graph that is looked at: for CHECK_WAIT and CHECK_TURN, one
 * node's wait. */
struct check_part {
    const struct check_weighted *graph;
    enum check_span span;
    bool entries;   /* CHECK_WAIT: entries of others count, not weights */
    uint32_t node;  /* that waits */
    uint32_t other; /* whose entries count; or CHECK_NODES_MAX: all others' */
    bool greatest;
};

static inline bool check_part_waits(const struct check_part *p)
{
    return p->span == CHECK_WAIT || p->span == CHECK_TURN;
}

/* Whether this arc is one of the node that waits. */
static inline bool check_part_acts(const struct check_part *p,
                                   const struct check_arc *arc)
{
    return (arc->cost & CHECK_ARC_NODE) == p->node + 1;
}

/* Whether weights are added up in this state. */
static inline bool check_part_has(const struct check_part *p, uint32_t state)
{
    return !check_part_waits(p) || (p->graph->marks[state] >> p->node & 1);
}

/* Whether the part ends by this arc, from a state that is in it. */
static inline bool check_part_stops(const struct check_part *p,
                                    const struct check_arc *arc)
{
    switch (p->span) {
    case CHECK_TO_END:
        return (arc->cost & CHECK_ARC_EVENT) &&
               (p->graph->marks[arc->to] & CHECK_RUN_ENDS);
    case CHECK_TO_GOAL:
        return (arc->cost & CHECK_ARC_GOAL) != 0;
    case CHECK_WAIT:
    case CHECK_TURN:
        return (arc->cost & CHECK_ARC_DONE) && check_part_acts(p, arc);
    default:
        return false;
    }
}

/* Whether the part goes on behind this arc. */
static inline bool check_part_goes_on(const struct check_part *p,
                                      const struct check_arc *arc)
{
    if (p->span == CHECK_TO_GOAL)
        return !(arc->cost & CHECK_ARC_GOAL);
    return check_part_has(p, arc->to) &&
           !(check_part_waits(p) && check_part_stops(p, arc));
}

/* Whether the sum so far is an amount if the run stays here.  A sum that only
 * grows is greatest at some moment; the least is taken over whole runs, and
 * over waits that have ended. */
static inline bool check_part_rests(const struct check_part *p, uint32_t state)
{
    if (p->span == CHECK_WHOLE || p->span == CHECK_PEAK)
        return p->greatest || (p->graph->marks[state] & CHECK_RUN_ENDS);
    return p->entries && p->greatest;
}

static inline uint32_t check_part_weight(const struct check_part *p,
                                         const struct check_arc *arc)
{
    if (p->entries)
        return (arc->cost & CHECK_ARC_DONE) && !check_part_acts(p, arc) &&
               (p->other == CHECK_NODES_MAX ||
                (arc->cost & CHECK_ARC_NODE) == p->other + 1);
    return p->span != CHECK_TURN || check_part_acts(p, arc) ? arc->cost >> 8
                                                            : 0;
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

/* The amount of one part; with a track, the run that has it, from its
 * beginning.  False if there is no memory. (part.c) */
bool check_amount(const struct check_part *p, struct check_memory *memory,
                  struct check_amount *out, struct check_track *track);

#endif
