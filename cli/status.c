/*
 * status.c - fulcrum status: what a live node knows of itself, its peers and
 * its locks.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "live/node/user.h"

struct wishes {
    struct cli_place place; /* first: see live.h */
    bool json;
};

const struct cli_option cli_place_options[] = {
    {"config", 'c', "FILE", "the cluster [/etc/fulcrum.ini]",
     .offset = offsetof(struct cli_place, config), "@files"},
    {"node", 'i', "NAME", "its node here [the first that answers]",
     .offset = offsetof(struct cli_place, node)},
    {"socket", 0, "PATH", "of the node, instead of both",
     .offset = offsetof(struct cli_place, socket), "@files"},
    {0},
};

static const struct cli_option options[] = {
    {"json", 0, NULL, "for programs", .offset = offsetof(struct wishes, json)},
    {0},
};

/* ---- Whom to ask --------------------------------------------------------- */

/* There is no node, or it refuses. */
static int no_node(void)
{
    return errno == ENOENT || errno == ECONNREFUSED ? CLI_NO_NODE : CLI_SYSTEM;
}

int cli_try_connect(const struct cli_place *place, struct live_client *client,
                    char error[LIVE_ERROR_SIZE])
{
    static struct live_config config;
    char path[LIVE_PATH_MAX];
    const char *file = place->config ? place->config : "/etc/fulcrum.ini";
    int node = -1;

    if (place->socket)
        return live_client_open(client, place->socket, error) ? no_node() : 0;
    if (live_config_load(&config, file, error))
        return CLI_SYSTEM;
    if (place->node && (node = live_config_find(&config, place->node)) < 0) {
        snprintf(error, LIVE_ERROR_SIZE, "%s has no node '%s'", file,
                 place->node);
        return CLI_USAGE;
    }
    for (uint32_t i = 0; i < config.nodes_count; i++) {
        if (node >= 0 && (uint32_t)node != i)
            continue;
        live_config_socket(&config, i, path);
        if (live_client_open_of(client, path, live_user_number(config.user),
                                error) == 0)
            return 0;
    }
    return no_node();
}

int cli_connect(const struct cli_place *place, struct live_client *client)
{
    char error[LIVE_ERROR_SIZE];
    int code = cli_try_connect(place, client, error);

    return code ? cli_complain(code, "%s", error) : 0;
}

/* ---- What it says -------------------------------------------------------- */

static int print_all(int file)
{
    json_error_t error;
    json_t *o = json_loadfd(file, 0, &error);

    if (!o)
        return cli_fail("the node's report is incomplete");
    status_print(o);
    json_decref(o);
    return CLI_FINE;
}

static int print_raw(int file)
{
    char bytes[4096];
    ssize_t size;

    while ((size = read(file, bytes, sizeof bytes)) > 0)
        fwrite(bytes, 1, (size_t)size, stdout);
    putchar('\n');
    return CLI_FINE;
}

static int run_status(int argc, char **argv)
{
    struct wishes w = {.json = false};
    struct live_client client;
    char error[LIVE_ERROR_SIZE];
    int file, code = cli_options_read(&cli_status, &w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (optind < argc)
        return cli_refuse("'%s' is not an option", argv[optind]);
    code = cli_connect(&w.place, &client);
    if (code)
        return code;
    file = live_client_status(&client, error);
    live_client_close(&client);
    if (file < 0)
        return cli_complain(CLI_NO_NODE, "%s", error);
    code = w.json ? print_raw(file) : print_all(file);
    close(file);
    return code;
}

const struct cli_verb cli_status = {
    .name = "status",
    .summary = "what a live node knows: peers, view, locks",
    .run = run_status,
    .usage = "[-c FILE [-i NAME] | --socket PATH] [--json]",
    .about = "Says what a live node knows of itself, its peers and its locks.",
    .exits = "0, 2 wrong usage, 3 the configuration cannot be read, 4 no node "
             "answers.",
    .examples = "fulcrum status -c cluster.ini -i north",
    .options = {cli_place_options, options},
};
