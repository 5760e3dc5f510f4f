/*
 * cluster.h - what the parts of fulcrum cluster share: one running node is
 * asked, and told.
 */
#ifndef CLI_CLUSTER_CLUSTER_H
#define CLI_CLUSTER_CLUSTER_H

#include <jansson.h>

#include "cli/cli.h"
#include "cli/node/node.h"

/* Exit codes besides those of cli.h. */
enum { CLUSTER_EARLY = 5, CLUSTER_LATE = 124 };

struct cluster_wishes {
    struct cli_place place; /* first: see node.h */
    bool json, force;
    uint64_t wait;  /* microseconds; 0: do not */
    const char *at; /* a date, or NULL */
};

extern const struct cli_option cluster_options[];
extern const struct cli_verb cli_cluster_key, cli_cluster_version;

/* The report of the node, to be released; NULL after a complaint, and its exit
 * code. */
json_t *cluster_report(const struct cluster_wishes *wishes, int *code);

/* Tells the node; `said` is its answer.  LIVE_DONE or LIVE_REFUSED, with
 * `wait` as in a letter; or 0 after a complaint, and its exit code. */
struct cluster_order {
    enum live_order_kind kind;
    const char *name; /* or "" */
    int file;         /* or -1 */
    bool forced;
    uint64_t wait;
};
int cluster_tell(const struct cluster_wishes *wishes,
                 const struct cluster_order *order, struct live_letter *said,
                 int *code);

/* "a, b": texts of a list. */
const char *cluster_names(const json_t *list, char text[LIVE_REASON_MAX]);

/* Whether a list has a text. */
bool cluster_has(const json_t *list, const char *text);

#endif
