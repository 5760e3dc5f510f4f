/*
 * status_health.c - the report of a node in one line, for monitoring: whether
 * locks can be held there (see node.h).
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/node/node.h"

/* Besides the exit codes of cli.h; 4 is CLI_NO_NODE. */
enum { EXIT_HEALTHY = 0, EXIT_NO_LEASE = 5, EXIT_NO_MAJORITY, EXIT_NO_PART };

const char *status_text(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text ? text : "?";
}

/* "a, b"; names are as long as they are, and the line is not. */
static const char *names_of(const json_t *list, char text[LIVE_REASON_MAX])
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

/* The peers that are not heard, without this node. */
static json_t *unheard(const json_t *report)
{
    const json_t *heard = json_object_get(report, "heard"), *peer, *one;
    json_t *list = json_array();
    size_t i, k;

    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        bool is_heard = json_is_true(json_object_get(peer, "self"));

        json_array_foreach(heard, k, one)
        {
            is_heard |= json_equal(one, json_object_get(peer, "name"));
        }
        if (!is_heard)
            json_array_append(list, json_object_get(peer, "name"));
    }
    return list;
}

/* Mode silence has no majorities and leases. */
static int health_of_silence(const json_t *o, char line[LIVE_REASON_MAX])
{
    if (json_is_string(json_object_get(o, "over"))) {
        snprintf(line, LIVE_REASON_MAX,
                 "takes no part: the mode has ended: %.180s",
                 status_text(o, "over"));
        return EXIT_NO_PART;
    }
    if (!json_is_true(json_object_get(o, "ready"))) {
        snprintf(line, LIVE_REASON_MAX, "no lock yet: it has just started");
        return EXIT_NO_LEASE;
    }
    snprintf(line, LIVE_REASON_MAX, "healthy: takes part in mode silence");
    return EXIT_HEALTHY;
}

static int health_of_proven(const json_t *o, char line[LIVE_REASON_MAX])
{
    json_int_t nodes = json_integer_value(json_object_get(o, "nodes"));
    json_int_t majority = json_integer_value(json_object_get(o, "majority"));
    const json_t *heard = json_object_get(o, "heard");
    size_t count = json_array_size(heard);
    bool witness = json_is_true(json_object_get(o, "witness"));
    char names[LIVE_REASON_MAX];
    json_t *gone;

    if ((json_int_t)count < majority) {
        snprintf(line, LIVE_REASON_MAX,
                 "no majority: hears %zu of %d nodes (%.160s), needs %d", count,
                 (int)nodes, names_of(heard, names), (int)majority);
        return EXIT_NO_MAJORITY;
    }
    if (!witness && !json_is_true(json_object_get(o, "leased"))) {
        snprintf(
            line, LIVE_REASON_MAX,
            "no lease: hears %zu of %d nodes, but no lock can be held here "
            "at this moment",
            count, (int)nodes);
        return EXIT_NO_LEASE;
    }
    gone = unheard(o);
    snprintf(
        line, LIVE_REASON_MAX, "healthy: %s, hears %zu of %d nodes%s%.120s",
        witness ? "a witness" : "has a lease", count, (int)nodes,
        json_array_size(gone) ? "; not heard: " : "", names_of(gone, names));
    json_decref(gone);
    return EXIT_HEALTHY;
}

int status_health(const json_t *o, char line[LIVE_REASON_MAX])
{
    const json_t *clock = json_object_get(o, "clock");

    if (json_is_false(json_object_get(clock, "fit"))) {
        snprintf(
            line, LIVE_REASON_MAX,
            "takes no part: the clock of this machine is slewed by %d ppm, "
            "or was a moment ago",
            (int)json_integer_value(json_object_get(clock, "slew_ppm")));
        return EXIT_NO_PART;
    }
    if (json_is_string(json_object_get(o, "defers"))) {
        snprintf(line, LIVE_REASON_MAX, "takes no part: %.180s",
                 status_text(o, "defers"));
        return EXIT_NO_PART;
    }
    return json_object_get(o, "bounds") ? health_of_silence(o, line)
                                        : health_of_proven(o, line);
}
