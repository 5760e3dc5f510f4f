/*
 * roles.c - the tables of roles, problems and properties; see roles.h.
 */
#include "draw/roles.h"

#include <string.h>

static const struct role roles[TRACE_OWN] = {
    [TRACE_ASLEEP] = {"asleep", "sleeps", LOOK_ASLEEP},
    [TRACE_AWAKE] = {"awake", "awake", LOOK_AWAKE},
    [TRACE_CANDIDATE] = {"candidate", "candidate", LOOK_CANDIDATE},
    [TRACE_LOST] = {"lost", "lost", LOOK_LOST},
    [TRACE_LEADER] = {"leader", "elected", LOOK_LEADER},
    [TRACE_DONE] = {"done", "done", LOOK_ASLEEP},
    [TRACE_IDLE] = {"idle", "idle", LOOK_AWAKE},
    [TRACE_SLEEPING] = {"wants in, has not asked yet", "sleeps", LOOK_ASLEEP},
    [TRACE_ASKING] = {"asks, window open", "asks", LOOK_ASKS},
    [TRACE_WAITING] = {"waits", "waits", LOOK_WAITS},
    [TRACE_INSIDE] = {"inside", "enters", LOOK_INSIDE},
    [TRACE_MUTE] = {"mute", "mute", LOOK_LOST},
    [TRACE_READING] = {"reads", "reads", LOOK_BESIDE},
    [TRACE_WRITING] = {"writes", "writes", LOOK_INSIDE},
    [TRACE_BESIDE] = {"inside, reads", "reads", LOOK_BESIDE},
    [TRACE_DOWN] = {"down", "crashes", LOOK_DOWN},
};

/* A role of the problem's own has one word, and looks like another. */
struct role roles_of(const struct trace *t, enum trace_role role)
{
    struct role r = roles[trace_role_like(&t->head, role)];

    if (role >= TRACE_OWN)
        r.key = r.turn = trace_role_said(&t->head, role);
    return r;
}

enum look roles_look(const struct trace *t, enum trace_role role, bool rests)
{
    enum look look = roles_of(t, role).look;

    return rests && !look_has_power(look) ? LOOK_RESTS : look;
}

/* The last is for problems that are not known yet. */
static const struct problem problems[] = {
    {
        .word = "election",
        .finds = FINDS_LEADER,
        .lane = "name",
        .one = "node",
        .rests = "a message rests",
        .message_rests = true,
        .blame = BLAME_LEADERS,
        .asleep = "asleep or done",
        .awake = "awake or lost",
    },
    {
        .word = "mutex",
        .finds = FINDS_ENTRIES,
        .lane = "site",
        .one = "site",
        .rests = "something rests",
    },
    {
        .word = "token",
        .finds = FINDS_TOKENS,
        .lane = "station",
        .one = "station",
        .rests = "would remove a token",
        .rest_turn = "young",
    },
    {
        .word = "store",
        .finds = FINDS_ACCESSES,
        .lane = "name",
        .one = "node",
        .rests = "waits",
        .rest_turn = "waits",
        .attempt = "words=",
        .attempt_more = 2,
    },
    {
        .finds = FINDS_ACCESSES,
        .lane = "name",
        .one = "node",
        .rests = "something rests",
    },
};

const struct problem *problem_of(const struct trace *t)
{
    const struct problem *p = problems;

    while (p->word != NULL && strcmp(p->word, t->head.problem) != 0)
        p++;
    return p;
}

static const struct property properties[] = {
    {"exclusion", BLAME_INSIDE, "too many inside", NULL, NULL},
    {"everyone-enters", BLAME_WAITING, NULL, NULL, NULL},
    {"token-grows", BLAME_ONE, "stale token",
     "enters with a token that is not greater", NULL},
    {"ends", BLAME_ONE, "not over", NULL, "The run is not over"},
    {"elected", BLAME_ONE, "nobody elected", NULL, "Nobody is elected"},
    {"everyone-told", BLAME_ONE, "not all told", NULL,
     "Not every node is told who leads"},
    {"agreement", BLAME_LEADERS, "two opinions", NULL,
     "Nodes disagree on the leader"},
    {"right-leader", BLAME_LEADERS, "wrong leader",
     "is elected, and should not be", "The wrong node leads"},
    {"right-answer", BLAME_ONE, "wrong answer", "has a wrong answer",
     "An answer is wrong"},
    {"no-torn-read", BLAME_ONE, "torn read", "reads what was never written",
     NULL},
    {"everyone-reads", BLAME_ONE, "unread", NULL, "Not every read is done"},
};

const struct property *property_of(const char *word)
{
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++)
        if (strcmp(properties[i].word, word) == 0)
            return &properties[i];
    return NULL;
}
