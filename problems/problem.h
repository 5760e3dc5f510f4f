/*
 * problem.h - what a problem gives, written once for all of them.
 *
 * A problem says what must never happen and what must happen in the end, and
 * judges a run by what nodes show of themselves.  A problem called X is a pair
 * of files X.h and X.c, and nothing else has to know it: a protocol solves it
 * by saying #define P_problem X, and drivers speak of X_begin() and so on by
 * pasting that name.  It is simulated, checked, written down, read, replayed
 * and drawn in its own words; some reports and pictures have better words for
 * problems that they know by name.  X.h gives
 *
 *     struct X_view          what properties see of one node
 *     struct X_watch         all that must be remembered of a run to judge it;
 *                            its member `broken` has a bit for each property
 *                            that was broken so far
 *     struct X_terms         what it wants to know of a protocol, if anything;
 *                            the entry says FC_TERMS(P, ...)
 *     X_traits               a macro: what else drivers must know (below), or
 *                            FC_NO_TRAITS
 *     X_same()               whether two views differ in nothing that a
 *                            property sees
 *     X_matters()            whether a property that holds always, not only in
 *                            the end, can tell the two apart; if not, and the
 *                            problem is not FC_REPEATS, X_changed() does
 *                            nothing
 *
 * and FC_PROBLEM(X) declares the functions that X.c defines:
 *
 *     X_begin()              a run of this protocol begins; `world` is kept,
 *                            not copied
 *     X_changed()            the view of node `id` changed at tick `now`;
 *                            returns the properties that this broke
 *     X_crashed()            a node with this view crashed: it takes no part
 *                            until it is back
 *     X_restarted()          it is back with this view
 *     X_end()                the run is over; `quiet`: because nothing was left
 *                            to do.  Returns the properties that the end broke
 *     X_outcome(), X_show()  for people
 *     X_problem              its words
 */
#ifndef FC_PROBLEM_H
#define FC_PROBLEM_H

#include "core/entry.h"
#include "core/lists.h"

/* Traits of problems, a bit each, and the functions that go with them.
 *
 * The application of a node asks again and again: X_phase(), X_sleeps(),
 * X_request(), X_farewell(). */
#define FC_REPEATS 1
/* ...for an operation that takes no time of its own: X_attempts(),
 * X_wrong(). */
#define FC_MOMENTARY 2
/* It asks for the number of messages in flight that mean FC_TOKEN:
 * X_flying(). */
#define FC_COUNTS_FLYING 4
/* Nodes share memory. */
#define FC_HAS_CELLS 8
/* Views alone do not show every violation: X_memory(), X_recall(),
 * X_relabel_memory(). */
#define FC_REMEMBERS 16
/* It asks which nodes started spontaneously: X_started(). */
#define FC_KNOWS_STARTERS 32
/* In the end it may ask what each live node thinks, in the order of nodes:
 * X_settles(), X_settled(). */
#define FC_SETTLES 64
/* When a node is back and has made its first step: X_returned(). */
#define FC_LOOKS_AGAIN 128

#define FC_PROBLEM(X)                                                          \
    enum { X##_is = (X##_traits) };                                            \
    extern const struct fc_problem X##_problem;                                \
    FC_EXTERN void X##_begin(struct X##_watch *w, const struct fc_protocol *p, \
                             const void *params,                               \
                             const struct fc_world *world);                    \
    FC_EXTERN uint32_t X##_changed(                                            \
        struct X##_watch *w, fc_name id, const struct X##_view *before,        \
        const struct X##_view *after, uint64_t now);                           \
    FC_EXTERN void X##_crashed(struct X##_watch *w,                            \
                               const struct X##_view *view);                   \
    FC_EXTERN void X##_restarted(struct X##_watch *w,                          \
                                 const struct X##_view *view);                 \
    FC_EXTERN uint32_t X##_end(struct X##_watch *w, bool quiet);               \
    FC_EXTERN void X##_outcome(const struct X##_watch *w,                      \
                               struct fc_outcome *out);                        \
    FC_EXTERN void X##_show(const struct X##_view *view, struct fc_shown *out)

/* A role that only this problem has, and one of docs/trace.md that is drawn as
 * it should be. */
struct fc_own_role {
    const char *word, *like;
};

/* A part of fc_outcome, for reports. */
struct fc_came_of {
    const char *called; /* NULL: this problem has no such part */
    /* What a protocol promises of it, in a few words; NULL: nothing. */
    const char *(*promised)(const struct fc_protocol *p);
    uint32_t right; /* the property that checks this */
};

static inline const char *fc_promised(const struct fc_came_of *part,
                                      const struct fc_protocol *p)
{
    return part->promised ? part->promised(p) : NULL;
}

/* Such a part in the table of a problem; firmware has nobody to report to. */
#ifdef FC_FIRMWARE
#define FC_CAME_OF(PART, ...) .PART = {0}
#else
#define FC_CAME_OF(PART, ...) .PART = {__VA_ARGS__}
#endif

/* What people and drivers call the parts of a problem. */
struct fc_problem {
    const char *name;
    const char *const *properties; /* their names; bit i is the i-th */
    uint32_t properties_count;
    uint32_t ends; /* the property that a run comes to an end, or 0 */
    const char *const *commands; /* what the application can ask, by number */
    uint32_t commands_count;
    const char *first; /* the role before the first event; NULL: idle */
    /* Roles and facts of X_show() that docs/trace.md does not list.  Each list
     * ends with a zero; NULL: none. */
    const struct fc_own_role *roles;
    const char *const *facts;
    /* The node that must win, if that is known beforehand; NULL: it never is,
     * or nobody wins. */
    fc_name (*expected)(const struct fc_protocol *p,
                        const struct fc_world *world);
    const char *reached; /* what fc_outcome.reached_at refers to */
    /* The same in a word, if it is the goal of a run: fulcrum check then has
     * WORD-at, WORD-after, and QUANTITY@WORD for amounts until then.  NULL: it
     * is no goal. */
    const char *goal;
    struct fc_came_of chosen, answer;
    /* The role of a node that relies on what it has seen, and the verb for
     * coming to that, for fulcrum check --twin.  NULL: there is none. */
    const char *relies, *comes;
    bool repeats; /* FC_REPEATS; fc_protocol.horizon is for one entry */
    /* Quantities that views alone tell, for fulcrum check --max. */
    const struct fc_quantity *quantities;
    uint32_t quantities_count;
#ifndef FC_FIRMWARE
    const char *const *shows; /* the roles of X_show(), for typed properties */
    uint32_t shows_count;
#endif
};

/* A property that every problem has: P_sane() of the protocol found no
 * invariant broken. */
enum { FC_SANE_BIT = 31 };
#define FC_SANE (UINT32_C(1) << FC_SANE_BIT)

/* The predicates of the protocol are properties, too, from this bit on. */
enum { FC_PREDICATE_BIT = (int)FC_SANE_BIT - (int)FC_PREDICATES_MAX };

/* The name of a property by its bit, or NULL. */
static inline const char *fc_property(const struct fc_protocol *p, uint32_t bit)
{
    if (bit == FC_SANE_BIT)
        return "sane";
    if (bit >= FC_PREDICATE_BIT)
        return bit - FC_PREDICATE_BIT < p->predicates_count
                   ? p->predicates[bit - FC_PREDICATE_BIT].name
                   : NULL;
    return bit < p->problem->properties_count ? p->problem->properties[bit]
                                              : NULL;
}

/* What a node is asked, in a word: by its application, or by an operator for
 * another list of nodes. */
static inline const char *fc_command_word(const struct fc_protocol *p,
                                          uint8_t command)
{
    static const char *const changes[FC_LISTS_MAX] = {"change-1", "change-2",
                                                      "change-3", "change-4"};

    return p->change && command >= p->change ? changes[command - p->change]
                                             : p->problem->commands[command];
}

/* What a protocol says of itself to this problem, or NULL. */
static inline const void *fc_terms(const struct fc_protocol *p,
                                   const struct fc_problem *problem)
{
    return p->problem == problem ? p->terms : NULL;
}

/* Something that a node knows, as people read it. */
struct fc_fact {
    const char *word;           /* in a trace, before the number */
    const char *before, *after; /* in a sentence, around it; or NULL */
    uint64_t number;            /* or 0: it knows nothing of the kind */
};

/* A view as people read it. */
enum { FC_FACTS_MAX = 2 };
struct fc_shown {
    const char *role;
    bool rests;  /* something waits here: a message, a window, a turn */
    bool shared; /* inside beside others */
    struct fc_fact fact[FC_FACTS_MAX];
};

/* What came of a run. */
struct fc_outcome {
    uint64_t reached_at; /* tick at which the goal was reached, or FC_NEVER */
    uint32_t started;    /* nodes that started spontaneously */
    fc_name chosen;      /* the node that was chosen, or FC_NOBODY */
    fc_name answer;      /* the number that was computed, or 0 */
    uint64_t overlaps;   /* pairs inside together that exclude each other */
};

/* Where the application of a node stands, in problems with a workload. */
enum fc_phase { FC_IDLE, FC_WAITING, FC_INSIDE };

#endif
