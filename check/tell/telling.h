/*
 * telling.h - a sequence of moves as a run: what every node did, when, and with
 * which messages.
 *
 * The moves are made once more, in a model of their own, and a listener is told
 * each event with all its effects.  Without time every event has a tick of its
 * own.
 */
#ifndef CHECK_TELLING_H
#define CHECK_TELLING_H

#include <stdio.h>

#include "check/check.h"
#include "trace/part.h"

enum { CHECK_PARTS_MAX = 64 };

/* CHECK_TICK: the guard of move.node has stopped what was inside. */
struct check_event {
    uint64_t tick;
    struct check_move move;
    struct trace_letter
        read;       /* of moves about a message; else its msg is NULL */
    uint64_t pause; /* CHECK_PAUSE: how long, in ticks */
    struct trace_part part[CHECK_PARTS_MAX];
    uint32_t parts_count;
    uint32_t broken; /* properties, by this event */
};

/* Writes the run that `result` found as a trace. */
bool check_trace(const struct check_setup *setup,
                 const struct check_result *result,
                 struct trace_listener *trace);

/* Tells it in words, one numbered sentence an event. */
bool check_story(const struct check_setup *setup,
                 const struct check_result *result, FILE *out);

#endif
