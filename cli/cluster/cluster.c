/*
 * cluster.c - fulcrum cluster: what is changed while a cluster runs.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/cluster/cluster.h"
#include "live/common/clock.h"

enum {
    PATIENCE = 2000000, /* microseconds, for an answer of the node */
    LOOK_US = 200000,   /* between two looks at it */
};

/* ---- Asking -------------------------------------------------------------- */

static bool connect_to(const struct cluster_wishes *w,
                       struct live_client *client, int *code)
{
    struct net_why error;

    *code = cli_try_connect(&w->place, PATIENCE, client, &error);
    if (*code)
        (void)cli_complain(*code, "%s", error.text);
    return *code == 0;
}

/* A report without it is of another version, or of another mode. */
static int complain_of_lack(const json_t *report, const char *field)
{
    if (strcmp(field, "configuration") == 0 &&
        strcmp(status_text(report, "mode"), "silence") == 0)
        return cli_fail("mode silence has no list that changes while it runs: "
                        "stop all nodes, and start them with a file of a "
                        "higher generation");
    return cli_fail("the node is of an earlier version, which knows nothing of "
                    "this: upgrade it first");
}

json_t *cluster_report(const struct cluster_wishes *w, const char *field,
                       int *code)
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
    else if (!json_object_get(report, field))
        *code = complain_of_lack(report, field);
    if (*code) {
        json_decref(report);
        return NULL;
    }
    return report;
}

bool cluster_file(const struct cluster_wishes *w, struct live_config *config,
                  const char **path)
{
    struct net_why error;

    *path = w->place.config ? w->place.config : CLI_CLUSTER;
    return (w->place.config || !w->place.socket) && access(*path, R_OK) == 0 &&
           live_config_load(config, *path, &error);
}

/* ---- Waiting ------------------------------------------------------------- */

uint64_t cluster_until(const struct cluster_wishes *w)
{
    return live_now() + w->wait;
}

bool cluster_is_over(uint64_t until)
{
    const struct timespec pause = {.tv_nsec = 1000 * (long)LOOK_US};

    if (live_now() >= until)
        return true;
    (void)nanosleep(&pause, NULL);
    return false;
}

void cluster_progress(struct cluster_progress *p, const char *words)
{
    if (strcmp(p->said, words) == 0)
        return;
    snprintf(p->said, sizeof p->said, "%s", words);
    cli_note("%s", p->said);
}

/* ---- Telling ------------------------------------------------------------- */

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

int cluster_try(const struct cluster_wishes *w,
                const struct cluster_order *order, struct live_letter *said)
{
    struct live_letter letter = {.kind = LIVE_ORDER,
                                 .shared = (uint8_t)order->kind,
                                 .hold = order->trial    ? 2
                                         : order->forced ? 1
                                                         : 0,
                                 .wait = order->wait};
    struct live_client client;
    bool answered;
    int code = CLI_FINE;

    if (!connect_to(w, &client, &code))
        return code;
    snprintf(letter.name, sizeof letter.name, "%.*s", LIVE_LOCK_NAME_MAX,
             order->name ? order->name : "");
    snprintf(letter.reason, sizeof letter.reason, "%s",
             order->more ? order->more : "");
    answered = live_letter_send(client.socket, &letter, &order->file,
                                order->file >= 0, 0) == 0 &&
               receive(client.socket, said);
    live_client_close(&client);
    if (!answered)
        return cli_complain(CLI_NO_NODE,
                            "the node does not answer: it is stopped, too "
                            "busy, or of an earlier version");
    if (said->kind == LIVE_DONE)
        return CLI_FINE;
    return said->wait == LIVE_REFUSED_LATE ? CLUSTER_EARLY
                                           : cli_fail("%s", said->reason);
}

int cluster_later(const struct cluster_wishes *w, uint64_t until,
                  const struct live_letter *said,
                  struct cluster_progress *progress)
{
    if (!w->wait)
        return cli_complain(CLUSTER_EARLY, "%s", said->reason);
    cluster_progress(progress, said->reason);
    if (cluster_is_over(until))
        return cli_complain(CLUSTER_LATE, "not in time: %s", said->reason);
    return CLI_FINE;
}

/* ---- Tables -------------------------------------------------------------- */

void cluster_rows(const json_t *report, const char *field, cluster_row *print)
{
    const json_t *peer;
    size_t i;

    print(status_text(report, "node"), json_object_get(report, field), true);
    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        if (!json_is_true(json_object_get(peer, "self")))
            print(status_text(peer, "name"), json_object_get(peer, field),
                  false);
    }
}

void cluster_dump(json_t *out)
{
    json_dumpf(out, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(out);
}

void cluster_json(const json_t *report, const char *field)
{
    json_t *nodes = json_array();
    const json_t *peer;
    size_t i;

    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        json_t *one = json_pack("{s:O}", "name", json_object_get(peer, "name"));

        if (json_object_get(peer, field))
            (void)json_object_update(one, json_object_get(peer, field));
        if (!json_is_true(json_object_get(peer, "self")))
            json_array_append(nodes, one);
        json_decref(one);
    }
    cluster_dump(json_pack("{s:O, s:O, s:o}", "node",
                           json_object_get(report, "node"), field,
                           json_object_get(report, field), "peers", nodes));
}

/* ---- The verb ------------------------------------------------------------ */

static const struct cli_part parts[] = {
    {"members", &cli_cluster_members}, {"show", &cli_cluster_show},
    {"add", &cli_cluster_add},         {"remove", &cli_cluster_remove},
    {"replace", &cli_cluster_replace}, {"set", &cli_cluster_set},
    {"cancel", &cli_cluster_cancel},   {"key", &cli_cluster_key},
    {"version", &cli_cluster_version}, {0},
};

#define PARTS                                                                  \
    "members, show, add, remove, replace, set, cancel, key and version"

static int run_cluster(int argc, char **argv)
{
    struct cluster_wishes w = {.json = false};
    int code;

    for (size_t i = 0; argc > 1 && parts[i].word; i++)
        if (strcmp(argv[1], parts[i].word) == 0)
            return parts[i].verb->run(argc - 1, argv + 1);
    code = cli_options_read(&cli_cluster, &w, argc, argv);
    if (code != CLI_GO_ON)
        return code;
    if (optind == argc)
        return cli_refuse("say what: there are " PARTS);
    return cli_refuse("a cluster has " PARTS ", not '%s'", argv[optind]);
}

const struct cli_verb cli_cluster = {
    .name = "cluster",
    .summary = "change a cluster while it runs: nodes, times, key",
    .run = run_cluster,
    .usage = "members\n"
             "show [--ini]\n"
             "add NAME HOST:PORT [--witness] [--ini]\n"
             "remove NAME\n"
             "replace OLD NEW HOST:PORT [--witness] [--ini]\n"
             "set [lease=TIME] [tau=TIME]\n"
             "cancel\n"
             "key list | add FILE | use [KEY] | drop [KEY]\n"
             "version",
    .about =
        "Asks and tells a running node of this machine, which must be in the "
        "list of nodes: members says who is, and show what is in force; add, "
        "remove, replace and set change the list and the times while locks "
        "are held, with --wait, or with --dry-run only say what would happen. "
        "'fulcrum cluster add --help' and the like tell more of each; 'fulcrum "
        "cluster key --help' says how the key of a cluster is "
        "exchanged, 'fulcrum cluster version --help' what the versions mean.",
    .exits = "0 done, 2 wrong usage, 3 the node refuses, or a system error, 4 "
             "no node answers, 5 not yet, 124 it was not so in time.",
    .examples = "fulcrum cluster members\n"
                "fulcrum cluster add west 192.0.2.4:7400 --wait 60\n"
                "fulcrum cluster key list",
    .options = {cli_place_options},
    .parts = parts,
};
