/*
 * echo.h - election on a tree by waves of which the least survives.
 *
 * The rules are in echo.c; docs/tutorial/tree.md builds it up.
 */
#ifndef ECHO_H
#define ECHO_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum echo_status {
    ECHO_ASLEEP, /* 0: a node before its first event */
    ECHO_AWAKE,  /* takes part in a wave, its own or another's */
    ECHO_LEADER,
    ECHO_DONE,
};

enum echo_kind {
    ECHO_WAVE = 1, /* going out and coming back */
    ECHO_ELECTED,
    ECHO_KINDS,
};

struct echo {
    uint64_t heard; /* links by which its wave came, a bit each */
    fc_name wave;   /* the least that was seen; once told, the leader */
    uint8_t parent; /* 1 + the link it came by first, or 0: its own */
    uint8_t status; /* enum echo_status */
    uint8_t unused[2];
};
_Static_assert(sizeof(struct echo) == 16, "flat and without padding");

#define echo_msg      fc_word
#define echo_params   fc_no_params
#define echo_site     fc_joint
#define echo_problem  election
#define echo_topology FC_TREE
#define echo_timers   0
#define echo_traits   FC_NO_TRAITS

FC_PROTOCOL(echo);

#endif
