/*
 * status.c - fulcrum status: what a live node knows of itself, its peers and
 * its locks.
 */
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/node/node.h"
#include "cli/node/status.h"

struct wishes {
    struct cli_place place; /* first: see node.h */
    bool json, health;
};

enum { PATIENCE = 2000000 }; /* microseconds for a node that takes nobody */

#define WISHES struct wishes

static const struct cli_option options[] = {
    {"json", 0, NULL, "for programs", AT(json)},
    {"health", 0, NULL, "one line, and an exit code", AT(health)},
    {0},
};

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
    struct net_why error;
    int file, code = cli_options_read(&cli_status, &w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (optind < argc)
        return cli_refuse("'%s' is not an option", argv[optind]);
    if (w.json && w.health)
        return cli_refuse("--health is one line, and --json is all; take one");
    code = cli_try_connect(&w.place, PATIENCE, &client, &error);
    if (code)
        return cli_complain(code, "%s", error.text);
    file = live_client_status(&client, &error);
    live_client_close(&client);
    if (file < 0)
        return cli_complain(CLI_NO_NODE, "%s", error.text);
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
