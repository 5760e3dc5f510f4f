/*
 * vitanyi.h - the types of vitanyi.c; the story is in README.md.
 */
#ifndef VITANYI_H
#define VITANYI_H

#include "core/fc.h"
#include "core/wait.h"
#include "core/word.h"
#include "problems/election.h"

enum vitanyi_mode {
    VITANYI_ASLEEP,
    VITANYI_AWAKE,
    VITANYI_CLOSING, /* the winner, while its sleepwell goes round */
    VITANYI_DONE,
};

enum vitanyi_kind {
    VITANYI_WAKEUP = 1,
    VITANYI_M, /* the election message M_i; its name is i */
    VITANYI_SLEEPWELL,
    VITANYI_KINDS,
};

struct vitanyi {
    fc_name k;      /* the least name seen; the leader, once there is one */
    uint8_t mode;   /* enum vitanyi_mode */
    uint8_t mine;   /* k is my own name */
    uint8_t timing; /* M_k has yet to leave; VI-R9: 0 means off */
    uint8_t held;   /* units since then that did not count (VI-R8) */
};
_Static_assert(sizeof(struct vitanyi) == 8, "flat and without padding");

enum vitanyi_first_wait { VITANYI_FIRST_ONE, VITANYI_FIRST_F };
enum vitanyi_zero_wait { VITANYI_ZERO_SENDS, VITANYI_ZERO_NEVER };

struct vitanyi_params {
    struct fc_wait f;
    uint8_t first_wait;    /* enum vitanyi_first_wait; VI-P1 is f */
    uint8_t wakeup_counts; /* VI-R8' */
    uint8_t winner_guard;  /* VI-P2 */
    uint8_t any_order;     /* VI-P3: links are not FIFO */
    uint8_t zero_wait;     /* enum vitanyi_zero_wait; VI-R4' is sends */
};

#define vitanyi_msg      fc_word
#define vitanyi_site     fc_named
#define vitanyi_problem  election
#define vitanyi_topology FC_RING
#define vitanyi_timers   1
#define vitanyi_traits   FC_NAME_ONCE

/* The name is used only in the first step; later it may be left out. */
FC_PROTOCOL(vitanyi);

/* What the protocols that begin with this election share with it. */
#define VITANYI_FIELDS                                                         \
    FIELD_OF(vitanyi, NAME, k),                                                \
        FIELD_WORD_OF(vitanyi, mode, "asleep", "awake", "closing", "done"),    \
        FIELD_OF(vitanyi, YES, mine), FIELD_OF(vitanyi, YES, timing),          \
        FIELD_OF(vitanyi, NUMBER, held)
extern const struct fc_message_kind vitanyi_kinds[VITANYI_KINDS];
FC_EXTERN uint64_t vitanyi_horizon(const void *params,
                                   const struct fc_world *world);

#endif
