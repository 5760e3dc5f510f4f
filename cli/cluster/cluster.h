/*
 * cluster.h - what the parts of fulcrum cluster share: one running node is
 * asked, and told.
 */
#ifndef CLI_CLUSTER_CLUSTER_H
#define CLI_CLUSTER_CLUSTER_H

#include "cli/cli.h"
#include "cli/node/node.h"
#include "cli/node/status.h"

/* Exit codes besides those of cli.h. */
enum { CLUSTER_EARLY = 5, CLUSTER_LATE = 124 };

struct cluster_wishes {
    struct cli_place place; /* first: see node.h */
    bool json, force, trial, ini, witness;
    uint64_t wait;  /* microseconds; 0: do not */
    const char *at; /* a date, or NULL */
};

#define CLUSTER_WAIT                                                           \
    {                                                                          \
        "wait", 'w', "S", "wait until it is so, as long as that: seconds",     \
            SECONDS(wait, 0)                                                   \
    }
#define CLUSTER_JSON                                                           \
    {                                                                          \
        "json", 0, NULL, "for programs", AT(json)                              \
    }

extern const struct cli_verb cli_cluster_members, cli_cluster_show,
    cli_cluster_add, cli_cluster_remove, cli_cluster_replace, cli_cluster_set,
    cli_cluster_cancel, cli_cluster_key, cli_cluster_version;

/* ---- Asking -------------------------------------------------------------- */

/* The report of the node, to be released; NULL after a complaint, and its exit
 * code: also if the report has no `field`. */
json_t *cluster_report(const struct cluster_wishes *wishes, const char *field,
                       int *code);

/* The configuration of this machine, if one is at hand, and where. */
bool cluster_file(const struct cluster_wishes *wishes,
                  struct live_config *config, const char **path);

/* ---- Telling ------------------------------------------------------------- */

struct cluster_order {
    enum live_order_kind kind;
    const char *name, *more; /* or NULL */
    int file;                /* or -1 */
    bool forced, trial;
    uint64_t wait;
};

/* Tells the node.  What follows, or why it is too early (CLUSTER_EARLY, and
 * nothing is complained of), is in `said`; else an exit code, after a
 * complaint. */
int cluster_try(const struct cluster_wishes *wishes,
                const struct cluster_order *order, struct live_letter *said);

/* ---- Waiting ------------------------------------------------------------- */

uint64_t cluster_until(const struct cluster_wishes *wishes);

/* Whether the time is over; if not, a moment has passed. */
bool cluster_is_over(uint64_t until);

/* Says it as progress, if it is not what was said before; all zero bytes at
 * first. */
struct cluster_progress {
    char said[LIVE_REASON_MAX];
};
void cluster_progress(struct cluster_progress *progress, const char *words);

/* It was too early: CLI_FINE when a moment has passed and it may be tried
 * again, else an exit code, after a complaint. */
int cluster_later(const struct cluster_wishes *wishes, uint64_t until,
                  const struct live_letter *said,
                  struct cluster_progress *progress);

/* ---- Changes ------------------------------------------------------------- */

/* What is asked for. */
struct cluster_change {
    enum live_order_kind kind;
    const char *name;              /* that is added, removed or replaced */
    struct live_config_node joins; /* no name: nobody does */
    uint64_t lease, tau;           /* microseconds; 0: as it is */
};

/* Tells the node, and waits if that is wished; or prints the file for a new
 * machine.  An exit code. */
int cluster_carry_out(const struct cluster_wishes *wishes,
                      const struct cluster_change *change);

/* ---- Tables -------------------------------------------------------------- */

/* Calls `print` for the node, and then for each of its peers: with its name,
 * and `field` of the report, or of the peer, which may be NULL. */
typedef void cluster_row(const char *name, const json_t *has, bool self);
void cluster_rows(const json_t *report, const char *field, cluster_row *print);

/* The same for programs: `field` of the node and of its peers. */
void cluster_json(const json_t *report, const char *field);

/* Prints it, and releases it. */
void cluster_dump(json_t *out);

/* ---- The list ------------------------------------------------------------ */

/* For programs: the configuration and its nodes; to be released. */
json_t *cluster_list(const json_t *report);

/* Prints what each machine may have as its file; and one more node, unless that
 * is NULL.  An exit code. */
int cluster_ini(const struct cluster_wishes *wishes, const json_t *report,
                const struct live_config_node *joins);

#endif
