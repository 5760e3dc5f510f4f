/*
 * trace.c - <fulcrum/trace.h>: a trace is replayed in the network of its head.
 */
#include "include/fulcrum/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/read.h"
#include "trace/replay.h"

static enum fulcrum_replayed conclude(enum trace_replayed how,
                                      struct trace_replay *r, char *why,
                                      size_t size)
{
    switch (how) {
    case TRACE_REPLAY_SAME:
        return FULCRUM_REPLAY_SAME;
    case TRACE_REPLAY_DIFFERS:
        snprintf(why, size, "line %" PRIu32 ": then '%s', now '%s'", r->line,
                 r->then, r->now);
        free(r->then);
        free(r->now);
        return FULCRUM_REPLAY_DIFFERS;
    case TRACE_REPLAY_UNREADABLE:
        snprintf(why, size, "line %" PRIu32 ": %s", r->line, r->what);
        return FULCRUM_REPLAY_REFUSED;
    default:
        snprintf(why, size, "no memory for the replay");
        return FULCRUM_REPLAY_SYSTEM;
    }
}

static enum fulcrum_replayed refuse(const struct net_why *refusal, char *why,
                                    size_t size)
{
    snprintf(why, size, "%s", refusal->text);
    return refusal->system ? FULCRUM_REPLAY_SYSTEM : FULCRUM_REPLAY_REFUSED;
}

enum fulcrum_replayed fulcrum_trace_replay(const char *path, char *why,
                                           size_t size)
{
    struct trace trace;
    struct net_made made;
    struct net_why refusal = {.system = false};
    struct trace_replay result;
    enum fulcrum_replayed answer;

    if (!trace_read(&trace, path, &refusal))
        return refuse(&refusal, why, size);
    if (trace_network(&trace, &made, &refusal))
        answer = conclude(trace_replay(&made.net, &trace, &result), &result,
                          why, size);
    else
        answer = refuse(&refusal, why, size);
    net_unmake(&made);
    trace_free(&trace);
    return answer;
}
