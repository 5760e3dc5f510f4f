/*
 * batch.h - several threads and what they share (batch.c, views.c).
 */
#ifndef CHECK_BATCH_H
#define CHECK_BATCH_H

#include <stdatomic.h>

#include "check/search/barrier.h"
#include "check/search/explore.h"

/* A successor, written down. */
struct check_found {
    uint64_t pair;
    struct check_move move;
    uint32_t slot;  /* that it took */
    uint16_t from;  /* the state of the batch */
    bool seen, odd; /* see struct check_next */
    bool first;     /* took a slot; from (3) on: is a new state */
    uint8_t unused;
};

struct check_looked_at {
    uint32_t first, count; /* of its successors, as they are written down */
    bool quiet;
    bool last;   /* it is the last tick that is tried */
    bool missed; /* something was not known and could not be added */
};

struct check_chunk {
    uint32_t fresh; /* new states in it; in (4) the number of the first */
};

struct check_member {
    struct check_model view;
    struct check_nexts nexts;
    uint32_t at, end; /* room that it has for successors */
    uint64_t transitions, terminal;
    bool back_edges, reached, cut_off;
    uint32_t open;     /* properties, beyond the last tick */
    uint8_t apart[64]; /* what one writes is not in a line that another reads */
};

struct check_batch {
    struct check_search *search;
    struct check_barrier *barrier;
    pthread_mutex_t lock;
    struct check_member *members;
    uint32_t members_count;
    struct check_found *found;
    uint32_t found_room, block;
    struct check_looked_at *states;
    uint32_t states_room, chunk_states;
    struct check_chunk *chunks;
    uint64_t moves;      /* of the home's blocks, when views were made */
    uint64_t own_bytes;  /* of the members' lists, as they are counted */
    uint32_t successors; /* of one state, as expected */

    uint32_t first, count; /* the states of this batch */
    uint32_t level_end, base;
    atomic_uint next, used;
    atomic_bool spoilt; /* a single thread must expand it */
};

/* Makes the views again if blocks have moved. */
void check_batch_refresh(struct check_batch *b);

/* By how much the members' lists may grow in this round. */
void check_batch_limit(struct check_batch *b);

/* What they take belongs to the search. */
void check_batch_count(struct check_batch *b);

#endif
