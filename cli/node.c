/*
 * node.c - fulcrum node: one node of a cluster, in the foreground.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "live/node/daemon.h"

static const char verb[] = "node";

static void help(void)
{
    printf(
        "usage: fulcrum node -c FILE -i NAME [--init | --repair]\n"
        "                    [--socket PATH] [--user NAME]\n"
        "       fulcrum node --check -c FILE [-i NAME]\n\n"
        "Runs a node of the cluster in the foreground until SIGTERM or "
        "SIGINT.\n"
        "Log lines go to standard error.\n\n"
        "  -c, --config FILE   the cluster; default /etc/fulcrum.ini\n"
        "  -i, --node NAME     which of its nodes this is\n"
        "      --init          the very first start of this node: creates its\n"
        "                      record.  Never to replace one that was lost: "
        "see\n"
        "                      fulcrum-node(1)\n"
        "      --repair        the record was lost: asks all other nodes, and "
        "goes on\n"
        "                      when every one of them has answered\n"
        "      --check         starts nothing: judges the file, says what it "
        "means,\n"
        "                      and exits with 0 or 2\n"
        "      --socket PATH   for local clients, instead of the file's\n"
        "      --user NAME     whom root becomes once all is open, likewise\n"
        "      --drain T       on SIGTERM wait up to T seconds for holders to "
        "end\n"
        "      --mishap WHAT   for tests: loss=PPM, duplicate=PPM, "
        "reorder=PPM,\n"
        "                      delay=MIN:MAX in microseconds, cut=NODE, "
        "seed=N;\n"
        "                      again and again\n");
}

/* The number after "KEY=", at most `most`; false if it is another key. */
static bool number_after(const char *what, const char *key, uint64_t most,
                         uint64_t *number, const char **rest)
{
    size_t size = strlen(key);
    char *end;

    if (strncmp(what, key, size) != 0 || what[size] < '0' || what[size] > '9')
        return false;
    *number = strtoull(what + size, &end, 10);
    *rest = end;
    return *number <= most;
}

/* One mishap: "loss=10000", "delay=1000:5000", "cut=2".  -1: no such thing. */
static int add_mishap(struct live_mishaps *m, const char *what)
{
    const uint64_t million = 1000000;
    const char *rest = "";
    uint64_t n;

    m->seed = m->seed ? m->seed : 1;
    if (number_after(what, "loss=", million, &n, &rest))
        m->loss = (uint32_t)n;
    else if (number_after(what, "duplicate=", million, &n, &rest))
        m->duplicate = (uint32_t)n;
    else if (number_after(what, "reorder=", million, &n, &rest))
        m->reorder = (uint32_t)n;
    else if (number_after(what, "delay=", 10 * million, &n, &rest)) {
        m->delay_min = n;
        if (!number_after(rest, ":", 10 * million, &m->delay_max, &rest) ||
            m->delay_max < n)
            return -1;
    } else if (number_after(what, "seed=", UINT64_MAX, &n, &rest)) {
        m->seed = n ? n : 1;
    } else if (number_after(what, "cut=", LIVE_NODES_MAX - 1, &n, &rest)) {
        m->cut_to |= (uint16_t)(1u << n);
        m->cut_from |= (uint16_t)(1u << n);
    } else
        return -1;
    return *rest ? -1 : 0;
}

struct wishes {
    const char *config, *node;
    struct live_options options;
    struct live_mishaps mishaps;
    bool check;
};

/* 0: go on; otherwise an exit code, one higher. */
static int parse(int argc, char **argv, struct wishes *w)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"node", required_argument, NULL, 'i'},
        {"init", no_argument, NULL, 'n'},
        {"adopt", no_argument, NULL, 'a'},
        {"repair", no_argument, NULL, 'r'},
        {"check", no_argument, NULL, 'k'},
        {"socket", required_argument, NULL, 'S'},
        {"user", required_argument, NULL, 'u'},
        {"drain", required_argument, NULL, 'D'},
        {"mishap", required_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {0}};
    int option;

    while ((option = getopt_long(argc, argv, "c:i:h", options, NULL)) != -1) {
        if (option == 'c')
            w->config = optarg;
        else if (option == 'i')
            w->node = optarg;
        else if (option == 'n')
            w->options.create = true;
        else if (option == 'a')
            return 1 + cli_complain(CLI_USAGE, verb,
                                    "there is no --adopt any more: after a "
                                    "change stop all nodes, write a higher "
                                    "generation into the file of each, and "
                                    "start them as always");
        else if (option == 'r')
            w->options.repair = true;
        else if (option == 'k')
            w->check = true;
        else if (option == 'S')
            w->options.socket = optarg;
        else if (option == 'u')
            w->options.user = optarg;
        else if (option == 'D') {
            char *end;
            double seconds = strtod(optarg, &end);

            if (end == optarg || *end || !(seconds >= 0 && seconds <= 1e9))
                return 1 + cli_complain(CLI_USAGE, verb,
                                        "--drain %s is no time; write seconds",
                                        optarg);
            w->options.drain = (uint64_t)(seconds * 1e6);
        } else if (option == 'h')
            return help(), 1 + cli_flush(verb, CLI_FINE);
        else if (option == 'm' && add_mishap(&w->mishaps, optarg) == 0)
            w->options.mishaps = &w->mishaps;
        else
            return 1 +
                   cli_complain(CLI_USAGE, verb, "see 'fulcrum node --help'");
    }
    if (optind < argc)
        return 1 +
               cli_complain(CLI_USAGE, verb, "'%s' is no option", argv[optind]);
    if (w->options.create && w->options.repair)
        return 1 + cli_complain(CLI_USAGE, verb,
                                "--init and --repair exclude each other");
    if (!w->node && !w->check)
        return 1 +
               cli_complain(CLI_USAGE, verb, "say with -i which node this is");
    return 0;
}

int cli_node(int argc, char **argv)
{
    static struct live_config config;
    struct wishes w = {.config = "/etc/fulcrum.ini"};
    char error[LIVE_ERROR_SIZE];
    int node, code = parse(argc, argv, &w);

    if (code)
        return code - 1;
    if (w.check)
        return cli_node_check(w.config, w.node);
    if (live_config_read(&config, w.config, error))
        return cli_complain(CLI_SYSTEM, verb, "%s", error);
    node = live_config_find(&config, w.node);
    if (node < 0)
        return cli_complain(CLI_USAGE, verb,
                            "%s has no node '%s'; add a section [node %s], or "
                            "take another name",
                            w.config, w.node, w.node);
    if (live_daemon(&config, (uint32_t)node, &w.options, error))
        return cli_complain(CLI_SYSTEM, verb, "%s", error);
    return CLI_FINE;
}
