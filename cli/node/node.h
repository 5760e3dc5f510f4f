/*
 * node.h - what the verbs of the live runtime share.
 */
#ifndef CLI_NODE_H
#define CLI_NODE_H

#include <sys/types.h>

#include "cli/options.h"
#include "live/client/client.h"
#include "live/config/config.h"

#define CLI_CLUSTER "/etc/fulcrum.ini"

/* Which node to talk to, as options say. */
struct cli_place {
    const char *socket; /* --socket */
    const char *config; /* -c */
    const char *node;   /* -i; without it the first that answers */
};

/* For a verb whose structure begins with its struct cli_place. */
extern const struct cli_option cli_place_options[];

/* Connects, waiting up to `wait` microseconds for a node that takes no more
 * clients; on failure returns an exit code, errno and a sentence, else 0.  If
 * no option names the socket, the rule of live_client_open() does, and then
 * /etc/fulcrum.ini. */
int cli_try_connect(const struct cli_place *place, uint64_t wait,
                    struct live_client *client, struct net_why *error);

/* The last part of it: by the configuration, and not for one that found its
 * node without.  A program that cannot read that becomes another. */
int cli_connect_by_file(const struct cli_place *place, uint64_t wait,
                        struct live_client *client, struct net_why *error);

/* The exit code of an errno: there is no node, or it takes nobody; or it
 * refuses. */
int cli_no_node(int why);

/* Whether a node is on this machine, by its address: 1; 0: it is not; -1: the
 * address is not known.  `resolve`: names may be looked up, which may take a
 * while. */
int cli_is_here(const struct live_config_node *node, bool resolve);

/* Judges a file, says what it means, and returns an exit code; `name` may be
 * NULL. */
int cli_node_check(const char *path, const char *name);

#endif
