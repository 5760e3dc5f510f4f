/*
 * lock.h - what the desk asks of a lock and sees of it, and what it is told,
 * whatever the mode.
 */
#ifndef LIVE_LOCK_H
#define LIVE_LOCK_H

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
    uint64_t token;  /* under which it is inside, else 0 */
    uint16_t lacks;  /* nodes whose consent is lacking, a bit each */
    uint16_t wanted; /* nodes that wait for this one to leave */
};

/* Why a node is stopped whose state violates an invariant of its protocol. */
#define LIVE_INSANE                                                            \
    "its state contradicts itself (%s): this is a bug of the program or of "   \
    "the machine's memory; start it again, and report it"

struct live_listener {
    /* Before each event, with the time just read: what is over ends first. */
    void (*before)(void *whom, uint64_t now);
    /* After each event; may give commands. */
    void (*after)(void *whom);
    /* The record cannot be written, or the state violates an invariant: nothing
     * was sent, and nothing will be. */
    void (*broken)(void *whom, const char *why);
    /* Rule V4: a held lock must be let go though its lease lasts.  Stops its
     * holders; true once they are dead, and only then it is let go. */
    bool (*vacate)(void *whom, uint64_t lock);
    void *whom;
};

#endif
