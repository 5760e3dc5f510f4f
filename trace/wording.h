/*
 * wording.h - the words of a trace: those that the format has, and those that a
 * problem brings along.
 *
 * A problem that is not in the format's tables (docs/trace.md) has roles, facts
 * and commands of its own.  The head of a trace declares them, and says of each
 * role which of the format's roles it is drawn like.
 */
#ifndef TRACE_WORDING_H
#define TRACE_WORDING_H

#include "problems/problem.h"
#include "trace/read.h"

/* One of the format's roles by its word; TRACE_ROLES: there is none. */
enum trace_role trace_role_of(const char *word);

/* What an application asks with one of the format's words, or TRACE_ASKED. */
enum trace_what trace_asked(const char *word);

/* The word of such an event. */
const char *trace_asked_word(const struct trace *t,
                             const struct trace_event *e);

/* The format's role for what a view of this problem shows. */
enum trace_role trace_role_in(const struct fc_problem *problem,
                              const char *word);

/* The role of every node before its first event, drawn like this one. */
enum trace_role trace_first_in(const struct fc_problem *problem);

#endif
