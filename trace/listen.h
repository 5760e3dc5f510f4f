/*
 * listen.h - a run told event by event, to something that listens: the writer
 * of text (write.h), the columns in memory (columns.h).
 *
 * The simulator, the checker and the replay tell the head (trace_tell_begin(),
 * trace_tell_step() for each node, trace_tell_body()), then each event followed
 * by its effects, then the end.  docs/trace.md says what the words mean, and
 * in which order the effects of an event come.
 */
#ifndef TRACE_LISTEN_H
#define TRACE_LISTEN_H

#include "net/fault_kind.h"
#include "trace/head.h"

struct fc_fact;
struct fc_protocol;
struct fc_shown;
struct net;
struct net_names;

/* A message: its number in the order of sending, its kind as the protocol
 * counts kinds, its fields. */
struct trace_content {
    uint32_t id, kind;
    const uint64_t *fields;
    uint32_t count;
};

struct trace_happening {
    uint64_t tick;
    uint32_t node;
    enum trace_what what;
    const char *word;             /* for it, in the text of a trace */
    struct trace_content content; /* TRACE_READ, TRACE_MISSES */
    uint32_t timer;               /* TRACE_TIMEOUT */
    uint64_t ticks;               /* TRACE_PAUSE: so long */
    bool blank;                   /* TRACE_RESTART: without its memory */
};

struct trace_listener;

/* What a listener does about each of these.  An effect belongs to the event
 * told last. */
struct trace_callbacks {
    void (*begin)(struct trace_listener *l, const struct net *net,
                  const struct net_names *names, uint64_t seed);
    void (*step)(struct trace_listener *l, uint32_t node, uint64_t ticks,
                 uint64_t phase);
    void (*body)(struct trace_listener *l);
    void (*event)(struct trace_listener *l, const struct trace_happening *h);
    void (*send)(struct trace_listener *l, const struct trace_content *content,
                 uint32_t to, uint64_t arrives, bool copy);
    void (*choice)(struct trace_listener *l, uint32_t value, uint32_t range);
    void (*arm)(struct trace_listener *l, uint32_t timer, uint64_t steps);
    void (*stop)(struct trace_listener *l, uint32_t timer);
    void (*notes)(struct trace_listener *l, uint32_t notes);
    void (*turn)(struct trace_listener *l, const struct fc_shown *after);
    void (*fact)(struct trace_listener *l, const struct fc_fact *fact);
    void (*broken)(struct trace_listener *l, uint32_t properties);
    uint64_t (*end)(struct trace_listener *l, uint64_t tick, bool quiet,
                    uint32_t broken);
    /* Forgets all but the first events, and the end.  NULL: it cannot. */
    void (*cut)(struct trace_listener *l, uint32_t events);
};

/* The first member of whatever listens. */
struct trace_listener {
    const struct trace_callbacks *callbacks;
    const struct fc_protocol *protocol; /* of the run that is told */
    const struct net_asked *asked;      /* the same; or NULL */
};

/* ---- The head ------------------------------------------------------------ */

void trace_tell_begin(struct trace_listener *l, const struct net *net,
                      const struct net_names *names, uint64_t seed);
void trace_tell_step(struct trace_listener *l, uint32_t node, uint64_t ticks,
                     uint64_t phase);
void trace_tell_body(struct trace_listener *l);

/* ---- Events -------------------------------------------------------------- */

/* The application of a node asks; its guard has stopped it. */
void trace_tell_command(struct trace_listener *l, uint64_t tick, uint32_t node,
                        uint8_t command);
void trace_tell_stopped(struct trace_listener *l, uint64_t tick, uint32_t node);
/* The node is told of its start. */
void trace_tell_start(struct trace_listener *l, uint64_t tick, uint32_t node);
void trace_tell_timeout(struct trace_listener *l, uint64_t tick, uint32_t node,
                        uint32_t timer);
void trace_tell_read(struct trace_listener *l, uint64_t tick, uint32_t node,
                     bool missed, const struct trace_content *content);
void trace_tell_fault(struct trace_listener *l, uint64_t tick, uint32_t node,
                      enum net_fault_kind kind,
                      uint64_t ticks); /* NET_FAULT_PAUSE: so long */

/* ---- Their effects ------------------------------------------------------- */

/* A message that never arrives has `arrives` FC_NEVER. */
void trace_tell_send(struct trace_listener *l,
                     const struct trace_content *content, uint32_t to,
                     uint64_t arrives, bool copy);
void trace_tell_choice(struct trace_listener *l, uint32_t value,
                       uint32_t range);
void trace_tell_arm(struct trace_listener *l, uint32_t timer, uint64_t steps);
void trace_tell_stop(struct trace_listener *l, uint32_t timer);
void trace_tell_notes(struct trace_listener *l, uint32_t notes);
void trace_tell_view(struct trace_listener *l, const struct fc_shown *before,
                     const struct fc_shown *after);
void trace_tell_broken(struct trace_listener *l, uint32_t properties);

/* ---- The end ------------------------------------------------------------- */

/* The run is over, with the properties that its end broke.  Returns the hash
 * of the text, or 0 if nobody computed it. */
uint64_t trace_tell_end(struct trace_listener *l, uint64_t tick, bool quiet,
                        uint32_t broken);

#endif
