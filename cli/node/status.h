/*
 * status.h - what is told of the report of a node, by fulcrum status and by
 * fulcrum cluster; live/door/door_status.c makes it.
 *
 * Nodes of earlier versions leave fields out, and so does each mode: what is
 * not there reads as "?", as 0, or as an empty list.
 */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include <jansson.h>
#include <stdbool.h>

#include "live/common/letter.h"

/* What a report says in one line, and whether locks can be held at the node:
 * 0, or an exit code of the table in fulcrum-status(1). */
int status_health(const json_t *report, char line[LIVE_REASON_MAX]);

/* A text of an object, or "?"; and a number, or 0. */
const char *status_text(const json_t *o, const char *key);
json_int_t status_number(const json_t *o, const char *key);

/* "a, b": texts of a list; and whether it has one. */
const char *status_names(const json_t *list, char text[LIVE_REASON_MAX]);
bool status_has(const json_t *list, const char *text);

/* Whether a peer is in the list, or in one of the two while they change. */
bool status_is_listed(const json_t *peer);

/* Whether the node itself is not: it waits until it is. */
bool status_is_guest(const json_t *report);

/* How many nodes of the list are heard; while it changes (joint), of the old
 * one, too, and a majority of each is needed. */
struct status_lists {
    bool joint;
    json_int_t nodes, heard, majority;
    json_int_t old_nodes, old_heard, old_majority; /* while joint */
};
struct status_lists status_lists(const json_t *report);
bool status_has_majority(const struct status_lists *lists);

/* "2 of 3 nodes", and how many are needed. */
const char *status_heard(const struct status_lists *lists,
                         char text[LIVE_REASON_MAX]);
const char *status_needs(const struct status_lists *lists,
                         char text[LIVE_REASON_MAX]);

/* "configuration 2", and while joint, what is heard of both lists. */
const char *status_configuration(const json_t *report,
                                 char text[LIVE_REASON_MAX]);

/* Prints it whole, for people. */
void status_print(const json_t *report);

#endif
