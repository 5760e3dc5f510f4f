/*
 * columns_parts.h - what columns.c (a run comes in), columns_cut.c (its last
 * events are taken back) and columns_sane.c share.
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

/* Lanes as they are before the first event. */
void trace_columns_wake(struct trace_columns *c);

/* NULL, or what is not true of a record that is not `full`. (columns_sane.c) */
const char *trace_columns_sane(const struct trace_columns *c);

/* Keeps so many events. */
void trace_columns_cut(struct trace_columns *c, uint32_t events);

#endif
