/*
 * reader.h - what the parts of the trace reader share: read.c has the file and
 * its end, read_head.c the head, read_body.c the events, read_lanes.c what
 * becomes of each lane.
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "trace/read.h"
#include "trace/scan.h"

/* What is known of a lane while its events come in. */
struct reader_lane {
    uint64_t since;
    uint32_t message;
    uint32_t crash, cut, pause; /* faults that last, or TRACE_NONE */
    uint8_t role; /* while it is down: the one it will come back in */
    bool rests;
};

/* A name and its lane, sorted by name. */
struct reader_name {
    uint32_t name, lane;
};

struct reader {
    struct trace *t;
    const char *path;
    char *next, *end; /* what is still to be read */
    struct scan line; /* the present line, without its end */
    unsigned long line_number;
    char *error;
    size_t error_size;

    unsigned keys_seen; /* in the head, a bit each */
    uint64_t names_count, steps_count;
    struct scan first; /* the role before the first event, if the head says */
    struct reader_name *by_name;
    struct reader_lane *lanes;
    struct trace_span *spans; /* in the order in which they end */
    uint32_t spans_count;
    size_t spans_room, events_room, messages_room, violations_room;
    size_t faults_room, choices_room, timers_room, facts_room;
    bool full; /* memory has run out */
    uint64_t last_tick;
};

/* Writes the sentence, with file and line before it; returns TRACE_BAD. */
__attribute__((format(printf, 2, 3))) int reader_say(struct reader *r,
                                                     const char *format, ...);
/* The same, with the advice to record the run again. */
__attribute__((format(printf, 2, 3))) int
reader_refuse(struct reader *r, const char *format, ...);
/* Refuses the present line from `at` on; returns TRACE_BAD. */
int reader_odd(struct reader *r, struct scan at, const char *expected);
/* Memory ran out; returns TRACE_SYSTEM. */
int reader_no_memory(struct reader *r);

/* The array with room for one more element; if memory runs out it is unchanged,
 * and `full` is set. */
void *reader_grow(bool *full, void *array, size_t *room, size_t used,
                  size_t element_size);

/* The next line: 1, 0 at the end of the file, or TRACE_BAD. */
int reader_next_line(struct reader *r);

/* The file is over before that line came; returns TRACE_BAD. */
int reader_ends_early(struct reader *r, const char *missing);

/* A node by the number people call it by; false if there is none. */
bool reader_lane_of(const struct reader *r, uint64_t name, uint32_t *lane);

/* Notes that a property was violated. */
int reader_violated(struct reader *r, const struct scan *property,
                    uint32_t event, uint32_t lane, uint64_t tick);

/* read_head.c: all lines up to ----. */
int reader_head(struct reader *r);

/* read_body.c: the present line is an event. */
int reader_event(struct reader *r);

/* read_lanes.c: the event or effect whose first word was just read. */
int reader_is(struct reader *r, struct scan *s, struct trace_event *e);
int reader_crash(struct reader *r, struct trace_event *e);
int reader_restart(struct reader *r, struct scan *s, struct trace_event *e);
int reader_pause(struct reader *r, struct scan *s, struct trace_event *e);
int reader_cut(struct reader *r, struct trace_event *e);
int reader_joined(struct reader *r, struct trace_event *e);

/* read_lanes.c: after the last event, closes the spans and sorts them. */
int reader_finish_spans(struct reader *r);

#endif
