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
enum { CLI_PROMISES = LIVE_NOT_CHANGED + 1 }; /* the first is LIVE_KEPT */
extern const struct cli_promise cli_promises[CLI_PROMISES];

/* What --without is completed with. */
#define CLI_RULES                                                              \
    "P1|P2|P3|P4|P6|F1|F2|F3|F4|L2|L3|L4|L5|L6|V2|V3|V4|K4|R1-sync|R2|"        \
    "R2-lease|R2-quiet|R2-prev|R2a|R3|R4-wait|R5|R6-joins|R6a|R8|R9|K|"        \
    "first-K|expiry|death|once|vacate|guard|client|start"

/* A set of faults, from a list of their names, in a mode; or complains and
 * returns the exit code. */
int cli_read_faults(const char *list, enum live_mode_name mode, uint32_t *set);

/* Complains that there is no such rule in the mode, and which there are. */
int cli_refuse_rule(const char *rule, enum live_mode_name mode);

#endif
