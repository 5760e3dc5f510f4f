/*
 * check.h - the checker: every behaviour within the bounds; see
 * fulcrum_check(3).
 */
#ifndef FULCRUM_CHECK_H
#define FULCRUM_CHECK_H

#include <stdio.h>

#include "net.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a search has found. */
struct fulcrum_check;

enum fulcrum_verdict {
    FULCRUM_HOLDS,
    FULCRUM_VIOLATED,
    FULCRUM_INCOMPLETE, /* a limit ended the search */
};

/* Searches all that can happen in the network.  Returns NULL with a sentence
 * in fulcrum_net_why() if it cannot be searched. */
struct fulcrum_check *fulcrum_check_run(struct fulcrum_net *net);
void fulcrum_check_free(struct fulcrum_check *check);

enum fulcrum_verdict fulcrum_check_verdict(const struct fulcrum_check *check);

/* A property that the run it found breaks, from 0 on; NULL: there are no
 * more. */
const char *fulcrum_check_broken(const struct fulcrum_check *check,
                                 size_t number);

/* A number by its name in the output of 'fulcrum check --json': "states",
 * "transitions", "terminal", "depth", "seconds", "bytes"; -1: there is no such
 * number. */
int fulcrum_check_get(const struct fulcrum_check *check, const char *name,
                      double *value);

/* After FULCRUM_VIOLATED: writes the run that it found as a trace, or tells it
 * in words.  0; -1: no memory, or nothing to be told. */
int fulcrum_check_trace(const struct fulcrum_check *check, FILE *to);
int fulcrum_check_story(const struct fulcrum_check *check, FILE *to);

#ifdef __cplusplus
}
#endif

#endif
