/*
 * telling.h - a sequence of moves as a run: what every node did, when, and with
 * which messages.
 *
 * The moves are made once more, in a model of their own, and whoever listens is
 * told each event with all its effects.  Without time every event has a tick of
 * its own.
 */
#ifndef CHECK_TELLING_H
#define CHECK_TELLING_H

#include "check/check.h"
#include "sim/trace.h"

enum { CHECK_PARTS_MAX = 64 };

/* A message as it was sent. */
struct check_letter {
    uint32_t id, from, to;
    uint32_t number; /* of the message, in the model */
    const void *msg;
    uint64_t sent, arrives; /* ticks; arrives FC_NEVER: it was lost */
    bool copy;
};

/* One event in the narrow sense: a node's step has more than one if it makes
 * choices. */
struct check_part {
    uint32_t value, range; /* of the choice that led here; range 0: none */
    bool loaded;           /* a load led here, of this value */
    struct fc_effects fx;
    uint32_t letters, letters_count; /* sent */
    uint8_t stopped;                 /* timers, a bit each */
    uint8_t before[CHECK_VIEW_SIZE], after[CHECK_VIEW_SIZE];
};

/* CHECK_TICK: the guard of move.node has stopped whoever was inside. */
struct check_event {
    uint64_t tick;
    struct check_move move;
    struct check_letter read; /* CHECK_READ, CHECK_MISS */
    uint64_t pause;           /* CHECK_PAUSE: how long, in ticks */
    struct check_part part[CHECK_PARTS_MAX];
    uint32_t parts_count;
    uint32_t broken; /* properties, by this event */
};

/* Writes down one part of an event. */
void check_trace_part(struct sim_trace *trace, const struct check_type *type,
                      const struct check_part *part,
                      const struct check_letter *letters);

/* Writes the run that `result` found as a trace. */
bool check_trace(const struct check_setup *setup,
                 const struct check_result *result, struct sim_trace *trace);

/* Tells it in words, one numbered sentence an event. */
bool check_story(const struct check_setup *setup,
                 const struct check_result *result, FILE *out);

#endif
