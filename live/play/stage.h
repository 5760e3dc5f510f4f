/*
 * stage.h - a protocol as processes of this machine, one a node: starts them,
 * lets them meet, gives the signal, makes the faults that were asked for, and
 * writes down all acts.
 *
 * Times are of one clock, the machine's, from the signal on.  No process
 * outlives the call, nor the caller if that is killed.
 */
#ifndef LIVE_PLAY_STAGE_H
#define LIVE_PLAY_STAGE_H

#include "live/config/config.h"
#include "live/play/host.h"
#include "net/atomic.h"

enum { LIVE_TICK_LEAST_US = 100, LIVE_TICK_MOST_US = 10000000 };

struct live_stage {
    const struct live_play *play;
    const struct net_fault *faults; /* of nodes, in the order of nodes */
    uint32_t faults_count;
    uint64_t tick;     /* microseconds; 0: calibrated */
    uint64_t until;    /* the last tick */
    uint64_t patience; /* microseconds: not longer, whatever `until` says */
    const struct live_config *config; /* nodes on several machines, of which
                                       * this one has `self`; NULL: all are
                                       * processes of this machine */
    uint32_t self;
    bool restless;     /* over when all applications have done their work */
    atomic_bool *stop; /* set by a signal; or NULL */
};

/* An act of a node, as it was reported. */
struct live_logged {
    uint32_t node, life;
    struct live_act act;
    const void *msg; /* that was read, as the protocol has it */
    const struct live_send *sends;
};

/* What was done to a node, or befell it. */
struct live_blow {
    uint64_t at; /* microseconds since the start */
    uint32_t node, life;
    enum net_fault_kind kind;
    uint64_t ticks; /* of a pause */
    bool unasked;   /* nobody asked for it: it died on its own */
};

struct live_log {
    struct live_logged *acts; /* acts of one node in their order */
    uint32_t acts_count;
    struct live_blow *blows; /* in their order */
    uint32_t blows_count;
    uint64_t tick;   /* microseconds */
    uint64_t end;    /* microseconds since the start */
    bool quiet;      /* nothing was left to do */
    bool done;       /* the applications had done their work */
    bool stopped;    /* by a signal */
    bool calibrated; /* these were measured, in microseconds: */
    uint64_t round_trip, late;
    uint64_t cpu_us;           /* of all processes */
    struct live_block *blocks; /* of memory */
};

/* Plays; with nodes on several machines, on the machine of the first: the
 * others tell it what they do.  False with a sentence: nothing came of it.  The
 * log is to be freed in either case. */
bool live_stage_play(const struct live_stage *stage, struct live_log *log,
                     struct net_why *error);

/* The part of one node, not the first, whose stage is on another machine.
 * False with a sentence. */
bool live_stage_join(const struct live_stage *stage, struct net_why *error);

void live_log_free(struct live_log *log);

#endif
