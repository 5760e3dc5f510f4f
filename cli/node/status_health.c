/*
 * status_health.c - the report of a node in one line, for monitoring: whether
 * locks can be held there (see status.h).
 */
#include <stdio.h>
#include <string.h>

#include "cli/node/status.h"

/* Besides the exit codes of cli.h; 4 is CLI_NO_NODE. */
enum { EXIT_HEALTHY = 0, EXIT_NO_LEASE = 5, EXIT_NO_MAJORITY, EXIT_NO_PART };

/* The nodes of the list that are heard, this one among them, or those that are
 * not. */
static json_t *those(const json_t *report, bool heard)
{
    const json_t *all = json_object_get(report, "heard"), *peer;
    json_t *list = json_array();
    size_t i;

    json_array_foreach(json_object_get(report, "peers"), i, peer)
    {
        bool is_heard = json_is_true(json_object_get(peer, "self")) ||
                        status_has(all, status_text(peer, "name"));

        if (is_heard == heard && status_is_listed(peer))
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

static int tell_few(const json_t *o, const struct status_lists *lists,
                    char line[LIVE_REASON_MAX])
{
    char names[LIVE_REASON_MAX], heard[LIVE_REASON_MAX], needs[LIVE_REASON_MAX];
    json_t *here = those(o, true);

    snprintf(line, LIVE_REASON_MAX,
             "no majority: hears %.90s (%.100s), needs %.24s",
             status_heard(lists, heard), status_names(here, names),
             status_needs(lists, needs));
    json_decref(here);
    return EXIT_NO_MAJORITY;
}

static int health_of_proven(const json_t *o, char line[LIVE_REASON_MAX])
{
    const struct status_lists lists = status_lists(o);
    bool witness = json_is_true(json_object_get(o, "witness"));
    char names[LIVE_REASON_MAX], heard[LIVE_REASON_MAX];
    json_t *gone;

    if (status_is_guest(o)) {
        snprintf(
            line, LIVE_REASON_MAX,
            "takes no part: this node is not in the list of nodes; 'fulcrum "
            "cluster add' at a member puts it there");
        return EXIT_NO_PART;
    }
    if (!status_has_majority(&lists))
        return tell_few(o, &lists, line);
    if (!witness && !json_is_true(json_object_get(o, "leased"))) {
        snprintf(line, LIVE_REASON_MAX,
                 "no lease: hears %.90s, but no lock can be held here at this "
                 "moment",
                 status_heard(&lists, heard));
        return EXIT_NO_LEASE;
    }
    gone = those(o, false);
    snprintf(line, LIVE_REASON_MAX, "healthy: %s, hears %.90s%s%.120s",
             witness ? "a witness" : "has a lease", status_heard(&lists, heard),
             json_array_size(gone) ? "; not heard: " : "",
             status_names(gone, names));
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
