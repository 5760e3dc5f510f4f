/*
 * trace.h - runs written down, and run again; see fulcrum_trace(3).
 */
#ifndef FULCRUM_TRACE_H
#define FULCRUM_TRACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fulcrum_replayed {
    FULCRUM_REPLAY_SAME,
    FULCRUM_REPLAY_DIFFERS, /* a node does something else now */
    FULCRUM_REPLAY_REFUSED, /* it is no trace, or does not say enough */
    FULCRUM_REPLAY_SYSTEM,  /* the file or memory was not available */
};

/* Makes every event of the trace in this file happen once more at its node,
 * and compares the effects with those written.  All but the first
 * answer come with a sentence in `why`, of at most `size` bytes. */
enum fulcrum_replayed fulcrum_trace_replay(const char *path, char *why,
                                           size_t size);

#ifdef __cplusplus
}
#endif

#endif
