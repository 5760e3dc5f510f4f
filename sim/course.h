/*
 * course.h - a run that can be resumed: it goes on for a given number of lines
 * of its trace, tells where it stands, and can be saved and taken back.
 *
 * It is the run that sim_run() makes, on the general engine: the same result
 * and the same trace, in whatever pieces.  Pieces are counted in lines of a
 * trace (docs/trace.md), whether one is written or not: events of nodes,
 * faults, messages that a node missed because it was down.
 *
 * Snapshots belong to their course and to nothing else.  One of n nodes takes
 * the bytes of their states, inboxes and links and of the queue.
 */
#ifndef SIM_COURSE_H
#define SIM_COURSE_H

#include "sim/sim.h"

struct sim_course;
struct sim_saved;

/* Begins a run, before its first event.  `setup`, and what `job` points to, are
 * used to the end; job->memory may be NULL.  NULL: no memory. */
struct sim_course *sim_course_open(const struct sim_setup *setup,
                                   const struct sim_job *job);
void sim_course_close(struct sim_course *c);

/* Goes on for `lines` lines; for a few more if a node reads several messages in
 * one step.  SIM_PAUSED, or what sim_run() would return: then the run is over
 * and its result complete. */
enum sim_status sim_course_go(struct sim_course *c, uint64_t lines);

/* So far; what follows from the end is missing until then. */
const struct sim_result *sim_course_result(const struct sim_course *c);

/* The tick of the last line, and the number of lines. */
uint64_t sim_course_tick(const struct sim_course *c);
uint64_t sim_course_lines(const struct sim_course *c);

/* The state of a node: as many bytes as net_type.state_size says.  It stays at
 * its place and changes with the run. */
const void *sim_course_state(const struct sim_course *c, uint32_t node);

/* What others see of a node. */
void sim_course_view(const struct sim_course *c, uint32_t node,
                     struct fc_shown *out);

/* XXH64 of all that decides how the run goes on: states, timers, clocks,
 * inboxes, links, cells, applications, and the queue.  The same on
 * every machine, with a trace or without. */
uint64_t sim_course_hash(const struct sim_course *c);

/* A snapshot, while the run is paused.  NULL: no memory; or the run is over; or
 * it has records, or a listener that cannot forget, such as the writer of text:
 * those cannot be taken back. */
struct sim_saved *sim_course_save(struct sim_course *c);
void sim_saved_free(struct sim_saved *saved);

/* Bytes of a snapshot. */
size_t sim_saved_size(const struct sim_saved *saved);

/* Takes the run back to a snapshot of its own, or forth; its listener forgets
 * all later lines, or hears those in between.  False: no memory, and the course
 * can only be closed. */
bool sim_course_load(struct sim_course *c, const struct sim_saved *saved);

#endif
