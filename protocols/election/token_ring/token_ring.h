/*
 * token_ring.h - the types of token_ring.c; the story is in README.md.
 */
#ifndef TOKEN_RING_H
#define TOKEN_RING_H

#include "core/word.h"
#include "problems/token.h"

enum token_ring_status {
    TOKEN_RING_OFF,   /* before its first event */
    TOKEN_RING_OLD,   /* its age is E or more: it passes a token on */
    TOKEN_RING_YOUNG, /* it removes the next one */
};

enum token_ring_kind { TOKEN_RING_TOKEN = 1, TOKEN_RING_KINDS };

struct token_ring {
    uint8_t status;
    uint8_t drawing; /* while a station begins: what it is drawing */
};
_Static_assert(sizeof(struct token_ring) == 2, "flat, without padding");

enum token_ring_start { TOKEN_RING_ANY, TOKEN_RING_NONE, TOKEN_RING_ALL };
enum token_ring_ages { TOKEN_RING_RANDOM, TOKEN_RING_ZERO };
enum token_ring_timers_kept { TOKEN_RING_TWO_TIMERS, TOKEN_RING_ONE_TIMER };
enum token_ring_makers { TOKEN_RING_ONE_FIRST, TOKEN_RING_EQUAL };

struct token_ring_params {
    uint32_t expire; /* E: younger stations remove a token; 0: from bounds */
    uint32_t create; /* T of the first maker; 0: from bounds */
    uint32_t later;  /* how much later the others make one; 0: from bounds */
    fc_name first;   /* prepared: the maker that comes first */
    uint8_t start, ages, makers, timers;
};

#define token_ring_msg      fc_word
#define token_ring_site     fc_named
#define token_ring_problem  token
#define token_ring_topology FC_RING
#define token_ring_timers   2
#define token_ring_traits   FC_NO_TRAITS

FC_PROTOCOL(token_ring);

#endif
