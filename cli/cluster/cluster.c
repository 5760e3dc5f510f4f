/*
 * cluster.c - fulcrum cluster: what is changed while a cluster runs.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/cluster/cluster.h"

enum { PATIENCE = 2000000 }; /* microseconds, for an answer of the node */

#define WISHES struct cluster_wishes

const struct cli_option cluster_options[] = {
    {"wait", 'w', "S", "wait until it is so, as long as that: seconds",
     SECONDS(wait, 0)},
    {"at", 0, "DATE", "drop: not before that, as 2026-12-31T03:00", AT(at)},
    {"force", 'f', NULL, "drop, though a node lacks the other key", AT(force)},
    {"json", 0, NULL, "for programs", AT(json)},
    {0},
};

/* ---- Asking and telling -------------------------------------------------- */

static bool connect_to(const struct cluster_wishes *w,
                       struct live_client *client, int *code)
{
    struct net_why error;

    *code = cli_try_connect(&w->place, PATIENCE, client, &error);
    if (*code)
        (void)cli_complain(*code, "%s", error.text);
    return *code == 0;
}

json_t *cluster_report(const struct cluster_wishes *w, int *code)
{
    struct live_client client;
    struct net_why error;
    json_error_t odd;
    json_t *report = NULL;
    int file;

    if (!connect_to(w, &client, code))
        return NULL;
    file = live_client_status(&client, &error);
    live_client_close(&client);
    if (file < 0) {
        *code = cli_complain(CLI_NO_NODE, "%s", error.text);
        return NULL;
    }
    report = json_loadfd(file, 0, &odd);
    close(file);
    if (!report)
        *code = cli_fail("the node's report is incomplete");
    else if (!json_object_get(report, "keys"))
        *code = cli_fail("the node is of an earlier version, which knows "
                         "nothing of this: upgrade it first");
    if (*code) {
        json_decref(report);
        return NULL;
    }
    return report;
}

/* The letter that answers; false: none came. */
static bool receive(int socket, struct live_letter *said)
{
    struct pollfd answer = {socket, POLLIN, 0};
    struct live_enclosed e;
    ssize_t size;

    if (poll(&answer, 1, PATIENCE / 1000) <= 0)
        return false;
    size = live_letter_receive(socket, said, &e, MSG_DONTWAIT);
    live_enclosed_drop(&e);
    return size > 0 && live_letter_of_daemon(said, (size_t)size) &&
           (said->kind == LIVE_DONE || said->kind == LIVE_REFUSED);
}

int cluster_tell(const struct cluster_wishes *w,
                 const struct cluster_order *order, struct live_letter *said,
                 int *code)
{
    struct live_letter letter = {.kind = LIVE_ORDER,
                                 .shared = (uint8_t)order->kind,
                                 .hold = order->forced,
                                 .wait = order->wait};
    struct live_client client;
    bool answered;

    if (!connect_to(w, &client, code))
        return 0;
    snprintf(letter.name, sizeof letter.name, "%.*s", LIVE_LOCK_NAME_MAX,
             order->name);
    answered = live_letter_send(client.socket, &letter, &order->file,
                                order->file >= 0, 0) == 0 &&
               receive(client.socket, said);
    live_client_close(&client);
    if (answered)
        return said->kind;
    *code = cli_complain(CLI_NO_NODE,
                         "the node does not answer: it is stopped, too busy, "
                         "or of an earlier version");
    return 0;
}

/* ---- Lists --------------------------------------------------------------- */

const char *cluster_names(const json_t *list, char text[LIVE_REASON_MAX])
{
    size_t used = 0, i;
    const json_t *name;

    text[0] = '\0';
    json_array_foreach(list, i, name)
    {
        const char *one = json_string_value(name);

        if (one && used + strlen(one) + 3 < LIVE_REASON_MAX)
            used += (size_t)snprintf(text + used, LIVE_REASON_MAX - used,
                                     "%s%s", used ? ", " : "", one);
    }
    return text;
}

bool cluster_has(const json_t *list, const char *text)
{
    size_t i;
    const json_t *one;

    json_array_foreach(list, i, one)
    {
        if (json_is_string(one) && strcmp(json_string_value(one), text) == 0)
            return true;
    }
    return false;
}

/* ---- The verb ------------------------------------------------------------ */

static int run_cluster(int argc, char **argv)
{
    static const struct {
        const char *word;
        const struct cli_verb *verb;
    } parts[] = {{"key", &cli_cluster_key}, {"version", &cli_cluster_version}};
    struct cluster_wishes w = {.json = false};
    int code;

    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(argv[1], parts[i].word) == 0)
            return parts[i].verb->run(argc - 1, argv + 1);
    code = cli_options_read(&cli_cluster, &w, argc, argv);
    if (code != CLI_GO_ON)
        return code;
    if (optind == argc)
        return cli_refuse("say what: key or version");
    return cli_refuse("a cluster has key and version, not '%s'", argv[optind]);
}

const struct cli_verb cli_cluster = {
    .name = "cluster",
    .summary = "change a cluster while it runs: its key",
    .run = run_cluster,
    .usage = "key list [-c FILE [-i NAME] | --socket PATH] [--json]\n"
             "key add FILE [--wait S]\n"
             "key use [KEY] [--wait S]\n"
             "key drop [KEY] [--wait S] [--at DATE] [--force]\n"
             "version [--json]",
    .about =
        "Asks and tells a running node of this machine. 'fulcrum cluster key "
        "--help' says how the key of a cluster is exchanged while locks are "
        "held, 'fulcrum cluster version --help' what the versions mean.",
    .exits = "0 done, 2 wrong usage, 3 the node refuses, or a system error, 4 "
             "no node answers, 5 not yet: a node lacks the key in use, 124 it "
             "was not so in time.",
    .examples = "fulcrum cluster key list\n"
                "fulcrum cluster version",
    .options = {cli_place_options, cluster_options},
    .operands = {"key|version", "list|add|use|drop"},
};
