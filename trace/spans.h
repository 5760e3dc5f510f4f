/*
 * spans.h - the roles of a run as intervals, lane by lane.
 *
 * A role lasts from where an event states it up to the next one; while a node
 * is down its lane has none, and comes back in the one it had, or in that
 * before the first event if its memory is lost.
 */
#ifndef TRACE_SPANS_H
#define TRACE_SPANS_H

#include "trace/columns.h"

/* A lane has this role from tick `from` up to, not including, tick `to`. */
struct trace_span {
    uint64_t from, to; /* to: TRACE_NEVER if the run ended first */
    uint32_t lane;
    uint32_t message; /* the one read when the span began, or TRACE_NONE */
    uint8_t role;     /* or TRACE_BESIDE, TRACE_DOWN */
    bool rests;
};

struct trace_spans {
    struct trace_span *list; /* by lane, then by time */
    uint32_t *first;         /* of each lane; [nodes] is the number of all */
};

/* False: no memory; to be freed in either case. */
bool trace_spans_of(struct trace_spans *s, const struct trace *t);
void trace_spans_free(struct trace_spans *s);

#endif
