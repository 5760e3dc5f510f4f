/*
 * model.h - a network of nodes as a game of numbers.
 *
 * Local states, messages and contents of links are interned; a global state is
 * the vector of their numbers.  What a step does to a local state is computed
 * by the protocol once and then remembered.
 */
#ifndef CHECK_MODEL_H
#define CHECK_MODEL_H

#include "check/check.h"
#include "check/store/intern.h"
#include "check/store/memo.h"
#include "check/store/pack.h"
#include "check/store/tree.h"

/* ---- Local states -------------------------------------------------------- */

enum check_flag {
    CHECK_STARTS = 1u << 0,    /* it will start, before anything else */
    CHECK_MAY_START = 1u << 1, /* it may */
    CHECK_STARTED = 1u << 2,   /* it has, and was obeyed */
    CHECK_DOWN = 1u << 3,
    CHECK_CLOSED = 1u << 4, /* it reads nothing more in this step */
    CHECK_FRESH = 1u << 5,  /* told of its start, its application may ask */
    CHECK_DREW = 1u << 6,   /* it has drawn, and first draws are given */
};

/* A local state: this, then the protocol's state; then, where that is needed,
 * its record as last saved, and its view as the watch knows it. */
struct check_head {
    uint8_t flags;
    uint8_t left;        /* requests that its application may still make */
    uint8_t length, age; /* of a step, where steps are all alike */
    uint32_t ages;       /* else: ages its step may have, a bit each */
    uint32_t timer[FC_TIMERS]; /* 0: off; else 1 + the steps that are left */
    uint32_t section;          /* the same until its application must leave */
    uint16_t paused;    /* 0: no; else 1 + for how long, if that is bounded */
    uint16_t clock_age; /* ticks since its clock last moved */
    uint32_t clock;     /* of its own, if it reads one */
    uint32_t unused;    /* the state behind it begins at a multiple of 8 */
};
_Static_assert(sizeof(struct check_head) == 24 + 4 * FC_TIMERS, "no padding");
_Static_assert(sizeof(struct check_head) % 8 == 0, "aligned");

/* A local state may not have more bytes than this, nor all local states
 * together: they stand on the stack. */
enum { CHECK_LOCAL_MAX = 16 << 10, CHECK_LOCALS_MAX = 80 << 10 };

/* What the search needs of a local state, computed once. */
struct check_info {
    struct check_head head;
    uint8_t phase; /* enum fc_phase */
    uint8_t armed; /* timers that run, a bit each */
    bool counts;   /* it counts steps: for a timer, or until it must leave */
    bool insane;   /* P_sane() says so */
    uint32_t view; /* number of what others see */
};

/* The local states of one node; of all nodes, if they are alike. */
struct check_locals {
    struct check_intern packed; /* as pack.h has it */
    struct check_info *info;
    uint32_t info_room;
    struct check_memo steps; /* to numbers of outcomes */
};

/* ---- Links --------------------------------------------------------------- */

struct check_link {
    uint16_t from, to;
    uint16_t leaves_by, comes_by; /* as its ends count it */
};

enum {
    CHECK_LINKS_MAX = CHECK_NODES_MAX * CHECK_NODES_MAX,
    CHECK_CELLS_MAX = 64,
};

/* ---- What is shared by all ----------------------------------------------- */

/* Of the last crash, if one is given. */
enum check_notice { CHECK_NOTICE_NONE, CHECK_NOTICE_DUE, CHECK_NOTICE_GIVEN };

/* The faults that are left, and what the problem remembers. */
struct check_budget {
    uint64_t memory;
    uint32_t tick;  /* that it is, if runs are tried up to one */
    uint16_t apart; /* nodes on the other side of a partition, a bit each */
    uint16_t apart_ticks; /* since when there is one, if that is bounded */
    uint8_t crashes, losses, copies, late, pauses, cuts; /* left */
    uint8_t notice;                                      /* enum check_notice */
    uint8_t drawn, hits; /* first draws, and those that came out as given */
    uint8_t changes;     /* left, in their order */
    uint8_t unused[6];
};
_Static_assert(sizeof(struct check_budget) == 32, "no padding");

/* Other names for the nodes of a complete network, and back (symmetry.c). */
struct check_naming {
    uint16_t to[CHECK_NODES_MAX], from[CHECK_NODES_MAX];
};
enum { CHECK_NAMINGS_MAX = 120 };

/* What can happen in one half of the network, by the number of the half's state
 * (halves.c). */
struct check_half {
    struct check_half_state *states;
    uint32_t states_room;
    struct check_half_move *moves;
    uint32_t moves_count, moves_room;
    struct check_crossing *crossings;
    uint32_t crossings_count, crossings_room;
    struct check_memo pushes;
};

/* A search has one model.  Where several threads expand states, each has a copy
 * of it as its own view: tables stand in blocks that all of them share, and an
 * entry that a thread finds missing is added to the home (see memory.h). */
struct check_model {
    struct check_model *home; /* of a view */
    const struct check_setup *setup;
    const struct net_type *type;
    struct check_memory memory;
    struct net_memory net_memory;
    struct net_names names;
    struct net_graph graph;
    uint32_t nodes;
    bool timed, any_order, alike, budgeted, uniform, remembers;
    uint8_t judged;    /* over the whole network: 1: new states; 2: all steps */
    size_t local_size; /* of a local state */
    size_t record_at, told_at; /* in it; 0: it has none */
    uint32_t cells_count;      /* shared cells */
    uint64_t dmin, dmax;       /* a message is there after this many ticks */

    uint32_t links_count;
    struct check_link links[CHECK_LINKS_MAX];
    uint16_t first_in[CHECK_NODES_MAX + 1]; /* links are sorted by receiver */
    uint16_t out[CHECK_NODES_MAX][CHECK_NODES_MAX]; /* link by port */
    uint16_t local_at[CHECK_NODES_MAX];             /* places in the vector */
    uint16_t link_at[CHECK_LINKS_MAX];
    uint32_t budget_at, cells_at, places;
    uint32_t left_nodes, left_places; /* in the left half of the tree */

    struct check_locals locals[CHECK_NODES_MAX];
    struct check_intern messages, contents, budgets, views, cells;
    struct check_memo content_memo, budget_memo, naming_memo;
    struct check_outcome *outcomes;
    uint32_t outcomes_count, outcomes_room;
    struct check_send *sends;
    uint32_t sends_count, sends_room;
    uint8_t *buffer; /* for the messages of a step */
    const char *refusal;
    bool coins;
    uint32_t namings_count; /* that make no difference; the first is as it is */
    struct check_naming namings[CHECK_NAMINGS_MAX];

    struct check_tree tree;
    bool halved; /* what happens in one half does not depend on the other */
    struct check_half halves[2];
};

/* Prepares everything for the setup; false if there is no memory, or with
 * `refusal` set. */
bool check_model_begin(struct check_model *m, const struct check_setup *setup);
void check_model_free(struct check_model *m);

/* NULL, or the rule that a model breaks in which nothing failed, while nobody
 * adds anything. */
const char *check_model_sane(const struct check_model *m);

/* Something has to be computed that is not known yet: returns the model to add
 * it to, in which it may be known by now.  In a view, check_model_leave() notes
 * if that failed. */
static inline struct check_model *check_model_enter(struct check_model *m)
{
    (void)check_enter(&m->memory);
    return m->home ? m->home : m;
}

static inline void check_model_leave(struct check_model *m)
{
    if (m->home && m->home->refusal) {
        m->memory.failed = true;
        m->home->refusal = NULL;
    }
    check_leave(&m->memory);
}

/* Nothing that follows from a failure may be believed, or remembered. */
static inline bool check_sound(const struct check_model *m)
{
    return !m->memory.failed && !m->refusal;
}

/* A memo of the model has no answer to a question: computes it in the home,
 * where it may be known by now, and remembers it. */
uint32_t check_memoised(struct check_model *m, const struct check_memo *memo,
                        uint64_t question,
                        uint32_t (*compute)(struct check_model *home,
                                            const void *asked),
                        const void *asked);

static inline struct check_locals *check_locals_of(struct check_model *m,
                                                   uint32_t node)
{
    return &m->locals[m->alike ? 0 : node];
}

static inline const struct check_info *
check_info_of(const struct check_model *m, uint32_t node, uint32_t local)
{
    return &m->locals[m->alike ? 0 : node].info[local];
}

/* Numbers stand in questions side by side (check_step_question(), and others):
 * one of more bits would ask another question, and is refused. */
enum { CHECK_LOCAL_BITS = 28, CHECK_MESSAGE_BITS = 24, CHECK_BUDGET_BITS = 24 };
void check_fit(struct check_model *m, uint32_t number, uint32_t bits);

/* The number of a local state. */
uint32_t check_local(struct check_model *m, uint32_t node,
                     const uint8_t *bytes);

/* The local state itself, all its `local_size` bytes. */
static inline void check_local_load(const struct check_model *m, uint32_t node,
                                    uint32_t local, uint8_t *bytes)
{
    const struct check_locals *l = &m->locals[m->alike ? 0 : node];

    check_unpack(check_bytes(&l->packed, local, NULL), bytes, m->local_size);
}

/* The contents of the shared cells, for check_outcomes(); 0 if there are
 * none. */
static inline uint32_t check_cells(const struct check_model *m,
                                   const uint32_t *vector)
{
    return m->cells_count ? vector[m->cells_at] : 0;
}

static inline struct check_budget check_budget_of(const struct check_model *m,
                                                  const uint32_t *vector)
{
    struct check_budget b = {0};

    if (m->budgeted)
        memcpy(&b, check_bytes(&m->budgets, vector[m->budget_at], NULL),
               sizeof b);
    return b;
}

#endif
