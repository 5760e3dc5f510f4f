/*
 * cluster_order.c - fulcrum cluster add, remove, replace, set and cancel: the
 * words of an operator, and what they mean.
 */
#include <getopt.h>
#include <string.h>

#include "cli/cluster/cluster.h"

#define WISHES struct cluster_wishes

#define TRIAL                                                                  \
    {                                                                          \
        "dry-run", 0, NULL, "only say what would happen", AT(trial)            \
    }

static const struct cli_option change_options[] = {
    CLUSTER_WAIT, TRIAL, CLUSTER_JSON, {0}};

static const struct cli_option join_options[] = {
    {"witness", 0, NULL, "it votes, and never holds a lock", AT(witness)},
    CLUSTER_WAIT,
    TRIAL,
    {"ini", 0, NULL, "only print the file for the new machine", AT(ini)},
    CLUSTER_JSON,
    {0},
};

/* ---- Words --------------------------------------------------------------- */

/* The words between the options, as many as there must be; an exit code. */
static int read_words(const struct cli_verb *verb, struct cluster_wishes *w,
                      int argc, char **argv, int least, int most,
                      const char *what)
{
    int code = cli_options_read(verb, w, argc, argv), words = argc - optind;

    if (code != CLI_GO_ON)
        return code;
    if (words < least)
        return cli_refuse("say %s", what);
    if (words > most)
        return cli_refuse("'%s' is one word too many; say %s",
                          argv[optind + most], what);
    return CLI_GO_ON;
}

/* A name with a blank, or one that is too long, would be another in a letter.
 * What else is wrong with it the node says. */
static int read_name(const char *word)
{
    if (word[0] && strlen(word) < LIVE_NAME_MAX && !strpbrk(word, " \t\r\n"))
        return 0;
    return cli_refuse("'%.40s' is not the name of a node, which has 1 to %d "
                      "letters, digits, '_', '.' or '-'",
                      word, LIVE_NAME_MAX - 1);
}

/* "192.0.2.1:7400", "[2001:db8::1]:7400", "host.example:7400". */
static int read_address(const char *word, struct live_config_node *node)
{
    const char *colon = strrchr(word, ':');
    bool bracket = word[0] == '[';
    size_t size = colon ? (size_t)(colon - word) : 0;
    const char *host = word + bracket;
    uint64_t port;

    if (!colon || !size || (bracket && word[size - 1] != ']'))
        return cli_refuse("'%.60s' is not an address and a port; write it as "
                          "192.0.2.1:7400, or with an IPv6 address as "
                          "[2001:db8::1]:7400",
                          word);
    size -= bracket ? 2 : 0;
    if (!bracket && memchr(host, ':', size))
        return cli_refuse(
            "'%.60s' has several colons; write an IPv6 address in "
            "brackets, and the port behind them, as in "
            "[2001:db8::1]:7400",
            word);
    if (!size || size >= sizeof node->host || strcspn(host, " \t\r\n[]") < size)
        return cli_refuse("'%.60s' has no host that could be one", word);
    if (cli_number(colon + 1, "the port", 1, 65535, &port))
        return CLI_USAGE;
    memcpy(node->host, host, size);
    node->host[size] = '\0';
    node->port = (uint16_t)port;
    return 0;
}

static int read_joins(const struct cluster_wishes *w, const char *name,
                      const char *address, struct cluster_change *change)
{
    int code = read_name(name);

    if (!code)
        code = read_address(address, &change->joins);
    if (code)
        return code;
    memcpy(change->joins.name, name, strlen(name) + 1);
    change->joins.witness = w->witness;
    return 0;
}

/* "lease=2s". */
static int read_setting(const char *word, struct cluster_change *change)
{
    bool lease = strncmp(word, "lease=", 6) == 0;
    uint64_t *to = lease ? &change->lease : &change->tau;

    if (!lease && strncmp(word, "tau=", 4) != 0)
        return cli_refuse("'%.40s' is not lease=TIME or tau=TIME; other values "
                          "are changed in the file of each node, and by a "
                          "restart of one node after the other",
                          word);
    if (*to)
        return cli_refuse("%s is set twice; keep one of them",
                          lease ? "lease" : "tau");
    if (!live_config_time(strchr(word, '=') + 1, to) || !*to)
        return cli_refuse("'%.40s' is not a time; write a whole number and a "
                          "unit, such as 100ms, 500us or 2s",
                          word);
    return 0;
}

/* ---- The verbs ----------------------------------------------------------- */

static int run_add(int argc, char **argv)
{
    struct cluster_wishes w = {.json = false};
    struct cluster_change change = {.kind = LIVE_NODE_ADD};
    int code = read_words(&cli_cluster_add, &w, argc, argv, 2, 2,
                          "the name of the new node, its address and its port: "
                          "NAME HOST:PORT");

    if (code != CLI_GO_ON)
        return code;
    change.name = argv[optind];
    code = read_joins(&w, change.name, argv[optind + 1], &change);
    return code ? code : cluster_carry_out(&w, &change);
}

static int run_remove(int argc, char **argv)
{
    struct cluster_wishes w = {.json = false};
    struct cluster_change change = {.kind = LIVE_NODE_REMOVE};
    int code = read_words(&cli_cluster_remove, &w, argc, argv, 1, 1,
                          "the name of the node that is to leave");

    if (code != CLI_GO_ON)
        return code;
    change.name = argv[optind];
    code = read_name(change.name);
    return code ? code : cluster_carry_out(&w, &change);
}

static int run_replace(int argc, char **argv)
{
    struct cluster_wishes w = {.json = false};
    struct cluster_change change = {.kind = LIVE_NODE_REPLACE};
    int code = read_words(&cli_cluster_replace, &w, argc, argv, 3, 3,
                          "which node is to leave, and which one takes its "
                          "place: OLD NEW HOST:PORT");

    if (code != CLI_GO_ON)
        return code;
    change.name = argv[optind];
    code = read_name(change.name);
    if (!code)
        code = read_joins(&w, argv[optind + 1], argv[optind + 2], &change);
    return code ? code : cluster_carry_out(&w, &change);
}

static int run_set(int argc, char **argv)
{
    struct cluster_wishes w = {.json = false};
    struct cluster_change change = {.kind = LIVE_TIMES_SET};
    int code = read_words(&cli_cluster_set, &w, argc, argv, 1, 2,
                          "what is to be set: lease=TIME, tau=TIME or both");

    if (code != CLI_GO_ON)
        return code;
    code = 0;
    for (int i = optind; i < argc && !code; i++)
        code = read_setting(argv[i], &change);
    return code ? code : cluster_carry_out(&w, &change);
}

static int run_cancel(int argc, char **argv)
{
    struct cluster_wishes w = {.json = false};
    const struct cluster_change change = {.kind = LIVE_CHANGE_CANCEL};
    int code =
        read_words(&cli_cluster_cancel, &w, argc, argv, 0, 0, "nothing more");

    return code == CLI_GO_ON ? cluster_carry_out(&w, &change) : code;
}

#define EXITS                                                                  \
    "0 done, 2 wrong usage, 3 the node refuses, or a system error, 4 no node " \
    "answers, 5 not yet: the sentence says what it waits for, 124 it was not " \
    "so in time."

const struct cli_verb cli_cluster_add = {
    .name = "cluster add",
    .summary = "let a node join",
    .run = run_add,
    .usage = "NAME HOST:PORT [--witness] [--wait S] [--json]\n"
             "NAME HOST:PORT [--witness] --dry-run\n"
             "NAME HOST:PORT [--witness] --ini",
    .about =
        "Adds a node to the list while locks are held. First print the file "
        "for the new machine, with --ini; copy it and the key there, and start "
        "the node with --init: it joins, and waits to be added. Then add it "
        "here. The change begins when the node has joined and a majority of "
        "the new list is there: until then the answer is 'not yet' (exit code "
        "5), and with --wait it is asked for again. --wait also waits until "
        "the new list is in force. A name is given once in a generation, and "
        "so is an id; there are 64 ids. HOST is an address or a name, and an "
        "IPv6 address stands in brackets.",
    .exits = EXITS,
    .examples = "fulcrum cluster add west 192.0.2.4:7400 --ini >west.ini\n"
                "fulcrum cluster add west 192.0.2.4:7400 --wait 60\n"
                "fulcrum cluster add judge [2001:db8::9]:7400 --witness",
    .options = {cli_place_options, join_options},
};

const struct cli_verb cli_cluster_remove = {
    .name = "cluster remove",
    .summary = "let a node leave",
    .run = run_remove,
    .usage = "NAME [--wait S | --dry-run] [--json]",
    .about =
        "Removes a node from the list while locks are held. It need not run. "
        "If it does, it stops when it has left, and its record does not start "
        "again. Ask a node that stays.",
    .exits = EXITS,
    .examples = "fulcrum cluster remove east --dry-run\n"
                "fulcrum cluster remove east --wait 60",
    .options = {cli_place_options, change_options},
};

const struct cli_verb cli_cluster_replace = {
    .name = "cluster replace",
    .summary = "let a node take the place of another",
    .run = run_replace,
    .usage = "OLD NEW HOST:PORT [--witness] [--wait S] [--json]\n"
             "OLD NEW HOST:PORT [--witness] --dry-run\n"
             "OLD NEW HOST:PORT [--witness] --ini",
    .about =
        "Removes a node and adds another in one change, so that there are as "
        "many as before. That is the way back of a machine whose disk is gone: "
        "it gets a new name, and may have its old address. As for add, print "
        "the file with --ini and start the new node first.",
    .exits = EXITS,
    .examples =
        "fulcrum cluster replace east east2 192.0.2.2:7400 --ini >east2.ini\n"
        "fulcrum cluster replace east east2 192.0.2.2:7400 --wait 60",
    .options = {cli_place_options, join_options},
};

const struct cli_verb cli_cluster_set = {
    .name = "cluster set",
    .summary = "change the times: lease=TIME, tau=TIME",
    .run = run_set,
    .usage = "[lease=TIME] [tau=TIME] [--wait S | --dry-run] [--json]",
    .about =
        "Changes the lease, the time between frames, or both, of all nodes "
        "while locks are held. kill stays as the file of each node says: a "
        "lease that is too short for it is refused.",
    .exits = EXITS,
    .examples = "fulcrum cluster set lease=5s tau=250ms --dry-run\n"
                "fulcrum cluster set lease=5s tau=250ms --wait 60",
    .options = {cli_place_options, change_options},
    .operands = {"lease=TIME|tau=TIME", "lease=TIME|tau=TIME"},
};

const struct cli_verb cli_cluster_cancel = {
    .name = "cluster cancel",
    .summary = "forget a change that has not begun",
    .run = run_cancel,
    .usage = "[-c FILE [-i NAME] | --socket PATH] [--dry-run] [--json]",
    .about =
        "Forgets the change that the node was asked for, if it has not begun: "
        "once there are two lists it goes on by itself. To go back then, ask "
        "for the opposite change when it is done.",
    .exits = EXITS,
    .examples = "fulcrum cluster cancel",
    .options = {cli_place_options, change_options},
};
