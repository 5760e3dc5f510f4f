/*
 * compare.c - whether a trace that was written anew is as it was (see
 * replay.h).
 */
#include <string.h>

#include "trace/replay.h"

/* The length of a line without its violations: those are judged, not
 * replayed. */
static size_t length_of(const char *line)
{
    size_t length = strcspn(line, "\n");
    const char *judged = memmem(line, length, "; violated", 10);

    return judged ? (size_t)(judged - line) : length;
}

enum trace_replayed trace_compare(const struct trace *t, const char *now,
                                  struct trace_replay *out)
{
    const char *then = t->body;

    for (uint32_t i = 0; i < t->events_count; i++) {
        size_t old = length_of(then), new = strcspn(now, "\n");

        out->line = t->body_line + i;
        if (old != new || memcmp(then, now, old) != 0) {
            out->then = strndup(then, old);
            out->now = strndup(now, new);
            return out->then && out->now ? TRACE_REPLAY_DIFFERS
                                         : TRACE_REPLAY_NO_MEMORY;
        }
        then += strcspn(then, "\n") + 1;
        now += new + (now[new] == '\n');
    }
    return TRACE_REPLAY_SAME;
}
