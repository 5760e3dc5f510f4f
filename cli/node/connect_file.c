/*
 * connect_file.c - finds a node of this machine by the cluster's
 * configuration.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/node/node.h"
#include "live/mode/mode.h"
#include "live/system/user.h"

/* 0, or an errno. */
static int try_path(const char *path, uid_t owner, uint64_t wait,
                    struct live_client *client, struct net_why *error)
{
    return live_client_open_within(client, path, owner, wait, error) ? errno
                                                                     : 0;
}

/* Nodes of the configuration whose addresses are this machine's, as far as can
 * be said at once. */
static live_node_set own_nodes(const struct live_config *config)
{
    char name[LIVE_HOST_MAX] = "";
    live_node_set set = 0;

    (void)gethostname(name, sizeof name - 1);
    for (uint32_t i = 0; i < config->nodes_count; i++) {
        const struct live_config_node *node = &config->nodes[i];

        if (live_config_knows(config, i) &&
            (strcmp(node->host, name) == 0 || cli_is_here(node, false) == 1))
            set |= live_only(i);
    }
    return set;
}

static void say_nobody(const struct live_config *config, const char *file,
                       struct net_why *error)
{
    live_node_set own = own_nodes(config);
    char tried[LIVE_REASON_MAX], here[LIVE_REASON_MAX];

    live_mode_names(config, own, here);
    net_refuse(error,
               "no node of %.80s answers on this machine: tried %.160s at "
               "%.100s; start %s%.80s with 'fulcrum node'",
               file,
               live_mode_names(config, live_first(config->nodes_count), tried),
               config->socket, own ? "this machine's, " : "one", here);
}

/* Each node of the file that may be here.  A failure is told of a socket that
 * exists, if there is one. */
static int try_nodes(const struct live_config *config, const char *file,
                     int node, uint64_t wait, struct live_client *client,
                     struct net_why *error)
{
    uid_t owner = live_user_number(config->user);
    char path[LIVE_PATH_MAX];
    struct net_why said;
    int why = ENOENT;

    for (uint32_t i = 0; i < config->nodes_count && why; i++) {
        int now;

        if ((node >= 0 && (uint32_t)node != i) || !live_config_knows(config, i))
            continue;
        live_config_socket(config, i, path);
        now = try_path(path, owner, wait, client, &said);
        if (now == ENOENT && error->text[0])
            continue;
        why = now;
        *error = said;
    }
    if (node < 0 && (why == ENOENT || why == ECONNREFUSED))
        say_nobody(config, file, error);
    errno = why;
    return why ? cli_no_node(why) : 0;
}

int cli_connect_by_file(const struct cli_place *place, uint64_t wait,
                        struct live_client *client, struct net_why *error)
{
    static struct live_config config;
    const char *file = place->config ? place->config : CLI_CLUSTER;
    int node = -1;

    if (!live_config_load(&config, file, error)) {
        errno = EINVAL;
        return CLI_SYSTEM;
    }
    if (place->node && (node = live_config_find(&config, place->node)) < 0) {
        net_refuse(error, "%s has no node '%s'", file, place->node);
        errno = EINVAL;
        return CLI_USAGE;
    }
    error->text[0] = '\0';
    return try_nodes(&config, file, node, wait, client, error);
}
