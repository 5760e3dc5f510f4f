/*
 * cluster_version.c - fulcrum cluster version: what nodes can speak, what is
 * spoken, and why not more (R9).
 */
#include <getopt.h>
#include <stdio.h>

#include "cli/cluster/cluster.h"
#include "live/wire/versions.h"

#define WISHES struct cluster_wishes

static const struct cli_option options[] = {
    {"json", 0, NULL, "for programs", AT(json)},
    {0},
};

static long long number_of(const json_t *o, const char *key)
{
    return (long long)json_integer_value(json_object_get(o, key));
}

static void print_range(const char *name, const json_t *versions,
                        const char *more)
{
    if (!versions)
        printf("%-16s %s\n", name, "never heard");
    else
        printf("%-16s %lld to %lld%s\n", name, number_of(versions, "least"),
               number_of(versions, "most"), more);
}

static void print_versions(const json_t *report)
{
    const json_t *versions = json_object_get(report, "versions"), *peer;
    long long spoken = number_of(versions, "spoken"),
              most = number_of(versions, "most");
    char names[LIVE_REASON_MAX];
    size_t i;

    printf("%-16s %s\n", "node", "can speak");
    print_range(status_text(report, "node"), versions, ", this node");
    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        if (!json_is_true(json_object_get(peer, "self")))
            print_range(status_text(peer, "name"),
                        json_object_get(peer, "versions"), "");
    }
    printf("spoken by all: %lld", spoken);
    if (spoken < most)
        printf(", and not more because of %s\n",
               cluster_names(json_object_get(versions, "held_by"), names));
    else
        printf("\n");
    for (long long v = spoken + 1; v <= most; v++)
        if (live_version_words((uint32_t)v))
            printf("  version %lld adds: %s\n", v,
                   live_version_words((uint32_t)v));
}

static void print_json(const json_t *report)
{
    json_t *nodes = json_array(), *out;
    const json_t *peer;
    size_t i;

    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        json_t *one = json_pack("{s:O}", "name", json_object_get(peer, "name"));

        if (json_object_get(peer, "versions"))
            (void)json_object_update(one, json_object_get(peer, "versions"));
        if (!json_is_true(json_object_get(peer, "self")))
            json_array_append(nodes, one);
        json_decref(one);
    }
    out = json_pack("{s:O, s:O, s:o}", "node", json_object_get(report, "node"),
                    "versions", json_object_get(report, "versions"), "peers",
                    nodes);
    json_dumpf(out, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(out);
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
    report = cluster_report(&w, &code);
    if (!report)
        return code;
    if (w.json)
        print_json(report);
    else
        print_versions(report);
    json_decref(report);
    return code;
}

const struct cli_verb cli_cluster_version = {
    .name = "cluster version",
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
