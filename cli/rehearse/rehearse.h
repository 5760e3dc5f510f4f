/*
 * rehearse.h - what fulcrum rehearse and fulcrum check cluster share.
 */
#ifndef CLI_REHEARSE_H
#define CLI_REHEARSE_H

#include "live/rehearse/rehearse.h"

/* The properties that are judged: in JSON, and in words. */
struct cli_promise {
    const char *name, *sentence;
};
enum { CLI_PROMISES = LIVE_NODE_BROKE + 1 }; /* the first is LIVE_KEPT */
extern const struct cli_promise cli_promises[CLI_PROMISES];

/* What --without is completed with. */
#define CLI_RULES                                                              \
    "P1|P2|P3|P4|P6|F1|F2|F3|F4|L2|L3|L4|L5|L6|V2|V3|V4|K4|K|first-K|"         \
    "expiry|death|once|vacate|guard|client|start"

/* A set of faults, from a list of their names, in a mode; or complains and
 * returns the exit code. */
int cli_read_faults(const char *list, enum live_mode_name mode, uint32_t *set);

/* Complains that there is no such rule in the mode, and which there are. */
int cli_refuse_rule(const char *rule, enum live_mode_name mode);

#endif
