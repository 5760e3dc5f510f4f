/*
 * browse.h - the graph of states by hand: what may happen in a state, where it
 * leads, and how far a violation is from there.
 *
 * The states are those of a search without symmetry and reduction, on one
 * thread; the setup's `symmetry`, `reduce`, `threads`, `tell` and `stop` are
 * ignored.  States have numbers; those from 0 on are the initial ones.  Numbers
 * depend on what was looked at before, but the order of the moves of a state
 * does not: a run can be kept as an initial state and an index for each move.
 *
 * The graph grows in two ways.  check_browse_explore() searches breadth first
 * from the initial states and does not go on beyond a violation; the limits of
 * the setup are its limits.  And the user may look at any state, ahead of the
 * search or beyond a violation.
 *
 * Distances are to a broken property or a bad end, as `fulcrum check` counts
 * them: a move that breaks something counts, a bad end is as far as the moves
 * up to it.  A run without end that breaks something (search/cycles.c) counts
 * where all that can follow is known and breaks nothing else, and only with
 * the setup's `cycles`: it is as far as the first state from which it can go on
 * for ever.  With `until` none is looked for, and CHECK_SAFE says nothing about
 * what happens after the last tick.
 */
#ifndef CHECK_BROWSE_H
#define CHECK_BROWSE_H

#include "check/check.h"
#include "check/model/model.h"
#include "trace/read.h"
#include "trace/write.h"

struct check_browse;

/* Begins with the initial states of a setup, which is copied; what it points to
 * must stay.  NULL: *why is a sentence that says what cannot be checked, or
 * that there is no memory. */
struct check_browse *check_browse_open(const struct check_setup *setup,
                                       const char **why);
void check_browse_close(struct check_browse *b);

/* States 0 to this, less one, are those in which a run can begin. */
uint32_t check_browse_initial(const struct check_browse *b);

/* A sentence that says why the last call failed. */
const char *check_browse_why(const struct check_browse *b);

/* ---- Moves --------------------------------------------------------------- */

enum check_move_trait {
    CHECK_MOVE_COIN = 1u << 0,  /* one of several outcomes of a choice */
    CHECK_MOVE_FAULT = 1u << 1, /* it spends one of the faults that are left */
    CHECK_MOVE_TICK = 1u << 2,  /* time advances */
};

struct check_enabled {
    struct check_move move;
    uint32_t to;     /* the state that it leads to */
    uint32_t broken; /* properties, by this move */
    uint32_t traits; /* enum check_move_trait */
    double chance;   /* of this outcome; 1 if it is not a coin's */
};

/* All moves of a state, always in the same order; they stay until the next
 * call.  NULL if that failed. */
const struct check_enabled *check_browse_moves(struct check_browse *b,
                                               uint32_t state, uint32_t *count);

enum { CHECK_LABEL_SIZE = 512 }; /* enough for any label */

/* A move in one line, "P2 reads request(1) from P1".  Returns the length; 0 if
 * there is no such move. */
size_t check_browse_label(struct check_browse *b, uint32_t state,
                          uint32_t index, char *out, size_t size);

/* ---- The contents of a state --------------------------------------------- */

#define CHECK_TIMER_OFF UINT32_MAX

struct check_node_now {
    uint32_t name;         /* or the index, where nodes have no names */
    struct fc_shown shown; /* what others see of it, for people */
    const void *state;     /* the protocol's own */
    const char *insane;    /* the sentence that it contradicts, or NULL */
    uint8_t flags;         /* enum check_flag */
    uint8_t phase;         /* enum fc_phase */
    bool paused, apart;    /* apart: on the other side of a partition */
    uint32_t left;         /* requests that its application may still make */
    uint32_t timer[FC_TIMERS]; /* steps left; without time 0 if it runs */
    uint32_t section;          /* steps until its application must leave */
    /* With time.  The step, if all steps are alike; else the ages that it may
     * have, a bit each. */
    uint32_t length, age, ages;
    uint32_t clock; /* if it reads one */
};

struct check_mail_now {
    uint16_t from, to;     /* nodes */
    uint16_t link, place;  /* as moves name them */
    uint16_t age, late;    /* ticks: in flight, and beyond dmax */
    uint32_t kind;         /* of the protocol's kinds */
    uint32_t fields_count; /* of the fields */
    uint64_t field[FC_FIELDS_MAX];
    const void *msg;
};

struct check_state_now {
    uint32_t nodes;
    const struct check_node_now *node;
    uint32_t mails;
    const struct check_mail_now *mail;
    uint32_t cells;
    const uint32_t *cell;       /* the contents of the shared cells */
    struct check_budget budget; /* faults left, and the tick with `until` */
    bool quiet;                 /* nothing has to happen: the run may end */
    bool last;                  /* it is the last tick that is tried */
    uint32_t broken_at_end;     /* properties, if it ends here */
    uint32_t broken;            /* predicates that do not hold here */
};

/* The contents of a state; they stay until the next call.  False if that
 * failed. */
bool check_browse_look(struct check_browse *b, uint32_t state,
                       struct check_state_now *out);

/* ---- The search ---------------------------------------------------------- */

struct check_known {
    uint64_t states;    /* that the search has found */
    uint64_t looked_at; /* of these */
    uint64_t edges;     /* of states that were looked at, also by hand */
    uint32_t levels;    /* complete ones: all of their states were looked at */
    bool all;           /* there are no others without a violation before */
    enum check_limit limit; /* why it does not go on */
    const char *refusal;    /* CHECK_REFUSED: a sentence */
    uint64_t bytes;
};

/* Looks at `more` more states, breadth first; 0: only tells the known
 * numbers. */
void check_browse_explore(struct check_browse *b, uint32_t more,
                          struct check_known *known);

/* Looks at a state and all its successors, so that distances of the successors
 * are known one move further.  False if that failed. */
bool check_browse_look_around(struct check_browse *b, uint32_t state);

/* ---- Distances (distance.c) ---------------------------------------------- */

enum check_outlook {
    CHECK_SAFE,       /* all that is reachable is known, and nothing breaks */
    CHECK_NOT_WITHIN, /* none within `moves` moves; beyond that not known */
    CHECK_AT_MOST,    /* `moves`; there may be a shorter way */
    CHECK_EXACTLY,    /* `moves`, and none is nearer */
    CHECK_ENDLESS,    /* none; but a run without end begins `moves` away */
};

struct check_distance {
    enum check_outlook outlook;
    uint32_t moves;
};

/* The distance of a violation, as far as it is known; the state is looked at if
 * it was not.  False if that failed. */
bool check_browse_distance(struct check_browse *b, uint32_t state,
                           struct check_distance *out);

/* The indices of the moves of a shortest way to a violation; or into a run
 * without end, if that is all that can happen.  They are kept until the next
 * call.  A count of 0: no violation is known to be reachable, or it is here.
 * NULL if that failed. */
const uint32_t *check_browse_way(struct check_browse *b, uint32_t state,
                                 uint32_t *count);

/* ---- The states near by (near.c) ----------------------------------------- */

struct check_near_state {
    uint32_t state;
    uint32_t moves; /* from the middle, folded ticks counting as one */
    bool more;      /* it has moves that are not among the edges */
    bool behind;    /* a violation; what follows it is not shown */
};

struct check_near_edge {
    uint32_t from, to; /* in the list of states */
    uint32_t index;    /* of the move */
    uint32_t ticks;    /* that follow it, none of them with a choice */
    bool breaks;       /* the move breaks something */
};

struct check_near {
    const struct check_near_state *states; /* the first is the middle */
    const struct check_near_edge *edges;
    uint32_t states_count, edges_count;
};

/* The states within `moves` moves, at most `states_max` of them; they stay
 * until the next call.  A state whose only move is a tick is left out, and the
 * edge goes on to the next.  False if that failed. */
bool check_browse_near(struct check_browse *b, uint32_t state, uint32_t moves,
                       uint32_t states_max, struct check_near *out);

/* ---- Runs (run.c, match.c) ----------------------------------------------- */

/* A run: an initial state, and the index of each move. */
struct check_run_by_hand {
    uint32_t first;
    const uint32_t *moves;
    uint32_t moves_count;
};

/* The state after a run, or after each of its moves if `states` is not NULL.
 * False if there is no such run. */
bool check_browse_follow(struct check_browse *b,
                         const struct check_run_by_hand *run, uint32_t *end,
                         uint32_t *states);

/* Writes a run as a trace that `fulcrum sim --replay` accepts. */
bool check_browse_trace(struct check_browse *b,
                        const struct check_run_by_hand *run,
                        struct trace_listener *trace);

/* Finds the run that a trace tells, of the network of this setup; its moves
 * stay until the next call.  False if there is none, or it was not found. */
bool check_browse_match(struct check_browse *b, const struct trace *t,
                        struct check_run_by_hand *run);

#endif
