/*
 * status.c - fulcrum status: what a live node knows of itself, its peers and
 * its locks.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "live/user.h"

static const char verb[] = "status";

static void help(void)
{
    printf(
        "usage: fulcrum status [-c FILE [-i NAME] | --socket PATH] [--json]\n\n"
        "  -c, --config FILE   the cluster; default /etc/fulcrum.ini\n"
        "  -i, --node NAME     which node; default: the first that answers "
        "here\n"
        "      --socket PATH   of the node, instead of both\n"
        "      --json          for programs\n");
}

/* ---- Whom to ask --------------------------------------------------------- */

/* Nobody is there, or somebody who refuses. */
static int no_node(void)
{
    return errno == ENOENT || errno == ECONNREFUSED ? CLI_NO_NODE : CLI_SYSTEM;
}

int cli_try_connect(const struct cli_place *place, struct live_client *client,
                    char error[LIVE_ERROR_SIZE])
{
    static struct live_config config;
    char path[LIVE_PATH_MAX];
    const char *file = place->config ? place->config : "/etc/fulcrum.ini";
    int node = -1;

    if (place->socket)
        return live_client_open(client, place->socket, error) ? no_node() : 0;
    if (live_config_read(&config, file, error))
        return CLI_SYSTEM;
    if (place->node && (node = live_config_find(&config, place->node)) < 0) {
        snprintf(error, LIVE_ERROR_SIZE, "%s has no node '%s'", file,
                 place->node);
        return CLI_USAGE;
    }
    for (uint32_t i = 0; i < config.nodes_count; i++) {
        if (node >= 0 && (uint32_t)node != i)
            continue;
        live_config_socket(&config, i, path);
        if (live_client_open_of(client, path, live_user_number(config.user),
                                error) == 0)
            return 0;
    }
    return no_node();
}

int cli_connect(const char *who, const struct cli_place *place,
                struct live_client *client)
{
    char error[LIVE_ERROR_SIZE];
    int code = cli_try_connect(place, client, error);

    return code ? cli_complain((enum cli_exit)code, who, "%s", error) : 0;
}

/* ---- For people ---------------------------------------------------------- */

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text ? text : "?";
}

static json_int_t number_of(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static bool is_true(const json_t *o, const char *key)
{
    return json_is_true(json_object_get(o, key));
}

static void print_names(const char *before, const json_t *list)
{
    size_t i;
    const json_t *name;

    printf("%s", before);
    json_array_foreach(list, i, name)
    {
        printf("%s%s", i ? ", " : "", json_string_value(name));
    }
}

static void print_silence(const json_t *o)
{
    const json_t *bounds = json_object_get(o, "bounds");
    const json_t *over = json_object_get(o, "over");

    printf("window %" JSON_INTEGER_FORMAT
           " us; longest round trip %" JSON_INTEGER_FORMAT
           " us; dead after %" JSON_INTEGER_FORMAT " ms\n",
           number_of(bounds, "window_us"), number_of(bounds, "round_trip_us"),
           number_of(bounds, "dead_us") / 1000);
    if (json_is_string(over))
        printf("the mode has ended, no lock can be held here until a restart: "
               "%s\n",
               json_string_value(over));
    else if (!is_true(o, "ready"))
        printf("does not take part yet: waits for a node that does, or for "
               "all\n");
}

static void print_proven(const json_t *o)
{
    json_t *members = json_object_get(o, "members");

    if (number_of(o, "view")) {
        printf("view %" JSON_INTEGER_FORMAT, number_of(o, "view"));
        print_names(": ", members);
        printf("%s\n",
               is_true(o, "clean") ? "" : " (those left out are outwaited)");
    } else if (!is_true(o, "witness")) {
        printf("no view\n");
    }
    if (is_true(o, "witness"))
        printf("a witness: helps others to a majority, holds no lock\n");
    else if (is_true(o, "leased"))
        printf("lease for %" JSON_INTEGER_FORMAT " ms more\n",
               number_of(o, "lease_left_us") / 1000);
    else
        printf("no lease: no lock can be held here\n");
    if ((json_int_t)json_array_size(json_object_get(o, "heard")) <
        number_of(o, "majority"))
        printf("no majority: hears %zu of %" JSON_INTEGER_FORMAT
               " nodes, and needs %" JSON_INTEGER_FORMAT "\n",
               json_array_size(json_object_get(o, "heard")),
               number_of(o, "nodes"), number_of(o, "majority"));
}

static void print_node(const json_t *o)
{
    printf("node %s, one of %" JSON_INTEGER_FORMAT
           ", start number %" JSON_INTEGER_FORMAT ", mode %s\n",
           text_of(o, "node"), number_of(o, "nodes"), number_of(o, "inc"),
           text_of(o, "mode"));
    if (json_object_get(o, "bounds"))
        print_silence(o);
    else
        print_proven(o);
    if (json_is_false(json_object_get(json_object_get(o, "clock"), "fit")))
        printf("takes no part: the clock of this machine is slewed by "
               "%" JSON_INTEGER_FORMAT " ppm, or was a moment ago\n",
               number_of(json_object_get(o, "clock"), "slew_ppm"));
}

/* What a peer is in the node's mode. */
static void print_standing(const json_t *p)
{
    if (json_object_get(p, "state"))
        printf(", %s", text_of(p, "state"));
    else
        printf(", view %" JSON_INTEGER_FORMAT "%s%s", number_of(p, "view"),
               is_true(p, "leased") ? ", leased" : "",
               is_true(p, "witness") ? ", a witness"
               : is_true(p, "ready") ? ""
                                     : ", not ready");
}

static void print_ms(json_int_t us)
{
    printf("%" JSON_INTEGER_FORMAT ".%02" JSON_INTEGER_FORMAT " ms", us / 1000,
           us % 1000 / 10);
}

/* How much later than the quickest frame of the last seconds. */
static void print_delay(const json_t *delay)
{
    printf("  %-12s frames late by ", "");
    print_ms(number_of(delay, "mean_us"));
    printf(" (at most ");
    print_ms(number_of(delay, "greatest_us"));
    printf("), %" JSON_INTEGER_FORMAT " beyond the delay of ",
           number_of(delay, "late"));
    print_ms(number_of(delay, "limit_us"));
    printf("; round trip below ");
    print_ms(number_of(delay, "round_trip_us"));
    printf("\n");
}

static void print_peers(const json_t *peers)
{
    size_t i;
    const json_t *p;

    printf("\npeers\n");
    json_array_foreach(peers, i, p)
    {
        const json_t *link = json_object_get(p, "link");
        json_int_t silent = number_of(p, "silent_us");

        if (is_true(p, "self"))
            continue;
        printf("  %-12s ", text_of(p, "name"));
        if (silent < 0)
            printf("never heard of");
        else
            printf("heard %" JSON_INTEGER_FORMAT " ms ago", silent / 1000);
        print_standing(p);
        printf("; sent %" JSON_INTEGER_FORMAT ", received %" JSON_INTEGER_FORMAT
               ", refused %" JSON_INTEGER_FORMAT "\n",
               number_of(link, "sent"), number_of(link, "received"),
               number_of(link, "forged") + number_of(link, "replayed") +
                   number_of(link, "odd") + number_of(link, "old"));
        if (silent >= 0 && json_object_get(p, "delay"))
            print_delay(json_object_get(p, "delay"));
    }
}

static void print_violations(const json_t *o)
{
    json_int_t wakeups = number_of(o, "late_wakeups");
    json_int_t frames = number_of(o, "late_frames");
    json_int_t lost = number_of(o, "holders_lost");

    printf("\nviolations%s\n", wakeups + frames + lost ? "" : ": none");
    if (wakeups) {
        printf("  woke up more than tau late %" JSON_INTEGER_FORMAT
               " time%s, by up to ",
               wakeups, wakeups == 1 ? "" : "s");
        print_ms(number_of(o, "latest_wakeup_us"));
        printf("\n");
    }
    if (frames) {
        printf("  frames later than delay: %" JSON_INTEGER_FORMAT ", by up to ",
               frames);
        print_ms(number_of(o, "latest_frame_us"));
        printf("\n");
    }
    if (lost)
        printf("  commands stopped before their end: %" JSON_INTEGER_FORMAT
               "\n",
               lost);
}

static void print_clients(const json_t *list)
{
    size_t i;
    const json_t *c;

    json_array_foreach(list, i, c)
    {
        printf("    %s process %" JSON_INTEGER_FORMAT "%s", text_of(c, "state"),
               number_of(c, "pid"), is_true(c, "shared") ? ", shared" : "");
        if (json_object_get(c, "token"))
            printf(", token %" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT
                   " ms left, %s%s%s\n",
                   number_of(c, "token"), number_of(c, "left_us") / 1000,
                   is_true(c, "stuck") ? "cannot be stopped, not even by "
                                       : "stopped by ",
                   strcmp(text_of(c, "stopped_by"), "itself") ? "its " : "",
                   text_of(c, "stopped_by"));
        else
            printf(", for %" JSON_INTEGER_FORMAT " ms\n",
                   number_of(c, "waits_us") / 1000);
    }
}

static void print_locks(const json_t *locks)
{
    size_t i;
    const json_t *l;

    printf("\nlocks%s\n", json_array_size(locks) ? "" : ": none in use here");
    json_array_foreach(locks, i, l)
    {
        printf("  %s: %s", text_of(l, "name"),
               is_true(l, "held") ? "held here" : "asked for here");
        if (json_array_size(json_object_get(l, "lacks")))
            print_names(", waits for ", json_object_get(l, "lacks"));
        if (json_array_size(json_object_get(l, "deferred")))
            print_names(", wanted at ", json_object_get(l, "deferred"));
        printf("\n");
        print_clients(json_object_get(l, "holders"));
        print_clients(json_object_get(l, "waiters"));
    }
}

static void print_counters(const char *title, json_t *o)
{
    const char *key;
    const json_t *value;

    printf("%s", title);
    json_object_foreach(o, key, value)
    {
        printf(" %s=%" JSON_INTEGER_FORMAT, key, json_integer_value(value));
    }
    printf("\n");
}

static int print_all(int file)
{
    json_error_t error;
    json_t *o = json_loadfd(file, 0, &error);

    if (!o)
        return cli_complain(CLI_SYSTEM, verb, "the node's report is cut");
    print_node(o);
    print_peers(json_object_get(o, "peers"));
    print_locks(json_object_get(o, "locks"));
    if (json_object_get(o, "violations"))
        print_violations(json_object_get(o, "violations"));
    print_counters("\nclients:", json_object_get(o, "clients"));
    print_counters("node:", json_object_get(o, "counters"));
    json_decref(o);
    return cli_flush(verb, CLI_FINE);
}

static int print_raw(int file)
{
    char bytes[4096];
    ssize_t size;

    while ((size = read(file, bytes, sizeof bytes)) > 0)
        fwrite(bytes, 1, (size_t)size, stdout);
    putchar('\n');
    return cli_flush(verb, CLI_FINE);
}

int cli_status(int argc, char **argv)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"node", required_argument, NULL, 'i'},
        {"socket", required_argument, NULL, 'S'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {0}};
    struct cli_place place = {0};
    struct live_client client;
    char error[LIVE_ERROR_SIZE];
    bool json = false;
    int option, file, code;

    while ((option = getopt_long(argc, argv, "c:i:h", options, NULL)) != -1) {
        if (option == 'c')
            place.config = optarg;
        else if (option == 'i')
            place.node = optarg;
        else if (option == 'S')
            place.socket = optarg;
        else if (option == 'j')
            json = true;
        else if (option == 'h')
            return help(), cli_flush(verb, CLI_FINE);
        else
            return cli_complain(CLI_USAGE, verb, "see 'fulcrum status --help'");
    }
    if (optind < argc)
        return cli_complain(CLI_USAGE, verb, "'%s' is no option", argv[optind]);
    code = cli_connect(verb, &place, &client);
    if (code)
        return code;
    file = live_client_status(&client, error);
    live_client_close(&client);
    if (file < 0)
        return cli_complain(CLI_SYSTEM, verb, "%s", error);
    code = json ? print_raw(file) : print_all(file);
    close(file);
    return code;
}
