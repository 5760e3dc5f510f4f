/*
 * cluster_version.c - fulcrum cluster version: what nodes can speak, what is
 * spoken, and why not more (R9).
 */
#include <getopt.h>
#include <stdio.h>

#include "cli/cluster/cluster.h"
#include "live/wire/versions.h"

#define WISHES struct cluster_wishes
#define INT    "%" JSON_INTEGER_FORMAT

static const struct cli_option options[] = {
    CLUSTER_JSON,
    {0},
};

static void print_row(const char *name, const json_t *versions, bool self)
{
    if (!versions)
        printf("%-16s %s\n", name, "never heard");
    else
        printf("%-16s " INT " to " INT "%s\n", name,
               status_number(versions, "least"),
               status_number(versions, "most"), self ? ", this node" : "");
}

static void print_versions(const json_t *report)
{
    const json_t *versions = json_object_get(report, "versions");
    json_int_t spoken = status_number(versions, "spoken"),
               most = status_number(versions, "most");
    char names[LIVE_REASON_MAX];

    printf("%-16s %s\n", "node", "can speak");
    cluster_rows(report, "versions", print_row);
    printf("spoken by all: " INT, spoken);
    if (spoken < most)
        printf(", and not more because of %s\n",
               status_names(json_object_get(versions, "held_by"), names));
    else
        printf("\n");
    for (json_int_t v = spoken + 1; v <= most; v++)
        if (live_version_words((uint32_t)v))
            printf("  version " INT " adds: %s\n", v,
                   live_version_words((uint32_t)v));
}

static int run_version(int argc, char **argv)
{
    struct cluster_wishes w = {.json = false};
    int code = cli_options_read(&cli_cluster_version, &w, argc, argv);
    json_t *report;

    if (code != CLI_GO_ON)
        return code;
    if (optind < argc)
        return cli_refuse("'%s' is not an option", argv[optind]);
    code = CLI_FINE;
    report = cluster_report(&w, "versions", &code);
    if (!report)
        return code;
    if (w.json)
        cluster_json(report, "versions");
    else
        print_versions(report);
    json_decref(report);
    return code;
}

const struct cli_verb cli_cluster_version = {
    .name = "cluster version",
    .summary = "which versions the nodes can speak",
    .run = run_version,
    .usage = "[-c FILE [-i NAME] | --socket PATH] [--json]",
    .about = "Says which versions of the nodes' language each node can speak, "
             "which one all do, and which nodes keep it from being a later "
             "one. Nodes of 0.4.0 and before speak version 0.",
    .exits = "0, 2 wrong usage, 3 the node refuses, or is of an earlier "
             "version, 4 no node answers.",
    .examples = "fulcrum cluster version",
    .options = {cli_place_options, options},
};
