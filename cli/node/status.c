/*
 * status.c - fulcrum status: what a live node knows of itself, its peers and
 * its locks.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/node/node.h"
#include "live/mode/mode.h"
#include "live/system/user.h"

struct wishes {
    struct cli_place place; /* first: see node.h */
    bool json, health;
};

#define CLI_CLUSTER "/etc/fulcrum.ini"

enum { PATIENCE = 2000000 }; /* microseconds for a node that takes nobody */

#define WISHES struct wishes

const struct cli_option cli_place_options[] = {
    {"config", 'c', "FILE", "the cluster [" CLI_CLUSTER "]", AT(place.config),
     "@files"},
    {"node", 'i', "NAME", "its node here [the first that answers]",
     AT(place.node)},
    {"socket", 0, "PATH", "of the node, instead of both [$FULCRUM_SOCKET]",
     AT(place.socket), "@files"},
    {0},
};

static const struct cli_option options[] = {
    {"json", 0, NULL, "for programs", AT(json)},
    {"health", 0, NULL, "one line, and an exit code", AT(health)},
    {0},
};

/* ---- Whom to ask --------------------------------------------------------- */

/* There is no node, or it takes nobody; or it refuses. */
static int no_node(int why)
{
    return why == ENOENT || why == ECONNREFUSED || why == EAGAIN ? CLI_NO_NODE
                                                                 : CLI_SYSTEM;
}

/* 0, or an errno. */
static int try_path(const char *path, uid_t owner, uint64_t wait,
                    struct live_client *client, char error[LIVE_ERROR_SIZE])
{
    return live_client_open_within(client, path, owner, wait, error) ? errno
                                                                     : 0;
}

/* Nodes of the configuration whose addresses are this machine's, as far as can
 * be said at once. */
static uint16_t own_nodes(const struct live_config *config)
{
    char name[LIVE_HOST_MAX] = "";
    uint16_t set = 0;

    (void)gethostname(name, sizeof name - 1);
    for (uint32_t i = 0; i < config->nodes_count; i++) {
        const struct live_config_node *node = &config->nodes[i];

        if (strcmp(node->host, name) == 0 || cli_is_here(node, false) == 1)
            set |= (uint16_t)(1u << i);
    }
    return set;
}

static void say_nobody(const struct live_config *config, const char *file,
                       char error[LIVE_ERROR_SIZE])
{
    uint16_t own = own_nodes(config), all = 0;
    char tried[LIVE_REASON_MAX], here[LIVE_REASON_MAX];

    for (uint32_t i = 0; i < config->nodes_count; i++)
        all |= (uint16_t)(1u << i);
    live_mode_names(config, own, here);
    snprintf(error, LIVE_ERROR_SIZE,
             "no node of %.80s answers on this machine: tried %.160s at "
             "%.100s; start %s%.80s with 'fulcrum node'",
             file, live_mode_names(config, all, tried), config->socket,
             own ? "this machine's, " : "one", here);
}

/* Each node of the file that may be here.  What is told is of a socket that is
 * there, if there is one. */
static int try_nodes(const struct live_config *config, const char *file,
                     int node, uint64_t wait, struct live_client *client,
                     char error[LIVE_ERROR_SIZE])
{
    uid_t owner = live_user_number(config->user);
    char path[LIVE_PATH_MAX], said[LIVE_ERROR_SIZE];
    int why = ENOENT;

    for (uint32_t i = 0; i < config->nodes_count && why; i++) {
        int now;

        if (node >= 0 && (uint32_t)node != i)
            continue;
        live_config_socket(config, i, path);
        now = try_path(path, owner, wait, client, said);
        if (now == ENOENT && error[0])
            continue;
        why = now;
        snprintf(error, LIVE_ERROR_SIZE, "%s", said);
    }
    if (node < 0 && (why == ENOENT || why == ECONNREFUSED))
        say_nobody(config, file, error);
    errno = why;
    return why ? no_node(why) : 0;
}

/* By the rule of live_client_open(), when no option says more; false: nobody
 * answers there. */
static bool try_here(const struct cli_place *place, uint64_t wait,
                     struct live_client *client, char error[LIVE_ERROR_SIZE],
                     int *code)
{
    const char *named = secure_getenv("FULCRUM_SOCKET");
    int why;

    if (place->config || place->node)
        return false;
    why = try_path(NULL, geteuid(), wait, client, error);
    *code = why ? no_node(why) : 0;
    errno = why;
    return !why || (named && named[0]) || why == EAGAIN ||
           access(CLI_CLUSTER, F_OK) != 0;
}

int cli_try_connect(const struct cli_place *place, uint64_t wait,
                    struct live_client *client, char error[LIVE_ERROR_SIZE])
{
    static struct live_config config;
    const char *file = place->config ? place->config : CLI_CLUSTER;
    int node = -1, code = 0;

    if (place->socket) {
        code = try_path(place->socket, geteuid(), wait, client, error);
        return code ? no_node(code) : 0;
    }
    if (try_here(place, wait, client, error, &code))
        return code;
    if (live_config_load(&config, file, error)) {
        errno = EINVAL;
        return CLI_SYSTEM;
    }
    if (place->node && (node = live_config_find(&config, place->node)) < 0) {
        snprintf(error, LIVE_ERROR_SIZE, "%s has no node '%s'", file,
                 place->node);
        errno = EINVAL;
        return CLI_USAGE;
    }
    error[0] = '\0';
    return try_nodes(&config, file, node, wait, client, error);
}

/* ---- What it says -------------------------------------------------------- */

static int print_report(int file, bool health)
{
    json_error_t error;
    json_t *o = json_loadfd(file, 0, &error);
    char line[LIVE_REASON_MAX];
    int code = CLI_FINE;

    if (!o)
        return cli_fail("the node's report is incomplete");
    if (health) {
        code = status_health(o, line);
        printf("%s\n", line);
    } else {
        status_print(o);
    }
    json_decref(o);
    return code;
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
    if (w.json && w.health)
        return cli_refuse("--health is one line, and --json is all; take one");
    code = cli_try_connect(&w.place, PATIENCE, &client, error);
    if (code)
        return cli_complain(code, "%s", error);
    file = live_client_status(&client, error);
    live_client_close(&client);
    if (file < 0)
        return cli_complain(CLI_NO_NODE, "%s", error);
    code = w.json ? print_raw(file) : print_report(file, w.health);
    close(file);
    return code;
}

const struct cli_verb cli_status = {
    .name = "status",
    .summary = "what a live node knows: peers, view, locks",
    .run = run_status,
    .usage = "[-c FILE [-i NAME] | --socket PATH] [--json | --health]",
    .about = "Says what a live node knows of itself, its peers and its locks.",
    .exits = "0, 2 wrong usage, 3 the configuration cannot be read, or the "
             "node refuses, 4 no node answers. With --health also: 5 no lease, "
             "6 no majority, 7 the node takes no part.",
    .examples = "fulcrum status -c cluster.ini -i north\n"
                "fulcrum status --health",
    .options = {cli_place_options, options},
};
