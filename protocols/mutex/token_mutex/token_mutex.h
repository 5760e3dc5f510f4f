/*
 * token_mutex.h - the types of token_mutex.c; the story is in README.md.
 */
#ifndef TOKEN_MUTEX_H
#define TOKEN_MUTEX_H

#include "core/stamp.h"
#include "problems/mutex.h"

enum token_mutex_kind {
    TOKEN_MUTEX_CALL = 1, /* its round is the index of the caller */
    TOKEN_MUTEX_TOKEN,    /* number: of entries so far; round: of sites that it
                           * must still come to */
    TOKEN_MUTEX_KINDS,
};

struct token_mutex {
    uint64_t number; /* of entries, while the token is here */
    uint32_t left;   /* and the sites that it must still come to */
    uint32_t sought; /* distance of the farthest caller since then */
    uint8_t role;    /* enum mutex_role: idle, waits, inside */
    uint8_t moved;   /* whether the token is here has changed since the start */
    uint8_t seen;    /* it was here, or is */
    uint8_t unused[5];
};
_Static_assert(sizeof(struct token_mutex) == 24, "flat, without padding");

enum token_mutex_idle { TOKEN_MUTEX_CIRCULATES, TOKEN_MUTEX_RESTS };

struct token_mutex_params {
    uint8_t idle;
    uint8_t holders; /* enum mutex_holders */
};

/* Of its place a site knows its index and the number of sites. */
#define token_mutex_msg      fc_stamp
#define token_mutex_site     fc_member
#define token_mutex_problem  mutex
#define token_mutex_topology FC_RING
#define token_mutex_timers   0
#define token_mutex_traits   FC_NO_TRAITS

FC_PROTOCOL(token_mutex);

#endif
