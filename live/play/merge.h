/*
 * merge.h - one run out of what its processes did: in the order of one clock,
 * told like any other run, judged, and counted.
 *
 * Every act is done again here, by the same host, so that what was counted is
 * what the protocol did; a node that did something else is found out.
 */
#ifndef LIVE_PLAY_MERGE_H
#define LIVE_PLAY_MERGE_H

#include "live/play/stage.h"
#include "trace/listen.h"

/* How often a bound was broken, and how badly. */
struct live_bound {
    uint64_t count;
    uint64_t worst; /* ticks: of a delay, or beyond the end of a step */
    uint32_t node;  /* whose step, or whose message */
};

/* What an entry cost. */
struct live_entry {
    uint64_t granting, handoff; /* ticks; handoff FC_NEVER: nobody had left */
    uint64_t overtaken;
    uint64_t attempts; /* or 0 */
    bool torn;
};
struct live_bill {
    uint32_t messages, refusals;
};

struct live_result {
    uint64_t by_kind[FC_KINDS_MAX];
    uint64_t paper_bits, wire_bits, events, end, last, hash;
    uint64_t lost, copied;
    uint32_t crashes, unasked, pauses, cuts;
    uint32_t broken; /* properties */
    bool cut, coins;
    struct fc_outcome outcome;
    struct live_bound steps, delays;
    uint64_t entries_done, abandoned;
    struct live_entry *entries;
    uint32_t entries_count;
    struct live_bill *bills; /* of entries that were made */
    uint32_t bills_count;
    /* Something that cannot be: a node did what its protocol does not. */
    bool differs;
    uint32_t differs_node;
};

/* Merges; `trace` may be NULL.  False: no memory.  To be freed in either
 * case. */
bool live_merge(const struct live_play *play, const struct live_log *log,
                struct trace_listener *trace, struct live_result *result);
void live_result_free(struct live_result *result);

#endif
