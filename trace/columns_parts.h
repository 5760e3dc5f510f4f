/*
 * columns_parts.h - what columns.c (a run comes in), columns_cut.c (its last
 * events are taken back), columns_sane.c and the reader of text share.
 */
#ifndef TRACE_COLUMNS_PARTS_H
#define TRACE_COLUMNS_PARTS_H

#include "trace/columns.h"

/* What a lane is, while its events come in. */
struct trace_lane_now {
    uint32_t crash, cut, pause; /* faults that last, or TRACE_NONE */
    uint8_t role; /* while it is down: the one it will come back in */
    bool rests;
};

/* The head is there: makes room for its lanes, and forgets all events. */
void trace_begin(struct trace *t);

/* What a reader adds by numbers where a run has words: an event, and a role and
 * a fact of the last one.  The rest it tells as a run does.  The record is
 * `full` if there is no memory for it. */
void trace_add_event(struct trace *t, const struct trace_happening *h);
void trace_add_role(struct trace *t, enum trace_role role, bool rests);
void trace_add_fact(struct trace *t, uint32_t fact, uint64_t number);

/* A property is violated at an event, or TRACE_NONE: at the end. */
void trace_add_violation(struct trace *t, const char *property, uint32_t event);

/* The run is over. */
void trace_end(struct trace *t, uint64_t tick, bool quiet);

/* Lanes as they are before the first event. */
void trace_columns_wake(struct trace *t);

/* NULL, or the rule that is broken; of a record that is not `full`.
 * (columns_sane.c) */
const char *trace_columns_sane(const struct trace *t);

/* Keeps the first `events` events. */
void trace_columns_cut(struct trace *t, uint32_t events);

#endif
