/*
 * mutex.h - the problem: every site that asks gets in, and never two at once.
 *
 * Sites share a resource.  The application asks for it (MUTEX_WANT, or
 * MUTEX_WANT_SHARED to read beside other readers), is let in, and leaves
 * (MUTEX_LEAVE); a driver plays the application and keeps asking.
 *
 *   always      exclusion      never more inside than the resource bears, and
 *                              no reader beside a writer
 *               token-grows    a site that enters alone has a greater token
 *                              than all that entered alone before (if the
 *                              protocol has tokens)
 *   eventually  everyone-enters  nobody waits when nothing is left to do
 *               ends           the run is over by its horizon
 */
#ifndef MUTEX_H
#define MUTEX_H

#include "problems/problem.h"

enum mutex_command { MUTEX_WANT, MUTEX_WANT_SHARED, MUTEX_LEAVE };

enum mutex_role {
    MUTEX_IDLE,
    MUTEX_SLEEPS, /* wants it, and has not asked yet */
    MUTEX_ASKS,   /* has asked; silence may still turn into a refusal */
    MUTEX_WAITS,  /* for a site that is before it */
    MUTEX_INSIDE,
    MUTEX_MUTE, /* back after a crash, not yet taking part */
};
#define MUTEX_ROLES "idle", "sleeps", "asks", "waits", "inside", "mute"

struct mutex_view {
    uint64_t token; /* under which it is inside, or 0: the protocol has none */
    uint64_t until; /* it is stopped then, by its own clock; or 0: never */
    uint8_t role;
    uint8_t shared; /* it asks, or is inside, as a reader */
    uint8_t unused[6];
};

/* Whether readers may be inside together. */
enum mutex_sharing {
    MUTEX_SHARES_NEVER,
    MUTEX_SHARES_ON_REQUEST, /* if a request says that it is a reader's */
    MUTEX_SHARES_MOSTLY,     /* that is what it is for */
};

struct mutex_terms {
    enum mutex_sharing shares;
    uint32_t (*capacity)(const void *params); /* how many may be inside
                                               * together; NULL: one */
};

/* Of any protocol: zero if it solves another problem. */
FC_EXTERN struct mutex_terms mutex_terms_of(const struct fc_protocol *p);

enum mutex_property {
    MUTEX_EXCLUSION = 1u << 0,
    MUTEX_TOKEN_GROWS = 1u << 1,
    MUTEX_EVERYONE_ENTERS = 1u << 2,
    MUTEX_ENDS = 1u << 3,
};
enum { MUTEX_PROPERTIES = 4 };

/* All that must be remembered of a run to judge it. */
struct mutex_watch {
    uint32_t capacity;         /* how many writers may be inside together */
    uint32_t readers, writers; /* inside now */
    uint32_t waiting;          /* want it, and are alive */
    uint64_t token;            /* the greatest so far */
    uint64_t first_at;         /* tick of the first entry, or FC_NEVER */
    uint64_t overlaps;         /* pairs inside together that may not */
    uint32_t broken;           /* bits of enum mutex_property */
};

#define mutex_traits (FC_REPEATS | FC_REMEMBERS | FC_LOOKS_AGAIN)

FC_PROBLEM(mutex);

static inline bool mutex_same(const struct mutex_view *a,
                              const struct mutex_view *b)
{
    return a->role == b->role && a->shared == b->shared &&
           a->token == b->token && a->until == b->until;
}

/* Whether a property that holds always, not only in the end, can tell the two
 * apart: by which sites are inside, and how. */
static inline bool mutex_matters(const struct mutex_view *a,
                                 const struct mutex_view *b)
{
    bool inside = a->role == MUTEX_INSIDE;

    return inside != (b->role == MUTEX_INSIDE) ||
           (inside && (a->shared != b->shared || a->token != b->token));
}

/* After its first step: a site that is still inside may have found another
 * there. */
FC_EXTERN void mutex_returned(struct mutex_watch *w,
                              const struct mutex_view *view);

/* What must be remembered of a run besides the views of all nodes: for a driver
 * that sets up a watch in the middle of a run. */
static inline uint64_t mutex_memory(const struct mutex_watch *w)
{
    return w->token;
}
static inline void mutex_recall(struct mutex_watch *w, uint64_t memory)
{
    w->token = memory;
}

/* The same if each site i is called to[i], for protocols whose tokens come from
 * mutex_token(). */
static inline uint64_t mutex_relabel_memory(uint64_t memory, const uint16_t *to)
{
    return (memory >> 16) << 16 | to[memory & UINT16_MAX];
}

/* ---- For protocols ------------------------------------------------------- */

/* The number of sites that have a token at first.  Protocols need exactly one;
 * how they behave with more or none can be tried. */
enum mutex_holders { MUTEX_ONE_HOLDER, MUTEX_NO_HOLDER, MUTEX_TWO_HOLDERS };
#define MUTEX_HOLDERS_PARAM(OFFSET)                                            \
    {                                                                          \
        "holders", FC_PARAM_CHOICE, (OFFSET), "one", "one|none|two",           \
            "how many sites have a token at first; it is made for one"         \
    }

/* has_one_holder(): predicates are about P as it is made, with one token. */
#define MUTEX_HAS_ONE_HOLDER(P)                                                \
    FC_UNUSED static bool has_one_holder(const void *of)                       \
    {                                                                          \
        return ((const struct P##_params *)of)->holders == MUTEX_ONE_HOLDER;   \
    }

/* Whether a site is one of the first holders: sites 0 and 1. */
static inline bool mutex_holds_first(uint8_t holders, uint32_t index)
{
    return index == 0 ? holders != MUTEX_NO_HOLDER
                      : index == 1 && holders == MUTEX_TWO_HOLDERS;
}

/* Requests in the order of (number, site) as one number that is not 0; numbers
 * count from 1. */
static inline uint64_t mutex_token(uint64_t number, uint32_t index)
{
    return number << 16 | index;
}

/* Whether a role is one of these three. */
static inline bool mutex_role_is(uint8_t role, enum mutex_role a,
                                 enum mutex_role b, enum mutex_role c)
{
    return role == a || role == b || role == c;
}

/* What others see of a site that is inside, if it is, under a number. */
static inline struct mutex_view mutex_seen(uint8_t role, uint64_t number,
                                           uint32_t index)
{
    return (struct mutex_view){
        .token = role == MUTEX_INSIDE ? mutex_token(number, index) : 0,
        .role = role,
    };
}

/* Whether (number, site) comes before (other, its site). */
static inline bool mutex_before(uint64_t number, uint32_t site, uint64_t other,
                                uint32_t other_site)
{
    return number < other || (number == other && site < other_site);
}

/* By when one entry is over, if each of the n sites sends and reads a few
 * messages per site for it, not counting its section.  For
 * fc_protocol.horizon. */
FC_EXTERN uint64_t mutex_horizon(const void *params,
                                 const struct fc_world *world);

/* The fc_protocol.prepare of those whose state speaks of every site: NULL, or a
 * sentence if there are too many of them.  Looks at no parameters. */
FC_EXTERN const char *mutex_fits(void *params, const struct fc_world *world);

/* The quantity of protocols that keep requests of others until they can be
 * served, in a queue or as replies that are due: the number kept in a state
 * `s`. */
#define MUTEX_QUEUE(P, COUNT)                                                  \
    FC_LEVEL(P, queue)                                                         \
    {                                                                          \
        return (COUNT);                                                        \
    }                                                                          \
    FC_QUANTITIES(P) = {{"queue", "requests",                                  \
                         "the most requests that wait at one node",            \
                         FC_AT_ONCE, 0, P##_queue}}

/* ---- What it asks of problems with a workload ---------------------------- */

/* Where the application stands. */
static inline enum fc_phase mutex_phase(const struct mutex_view *view)
{
    switch (view->role) {
    case MUTEX_IDLE:
    case MUTEX_MUTE:
        return FC_IDLE;
    case MUTEX_INSIDE:
        return FC_INSIDE;
    default:
        return FC_WAITING;
    }
}

/* Whether it wants something and has not begun to ask. */
static inline bool mutex_sleeps(const struct mutex_view *view)
{
    return view->role == MUTEX_SLEEPS;
}

/* What the application asks next. */
static inline uint8_t mutex_request(bool shared)
{
    return shared ? MUTEX_WANT_SHARED : MUTEX_WANT;
}
static inline uint8_t mutex_farewell(void)
{
    return MUTEX_LEAVE;
}

#endif
