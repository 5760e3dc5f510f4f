/*
 * lock.h - what the desk asks of a lock and sees of it, whatever the mode.
 */
#ifndef LIVE_LOCK_H
#define LIVE_LOCK_H

#include "live/common/node_set.h"
#include "problems/mutex.h"

enum { LIVE_LOCKS_MAX = 256 }; /* that are held or wanted at a node at once */

enum live_command {
    LIVE_WANT = MUTEX_WANT,
    LIVE_WANT_SHARED = MUTEX_WANT_SHARED,
    LIVE_LEAVE = MUTEX_LEAVE,
    LIVE_GIVE_UP, /* no longer wait for it */
    LIVE_STOP,    /* the node will be stopped; for no lock */
};

struct live_lock_view {
    enum fc_phase phase;
    bool shared;
    uint64_t token;       /* under which it is inside, else 0 */
    live_node_set lacks;  /* nodes whose consent is lacking */
    live_node_set wanted; /* nodes that wait for this one to leave */
};

/* Why a node is stopped whose state violates an invariant of its protocol. */
#define LIVE_INSANE                                                            \
    "its state contradicts itself (%s): this is a bug of the program or of "   \
    "the machine's memory; start it again, and report it"

#endif
