/*
 * token.h - the problem: in the end one token goes round, whatever there was
 * at the beginning.
 *
 *   eventually  one-token  exactly one, and for the last eighth of the run;
 *                          such runs never end
 */
#ifndef TOKEN_H
#define TOKEN_H

#include "problems/problem.h"

enum token_command { TOKEN_START };

struct token_view {
    uint8_t holds; /* tokens at this station, not counting those on links */
    uint8_t young; /* it has just passed one on, and would remove the next */
    uint16_t unused;
};

enum token_property { TOKEN_ONE = 1u << 0 };
enum { TOKEN_PROPERTIES = 1 };

struct token_watch {
    int64_t flying, held;
    uint64_t one_since; /* tick since which there is just one, or FC_NEVER */
    uint64_t last;      /* tick of the last event */
    uint32_t broken;
};

#define token_traits FC_COUNTS_FLYING

FC_PROBLEM(token);

static inline bool token_same(const struct token_view *a,
                              const struct token_view *b)
{
    return a->holds == b->holds;
}

static inline bool token_matters(const struct token_view *a,
                                 const struct token_view *b)
{
    return !token_same(a, b);
}

/* This many tokens are on the links after the event at `now`. */
FC_EXTERN void token_flying(struct token_watch *w, int64_t flying,
                            uint64_t now);

#endif
