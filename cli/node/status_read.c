/*
 * status_read.c - what is read out of the report of a node by all who tell of
 * it (see status.h).
 */
#include <stdio.h>
#include <string.h>

#include "cli/node/status.h"

#define INT "%" JSON_INTEGER_FORMAT

/* ---- Texts and numbers --------------------------------------------------- */

const char *status_text(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text ? text : "?";
}

json_int_t status_number(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

const char *status_names(const json_t *list, char text[LIVE_REASON_MAX])
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

bool status_has(const json_t *list, const char *text)
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

/* ---- Lists of nodes ------------------------------------------------------ */

bool status_is_listed(const json_t *peer)
{
    const char *listed = json_string_value(json_object_get(peer, "listed"));

    return !listed || strcmp(listed, "no") != 0;
}

bool status_is_guest(const json_t *o)
{
    const json_t *peer;
    size_t i;

    json_array_foreach(json_object_get(o, "peers"), i, peer)
    {
        if (json_is_true(json_object_get(peer, "self")))
            return !status_is_listed(peer);
    }
    return false;
}

/* Nodes of earlier versions, and in mode silence, have one list for ever. */
struct status_lists status_lists(const json_t *o)
{
    const json_t *c = json_object_get(o, "configuration");

    if (!c)
        return (struct status_lists){
            .nodes = status_number(o, "nodes"),
            .heard = (json_int_t)json_array_size(json_object_get(o, "heard")),
            .majority = status_number(o, "majority")};
    return (struct status_lists){
        .joint = json_is_true(json_object_get(c, "joint")),
        .nodes = (json_int_t)json_array_size(json_object_get(c, "list")),
        .heard = status_number(c, "heard"),
        .majority = status_number(c, "majority"),
        .old_nodes = (json_int_t)json_array_size(json_object_get(c, "old")),
        .old_heard = status_number(c, "heard_of_old"),
        .old_majority = status_number(c, "majority_of_old")};
}

bool status_has_majority(const struct status_lists *l)
{
    return l->heard >= l->majority &&
           (!l->joint || l->old_heard >= l->old_majority);
}

const char *status_heard(const struct status_lists *l,
                         char text[LIVE_REASON_MAX])
{
    if (l->joint)
        snprintf(text, LIVE_REASON_MAX,
                 INT " of " INT " nodes of the old list and " INT " of " INT
                     " of the new one",
                 l->old_heard, l->old_nodes, l->heard, l->nodes);
    else
        snprintf(text, LIVE_REASON_MAX, INT " of " INT " nodes", l->heard,
                 l->nodes);
    return text;
}

const char *status_needs(const struct status_lists *l,
                         char text[LIVE_REASON_MAX])
{
    if (l->joint)
        snprintf(text, LIVE_REASON_MAX, INT " and " INT, l->old_majority,
                 l->majority);
    else
        snprintf(text, LIVE_REASON_MAX, INT, l->majority);
    return text;
}

const char *status_configuration(const json_t *o, char text[LIVE_REASON_MAX])
{
    const struct status_lists l = status_lists(o);
    json_int_t number =
        status_number(json_object_get(o, "configuration"), "number");

    if (l.joint)
        snprintf(text, LIVE_REASON_MAX,
                 "configuration " INT ", joint: " INT " of " INT
                 " old heard, " INT " of " INT " new",
                 number, l.old_heard, l.old_nodes, l.heard, l.nodes);
    else
        snprintf(text, LIVE_REASON_MAX, "configuration " INT, number);
    return text;
}
