/*
 * node.c - fulcrum node: one node of a cluster, in the foreground.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/node/node.h"
#include "live/daemon/daemon.h"

struct wishes {
    const char *config, *node;
    struct live_options options;
    struct live_mishaps mishaps;
    const char *mishap[CLI_REPEATS_MAX];
    uint32_t mishap_count;
    const char *without[CLI_REPEATS_MAX];
    uint32_t without_count;
    bool check, adopt;
};
#define WISHES struct wishes

static const struct cli_option options[] = {
    {"config", 'c', "FILE", "the cluster [/etc/fulcrum.ini]", AT(config),
     "@files"},
    {"node", 'i', "NAME", "which of its nodes this is", AT(node)},
    {"init", 0, NULL,
     "the very first start of this node: create its record. Never to replace "
     "one that was lost: see fulcrum-node(1)",
     AT(options.create)},
    {"repair", 0, NULL,
     "the record was lost: ask all other nodes, and go on once every one of "
     "them has answered",
     AT(options.repair)},
    {"without", 0, "NODE",
     "with --repair: this other node is off, and need not answer; may be "
     "repeated",
     MANY(without)},
    {"moved", 0, NULL,
     "the record was moved here from another disk or machine, where the node "
     "is off and stays off: go on with it here",
     AT(options.moved)},
    {"stay", 0, NULL,
     "this node has stopped for a higher generation, and that was a mistake: "
     "start with this file, and ignore that generation from now on",
     AT(options.stay)},
    {"check", 0, NULL,
     "start nothing: check the file, explain it, and exit with 0 or 2",
     AT(check)},
    {"socket", 0, "PATH", "for local clients, instead of the file's",
     AT(options.socket), "@files"},
    {"user", 0, "NAME",
     "the user that root becomes once all files are open, instead of the "
     "file's",
     AT(options.user), "@users"},
    {"drain", 0, "T",
     "on SIGTERM tell holders to end, and kill them T seconds later [as long "
     "as "
     "'kill', or their --term-before]",
     SECONDS(options.drain, 0)},
    {"mishap", 0, "WHAT",
     "for tests: loss=PPM, duplicate=PPM, reorder=PPM, delay=MIN:MAX in "
     "microseconds, cut=NODE, seed=N; may be repeated",
     AT(mishap), "loss=PPM|duplicate=PPM|reorder=PPM|delay=MIN|cut=NODE|seed=N",
     .count = offsetof(struct wishes, mishap_count)},
    {"adopt", .help = "", AT(adopt)},
    {0},
};

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
        m->cut_to |= UINT64_C(1) << n;
        m->cut_from |= UINT64_C(1) << n;
    } else
        return -1;
    return *rest ? -1 : 0;
}

/* CLI_GO_ON, or an exit code. */
static int read_wishes(struct wishes *w, int argc, char **argv)
{
    int code = cli_options_read(&cli_node, w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (optind < argc)
        return cli_refuse("'%s' is not an option", argv[optind]);
    if (w->adopt)
        return cli_refuse(
            "--adopt is gone: after a change stop all nodes, write a higher "
            "generation into the file of each, and start them as usual");
    for (uint32_t i = 0; i < w->mishap_count; i++)
        if (add_mishap(&w->mishaps, w->mishap[i]) != 0)
            return cli_refuse("--mishap %s: see 'fulcrum node --help'",
                              w->mishap[i]);
    if (w->mishap_count)
        w->options.mishaps = &w->mishaps;
    if (w->options.create + w->options.repair + w->options.moved +
            w->options.stay >
        1)
        return cli_refuse("--init, --repair, --moved and --stay exclude each "
                          "other");
    if (!w->node && !w->check)
        return cli_refuse("say with -i which node this is");
    return CLI_GO_ON;
}

/* The nodes of --without, in the configuration; an exit code. */
static int find_without(struct wishes *w, const struct live_config *config,
                        int self)
{
    if (w->without_count && !w->options.repair)
        return cli_refuse("--without goes with --repair");
    for (uint32_t i = 0; i < w->without_count; i++) {
        int node = live_config_find(config, w->without[i]);

        if (node < 0 || node == self)
            return cli_refuse("--without %s: name another node of %s",
                              w->without[i], w->config);
        w->options.without |= live_only((uint32_t)node);
    }
    return CLI_GO_ON;
}

static int run_node(int argc, char **argv)
{
    static struct live_config config;
    struct wishes w = {.config = "/etc/fulcrum.ini"};
    struct net_why error;
    int node, code = read_wishes(&w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (w.check)
        return cli_node_check(w.config, w.node);
    if (!live_config_read(&config, w.config, &error))
        return cli_fail("%s", error.text);
    node = live_config_find(&config, w.node);
    if (node < 0)
        return cli_refuse("%s has no node '%s'; add a section [node %s], or "
                          "take another name",
                          w.config, w.node, w.node);
    code = find_without(&w, &config, node);
    if (code != CLI_GO_ON)
        return code;
    if (!live_daemon(&config, (uint32_t)node, &w.options, &error))
        return cli_fail("%s", error.text);
    return CLI_FINE;
}

const struct cli_verb cli_node = {
    .name = "node",
    .summary = "run a live node of a cluster",
    .run = run_node,
    .usage =
        "-c FILE -i NAME [--init | --repair | --moved | --stay] [OPTIONS]\n"
        "--check -c FILE [-i NAME]",
    .about = "Runs a node of the cluster in the foreground until SIGTERM or "
             "SIGINT. Log lines go to standard error.",
    .examples = "fulcrum node --check -c cluster.ini\n"
                "fulcrum node -c cluster.ini -i north --init",
    .options = {options},
};
