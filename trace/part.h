/*
 * part.h - one part of an event, as told by those that know a protocol only
 * by its table (net/type.h): the checker and the replay.
 */
#ifndef TRACE_PART_H
#define TRACE_PART_H

#include "net/type.h"
#include "trace/listen.h"

/* A message as it was sent. */
struct trace_letter {
    uint32_t id, from, to;
    uint32_t number; /* of the message, in the model */
    const void *msg;
    uint64_t sent, arrives; /* ticks; arrives FC_NEVER: it was lost */
    bool copy;
};

/* One event in the narrow sense: a node's step has more than one if it makes
 * choices. */
struct trace_part {
    uint32_t value, range; /* of the choice that led here; range 0: none */
    uint8_t kind;          /* of the event, if it is not the first part */
    struct fc_effects fx;
    uint32_t letters, letters_count; /* sent */
    uint8_t stopped;                 /* timers, a bit each */
    uint8_t before[NET_VIEW_SIZE], after[NET_VIEW_SIZE];
};

/* A message as listeners are told of it. */
struct trace_content trace_content_of(const struct net_type *type,
                                      const void *msg, uint32_t id,
                                      uint64_t fields[FC_FIELDS_MAX]);

/* Tells one part of an event. */
void trace_tell_part(struct trace_listener *trace, const struct net_type *type,
                     const struct trace_part *part,
                     const struct trace_letter *letters);

#endif
