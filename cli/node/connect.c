/*
 * connect.c - finds the node of this machine, as far as that takes no
 * configuration (see node.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/node/node.h"

#define WISHES struct cli_place

const struct cli_option cli_place_options[] = {
    {"config", 'c', "FILE", "the cluster [" CLI_CLUSTER "]", AT(config),
     "@files"},
    {"node", 'i', "NAME", "its node here [the first that answers]", AT(node)},
    {"socket", 0, "PATH", "of the node, instead of both [$FULCRUM_SOCKET]",
     AT(socket), "@files"},
    {0},
};

int cli_no_node(int why)
{
    return why == ENOENT || why == ECONNREFUSED || why == EAGAIN ? CLI_NO_NODE
                                                                 : CLI_SYSTEM;
}

static int try_path(const char *path, uint64_t wait, struct live_client *client,
                    struct net_why *error)
{
    return live_client_open_within(client, path, geteuid(), wait, error)
               ? cli_no_node(errno)
               : 0;
}

/* By the rule of live_client_open(), when no option says more; false: nobody
 * answers there. */
static bool try_here(const struct cli_place *place, uint64_t wait,
                     struct live_client *client, struct net_why *error,
                     int *code)
{
    const char *named = secure_getenv("FULCRUM_SOCKET");
    int why;

    if (place->config || place->node)
        return false;
    *code = try_path(NULL, wait, client, error);
    why = errno;
    if (!*code || (named && named[0]) || why == EAGAIN)
        return true;
    if (access(CLI_CLUSTER, F_OK) == 0)
        return false;
    errno = why;
    return true;
}

int cli_try_connect(const struct cli_place *place, uint64_t wait,
                    struct live_client *client, struct net_why *error)
{
    static bool found;
    int code = 0;

    if (place->socket)
        return try_path(place->socket, wait, client, error);
    if (!try_here(place, wait, client, error, &code) && !found)
        return cli_connect_by_file(place, wait, client, error);
    found = found || code == 0;
    return code;
}
