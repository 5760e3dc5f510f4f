/*
 * wording.c - see wording.h.
 */
#include "trace/wording.h"

#include <string.h>

/* ---- Roles --------------------------------------------------------------- */

const char *trace_role_word(enum trace_role role)
{
    static const char *const words[TRACE_ROLES_ALL] = {
        [TRACE_ASLEEP] = "asleep",       [TRACE_AWAKE] = "awake",
        [TRACE_CANDIDATE] = "candidate", [TRACE_LOST] = "lost",
        [TRACE_LEADER] = "leader",       [TRACE_DONE] = "done",
        [TRACE_IDLE] = "idle",           [TRACE_SLEEPING] = "sleeps",
        [TRACE_ASKING] = "asks",         [TRACE_WAITING] = "waits",
        [TRACE_INSIDE] = "inside",       [TRACE_MUTE] = "mute",
        [TRACE_READING] = "reads",       [TRACE_WRITING] = "writes",
    };

    return words[role];
}

const char *trace_role_said(const struct trace *t, enum trace_role role)
{
    return role < TRACE_OWN ? trace_role_word(role)
                            : t->own_roles[role - TRACE_OWN].word;
}

enum trace_role trace_role_like(const struct trace *t, enum trace_role role)
{
    return role < TRACE_OWN ? role : t->own_roles[role - TRACE_OWN].like;
}

enum trace_role trace_role_of(const char *word)
{
    unsigned role = 0;

    while (role < TRACE_ROLES &&
           strcmp(trace_role_word((enum trace_role)role), word) != 0)
        role++;
    return (enum trace_role)role;
}

enum trace_role trace_role_in(const struct fc_problem *problem,
                              const char *word)
{
    for (const struct fc_own_role *own = problem->roles; own && own->word;
         own++)
        if (strcmp(own->word, word) == 0)
            return trace_role_of(own->like);
    return trace_role_of(word);
}

enum trace_role trace_first_in(const struct fc_problem *problem)
{
    return problem->first ? trace_role_in(problem, problem->first) : TRACE_IDLE;
}

/* ---- Facts and commands -------------------------------------------------- */

const char *trace_fact_word(enum trace_fact fact)
{
    static const char *const words[TRACE_FACTS] = {
        [TRACE_ANSWERS] = "answers",
        [TRACE_KNOWS] = "knows",
        [TRACE_HAS_TOKEN] = "token",
    };

    return words[fact];
}

static const char *const asks[] = {
    [TRACE_WAKE] = "wake",
    [TRACE_WANT] = "want",
    [TRACE_WANT_SHARED] = "want-shared",
    [TRACE_LEAVE] = "leave",
};
enum { ASKS = sizeof asks / sizeof asks[0] };

enum trace_what trace_asked(const char *word)
{
    for (unsigned i = 0; i < ASKS; i++)
        if (strcmp(asks[i], word) == 0)
            return (enum trace_what)i;
    return TRACE_ASKED;
}

const char *trace_asked_word(const struct trace *t, const struct trace_event *e)
{
    if (e->what == TRACE_ASKED)
        return t->own_asks[e->asked];
    return e->what < ASKS ? asks[e->what] : NULL;
}
