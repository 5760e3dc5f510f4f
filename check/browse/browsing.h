/*
 * browsing.h - the graph of states as it is kept (see browse.h).
 *
 * Successors are written down when a state is first looked at: 4 bytes each,
 * and a word before them.  The moves themselves are not: they are found again
 * by expanding the state, in the same order.
 */
#ifndef CHECK_BROWSING_H
#define CHECK_BROWSING_H

#include "check/browse/browse.h"
#include "check/model/expand.h"
#include "check/tell/parts.h"

#define CHECK_UNSEEN UINT32_MAX

/* In the word before the successors of a state, below their number. */
enum {
    CHECK_QUIET = 1u << 0,   /* the run may end here */
    CHECK_BAD_END = 1u << 1, /* and then something is broken */
    CHECK_LAST = 1u << 2,    /* it is the last tick that is tried */
    CHECK_ENDS = 1u << 3,    /* as runs without end are judged: one ends here */
    CHECK_COIN = 1u << 4,    /* a coin, or a notice, may lead on */
    CHECK_TRAITS_BITS = 5,
};

/* In the number of a successor: the move breaks something. */
#define CHECK_BREAKS (UINT32_C(1) << 31)
_Static_assert(CHECK_TABLE_BITS_MAX <= 31, "states leave that bit");

/* A list that grows and is counted as memory of the model. */
struct check_numbers {
    uint32_t *list;
    uint32_t count, room;
};

struct check_browse {
    struct check_setup setup;
    struct check_model model;
    struct check_nexts nexts;
    uint32_t initial;
    const char *why;

    uint32_t numbered;    /* states that have the following */
    uint32_t *at;         /* where its successors stand, or CHECK_UNSEEN */
    uint32_t *depth;      /* in the search, or CHECK_UNSEEN */
    uint32_t *predicates; /* broken here, if any are judged */
    uint32_t rooms[3];    /* of these lists */
    struct check_numbers edges;
    uint64_t edges_count;
    struct check_numbers queue; /* of the search */
    uint32_t queue_at;          /* the next to be looked at */
    enum check_limit limit;
    const char *refusal;

    bool stale; /* the graph has grown since distances were computed */
    /* Moves to a violation, to a state not looked at, to a run without end. */
    struct check_numbers to_bad, to_unknown, to_endless;

    /* What was handed out last. */
    struct check_enabled *enabled;
    uint32_t enabled_room;
    uint8_t *locals; /* of all nodes, each at a multiple of 8 */
    size_t locals_size;
    struct check_node_now node[CHECK_NODES_MAX];
    struct check_mail_now *mail;
    uint32_t mail_room;
    struct check_numbers way, run;
    struct check_near_state *near_states;
    struct check_near_edge *near_edges;
    uint32_t near_states_room, near_edges_room;
    char sentence[128];
    struct check_making making;
    struct trace_part part[CHECK_PARTS_MAX];
};

/* The successors of a state that was looked at, and their number. */
static inline const uint32_t *check_successors(const struct check_browse *b,
                                               uint32_t state, uint32_t *count)
{
    const uint32_t *word = &b->edges.list[b->at[state]];

    *count = *word >> CHECK_TRAITS_BITS;
    return word + 1;
}

/* A failure of the model, if there was one: says why, and the model goes on as
 * if nothing had been asked. */
bool check_browse_sound(struct check_browse *b);

bool check_browse_add(struct check_browse *b, struct check_numbers *n,
                      uint32_t number);

void check_browse_drop(struct check_browse *b, struct check_numbers *n);

/* Expands a state; of what the network can do to equal messages, once. */
bool check_browse_expand(struct check_browse *b, uint32_t state);

/* Of each state in `to_endless`: 0 if a run without end that breaks something
 * passes there.  False: no memory.  (endless.c) */
bool check_browse_hunt(struct check_browse *b);

/* Looks at a state if it was not looked at; false if that failed. */
bool check_browse_visit(struct check_browse *b, uint32_t state);

#endif
