/*
 * reduce.h - some of a state's successors that are enough (see reduce.c).
 */
#ifndef CHECK_REDUCE_H
#define CHECK_REDUCE_H

#include "check/model/expand.h"

enum { CHECK_LINK_WORDS = CHECK_LINKS_MAX / 64 };

/* What a search that leaves out successors knows and learns of the network. */
struct check_reducer {
    uint64_t known[CHECK_LINK_WORDS]; /* links that may carry messages */
    uint64_t met[CHECK_LINK_WORDS];   /* links on which there was one */
    uint64_t partly;                  /* states of which some were left out */
};

/* Before the first search, with `met` empty; returns the same for the next one
 * if the last relied on links which turned out to be used. */
void check_reducer_begin(struct check_reducer *r, const struct check_model *m);
bool check_reducer_again(struct check_reducer *r);

/* Brings sufficient successors of a state to the front of the list, if one of
 * them leads further down; returns their number, or the number of all if fewer
 * are not enough. */
uint32_t check_reduce(struct check_model *m, struct check_reducer *r,
                      uint32_t state, struct check_nexts *nexts);

/* Whether a move uses up none of the faults that are left. */
static inline bool check_is_free(const struct check_move *move)
{
    return move->kind != CHECK_CRASH && move->kind != CHECK_PAUSE &&
           move->kind != CHECK_LOSE && move->kind != CHECK_DELAY;
}

#endif
