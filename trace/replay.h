/*
 * replay.h - a trace made true: every event of it happens once more at its
 * node, and what the node does is compared with what is written.
 */
#ifndef TRACE_REPLAY_H
#define TRACE_REPLAY_H

#include "net/type.h"

enum trace_replayed {
    TRACE_REPLAY_SAME,
    TRACE_REPLAY_DIFFERS,
    TRACE_REPLAY_UNREADABLE, /* the trace speaks of what cannot have been */
    TRACE_REPLAY_NO_MEMORY,
};

struct trace_replay {
    uint32_t events;
    uint32_t line;      /* of the trace, where it differs or is unreadable */
    const char *what;   /* TRACE_REPLAY_UNREADABLE: a sentence */
    char *then, *now;   /* TRACE_REPLAY_DIFFERS: the line; to be freed */
    uint32_t broken;    /* properties that some event broke */
    uint32_t broken_at; /* the first line that did */
};

/* `text` is the trace from its line "----" on, which is line `first`. */
enum trace_replayed trace_replay(const struct net *net, const char *text,
                                 uint32_t first, struct trace_replay *out);

#endif
