/*
 * trace.h - writing a run down, one line per event (docs/trace.md).
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <stdio.h>

#include "sim/names.h"
#include "sim/sim.h"

struct sim_trace;

/* A trace that goes to `file` (NULL: nowhere, only its hash is wanted). */
struct sim_trace *sim_trace_new(FILE *file);

void sim_trace_free(struct sim_trace *t);

/* `set` is the parameters as typed, "key=value key=value"; `command` the line
 * that shows the run again. */
struct sim_trace_head {
    const char *set;
    const char *command;
};

/* Writes the head.  `steps` (length, phase pairs) may be NULL. */
void sim_trace_begin(struct sim_trace *t, const struct sim_setup *setup,
                     const struct sim_names *names, uint64_t seed);
void sim_trace_head(struct sim_trace *t, const struct sim_trace_head *head);
void sim_trace_step(struct sim_trace *t, uint32_t node, uint64_t ticks,
                    uint64_t phase);
void sim_trace_body(struct sim_trace *t);

/* The application of a node was stopped by its guard. */
void sim_trace_stopped(struct sim_trace *t, uint64_t tick, uint32_t node);

/* The node is told of its start. */
void sim_trace_start(struct sim_trace *t, uint64_t tick, uint32_t node);

/* One event: its line is open until the next one begins. */
void sim_trace_command(struct sim_trace *t, uint64_t tick, uint32_t node,
                       uint8_t command);
void sim_trace_timeout(struct sim_trace *t, uint64_t tick, uint32_t node,
                       uint32_t timer);
void sim_trace_read(struct sim_trace *t, uint64_t tick, uint32_t node,
                    uint32_t id, uint32_t kind, const uint64_t *fields,
                    uint32_t count);

void sim_trace_fault(struct sim_trace *t, uint64_t tick,
                     const struct sim_fault *fault);
void sim_trace_misses(struct sim_trace *t, uint64_t tick, uint32_t node,
                      uint32_t id, uint32_t kind, const uint64_t *fields,
                      uint32_t count);

/* Its effects.  A message that never arrives has `arrives` FC_NEVER. */
void sim_trace_send(struct sim_trace *t, uint32_t id, uint32_t kind,
                    const uint64_t *fields, uint32_t count, uint32_t to,
                    uint64_t arrives, bool copy);
void sim_trace_choice(struct sim_trace *t, uint32_t value, uint32_t range);
void sim_trace_notes(struct sim_trace *t, uint32_t notes);
void sim_trace_arm(struct sim_trace *t, uint32_t timer, uint64_t steps);
void sim_trace_stop(struct sim_trace *t, uint32_t timer);
void sim_trace_view(struct sim_trace *t, const struct fc_shown *before,
                    const struct fc_shown *after);
void sim_trace_broken(struct sim_trace *t, uint32_t properties);

/* Writes the end, with the properties that it broke; returns the hash. */
uint64_t sim_trace_end(struct sim_trace *t, uint64_t tick, bool quiet,
                       uint32_t broken);

#endif
