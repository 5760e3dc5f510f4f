/*
 * status_print.h - the report of a node, for people.
 */
#ifndef CLI_STATUS_PRINT_H
#define CLI_STATUS_PRINT_H

#include <jansson.h>

/* Prints a report as live/desk/desk_report.c makes it; what is not in it is
 * left out. */
void status_print(const json_t *report);

#endif
