/*
 * roles.h - roles as people see them, and the words of each problem.
 *
 * The words for a known problem or protocol stand in the tables of roles.c; the
 * head of a trace declares the words of all others.
 */
#ifndef DRAW_ROLES_H
#define DRAW_ROLES_H

#include "trace/columns.h"

/* What a lane looks like: roles that look the same are one, and a message
 * that rests shows more than the role below it.  In order of power. */
enum look {
    LOOK_DOWN, /* nothing */
    LOOK_ASLEEP,
    LOOK_LOST,
    LOOK_AWAKE,
    LOOK_RESTS,
    LOOK_ASKS,
    LOOK_WAITS,
    LOOK_CANDIDATE,
    LOOK_LEADER,
    LOOK_BESIDE, /* inside, and others may be too */
    LOOK_INSIDE,
    LOOKS,
};

struct role {
    const char *key;  /* in the key of a picture */
    const char *turn; /* what a node does that takes this role */
    enum look look;
};
struct role roles_of(const struct trace *t, enum trace_role role);

enum look roles_look(const struct trace *t, enum trace_role role, bool rests);

/* Power is never lost, however short it lasts or thin its lane is. */
static inline bool look_has_power(enum look look)
{
    return look >= LOOK_LEADER;
}

/* Inside, alone or beside others. */
static inline bool look_is_inside(enum look look)
{
    return look >= LOOK_BESIDE;
}

/* Wants something and has not got it. */
static inline bool role_waits(const struct trace *t, enum trace_role role)
{
    role = trace_role_like(&t->head, role);
    return role == TRACE_SLEEPING || role == TRACE_ASKING ||
           role == TRACE_WAITING;
}

/* Which nodes can have broken a property together. */
enum blame {
    BLAME_ONE,     /* the node of the event, if there is one */
    BLAME_LEADERS, /* all that lead */
    BLAME_INSIDE,  /* all that are inside */
    BLAME_WAITING, /* all that wait */
};

/* A property that has better words than its name; NULL: the words of its
 * blame. */
struct property {
    const char *word; /* in traces */
    enum blame blame;
    const char *flag;  /* two or three words */
    const char *does;  /* what the node did, */
    const char *state; /* or what is true */
};

/* What a title speaks of. */
enum finds { FINDS_LEADER, FINDS_ENTRIES, FINDS_TOKENS, FINDS_ACCESSES };

struct problem {
    const char *word;      /* in traces */
    const char *lane;      /* what a name is the name of */
    const char *one;       /* more of them: with an s */
    const char *rests;     /* what it means that something rests */
    const char *rest_turn; /* the same beside a lane; NULL: "rests" */
    bool message_rests;    /* it is the message that was read */
    enum finds finds;
    enum blame blame; /* of properties not in the table below */
    /* Readers that may have to try again: an attempt takes as many steps as
     * this parameter says, and `attempt_more` more; NULL: nobody tries. */
    const char *attempt;
    uint32_t attempt_more;
    const char *asleep, *awake; /* in the text diagram's key; NULL: the words of
                                 * the roles that occur */
};

/* By the word in the head; never NULL. */
const struct problem *problem_of(const struct trace *t);

/* By its word; NULL if it has no better words. */
const struct property *property_of(const char *word);

#endif
