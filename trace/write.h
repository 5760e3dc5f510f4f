/*
 * write.h - writing a run down, one line per event (docs/trace.md).
 */
#ifndef TRACE_WRITE_H
#define TRACE_WRITE_H

#include <stdio.h>

#include "net/names.h"
#include "problems/problem.h"

struct trace_writer;

/* A trace that goes to `file` (NULL: nowhere, only the hash is wanted). */
struct trace_writer *trace_writer_new(FILE *file);

void trace_writer_free(struct trace_writer *t);

/* `set` is the parameters as typed, "key=value key=value"; `command` the line
 * that shows the run again. */
struct trace_head {
    const char *set;
    const char *command;
};

/* The head, in this order: trace_write_head() if there is a command to show,
 * trace_write_begin(), trace_write_step() for each node, trace_write_body(). */
void trace_write_begin(struct trace_writer *t, const struct net *net,
                       const struct net_names *names, uint64_t seed);
void trace_write_head(struct trace_writer *t, const struct trace_head *head);
void trace_write_step(struct trace_writer *t, uint32_t node, uint64_t ticks,
                      uint64_t phase);
void trace_write_body(struct trace_writer *t);

/* The application of a node was stopped by its guard. */
void trace_write_stopped(struct trace_writer *t, uint64_t tick, uint32_t node);

/* The node is told of its start. */
void trace_write_start(struct trace_writer *t, uint64_t tick, uint32_t node);

/* One event: its line is open until the next one begins. */
void trace_write_command(struct trace_writer *t, uint64_t tick, uint32_t node,
                         uint8_t command);
void trace_write_timeout(struct trace_writer *t, uint64_t tick, uint32_t node,
                         uint32_t timer);
void trace_write_read(struct trace_writer *t, uint64_t tick, uint32_t node,
                      bool missed, uint32_t id, uint32_t kind,
                      const uint64_t *fields, uint32_t count);
void trace_write_fault(struct trace_writer *t, uint64_t tick, uint32_t node,
                       enum net_fault_kind kind,
                       uint64_t ticks); /* NET_FAULT_PAUSE: so long */

/* Its effects.  A message that never arrives has `arrives` FC_NEVER. */
void trace_write_send(struct trace_writer *t, uint32_t id, uint32_t kind,
                      const uint64_t *fields, uint32_t count, uint32_t to,
                      uint64_t arrives, bool copy);
void trace_write_choice(struct trace_writer *t, uint32_t value, uint32_t range);
void trace_write_notes(struct trace_writer *t, uint32_t notes);
void trace_write_arm(struct trace_writer *t, uint32_t timer, uint64_t steps);
void trace_write_stop(struct trace_writer *t, uint32_t timer);
void trace_write_view(struct trace_writer *t, const struct fc_shown *before,
                      const struct fc_shown *after);
void trace_write_broken(struct trace_writer *t, uint32_t properties);

/* Writes the end, with the properties that it broke; returns the hash. */
uint64_t trace_write_end(struct trace_writer *t, uint64_t tick, bool quiet,
                         uint32_t broken);

#endif
