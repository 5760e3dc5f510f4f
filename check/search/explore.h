/*
 * explore.h - the search: what its parts share.
 */
#ifndef CHECK_EXPLORE_H
#define CHECK_EXPLORE_H

#include "check/model/model.h"
#include "check/reduce/reduce.h"

struct check_search {
    struct check_model model;
    const struct check_setup *setup;
    struct check_result *result;
    struct check_nexts nexts;
    struct check_reducer reducer; /* if the setup asks for it */
    uint32_t *levels; /* the first state of each depth, and one more */
    uint32_t levels_count, levels_room;
    bool back_edges; /* some transition does not lead further down */
    uint32_t bad;    /* the state from which `bad_move` breaks something, or in
                      * which everything has come to a bad end */
    struct check_move bad_move;
    double began, wall_began;  /* CPU time of this thread, and of the wall */
    uint32_t looked_at;        /* states whose successors were found */
    uint32_t unreported;       /* states expanded since the last report */
    struct check_batch *batch; /* several threads, once they pay off */
    uint32_t alone_until;      /* states before this one are not for them */
};

/* `states` more states were expanded: reports progress, every few thousand;
 * false: stop. */
bool check_report(struct check_search *s, uint32_t states);

/* Finds the successors of a state; false if that failed. */
bool check_visit(struct check_search *s, uint32_t state);

/* Has a look at every state, which adds its successors to the tree; false if
 * something stopped that, as the result says. */
bool check_everywhere(struct check_search *s,
                      void (*look)(void *whom, uint32_t state), void *whom);

/* The same once more, for a state that the search has expanded: only those
 * successors that it went on to. */
bool check_revisit(struct check_search *s, uint32_t state);

/* NULL, or the rule that a search breaks in which nothing failed. */
const char *check_search_sane(const struct check_search *s);

/* The level of a state. (path.c) */
uint32_t check_depth_of(const struct check_search *s, uint32_t state);

/* CPU time of this thread, and the time on the wall. */
double check_cpu_seconds(void);
double check_wall_seconds(void);

/* What a move from a stored state breaks and reaches. */
void check_news_of(struct check_model *m, uint32_t state,
                   const struct check_move *move, struct net_news *news);

/* Whether a transition must be judged: it is seen, and the state is new or it
 * breaks something wherever it leads.  Where the problem remembers the past,
 * ways to the same state differ: there each is judged.  Predicates over the
 * whole network see all of a new state; a typed property may see a step. */
static inline bool check_is_judged(const struct check_model *m, bool seen,
                                   bool odd, bool fresh)
{
    if (m->judged && (fresh || m->judged > 1))
        return true;
    return fresh || m->type->remembers ? seen : odd;
}

/* The properties that are broken if nothing more happens in a state. */
uint32_t check_broken_at_end(struct check_model *m, uint32_t state);

/* Expands states from this one on, with several threads, up to the end of its
 * level at most.  Returns their number; 0: a single thread must expand this
 * one.  (batch.c) */
uint32_t check_batch(struct check_search *s, uint32_t state, uint32_t end);
bool check_batch_open(struct check_search *s);
void check_batch_close(struct check_search *s);

/* Every thread does the work once, at the same time, each with a view of the
 * model; alone, this one does it with the model itself. */
void check_together(struct check_search *s,
                    void (*work)(void *whom, uint32_t member,
                                 struct check_model *view,
                                 struct check_nexts *nexts),
                    void *whom);

/* Their number, and the CPU time of all but the first. */
uint32_t check_batch_threads(const struct check_search *s);
double check_batch_seconds(const struct check_search *s);

/* Looks for runs without end in what was found (cycles.c). */
void check_cycles(struct check_search *s);

/* Looks for runs that break a typed property of what comes later (leads.c). */
void check_leads(struct check_search *s);

/* Whether the run may end in this state, which is expanded. */
bool check_is_end(struct check_model *m, uint32_t state, bool quiet);

/* The properties that a run without end breaks which passes a state: they stay
 * broken, or no end comes. */
uint32_t check_broken_without_end(struct check_model *m, uint32_t state);

/* Whether a node waits in a state, and no crashed one is still to come back. */
bool check_is_waiting(const struct check_model *m, const uint32_t *vector,
                      uint32_t node);

/* The successors of all states, written down (graph.c). */
struct check_graph {
    uint32_t *at;   /* of each state: where its list stands */
    uint32_t *list; /* their count, shifted by 2, and enum check_trait; then
                     * their numbers */
    uint64_t length;
    uint32_t states;
};

enum check_trait { CHECK_IS_END = 1, CHECK_HAS_COIN = 2 };

/* After a complete search: writes them down, if several threads can do so and
 * there is memory for it. */
bool check_graph_open(struct check_search *s, struct check_graph *g);

/* NULL, or the rule that a complete one breaks. */
const char *check_graph_sane(const struct check_graph *g);
void check_graph_close(struct check_search *s, struct check_graph *g);

/* The shortest way to a state, as moves in the result; room is left for `more`
 * of them.  False if there is no memory. (path.c) */
bool check_path(struct check_search *s, uint32_t state, uint32_t more);

/* The moves of the result belong to states that stand for others, turned or
 * renamed: turns them into one run. */
void check_unturn(struct check_search *s);

#endif
