/*
 * entry.h - the entry of a protocol in the table of all of them: what drivers
 * and people are told of it.  P.c defines P_protocol as
 *
 *     const struct fc_protocol P_protocol = {
 *         .name = ..., .title = ..., .idea = ...,
 *         .assumes = ..., .source = ...,
 *         FC_ENTRY(P, kinds),
 *         .horizon = ...,
 *     };
 *
 * and says there what else is true of it.
 */
#ifndef FC_ENTRY_H
#define FC_ENTRY_H

#include "core/fc.h"

/* ---- Its parts ----------------------------------------------------------- */

/* What a protocol needs besides what its site tells it. */
enum fc_need {
    FC_NEEDS_COUNT = 1u << 0,  /* every node knows the number of nodes */
    FC_NEEDS_FIFO = 1u << 1,   /* links keep the order of messages */
    FC_NEEDS_BOUNDS = 1u << 2, /* for what it promises, or for its costs */
    FC_NEEDS_TIME = 1u << 3,   /* the bounds, for what it promises */
    FC_NEEDS_UNISON = 1u << 4, /* clocks of one speed, links of one delay */
};

/* What a message is for; decides how it is drawn (docs/trace.md). */
enum fc_meaning {
    FC_ASKS,
    FC_CLAIMS,
    FC_GRANTS,
    FC_REFUSES,
    FC_CALLS,
    FC_TELLS,
    FC_TOKEN,
    FC_FRAME,
};

struct fc_message_kind {
    const char *name;  /* one word, in traces and counts */
    const char *label; /* in pictures */
    enum fc_meaning meaning;
};

/* A parameter: `form` says what it takes, and is printed in the help.
 * The parser is core/params.h. */
enum fc_param_kind {
    FC_PARAM_CHOICE, /* form "one|f": stores the position, a uint8_t */
    FC_PARAM_NUMBER, /* form "1..64": stores a uint32_t */
    FC_PARAM_WAIT,   /* form of core/wait.h: stores a struct fc_wait */
    FC_PARAM_EITHER, /* form "auto|none|1..64", the range last: stores a
                      * struct fc_either */
    FC_PARAM_LISTS,  /* form of core/lists.h: stores a struct fc_lists */
};

/* A word of the form, by its position; or a number, and then `word` is the
 * position of the range. */
struct fc_either {
    uint32_t word, number;
};

/* The struct P_params of a protocol that has none. */
struct fc_no_params {
    uint8_t unused;
};

struct fc_param {
    const char *key;
    enum fc_param_kind kind;
    size_t offset;        /* in P_params */
    const char *fallback; /* as it would be typed */
    const char *form;
    const char *help;
};

/* A cost as its paper states it, for one world. */
enum fc_cost {
    FC_COST_MESSAGES,
    FC_COST_PAPER_BITS,
    FC_COST_TICKS,
    FC_COST_PER_ENTRY, /* messages on behalf of one entry */
    FC_COST_REFUSALS,  /* that one entry meets */
    FC_COST_GRANTING,  /* ticks from a request to its entry */
    FC_COST_ATTEMPTS,  /* of one operation that needs no permission */
};
enum fc_relation {
    FC_EXACTLY,
    FC_AT_MOST,
    FC_BELOW,
    FC_ON_AVERAGE,   /* the mean is this */
    FC_MEAN_AT_MOST, /* the mean is no more than this */
};

struct fc_claim {
    enum fc_cost cost;
    enum fc_relation relation;
    double value;
    const char *formula;
};
enum { FC_CLAIMS_MAX = 6 };

/* Faults that are within the assumptions of a protocol: it does what it
 * promises all the same. */
enum fc_bears {
    FC_BEARS_LOSS = 1u << 0,
    FC_BEARS_COPIES = 1u << 1,
    FC_BEARS_DISORDER = 1u << 2, /* messages that overtake others */
    FC_BEARS_DELAY = 1u << 3,    /* beyond dmax */
    FC_BEARS_PAUSES = 1u << 4,   /* steps beyond rmax */
    FC_BEARS_CRASHES = 1u << 5,  /* with or without a return */
    FC_BEARS_CUTS = 1u << 6,
    FC_BEARS_ALL = (1u << 7) - 1,
};

/* A draw, counted from 1, that has a name: nodes that draw it first are called
 * so. */
struct fc_lot {
    uint32_t draw; /* 0: draws mean something else */
    const char *called;
};

struct fc_problem; /* problems/problem.h */
struct fc_network; /* core/network.h */

/* A predicate over the whole network: false in no state that is reached while
 * the assumptions of the protocol hold.  Where nodes are anonymous, or the
 * protocol is FC_SYMMETRIC, it does not depend on which node is where. */
struct fc_predicate {
    const char *name; /* as typed */
    const char *says; /* a sentence */
    bool (*holds)(const struct fc_network *all);
    /* Whether it is stated of these parameters; NULL: of all.  Variants that
     * are there to be found wrong promise nothing. */
    bool (*stated)(const void *params);
};
enum { FC_PREDICATES_MAX = 8 };

/* Defaults for `fulcrum check`, where those derived from `needs` are not
 * enough. */
struct fc_search {
    const char *time, *bounds; /* as typed */
    uint32_t until;            /* the last tick */
    const char *set;           /* KEY=VALUE that keeps the state space finite */
    const char *grows;         /* what grows for ever without it */
};

/* ---- All of it ----------------------------------------------------------- */

/* The entry of a protocol.  It must have name, title, idea, assumes, source,
 * horizon, what FC_ENTRY() gives and, if it has parameters, FC_PARAMS(); in a
 * problem with shared memory also cells.  The rest can be left out. */
struct fc_protocol {
    const char *name;     /* as typed: the name of its files, with dashes */
    const char *title;    /* authors, year, variant */
    const char *idea;     /* one sentence */
    const char *assumes;  /* links, knowledge, timing */
    const char *survives; /* what may go wrong, in a few words; or NULL */
    const char *source;
    const struct fc_problem *problem;
    enum fc_topology topology;
    const char *letters; /* of the formulas in its claims; or NULL */
    const char *caveat;  /* what the claims leave out, as we found; or NULL */
    const char *errs;    /* it may fail by design: how probably; or NULL */
    uint32_t needs;      /* bits of enum fc_need */
    uint32_t bears;      /* bits of enum fc_bears */
    uint32_t links_max;  /* on a tree: of a node; 0: 64, a set is a word */
    bool anonymous;      /* nodes have no names: people count them from 0 */
    bool marked;         /* except for node 0 (struct fc_marked) */
    bool awaits_all;     /* nothing is granted before all that were asked have
                          * replied: what comes later is not its cost */
    struct fc_lot lot;
    const void *terms;              /* FC_TERMS(); NULL: all of them zero */
    const struct fc_search *search; /* FC_SEARCH(); or NULL */
    const struct fc_message_kind *kinds;
    uint32_t kinds_count;       /* kind 0 included */
    const char *const *numbers; /* FC_NUMBERS(); or NULL */
    const struct fc_param *params;
    uint32_t params_count;
    size_t params_size, state_size, msg_size;
    const struct fc_predicate *predicates; /* FC_PREDICATES() */
    uint32_t predicates_count;
    /* Why no predicate is stated of these parameters, or NULL if one is.  The
     * function itself is NULL if predicates are stated of all parameters. */
    const char *(*unjudged)(const void *params);

    /* What `needs` is with these parameters; NULL: they change nothing. */
    uint32_t (*needs_with)(const void *params);
    /* Fills in what follows from the world; refuses with a sentence. */
    const char *(*prepare)(void *params, const struct fc_world *world);
    /* A tick by which every run within the bounds is over; FC_NEVER if the
     * number does not fit.  Waits beyond it are never scheduled. */
    uint64_t (*horizon)(const void *params, const struct fc_world *world);
    /* Whether it sends for ever, in a problem with a workload: a run is over
     * when the applications have done their work; NULL: no, a run is over when
     * nothing is left to happen. */
    bool (*restless)(const void *params);
    /* Whether it has finitely many states however often applications ask,
     * because its numbers wrap; NULL: no, some number keeps growing. */
    bool (*wraps)(const void *params);
    /* In a problem with shared memory: the number of its cells. */
    uint32_t (*cells)(const void *params);
    /* Its list of nodes may change while it runs: the parameter of kind
     * FC_PARAM_LISTS that names the lists which will be asked for, and the
     * command that asks for the first of them, the others following; NULL:
     * nodes stay. */
    const char *changes;
    uint8_t change;
    /* The paper's costs for this world; returns their number.  FC_COSTS(P). */
    uint32_t (*claims)(const void *params, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX]);
};

/* ---- How it is written --------------------------------------------------- */

/* The part of P's entry in the table that follows from its header and from its
 * tables of kinds and parameters. */
#define FC_ENTRY(P, KINDS) FC_ENTRY_OF(P, KINDS, FC_COUNT(KINDS))
#define FC_ENTRY_OF(P, KINDS, COUNT)                                           \
    .problem = &FC_PASTE(P##_problem, _problem), .topology = P##_topology,     \
    .params_size = sizeof(struct P##_params), .state_size = sizeof(struct P),  \
    .msg_size = sizeof(struct P##_msg), .kinds = (KINDS),                      \
    .kinds_count = (COUNT)
#define FC_PARAMS(PARAMS) .params = (PARAMS), .params_count = FC_COUNT(PARAMS)
/* What P tells its problem X of itself: members of struct X_terms. */
#define FC_TERMS(P, ...)                                                       \
    .terms = &(const struct FC_PASTE(P##_problem, _terms))                     \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

/* The head of a function that says what P costs, for fc_protocol.claims, and
 * its place in the entry.  Bounds of papers are fractions: firmware, which
 * reports to nobody, is built with FC_FIRMWARE defined and without them,
 * so that nothing in it computes with floating point. */
#define FC_COSTS(P)                                                            \
    FC_UNUSED static uint32_t P##_claims(const void *params_in FC_UNUSED,      \
                                         const struct fc_world *w FC_UNUSED,   \
                                         struct fc_claim out[FC_CLAIMS_MAX])
#ifdef FC_FIRMWARE
#define FC_COSTS_OF(P) .claims = NULL
#else
#define FC_COSTS_OF(P) .claims = P##_claims
#endif

/* A protocol's table of predicates in its entry.  They are not for firmware,
 * where no node sees the others. */
#ifdef FC_FIRMWARE
#define FC_PREDICATES(TABLE) .predicates = NULL
#else
#define FC_PREDICATES(TABLE)                                                   \
    .predicates = (TABLE), .predicates_count = FC_COUNT(TABLE)
#endif

/* Tables for people, which firmware leaves out, too.  FC_NUMBERS(): the meaning
 * of the numbers in a kind of message, where nobody could guess it: [KIND] =
 * "name, hops to go", with an ellipsis where FC_FIELDS_MAX may leave out some.
 * FC_SEARCH(): defaults of fulcrum check, members of struct fc_search. */
#ifdef FC_FIRMWARE
#define FC_NUMBERS(...) .numbers = NULL
#define FC_SEARCH(...)  .search = NULL
#else
#define FC_NUMBERS(...)                                                        \
    .numbers = (const char *const[FC_KINDS_MAX])                               \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define FC_SEARCH(...)                                                         \
    .search = &(const struct fc_search)                                        \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#endif

#endif
