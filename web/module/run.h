/*
 * run.h - a recorded run in the page: what its parts share.
 *
 * A run is either made here, by pieces (record.c), or was loaded from a trace
 * (load.c).  Where the states of nodes come from is the affair of either.
 */
#ifndef WEB_RUN_H
#define WEB_RUN_H

#include "net/graph.h"
#include "net/make.h"
#include "trace/rows.h"

struct web_run {
    struct trace trace;
    const struct net *net; /* NULL: the trace does not say enough to replay */
    struct net_memory memory;
    struct net_names names;
    struct net_graph graph;
    /* The state of a node after an event, and before it if the event was the
     * node's own, otherwise NULL; TRACE_NONE: before the first event.  False:
     * there is no memory for that, or the trace cannot be replayed. */
    bool (*state)(uint32_t event, uint32_t lane, const void **before,
                  const void **after);
};

extern struct web_run web_run;

/* Names and links of web_run.net, drawn from the seed; false: no memory. */
bool web_run_place(uint64_t seed);

/* The report of the run as it stands. */
const char *web_run_say(void);

#endif
