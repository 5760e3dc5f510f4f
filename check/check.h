/*
 * check.h - the checker: every behaviour of a protocol within given bounds.
 *
 * Breadth-first over all global states that the network, the clocks, the
 * applications, the faults and the coins can lead to.  A property that holds
 * then holds for this number of nodes and these bounds, without exception; one
 * that does not comes with a shortest counterexample.
 */
#ifndef CHECK_H
#define CHECK_H

#include "net/atomic.h"
#include "net/type.h"

struct check_result;

/* Which nodes start spontaneously. */
enum check_waking {
    CHECK_WAKE_LISTED, /* listed nodes, each before it does anything else */
    CHECK_WAKE_ANY,    /* any of them, at any time */
};

enum check_return {
    CHECK_RETURN_NEVER,
    CHECK_RETURN_SAME,  /* with the state it had */
    CHECK_RETURN_BLANK, /* its memory lost, except its record if it has one */
};

enum { CHECK_NODES_MAX = NET_SCENE_MAX, CHECK_THREADS_MAX = 64 };

/* In place of a number of requests: again and again. */
#define CHECK_ENTRIES_ANY UINT32_MAX

struct check_setup {
    struct net net; /* protocol, parameters, world, time, links */
    enum check_waking waking;
    uint32_t listed;  /* CHECK_WAKE_LISTED: nodes, a bit each; in problems with
                      * a workload: those whose applications ask */
    uint32_t entries; /* requests of each application, or CHECK_ENTRIES_ANY;
                       * problems with a workload */
    uint32_t section; /* with time: they leave after at most this many steps */
    bool shared;      /* they may ask to share */
    uint32_t crashes, losses, copies; /* at most */
    enum check_return back;
    bool notice; /* after the last crash a node that is up is told to start */
    uint32_t changes;      /* of the list of nodes: how many are planned */
    uint32_t pauses, cuts; /* at most, and with time */
    uint32_t pause_max, cut_max; /* ticks of each at most; 0: any number */
    uint32_t until;   /* last tick of the runs that are tried; 0: all ticks */
    uint32_t victims; /* that may crash, pause or be cut off, a bit each */
    uint32_t faults_from; /* tick before which no fault occurs */
    uint32_t late_ticks;  /* one message may be this much late; 0: none */
    uint32_t properties;  /* that count; the others may break */
    /* Condition: exactly `given_count` nodes draw `given_draw` first, counted
     * from 1; 0: none (given.c). */
    uint32_t given_draw, given_count;
    bool symmetry; /* merge states that are symmetric (symmetry.c) */
    bool reduce;   /* of moves that commute, try one order (reduce.c) */
    bool cycles;   /* look for runs without end */
    /* Limits; 0: none. */
    uint64_t states_max, memory_max;
    uint32_t depth_max;
    uint32_t threads;  /* at most; 0, 1: one.  The result is the same */
    uint32_t batch;    /* states per batch; 0: as many as pay off */
    bool backwards;    /* for tests: they take the last of these first */
    atomic_bool *stop; /* set to stop the search; or NULL */
    void (*tell)(void *whom, const struct check_result *so_far);
    void *whom;
};

enum check_verdict { CHECK_HOLDS, CHECK_VIOLATED, CHECK_INCOMPLETE };

/* Why a search is incomplete. */
enum check_limit {
    CHECK_NO_LIMIT,
    CHECK_STATES,
    CHECK_DEPTH,
    CHECK_MEMORY,
    CHECK_STOPPED,
    CHECK_REFUSED, /* the protocol does something the checker cannot follow */
};

/* What happens in one transition. */
enum check_move_kind {
    CHECK_READ,    /* the message at `place` of `link` */
    CHECK_TIMEOUT, /* of timer `what` */
    CHECK_COMMAND, /* `what`, by the enum check_teller in `place` */
    CHECK_START,   /* a node that reads its clock is told of its start */
    CHECK_RESTART,
    CHECK_STEP, /* a step in which the node only counts */
    CHECK_TICK, /* time advances */
    CHECK_CRASH,
    CHECK_PAUSE, /* the node does nothing for a while */
    CHECK_MISS,  /* a message comes to a node that is down */
    CHECK_LOSE,
    CHECK_COPY,
    CHECK_DELAY, /* this message will be later than dmax */
    CHECK_CUT,   /* the node is on the other side of a partition */
    CHECK_JOIN,  /* and back */
};

/* Who tells a node something. */
enum check_teller {
    CHECK_BY_APPLICATION,
    CHECK_BY_DETECTOR, /* the notice of a crash */
    CHECK_BY_OPERATOR, /* the next of the lists that are planned */
};

/* Whether the protocol is asked what to do. */
static inline bool check_is_event(enum check_move_kind kind)
{
    return kind <= CHECK_RESTART;
}

/* Whether it is about a message in flight. */
static inline bool check_takes_mail(enum check_move_kind kind)
{
    return kind == CHECK_READ || (kind >= CHECK_MISS && kind <= CHECK_DELAY);
}

/* Whether it is a line of a trace, and without time has a tick of its own. */
static inline bool check_is_told(enum check_move_kind kind)
{
    return kind != CHECK_TICK && kind != CHECK_STEP && kind != CHECK_LOSE &&
           kind != CHECK_COPY && kind != CHECK_DELAY;
}

struct check_move {
    uint8_t kind, what;
    uint16_t node;
    uint16_t link, place;
    uint32_t branch; /* which of its outcomes: coins fall in all ways */
};

struct check_result {
    enum check_verdict verdict;
    enum check_limit limit;
    const char *refusal; /* CHECK_REFUSED: a sentence */
    uint32_t broken;     /* properties, if violated */
    const char *insane;  /* FC_SANE is among them: the sentence */
    bool at_start;       /* broken before anything happens */
    bool at_end;         /* broken because nothing more can happen */
    bool endless;        /* broken because it never ends */
    uint64_t states, transitions, terminal;
    uint64_t frontier; /* states found and not yet looked at */
    uint32_t depth;    /* of the last state found */
    bool acyclic;      /* there is no run without end */
    bool cycles_known; /* ...or there is one; neither: not searched for */
    bool reached;      /* some run reached what the problem is about */
    bool coins;        /* some step computed so far chose at random */
    bool longer;       /* there may be a shorter counterexample */
    uint64_t partly;   /* states some of whose successors were left out */
    bool cut_off;      /* runs continue beyond the last tick... */
    uint32_t open;     /* ...and these properties may break there */
    double seconds;    /* of CPU time, of all threads */
    double wall_seconds;
    uint32_t threads; /* used: one, if the search is small */
    uint64_t bytes;   /* of all tables at their largest */
    /* The shortest run that shows it; freed by check_free(). */
    struct check_move *moves;
    uint32_t moves_count;
    uint32_t first;   /* the number of the initial state in which it begins */
    uint32_t loop_at; /* endless: what follows from here repeats */
};

/* A sentence that says what of the protocol or the setup cannot be checked, or
 * NULL; a search would say the same. */
const char *check_misfit(const struct check_setup *setup);

/* Searches.  The names and the network come from seed 1 of the setup. */
void check_run(const struct check_setup *setup, struct check_result *result);

void check_free(struct check_result *result);

/* A sentence that says why `symmetry` may not merge states; NULL: it may. */
const char *check_asymmetric(const struct check_setup *setup);

/* A sentence that says why nothing may be left out by `reduce`; NULL: it
 * may. */
const char *check_irreducible(const struct check_setup *setup);

#endif
