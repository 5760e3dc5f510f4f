/*
 * cluster_members.c - fulcrum cluster members and show: who is in the list of
 * nodes, what is in force, and where the file of this machine says something
 * else.
 *
 * That it does is no mistake: the file is the first configuration, and what was
 * changed since is in the record of each node.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cluster/cluster.h"

#define WISHES struct cluster_wishes
#define INT    "%" JSON_INTEGER_FORMAT

static const struct cli_option members_options[] = {CLUSTER_JSON, {0}};

static const struct cli_option show_options[] = {
    {"ini", 0, NULL, "print what each machine may have as its file", AT(ini)},
    CLUSTER_JSON,
    {0},
};

static const json_t *configuration_of(const json_t *report)
{
    return json_object_get(report, "configuration");
}

/* ---- For programs -------------------------------------------------------- */

json_t *cluster_list(const json_t *report)
{
    static const char *const fields[] = {
        "name", "id",   "listed", "joined",    "witness",
        "host", "port", "self",   "silent_us", "heard"};
    json_t *nodes = json_array();
    const json_t *peer;
    size_t i;

    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        json_t *one = json_object();

        for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
            if (json_object_get(peer, fields[k]))
                json_object_set(one, fields[k],
                                json_object_get(peer, fields[k]));
        json_array_append_new(nodes, one);
    }
    return json_pack("{s:O, s:O, s:o}", "node", json_object_get(report, "node"),
                     "configuration", json_object_get(report, "configuration"),
                     "peers", nodes);
}

/* ---- The nodes ----------------------------------------------------------- */

/* Whether it votes.  A node that is in no list has left, unless its id is one
 * that was never given: then it is to join. */
static const char *place_of(const json_t *report, const json_t *peer)
{
    const char *listed = status_text(peer, "listed");
    json_int_t next = status_number(configuration_of(report), "next_id");

    if (strcmp(listed, "no") == 0 && status_number(peer, "id") < next)
        return "no";
    if (strcmp(listed, "no") == 0)
        return json_is_true(json_object_get(peer, "joined")) &&
                       json_is_true(json_object_get(peer, "heard"))
                   ? "waits"
                   : "asks";
    if (strcmp(listed, "old") == 0)
        return "leaves";
    if (strcmp(listed, "new") == 0)
        return "joins";
    return json_is_true(json_object_get(peer, "witness")) ? "witness" : "yes";
}

static void print_node(const json_t *report, const json_t *peer)
{
    const char *host = status_text(peer, "host");
    json_int_t silent = status_number(peer, "silent_us");
    char heard[32] = "this node";

    if (!json_is_true(json_object_get(peer, "self"))) {
        if (silent < 0)
            snprintf(heard, sizeof heard, "never");
        else
            snprintf(heard, sizeof heard, INT " ms ago", silent / 1000);
    }
    printf("%-16s %2" JSON_INTEGER_FORMAT "  %-9s %-15s %s%s%s:" INT "\n",
           status_text(peer, "name"), status_number(peer, "id"),
           place_of(report, peer), heard, strchr(host, ':') ? "[" : "", host,
           strchr(host, ':') ? "]" : "", status_number(peer, "port"));
}

/* What is asked for and what is waited for, if anything is. */
static void print_change(const json_t *report)
{
    const json_t *c = configuration_of(report);

    if (json_object_get(c, "asked"))
        printf("asked for: %s\n", status_text(c, "asked"));
    if (json_object_get(c, "waits_for"))
        printf("waits for: %s\n", status_text(c, "waits_for"));
}

static void print_members(const json_t *report)
{
    char text[LIVE_REASON_MAX];
    const json_t *peer;
    size_t i;

    printf("%-16s %2s  %-9s %-15s %s\n", "node", "id", "listed", "heard",
           "address");
    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        print_node(report, peer);
    }
    printf("%s; " INT " ids left in this generation\n",
           status_configuration(report, text),
           status_number(configuration_of(report), "ids_left"));
    print_change(report);
}

/* ---- Where the file says something else ---------------------------------- */

__attribute__((format(printf, 2, 3))) static void
add_difference(json_t *list, const char *format, ...)
{
    char words[LIVE_REASON_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    json_array_append_new(list, json_string(words));
}

/* A node that the report knows. */
static void compare_node(const struct live_config *file, const json_t *peer,
                         json_t *list)
{
    const char *name = status_text(peer, "name");
    int id = live_config_find(file, name);
    json_int_t true_id = status_number(peer, "id");

    if (id >= 0 && id != true_id)
        add_difference(list,
                       "%s has id %d in the file, and " INT
                       " in the cluster: remove that section",
                       name, id, true_id);
    else if (id < 0 && status_is_listed(peer))
        add_difference(list, "%s joined later, with id " INT, name, true_id);
    else if (id >= 0 && !status_is_listed(peer))
        add_difference(list, "%s is not in the list", name);
}

static void compare_time(const char *name, uint64_t file, json_int_t now,
                         json_t *list)
{
    if (now && (json_int_t)file != now)
        add_difference(list, "%s was %g ms at first, and is %g ms", name,
                       (double)file / 1000, (double)now / 1000);
}

/* Sentences; NULL: there is no file to be compared. */
static json_t *differences(const struct cluster_wishes *w, const json_t *report,
                           const char **path)
{
    static struct live_config file;
    const json_t *c = configuration_of(report), *peer;
    json_t *list;
    size_t i;

    if (!cluster_file(w, &file, path))
        return NULL;
    list = json_array();
    if (file.generation != status_number(report, "generation")) {
        add_difference(list,
                       "it is of generation %u, and the node runs " INT
                       ": nothing else can be compared",
                       (unsigned)file.generation,
                       status_number(report, "generation"));
        return list;
    }
    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        compare_node(&file, peer, list);
    }
    compare_time("lease", file.lease, status_number(c, "lease_us"), list);
    compare_time("tau", file.tau, status_number(c, "tau_us"), list);
    return list;
}

static void print_differences(const char *path, const json_t *list)
{
    const json_t *words;
    size_t i;

    if (!list)
        return;
    if (!json_array_size(list)) {
        printf("%s says the same\n", path);
        return;
    }
    printf("%s is of the beginning; since then:\n", path);
    json_array_foreach(list, i, words)
    {
        printf("  %s\n", json_string_value(words));
    }
}

/* ---- What is in force ---------------------------------------------------- */

static void print_list(const char *head, const json_t *list)
{
    char names[LIVE_REASON_MAX];

    if (list)
        printf("%-10s %s\n", head, status_names(list, names));
}

static void print_show(const json_t *report)
{
    const json_t *c = configuration_of(report);
    bool joint = json_is_true(json_object_get(c, "joint"));
    char text[LIVE_REASON_MAX];

    printf("%s\n", status_configuration(report, text));
    print_list("old nodes", joint ? json_object_get(c, "old") : NULL);
    print_list(joint ? "new nodes" : "nodes", json_object_get(c, "list"));
    printf("%-10s %g ms\n%-10s %g ms\n", "lease",
           (double)status_number(c, "lease_us") / 1000, "tau",
           (double)status_number(c, "tau_us") / 1000);
    printf("%-10s " INT " left in this generation", "ids",
           status_number(c, "ids_left"));
    if (status_number(c, "ids_left"))
        printf("; the next is " INT, status_number(c, "next_id"));
    putchar('\n');
    print_change(report);
}

static int show(const struct cluster_wishes *w, const json_t *report)
{
    const char *path;
    json_t *list, *out;

    if (w->ini)
        return cluster_ini(w, report, NULL);
    list = differences(w, report, &path);
    if (w->json) {
        out = cluster_list(report);
        if (list)
            json_object_set(out, "file_differs", list);
        cluster_dump(out);
    } else {
        print_show(report);
        print_differences(path, list);
    }
    json_decref(list);
    return CLI_FINE;
}

/* ---- The verbs ----------------------------------------------------------- */

static int run_members(int argc, char **argv)
{
    struct cluster_wishes w = {.json = false};
    int code = cli_options_read(&cli_cluster_members, &w, argc, argv);
    json_t *report;

    if (code != CLI_GO_ON)
        return code;
    if (optind < argc)
        return cli_refuse("'%s' is not an option", argv[optind]);
    code = CLI_FINE;
    report = cluster_report(&w, "configuration", &code);
    if (!report)
        return code;
    if (w.json)
        cluster_dump(cluster_list(report));
    else
        print_members(report);
    json_decref(report);
    return code;
}

static int run_show(int argc, char **argv)
{
    struct cluster_wishes w = {.json = false};
    int code = cli_options_read(&cli_cluster_show, &w, argc, argv);
    json_t *report;

    if (code != CLI_GO_ON)
        return code;
    if (optind < argc)
        return cli_refuse("'%s' is not an option", argv[optind]);
    if (w.ini && w.json)
        return cli_refuse("--ini is a file, and --json is for programs; take "
                          "one");
    code = CLI_FINE;
    report = cluster_report(&w, "configuration", &code);
    if (!report)
        return code;
    code = show(&w, report);
    json_decref(report);
    return code;
}

const struct cli_verb cli_cluster_members = {
    .name = "cluster members",
    .summary = "who is in the list of nodes",
    .run = run_members,
    .usage = "[-c FILE [-i NAME] | --socket PATH] [--json]",
    .about =
        "Says which nodes are in the list, and their ids, which are never "
        "given to another node of the same generation. While the list "
        "changes, 'leaves' is a node of the old list alone, and 'joins' one of "
        "the new list alone; majorities of both are needed then. 'asks' is a "
        "node that has started, and asks what was agreed on; 'waits' is one "
        "that can be added; 'no' one that has left.",
    .exits = "0, 2 wrong usage, 3 the node refuses, is of an earlier version, "
             "or runs mode silence, 4 no node answers.",
    .examples = "fulcrum cluster members",
    .options = {cli_place_options, members_options},
};

const struct cli_verb cli_cluster_show = {
    .name = "cluster show",
    .summary = "what is in force, and how the file differs",
    .run = run_show,
    .usage = "[-c FILE [-i NAME] | --socket PATH] [--ini | --json]",
    .about =
        "Says what is in force: the number of the configuration, its nodes and "
        "times, and where the file of this machine says something else. The "
        "file is the first configuration, and stays as it is; what was changed "
        "since is in the record of each node, which goes by that. --ini prints "
        "that file with a section for each node that joined later, and its id: "
        "a new machine needs it, and the others may have it.",
    .exits = "0, 2 wrong usage, 3 the node refuses, is of an earlier version, "
             "or runs mode silence, or the file cannot be read, 4 no node "
             "answers.",
    .examples = "fulcrum cluster show\n"
                "fulcrum cluster show --ini >next.ini",
    .options = {cli_place_options, show_options},
};
