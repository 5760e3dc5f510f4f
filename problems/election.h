/*
 * election.h - the problem: one node becomes leader and everybody learns it.
 *
 * Properties see only views.  They are kept up to date from the change of one
 * node's view, never by looking at all nodes:
 *
 *   always      one-leader     never two leaders at once
 *               agreement      all nodes that name a leader name the same one
 *   eventually  right-leader   the leader is the node the protocol promises
 *               elected        somebody leads when nothing is left to do
 *               everyone-told  all know the leader then
 *               ends           the run is over by the protocol's horizon
 *               right-answer   what the leader was used for came out right
 */
#ifndef ELECTION_H
#define ELECTION_H

#include "problems/problem.h"

enum election_command { ELECTION_START };

/* More power, larger number. */
enum election_role {
    ELECTION_ASLEEP,
    ELECTION_DONE, /* asleep again, and knows the leader */
    ELECTION_LOST,
    ELECTION_AWAKE,
    ELECTION_CANDIDATE,
    ELECTION_LEADER,
};

struct election_view {
    fc_name leader; /* the node that it takes for the leader, or FC_NOBODY;
                     * without names ELECTION_SOMEBODY */
    fc_name answer; /* what the election was for, at this node; or 0 */
    uint8_t role;
    uint8_t rests; /* a message rests here before it is passed on */
    uint16_t unused;
};

#define ELECTION_SOMEBODY FC_NAME_MAX

/* Which node a protocol promises to elect. */
enum election_winner {
    ELECTION_LEAST,           /* the least name of all */
    ELECTION_GREATEST,        /* the greatest name of all */
    ELECTION_LEAST_INITIATOR, /* the least that started spontaneously */
    ELECTION_GREATEST_INITIATOR,
    ELECTION_ANYBODY,        /* one of them, no matter which */
    ELECTION_GREATEST_ALIVE, /* the greatest that has not crashed */
};

/* What a protocol uses its leader for, and what must come out in the end. */
enum election_answer {
    ELECTION_NO_ANSWER,
    ELECTION_SIZE,   /* the leader's answer is the number of nodes */
    ELECTION_SORTED, /* clockwise from the leader, answers are the names in
                      * order */
    ELECTION_NAMED,  /* answers are 1 to the number of nodes, each once, and
                      * the leader's is that number */
};

struct election_terms {
    enum election_winner winner;
    enum election_answer answer;
};
/* Of any protocol: zero if it solves another problem. */
FC_EXTERN struct election_terms election_terms_of(const struct fc_protocol *p);

enum election_property {
    ELECTION_ONE_LEADER = 1u << 0,
    ELECTION_AGREEMENT = 1u << 1,
    ELECTION_RIGHT_LEADER = 1u << 2,
    ELECTION_ELECTED = 1u << 3,
    ELECTION_EVERYONE_TOLD = 1u << 4,
    ELECTION_ENDS = 1u << 5,
    ELECTION_RIGHT_ANSWER = 1u << 6,
};
enum { ELECTION_PROPERTIES = 7 };

/* All that must be remembered of a run to judge it. */
struct election_watch {
    const struct fc_world *world;
    enum election_winner winner;
    enum election_answer answer;
    uint32_t nodes;
    uint32_t leaders;  /* now */
    uint32_t told;     /* nodes that know a leader now */
    uint32_t started;  /* nodes that started spontaneously */
    fc_name leader;    /* the first that was named */
    fc_name leader_id; /* the first that led: its name, or 1 + its index */
    fc_name least_started, greatest_started;
    uint64_t elected_at; /* tick, or FC_NEVER */
    uint32_t broken;     /* bits of enum election_property */
    uint32_t down;       /* nodes that are down now */
    bool changing;       /* leaders may change: judge the end alone */
    bool unsettled;      /* two nodes alive name different leaders in the end */
    fc_name greatest_alive;
    /* What the leader was used for, node by node. */
    uint32_t silent;                   /* that have none */
    uint32_t answered;                 /* nodes that were asked */
    fc_name first_answer, last_answer; /* of the first node, of the last */
    uint32_t descents;                 /* places where answers do not grow */
    uint64_t answers_sum, names_sum;
    uint64_t answers_seen; /* a bit for each of 1 to 64 */
    uint64_t answers_mix;  /* 0 if they are 1 to the number of nodes */
    fc_name leaders_answer;
    bool first_leads, begins_at_leader; /* the one descent is at the leader */
};

#define election_traits (FC_KNOWS_STARTERS | FC_SETTLES)

FC_PROBLEM(election);

/* A node obeyed ELECTION_START. */
FC_EXTERN void election_started(struct election_watch *w, fc_name name);

/* Whether the two differ in nothing that a property sees. */
static inline bool election_same(const struct election_view *a,
                                 const struct election_view *b)
{
    return a->role == b->role && a->leader == b->leader;
}

/* Whether a property that holds always, not only in the end, can tell the two
 * apart: by which node leads, and which is taken for the leader. */
static inline bool election_matters(const struct election_view *a,
                                    const struct election_view *b)
{
    return (a->role == ELECTION_LEADER) != (b->role == ELECTION_LEADER) ||
           a->leader != b->leader;
}

/* Whether the end depends on more than the changes: leaders may have changed,
 * or the leader was used for something.  If so, what each live node thinks now,
 * clockwise. */
static inline bool election_settles(const struct election_watch *w)
{
    return w->changing || w->answer != ELECTION_NO_ANSWER;
}
FC_EXTERN void election_settled(struct election_watch *w, fc_name id,
                                const struct election_view *view);

/* ---- For protocols and reports ------------------------------------------- */

/* The view of a node in this role that was told the leader, or was not: once
 * told, it leads or is done. */
static inline void election_view_of(struct election_view *view, uint8_t role,
                                    bool told, fc_name leader)
{
    *view = (struct election_view){
        .leader = told ? leader : (fc_name)FC_NOBODY,
        .role = told && role != ELECTION_LEADER ? (uint8_t)ELECTION_DONE : role,
    };
}

/* The quantity of elections in phases: a step that begins one has this note. */
enum { ELECTION_PHASE = FC_NOTE_OWN };
#define ELECTION_PHASES                                                        \
    {                                                                          \
        "phases", "phases", "phases that the most persistent node begins",     \
            FC_OVER_NODE, ELECTION_PHASE, NULL                                 \
    }

/* The name of the node that the protocol must elect, or FC_NOBODY if that is
 * not known before the end. */
FC_EXTERN fc_name election_expected(enum election_winner winner,
                                    const struct fc_world *world);

/* A tick by which every ring election whose messages never rest is over: each
 * of the at most N tokens needs N hops of at most u, one after the other past
 * each node, like jobs through a row of machines (2N u); a sleeper may begin
 * N u late, the announcement takes N u; twice that for good measure.  For
 * fc_protocol.horizon. */
FC_EXTERN uint64_t election_pipeline_horizon(const void *params,
                                             const struct fc_world *world);

#endif
