/*
 * replay.h - replays a trace: every event of it happens once more at its node,
 * and the effects are compared with those written.
 */
#ifndef TRACE_REPLAY_H
#define TRACE_REPLAY_H

#include "net/make.h"
#include "net/site.h"
#include "trace/amounts.h"
#include "trace/rows.h"

enum trace_replayed {
    TRACE_REPLAY_SAME,
    TRACE_REPLAY_DIFFERS,
    TRACE_REPLAY_UNREADABLE, /* the trace contains something impossible */
    TRACE_REPLAY_NO_MEMORY,
};

struct trace_replay {
    uint32_t events;
    uint32_t line;      /* of the trace, where it differs or is unreadable */
    const char *what;   /* TRACE_REPLAY_UNREADABLE: a sentence */
    char *then, *now;   /* TRACE_REPLAY_DIFFERS: the line; to be freed */
    uint32_t broken;    /* properties that some event broke */
    uint32_t broken_at; /* the first line that did */
    struct trace_amounts amounts;
};

/* Makes the network that a trace is about; false: refused, or the trace does
 * not say enough to replay it.  To be freed in either case. */
bool trace_network(const struct trace *t, struct net_made *made,
                   struct net_why *why);

/* The predicates over the whole network that a replay judges: those that were
 * asked for, and those that the trace says are violated.  (network.c) */
uint32_t trace_predicates(const struct trace *t, const struct net *net);

/* Replays a trace on its network. */
enum trace_replayed trace_replay(const struct net *net, const struct trace *t,
                                 struct trace_replay *out);

/* An event that was replayed, and the state of its node around it. */
struct trace_visit {
    const struct trace_event *event;
    uint32_t line; /* of the trace */
    struct net_place place;
    const void *before, *after;
};

struct trace_visitor {
    void (*visit)(void *self, const struct trace_visit *at);
    void *self;
};

/* The same, and shows every event to a visitor as it happens. */
enum trace_replayed trace_replay_to(const struct net *net,
                                    const struct trace *t,
                                    const struct trace_visitor *visitor,
                                    struct trace_replay *out);

/* Compares the events of a trace with what was written anew, line by line.
 * (compare.c) */
enum trace_replayed trace_compare(const struct trace *t, const char *now,
                                  struct trace_replay *out);

#endif
