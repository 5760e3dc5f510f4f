/*
 * explore.h - all runs of a small cluster that depart from a calm day at most
 * so often: the counterpart of rehearse.h, which draws some of them.
 *
 * Depth first, from no departure up, so that a violation is found with the
 * fewest.  A world that was seen before, at the same time and with as many
 * departures left, is not looked at again: worlds are told apart by 124 bits of
 * a hash of all that decides their future (state.c).
 */
#ifndef LIVE_EXPLORE_H
#define LIVE_EXPLORE_H

#include <stdatomic.h>

#include "live/rehearse/rehearse.h"

enum { LIVE_DEPARTURES_MAX = 8 };

enum live_departure_kind {
    LIVE_IF_CALM,
    /* Of a datagram */
    LIVE_IF_LOST,
    LIVE_IF_LATE,
    LIVE_IF_LATER,
    LIVE_IF_CUT,
    LIVE_IF_ALONE,
    /* Before a daemon does something */
    LIVE_IF_KILLED,
    LIVE_IF_WRITTEN,
    LIVE_IF_CRASHED,
    LIVE_IF_STALLED,
    LIVE_IF_FROZEN,
    LIVE_IF_ASLEEP,
    LIVE_IF_STOPPED,
    LIVE_IF_FORGOT,
    LIVE_IF_SET_BACK,
    LIVE_IF_SLOW_DISK,
    LIVE_IF_UNWRITTEN,
    /* Of the list */
    LIVE_IF_REPLACED,
    LIVE_IF_REMOVED,
    LIVE_IF_RETIMED,
    /* Of a clock */
    LIVE_IF_FAST,
    LIVE_IF_SLOW,
    /* Of a command, its client and its guard */
    LIVE_IF_LONG,
    LIVE_IF_NO_CLIENT,
    LIVE_IF_NO_GUARD,
    LIVE_IF_CLIENT_FROZEN,
    LIVE_IF_GUARD_FROZEN,
    LIVE_IF_BOTH_FROZEN,
    LIVE_IF_SLOW_DEATH,
    LIVE_DEPARTURE_KINDS,
};

/* As it is typed. */
const char *live_departure_name(enum live_departure_kind kind);

struct live_departure {
    uint64_t number; /* of the point in its run */
    uint64_t at;     /* microseconds */
    enum live_departure_kind kind;
    uint32_t node, other; /* the same, unless it is about a link */
};

struct live_explored;

struct live_exploration {
    struct live_rehearsal setup; /* its seed, `every` and log are not used; its
                                  * faults are those that may be departures */
    uint32_t departures;         /* at most */
    size_t memory;               /* bytes of what was seen, at most; 0: any */
    bool forgets;                /* for tests: nothing is left out */
    atomic_bool *stop;           /* set by others to end early; or NULL */
    /* Called some ten times a second; or NULL. */
    void (*tell)(void *whom, const struct live_explored *so_far);
    void *whom;
};

/* All runs with at most a number of departures, which is its index. */
struct live_level {
    uint64_t runs;   /* that were begun */
    uint64_t merged; /* of those: that came to a world which was seen */
    uint64_t worlds; /* that were told apart */
    uint64_t points; /* at which runs could depart */
    uint64_t ends;   /* different worlds at the end of the time */
    uint64_t sum;    /* of their hashes, for tests */
};

enum live_explore_end {
    LIVE_EXPLORED,    /* all of them */
    LIVE_VIOLATED,    /* up to the first violation */
    LIVE_INTERRUPTED, /* somebody has stopped it */
    LIVE_NO_ROOM,     /* `memory` is used up */
};

struct live_explored {
    enum live_explore_end end;
    uint32_t departures; /* of the runs that were looked at last */
    struct live_level levels[LIVE_DEPARTURES_MAX + 1]; /* up to those */
    struct live_rehearsed first;                       /* violation */
    struct live_departure path[LIVE_DEPARTURES_MAX];   /* its run */
    uint32_t path_count;
    size_t bytes; /* for what was seen */
    double seconds, cpu_seconds;
};

/* Two nodes and a witness, for which all this is meant.  There are few frames
 * in a lease, so that a run has few points; and silence is shorter than a
 * lease, so that views change while leases last.  False with a sentence on
 * failure. */
bool live_smallest_cluster(struct live_config *config, struct net_why *error);

/* -1: there is no memory. */
int live_explore(const struct live_exploration *what,
                 struct live_explored *result);

/* A departure as a sentence, without its number and its time. */
void live_departure_tell(const struct live_config *config,
                         const struct live_departure *departure, char *text,
                         size_t size);

/* The one run with these departures, of which numbers and kinds count; with
 * setup->log it is told.  Returns the number of them that it has come to, or
 * -1: no memory. */
int live_replay(const struct live_rehearsal *setup,
                const struct live_departure *path, uint32_t count,
                struct live_rehearsed *result);

#endif
