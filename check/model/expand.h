/*
 * expand.h - everything that can happen in a state (expand.c, timed.c,
 * apply.c; by halves, reduce/halves.c).
 */
#ifndef CHECK_EXPAND_H
#define CHECK_EXPAND_H

#include "check/model/model.h"

struct check_mail;

struct check_next {
    uint64_t pair;
    uint64_t hash;
    struct check_move move;
    bool seen; /* a view changed, or a node is back */
    bool odd;  /* to be judged even if it leads to a known state */
    bool coin; /* one of several ways, chosen at random */
    uint32_t crossings, crossings_count; /* in one half: messages out of it */
};

/* A message from one half to the other. */
struct check_crossing {
    uint32_t place, msg;
};

struct check_nexts {
    struct check_next *list;
    uint32_t count, room;
    bool quiet;   /* nothing has to happen any more */
    bool noticed; /* a notice is due: sooner or later a node is told */
    bool last;    /* it is the last tick that is tried */
    bool gone;    /* the condition rules out every way that some event can go */
};

/* All successors of a stored state. */
void check_expand(struct check_model *m, uint32_t state,
                  struct check_nexts *out);

/* The vector of a successor: what `move` makes of the state. */
void check_apply(struct check_model *m, const struct check_spread *base,
                 const struct check_move *move, struct check_spread *out);

/* The outcome that a move of a node has. */
const struct check_outcome *check_outcome_of(struct check_model *m,
                                             const struct check_spread *base,
                                             const struct check_move *move);

/* The state of check_expand(). */
struct check_expansion {
    struct check_model *model;
    const struct check_spread *base;
    struct check_nexts *out;
    struct check_budget budget;
    uint32_t first_node, last_node; /* nodes that act, and one more */
    struct check_half *half;        /* that they are; NULL: they are all */
    bool busy; /* with time: something will happen on its own */
    bool open; /* and may be made to */
};

/* All that the nodes of an expansion can do, except ticks. */
void check_expand_nodes(struct check_expansion *x);

/* The same as check_expand(), put together from its halves. */
void check_expand_halves(struct check_model *m, uint32_t state,
                         struct check_nexts *out);
void check_halves_free(struct check_model *m);

/* An event at a node, in all ways it can go.  Returns whether there is one. */
bool check_emit(struct check_expansion *x, struct check_move move,
                uint32_t outcome);
void check_emit_alone(struct check_expansion *x, struct check_move move);
void check_read(struct check_expansion *x, uint32_t link, uint32_t place);
bool check_act(struct check_expansion *x, uint32_t node,
               enum check_move_kind kind, uint32_t what);
void check_ask(struct check_expansion *x, uint32_t node,
               const struct check_info *info);
void check_go_wrong(struct check_expansion *x, uint32_t node);

bool check_may_be_next(const struct check_model *m,
                       const struct check_mail *mail, uint32_t place);
void check_expand_timed(struct check_expansion *x, uint32_t node);
void check_foresee(struct check_expansion *x);

/* All initial states go into the tree; what lengths a node's steps can have. */
void check_initial(struct check_model *m);
void check_lengths(const struct check_model *m, uint32_t node, uint64_t *least,
                   uint64_t *greatest);

/* These nodes and their mail after a tick; false if time cannot advance now. */
bool check_tick(struct check_model *m, const struct check_spread *base,
                uint32_t first_node, uint32_t last_node,
                struct check_spread *out);

/* Whether a node can let this tick pass as it is: it must do nothing now. */
bool check_lets_pass(const struct check_model *m,
                     const struct check_spread *base, uint32_t node);

/* Whether the condition has come true. */
static inline bool check_has_come(const struct check_model *m,
                                  const struct check_budget *b)
{
    return !m->setup->given_draw || b->drawn == m->nodes;
}

#endif
