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
    uint32_t section;          /* likewise: until its application must leave */
    uint16_t paused;    /* 0: no; else 1 + for how long, if that is bounded */
    uint16_t clock_age; /* ticks since its clock last moved */
    uint32_t clock;     /* of its own, if it reads one */
    uint32_t unused;    /* the state behind it begins at a multiple of 8 */
};
_Static_assert(sizeof(struct check_head) == 24 + 4 * FC_TIMERS, "no padding");
_Static_assert(sizeof(struct check_head) % 8 == 0, "aligned");

/* More bytes than this no local state may have. */
enum { CHECK_LOCAL_MAX = 1 << 14 };

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

/* ---- What a step leads to ------------------------------------------------ */

struct check_send {
    uint32_t port, msg;
};

/* One way an event can go; there are several if coins fall. */
struct check_outcome {
    uint32_t local;
    uint32_t sends; /* the first of them */
    uint32_t odds;  /* with probability 1/odds it goes this way */
    uint32_t cells; /* number of what is in the shared cells */
    uint16_t sends_count;
    bool last;       /* of the ways */
    bool seen;       /* others see a change, or a return */
    bool obeyed;     /* a command */
    bool odd;        /* the change breaks something whatever the others do */
    uint8_t counted; /* notes of the protocol's own, from bit 0 on */
    bool hit;        /* its first draw came out as given... */
    uint32_t range;  /* ...one of so many; 0: no first draw, or nothing given */
};
#define CHECK_NO_OUTCOME UINT32_MAX

/* ---- Links --------------------------------------------------------------- */

/* More messages than this on one link: a flood, and an infinite state space. */
enum { CHECK_MAILS_MAX = 512 };

/* A message in flight. */
struct check_mail {
    uint32_t msg;
    uint16_t age;  /* ticks since it was sent */
    uint16_t late; /* ticks that it may be later than dmax */
};

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
    uint8_t unused[7];
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
 * of it as its own view: what is known stands in blocks that all of them share,
 * and what a thread finds missing is added to the home (see memory.h). */
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
    size_t local_size;         /* of a local state */
    size_t record_at, told_at; /* in it; 0: it has none */
    uint32_t cells_count;      /* shared cells */
    uint64_t dmin, dmax;       /* a message is there after so many ticks */

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

/* NULL, or what is not true of a model in which nothing failed, while nobody
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

/* The number of a message. */
uint32_t check_message(struct check_model *m, const uint8_t *bytes);

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

/* The outcomes of an event at a node, or CHECK_NO_OUTCOME.  `what` is the
 * command, the timer, or the port by which it comes; `msg` the message that is
 * read, or else what is in the shared cells. */
static inline uint64_t check_step_question(uint32_t local,
                                           enum check_move_kind kind,
                                           uint32_t what, uint32_t msg)
{
    return (uint64_t)local << 36 | (uint64_t)kind << 32 | (uint64_t)what << 24 |
           msg;
}

uint32_t check_work_out(struct check_model *m, uint32_t node, uint32_t local,
                        enum check_move_kind kind, uint32_t what, uint32_t msg);

static inline uint32_t check_outcomes(struct check_model *m, uint32_t node,
                                      uint32_t local, enum check_move_kind kind,
                                      uint32_t what, uint32_t msg)
{
    const uint32_t *known =
        check_recall(&check_locals_of(m, node)->steps,
                     check_step_question(local, kind, what, msg));

    return known ? *known : check_work_out(m, node, local, kind, what, msg);
}

/* Makes a local state ready for an event, as the driver does before the
 * protocol sees it, and returns the event; its clock is the head's. */
struct fc_event check_prepare(const struct check_model *m, uint8_t *local,
                              enum check_move_kind kind, uint32_t what);

/* What is in the shared cells, for check_outcomes(); 0 if there are none. */
static inline uint32_t check_cells(const struct check_model *m,
                                   const uint32_t *vector)
{
    return m->cells_count ? vector[m->cells_at] : 0;
}

/* The local state a tick later (see timed.c). */
uint32_t check_grown_older(struct check_model *m, uint32_t node, uint32_t local,
                           bool may_end);

/* ---- Contents of links (content.c) --------------------------------------- */

/* The messages on a link, oldest first where the link keeps their order. */
static inline const struct check_mail *
check_mails(const struct check_model *m, uint32_t content, uint32_t *count)
{
    size_t size;
    const uint8_t *bytes = check_bytes(&m->contents, content, &size);

    *count = (uint32_t)(size / sizeof(struct check_mail));
    return (const struct check_mail *)(const void *)bytes;
}

/* The order in which messages stand on a link that keeps none: by their bytes,
 * so that a place means the same message in every model of the same setup. */
bool check_mail_before(const struct check_model *m, const struct check_mail *a,
                       const struct check_mail *b);

/* What can happen to it: computed once, then remembered. */
enum check_change {
    CHECK_MAIL_PUSH, /* a message enters */
    CHECK_MAIL_TAKE, /* the one at a place leaves */
    CHECK_MAIL_COPY,
    CHECK_MAIL_DELAY,
    CHECK_MAIL_AGE,          /* a tick passes */
    CHECK_MAIL_AGE_AND_DROP, /* and what arrives by now is missed */
};

static inline uint64_t
check_change_question(uint32_t content, enum check_change change, uint32_t what)
{
    return (uint64_t)content << 32 | (uint64_t)change << 28 | what;
}

uint32_t check_change(struct check_model *m, uint32_t content,
                      enum check_change change, uint32_t what);

static inline uint32_t check_changed(struct check_model *m, uint32_t content,
                                     enum check_change change, uint32_t what)
{
    const uint32_t *known = check_recall(
        &m->content_memo, check_change_question(content, change, what));

    return known ? *known : check_change(m, content, change, what);
}

/* ---- Successors (expand.c, timed.c) -------------------------------------- */

struct check_next {
    uint64_t pair;
    uint64_t hash;
    struct check_move move;
    bool seen; /* a view changed, or a node is back */
    bool odd;  /* to be judged even if it leads to a known state */
    bool coin; /* one of several ways, chosen at random */
    uint32_t crossings, crossings_count; /* in one half: messages out of it */
};

/* A message from one half to the other. */
struct check_crossing {
    uint32_t place, msg;
};

struct check_nexts {
    struct check_next *list;
    uint32_t count, room;
    bool quiet;   /* nothing has to happen any more */
    bool noticed; /* a notice is due: sooner or later a node is told */
    bool last;    /* it is the last tick that is tried */
    bool gone;    /* what is given rules out every way that some event can go */
};

/* Whether what is given can still come true, and whether it has.  (given.c) */
bool check_may_come(const struct check_model *m, const struct check_budget *b,
                    const struct check_outcome *o);
static inline bool check_has_come(const struct check_model *m,
                                  const struct check_budget *b)
{
    return !m->setup->given_draw || b->drawn == m->nodes;
}

/* With which probability, given that, an outcome follows a state: `times` by
 * 1/odds.  (given.c) */
struct check_odds_given {
    uint32_t times, odds; /* odds 0: more than 2^32 */
};
struct check_odds_given check_given_odds(const struct check_model *m,
                                         const struct check_budget *b,
                                         const struct check_outcome *o);

/* All successors of a stored state. */
void check_expand(struct check_model *m, uint32_t state,
                  struct check_nexts *out);

/* The vector of a successor: what `move` makes of the state. */
void check_apply(struct check_model *m, const struct check_spread *base,
                 const struct check_move *move, struct check_spread *out);

/* The outcome that a move of a node has. */
const struct check_outcome *check_outcome_of(struct check_model *m,
                                             const struct check_spread *base,
                                             const struct check_move *move);

/* The state of check_expand(). */
struct check_expansion {
    struct check_model *model;
    const struct check_spread *base;
    struct check_nexts *out;
    struct check_budget budget;
    uint32_t first_node, last_node; /* nodes that act, and one more */
    struct check_half *half;        /* that they are; NULL: they are all */
    bool busy; /* with time: something will happen on its own */
    bool open; /* and may be made to */
};

/* All that the nodes of an expansion can do, except ticks. */
void check_expand_nodes(struct check_expansion *x);

/* The same as check_expand(), put together from its halves. */
void check_expand_halves(struct check_model *m, uint32_t state,
                         struct check_nexts *out);
void check_halves_free(struct check_model *m);

/* An event at a node, in all ways it can go.  Returns whether there is one. */
bool check_emit(struct check_expansion *x, struct check_move move,
                uint32_t outcome);
void check_emit_alone(struct check_expansion *x, struct check_move move);
void check_read(struct check_expansion *x, uint32_t link, uint32_t place);
bool check_act(struct check_expansion *x, uint32_t node,
               enum check_move_kind kind, uint32_t what);
void check_ask(struct check_expansion *x, uint32_t node,
               const struct check_info *info);
void check_go_wrong(struct check_expansion *x, uint32_t node);

/* A node is told of a crash: to start, once more if it has before.  Whether
 * that is due, and some node that is up would act on it now (notice.c). */
void check_give_notice(struct check_expansion *x, uint32_t node);
bool check_notice_is_due(const struct check_expansion *x);
bool check_may_be_next(const struct check_model *m,
                       const struct check_mail *mail, uint32_t place);
void check_expand_timed(struct check_expansion *x, uint32_t node);
void check_foresee(struct check_expansion *x);

/* All initial states go into the tree; what lengths a node's steps can have. */
void check_initial(struct check_model *m);
void check_lengths(const struct check_model *m, uint32_t node, uint64_t *least,
                   uint64_t *greatest);

/* ---- Symmetry (symmetry.c) ----------------------------------------------- */

/* Finds the symmetries that may be used; false with `refusal` set if there are
 * none. */
bool check_symmetry_begin(struct check_model *m);

/* How far a ring has to be turned to become its representative, and turning
 * it. */
uint32_t check_rotation(const struct check_model *m, const uint32_t *vector);
void check_rotate(const struct check_model *m, struct check_spread *s,
                  uint32_t by);

/* Likewise of namings. */
uint32_t check_best_naming(struct check_model *m, const uint32_t *vector);
void check_rename(struct check_model *m, struct check_spread *s,
                  uint32_t naming);

/* The name of a link of a complete network if its ends have these names. */
static inline uint32_t check_link_named(const struct check_model *m,
                                        uint32_t link, const uint16_t *to)
{
    return m->out[to[m->links[link].from]][to[m->links[link].to]];
}

/* A vector is complete: folds it, or its representative. */
void check_finish(struct check_model *m, struct check_spread *s);

/* Whether a message between these two gets lost at once. */
static inline bool check_is_apart(const struct check_budget *b, uint32_t from,
                                  uint32_t to)
{
    return (b->apart >> from & 1) != (b->apart >> to & 1);
}

/* These nodes and their mail after a tick; false if time cannot advance now. */
bool check_tick(struct check_model *m, const struct check_spread *base,
                uint32_t first_node, uint32_t last_node,
                struct check_spread *out);

/* Whether a node can let this tick pass as it is: it must do nothing now. */
bool check_lets_pass(const struct check_model *m,
                     const struct check_spread *base, uint32_t node);

/* ---- Judging (judge.c) --------------------------------------------------- */

/* Sets up the scene of a state. */
void check_look(const struct check_model *m, const uint32_t *vector,
                struct net_scene *scene);

/* What the change of one node by a move from `before` broke, of the properties
 * that count. */
void check_judge_change(struct check_model *m, const uint32_t *before,
                        const struct check_move *move, const uint32_t *after,
                        struct net_news *news);

/* The same, and the predicates over the whole network. */
void check_judge(struct check_model *m, const uint32_t *before,
                 const struct check_move *move, const uint32_t *after,
                 struct net_news *news);

/* The predicates over the whole network that do not hold in a state, of those
 * that are judged; as properties (network.c). */
uint32_t check_judge_network(struct check_model *m, const uint32_t *vector);

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
