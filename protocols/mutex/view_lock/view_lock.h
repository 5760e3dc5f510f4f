/*
 * view_lock.h - mutual exclusion that is safe whatever the network does: views
 * made by majorities, node leases, consents, tokens.
 *
 * The protocol of the live runtime.  One view and one lease serve all locks;
 * simulator and checker use one lock, a daemon has many.  Safety needs one fact
 * about time, the ratio of clock rates; delays matter only for speed.  Rules
 * and reasons: README.md, whose letters (F frames, L locks, V
 * views, W when to propose) the code cites.
 *
 * view_lock_confs.inc, view_lock_frames.inc, view_lock_joins.inc,
 * view_lock_views.inc, view_lock_reasons.inc, view_lock_entries.inc,
 * view_lock_letters.inc and
 * view_lock_sane.inc are parts of view_lock.c.
 */
#ifndef VIEW_LOCK_H
#define VIEW_LOCK_H

#include "core/fc.h"
#include "core/lists.h"
#include "core/wire.h"
#include "problems/mutex.h"

/* Configured nodes; a set of them is a word.  Code that includes the protocol
 * may set it, up to 64, and lower where states are kept in great numbers.  The
 * simulator has two engines: one for many nodes takes a third more time. */
#define FC_KEPT_NODES 6
#ifndef VIEW_LOCK_NODES
#ifdef FC_KEPT
#define VIEW_LOCK_NODES FC_KEPT_NODES
#elif defined FC_WIDE
#define VIEW_LOCK_NODES 64
#else
#define VIEW_LOCK_NODES 16
#define FC_WIDE_ABOVE   VIEW_LOCK_NODES
#endif
#endif

/* Of nodes: a bit each.  Wide sets are words of 8 bytes, and VIEW_LOCK_FILL()
 * is what they need before or after them; narrow ones need nothing there. */
#if VIEW_LOCK_NODES > 16
typedef uint64_t view_lock_set;
#define VIEW_LOCK_FILL(NAME, BYTES) uint8_t NAME[BYTES];
#else
typedef uint16_t view_lock_set;
#define VIEW_LOCK_FILL(NAME, BYTES)
#endif

/* Parameters are shared by builds for few nodes and for many, but a board and a
 * page have one build. */
#if defined FC_FIRMWARE || defined FULCRUM_WEB
typedef view_lock_set view_lock_nodes;
#define VIEW_LOCK_NODES_MAX VIEW_LOCK_NODES
#else
typedef uint64_t view_lock_nodes;
#define VIEW_LOCK_NODES_MAX 64
#endif

/* Locks that a node can speak of at a time; code that includes the protocol may
 * set it higher.  A lock is a number: 0 if there is only one. */
#ifndef VIEW_LOCK_LOCKS
#define VIEW_LOCK_LOCKS 1
#endif

/* What a live node is told besides enum mutex_command. */
enum view_lock_command {
    VIEW_LOCK_GIVE_UP = MUTEX_LEAVE + 1, /* no longer wait for the lock */
    VIEW_LOCK_STOP,                      /* the node will be stopped: W6 */
    VIEW_LOCK_CHANGE, /* the first planned change of the list; the others follow
                       * it */
};

/* View numbers: a counter above, its coordinator below. */
enum { VIEW_LOCK_ID_BITS = 6 };
#define VIEW_LOCK_UNSETTLED UINT32_MAX /* an `est` that nobody can know */

/* A token, which is positive in 64 bits with a sign: the generation of the
 * configuration (P5), the view, and the Lamport time of the entry. */
enum {
    VIEW_LOCK_GENERATION_BITS = 7,
    VIEW_LOCK_VIEW_BITS = 32,
    VIEW_LOCK_TIME_BITS = 24,
};
#define VIEW_LOCK_GENERATION_MAX ((1u << VIEW_LOCK_GENERATION_BITS) - 1)
#define VIEW_LOCK_VIEW_MAX       (UINT32_MAX - 1)

/* VL-W7: when the Lamport clock has come so far, the view is renewed; and
 * nobody enters with the last numbers. */
#define VIEW_LOCK_TIME_HIGH (UINT32_C(1) << (VIEW_LOCK_TIME_BITS - 1))
#define VIEW_LOCK_TIME_MAX  ((UINT32_C(1) << VIEW_LOCK_TIME_BITS) - 1)

/* VL-P5: a token begins with the generation of the configuration. */
static inline uint64_t view_lock_token(uint8_t generation, uint32_t view,
                                       uint32_t time)
{
    return (uint64_t)generation << (VIEW_LOCK_VIEW_BITS + VIEW_LOCK_TIME_BITS) |
           (uint64_t)view << VIEW_LOCK_TIME_BITS | time;
}

enum view_lock_kind {
    VIEW_LOCK_FRAME = 1,
    VIEW_LOCK_PROPOSE,
    VIEW_LOCK_VOTE,
    VIEW_LOCK_REFUSE,
    VIEW_LOCK_NEWVIEW,
    VIEW_LOCK_REQUEST,
    VIEW_LOCK_CLEAR,
    VIEW_LOCK_KINDS,
};

/* Of a node, in its frames. */
enum view_lock_flag {
    VIEW_LOCK_READY = 1u << 0,   /* may become a member; a witness never may */
    VIEW_LOCK_LEASED = 1u << 1,  /* holds a lease */
    VIEW_LOCK_CLEAN = 1u << 2,   /* the quiet time of its view is over */
    VIEW_LOCK_FREE = 1u << 3,    /* in a vote: settled, and holds no lock */
    VIEW_LOCK_SHARED = 1u << 4,  /* in a request: a reader's */
    VIEW_LOCK_LEAVING = 1u << 5, /* will be stopped: not a member from now on */
    VIEW_LOCK_BUSY = 1u << 6,    /* holds a lock, or waits for one */
    /* In a refusal: of nothing; its sender only tells its configuration. */
    VIEW_LOCK_TELLS = VIEW_LOCK_FREE,
    /* In a frame: of a node that joins, and neither votes nor takes frames. */
    VIEW_LOCK_JOINS = VIEW_LOCK_FREE,
};

/* VL-R2: a configuration: whose votes and leases count, and for how long.  An
 * even one is stable: it has one list.  An odd one is joint: a majority of each
 * of its two lists is needed.  Number 0 is that of the parameters. */
struct view_lock_conf {
    uint64_t quiet;      /* Wfull */
    uint64_t next_quiet; /* joint: of the stable one that follows; else 0 */
    uint64_t names; /* which names and addresses the driver has for its nodes; 0
                     * where there is one set of them */
    uint32_t k;
    uint32_t born;  /* the view for which it was first proposed: with k it names
                    * one value */
    uint32_t at;    /* the view in which this node last installed or took it */
    uint32_t lease; /* T */
    uint32_t next_lease; /* as next_quiet */
    uint32_t unused;
    view_lock_set old; /* joint: the list that is left; stable: the one that
                          * was left last */
    view_lock_set list;
    view_lock_set witnesses; /* they vote and take frames, and hold no lock */
    view_lock_set unused_set;
};
_Static_assert(sizeof(struct view_lock_conf) == 48 + 4 * sizeof(view_lock_set),
               "no padding");

/* One struct for all kinds; what a kind does not carry is zero. */
struct view_lock_msg {
    uint64_t inc;        /* of the sender */
    uint64_t stamp;      /* frame: when it was sent; newview: the quiet time */
    uint64_t echo_inc;   /* frame: of the newest frame taken of the receiver;
                          * vote: of the coordinator; a refusal that tells: of
                          * the receiver, if its sender need not join itself */
    uint64_t echo_stamp; /* frame: and its stamp */
    uint64_t lock;       /* request, clear: which; in a command, too */
    uint32_t maxv;       /* frame, refuse: the highest view voted for */
    uint32_t view;       /* frame: 0 unless in it; others: the view meant */
    uint32_t number;     /* request, clear: k; vote: est; newview: base */
    uint32_t time;       /* frame, clear: the Lamport clock L */
    uint32_t sync;       /* frame: what writing the record takes its sender */
    uint32_t period;     /* frame: the steps within which the next one leaves */
    view_lock_set members; /* frame, propose, newview */
    view_lock_set heard;   /* frame */
    uint8_t kind;
    uint8_t flags; /* enum view_lock_flag */
    uint8_t count; /* vote, newview: nodes in each[] */
    uint8_t unused;
    VIEW_LOCK_FILL(fill, 4)
    struct view_lock_conf conf; /* propose, newview: of the view; frame: of its
                                 * view, k and born alone; vote, refuse: as the
                                 * sender has it on disk */
    uint64_t each[VIEW_LOCK_NODES]; /* vote: ages; newview: incarnations */
};

/* A node without a record asks the others.  One that was never in a list has
 * promised nothing; one that was has forgotten what. */
enum view_lock_joins { VIEW_LOCK_JOINED, VIEW_LOCK_FRESH, VIEW_LOCK_LOST };

/* What survives a crash: written before a vote or a proposal leaves. */
struct view_lock_record {
    uint32_t maxv;   /* the highest view voted for */
    uint32_t starts; /* how often the node was started: its incarnation */
    struct view_lock_conf conf; /* the newest that it has adopted: VL-R1 */
    uint32_t joins; /* VL-R6: the others are asked, enum view_lock_joins */
    uint32_t unused;
};

/* What a node knows of another; of itself too, where that is meaningful.  Times
 * are own clock, and 0 means never. */
struct view_lock_peer {
    uint64_t took;       /* its newest lease frame was taken; self: sent */
    uint64_t echo_inc;   /* of that frame */
    uint64_t echo_stamp; /* of that frame, too */
    uint64_t acked;      /* newest own stamp that it has echoed */
    uint64_t heard_at;   /* any frame of it */
    uint64_t inc;        /* of its newest frame */
    uint64_t linked_at;  /* since when it is linked to all members */
    uint64_t left_at;    /* when it was last left out of a view of ours */
    uint32_t view;       /* that it shows */
    uint32_t sync;       /* as it tells */
    uint32_t period;     /* within which its next frame leaves */
    VIEW_LOCK_FILL(fill, 4)
    view_lock_set heard;   /* the nodes it hears */
    view_lock_set members; /* of the view that it shows */
    uint8_t flags;
    uint8_t flaps; /* how often it was left out recently, at most FLAPS_MAX */
    uint8_t unused[6];
};

/* A pending proposal, at its coordinator. */
struct view_lock_proposal {
    uint64_t at;
    uint32_t view; /* 0: none */
    VIEW_LOCK_FILL(fill, 4)
    view_lock_set candidates;
    view_lock_set voted, ready, free; /* among those that voted */
    view_lock_set refused;
    view_lock_set apart; /* voted, and do not count: VL-R3 */
    struct view_lock_conf conf;
    uint32_t est[VIEW_LOCK_NODES];
    uint64_t inc[VIEW_LOCK_NODES];
    uint64_t age[VIEW_LOCK_NODES][VIEW_LOCK_NODES]; /* [voter][of whom] */
};

/* A view that was established, at its coordinator, for members that have not
 * shown it yet. */
struct view_lock_news {
    uint64_t quiet;
    uint32_t view, base;
    view_lock_set members, pending;
    uint8_t unused[4];
    VIEW_LOCK_FILL(fill, 4)
    struct view_lock_conf conf;
    uint64_t inc[VIEW_LOCK_NODES];
};

/* One lock.  An idle entry with nothing in it need not be there, and any idle
 * entry may be dropped at any time. */
struct view_lock_one {
    uint64_t id;
    uint64_t token;
    uint32_t number; /* k of its own request */
    VIEW_LOCK_FILL(fill, 4)
    view_lock_set ok, cache, deferred; /* consents; kept ones; waiters for
                                        * ours */
    view_lock_set deferred_shared;     /* of those: readers */
    uint8_t role;   /* enum mutex_role: idle, waits, inside */
    uint8_t shared; /* its own request is a reader's */
    uint8_t wants;  /* asked for, and not in a view to ask in */
    uint8_t unused[5];
    uint32_t deferred_number[VIEW_LOCK_NODES];
    /* Still to be sent in this step: empty between steps */
    view_lock_set request, clear;
    uint32_t clear_number[VIEW_LOCK_NODES];
};

/* Equal states are equal bytes: nothing is between the fields. */
_Static_assert(VIEW_LOCK_NODES % 2 == 0, "halves of a word come in pairs");
_Static_assert(VIEW_LOCK_NODES <= 64, "a set of nodes is a word");
/* What `sets` of them and the fill beside them take. */
#define VIEW_LOCK_SETS(sets)                                                   \
    (sizeof(view_lock_set) == 2 ? 2 * (sets) : 8 * (sets) + 4)
_Static_assert(sizeof(struct view_lock_one) ==
                   28 + VIEW_LOCK_SETS(6) + 8 * VIEW_LOCK_NODES,
               "no padding");
_Static_assert(sizeof(struct view_lock_proposal) ==
                   12 + VIEW_LOCK_SETS(6) + sizeof(struct view_lock_conf) +
                       (4 + 8 + 8 * VIEW_LOCK_NODES) * VIEW_LOCK_NODES,
               "no padding");
_Static_assert(sizeof(struct view_lock_news) ==
                   20 + VIEW_LOCK_SETS(2) + sizeof(struct view_lock_conf) +
                       8 * VIEW_LOCK_NODES,
               "no padding");
_Static_assert(sizeof(struct view_lock_msg) ==
                   68 + VIEW_LOCK_SETS(2) + sizeof(struct view_lock_conf) +
                       8 * VIEW_LOCK_NODES,
               "no padding");
_Static_assert(sizeof(struct view_lock_peer) == 84 + VIEW_LOCK_SETS(2),
               "no padding");

/* A frame, or a new view with an incarnation for each node; each with its
 * configuration, if that is not 0: the whole of it, or in a frame its name. */
enum {
    VIEW_LOCK_CONF_WIRE = 44 + 3 * sizeof(view_lock_set),
    VIEW_LOCK_CONF_NAME_WIRE = 8,
    VIEW_LOCK_FRAME_WIRE = 54 + 2 * sizeof(view_lock_set),
    VIEW_LOCK_NEWVIEW_WIRE =
        27 + sizeof(view_lock_set) + VIEW_LOCK_CONF_WIRE + 8 * VIEW_LOCK_NODES,
    view_lock_msg_wire = VIEW_LOCK_NEWVIEW_WIRE,
};

/* Messages still to be sent in this step, except about locks: a bit for each
 * receiver. */
struct view_lock_outbox {
    view_lock_set frame, propose, newview, refuse, tell;
    view_lock_set vote;  /* one receiver */
    view_lock_set clear; /* one: of a lock that has no entry */
    view_lock_set unused[3];
    uint32_t clear_number;
    VIEW_LOCK_FILL(fill, 4)
    uint64_t clear_lock;
};

struct view_lock {
    struct view_lock_record record; /* first: the driver keeps it */
    uint64_t inc, start; /* start: own clock at its first event, never 0 */
    uint64_t lease_from; /* the newest stamp that a majority took */
    uint64_t lease_end;  /* T after it */
    uint64_t deadline;   /* K before that: then the command is dead */
    uint64_t install_at, quiet_end;
    uint64_t frame_at; /* when the next frames are due */
    uint64_t wake_at;  /* when the timer expires */
    /* When to propose */
    uint64_t reason_at; /* since when there is one, or 0 */
    uint64_t voted_at;  /* last vote */
    uint64_t backoff;   /* no proposal before */
    uint64_t lapsed_at; /* since when there is no lease, or 0 */
    uint32_t attempts;  /* since the last install */
    uint32_t refusals;  /* of those: proposals that somebody refused */
    uint32_t seen;      /* the highest maxv seen anywhere */
    uint32_t view, est, time;
    view_lock_set members;
    uint8_t clean;
    uint8_t reason; /* which: 0, 'a' to 'e' */
    VIEW_LOCK_FILL(fill, 2)
    uint32_t told;      /* when the next frame leaves, as the last one said */
    uint32_t drawing;   /* a draw for the back-off is still to be asked */
    uint32_t vote_view; /* last voted for in this life, and its proposer */
    uint64_t vote_inc;
    uint32_t leaving; /* will be stopped */
    uint32_t used;    /* entries of lock[] that may have something in them */
    /* Changes of the configuration */
    uint64_t settled_at;  /* when promises of earlier lives are over */
    uint64_t counts_from; /* VL-R2a: echoes of older frames do not count... */
    uint64_t kept_end;    /* ...and the lease in hand then keeps its end */
    uint64_t ripe_at;     /* VL-R4: when the next configuration may be proposed;
                           * 0: no lease of a view of this one was seen yet */
    uint32_t wish;        /* a planned change, from 1, that was asked for; 0 */
    view_lock_set answered; /* VL-R6: nodes that have told what it has adopted,
                             * while it joins */
    uint8_t joined;         /* in this life */
    uint8_t unused;
    struct view_lock_conf of_view; /* the one of the view */
    struct view_lock_conf told_of; /* another than its own, heard of last */
    uint64_t member_inc[VIEW_LOCK_NODES];
    struct view_lock_peer peer[VIEW_LOCK_NODES];
    struct view_lock_proposal proposal;
    struct view_lock_news news;
    struct view_lock_outbox out; /* empty between steps */
    struct view_lock_one lock[VIEW_LOCK_LOCKS];
};

/* A list that is asked for while the cluster runs, and its times. */
struct view_lock_plan {
    uint64_t quiet;
    uint64_t names; /* as in struct view_lock_conf */
    uint32_t lease;
    view_lock_nodes list, witnesses;
};

struct view_lock_params {
    uint32_t tau;       /* between frames */
    uint32_t lease;     /* T */
    uint32_t kill;      /* K: the command is dead that long before */
    uint32_t silence;   /* S */
    uint32_t delta;     /* a round trip */
    uint32_t sync;      /* what writing the record takes at most, as measured
                         * recently; the driver may change it at any time */
    uint32_t idle;      /* between frames while there is nothing to guard */
    uint8_t without;    /* enum view_lock_without */
    uint8_t generation; /* of the configuration: the top bits of a token */
    uint8_t changes;    /* the configuration may change while it runs */
    uint8_t unused;
    view_lock_nodes list;      /* of configuration 0; empty: all nodes */
    view_lock_nodes witnesses; /* of those, nodes that vote and take frames, and
                              * never hold a lock */
    uint64_t quiet;            /* prepared: Wfull */
    struct fc_lists first;     /* as typed: the list of configuration 0 */
    struct fc_lists wishes;    /* and those that are asked for */
    struct fc_lists joins;     /* one: nodes that start without a record */
    struct view_lock_plan plan[FC_LISTS_MAX]; /* prepared from them */
};

/* A safety rule that is left out, to see what it is for. */
enum view_lock_without {
    VIEW_LOCK_WHOLE,
    VIEW_LOCK_WITHOUT_P1, /* maxv is not written down */
    VIEW_LOCK_WITHOUT_P2, /* every start has the same incarnation */
    VIEW_LOCK_WITHOUT_F1, /* a node that voted higher still shows its view */
    VIEW_LOCK_WITHOUT_F2, /* frames of lower views are taken after a vote */
    VIEW_LOCK_WITHOUT_F3, /* the lease counts from the echo */
    VIEW_LOCK_WITHOUT_F4, /* a lapsed holder keeps its lock */
    VIEW_LOCK_WITHOUT_L2, /* an inside node compares numbers like others */
    VIEW_LOCK_WITHOUT_L3, /* a node that gives a consent keeps the one it had */
    VIEW_LOCK_WITHOUT_L4, /* a consent for an older request counts */
    VIEW_LOCK_WITHOUT_L5, /* no lease of this view is asked for */
    VIEW_LOCK_WITHOUT_L6, /* consents that are queued leave in the next view */
    VIEW_LOCK_WITHOUT_V2, /* a node votes for any view */
    VIEW_LOCK_WITHOUT_V3, /* nobody is outwaited */
    VIEW_LOCK_WITHOUT_V4, /* a lock is kept over any change of view */
    VIEW_LOCK_WITHOUT_K4, /* a started node takes part at once */
    VIEW_LOCK_WITHOUT_R1, /* what is taken is not adopted */
    VIEW_LOCK_WITHOUT_R1_SYNC,  /* it is adopted, and not written down */
    VIEW_LOCK_WITHOUT_R1_AT,    /* by a joint view again: not written down */
    VIEW_LOCK_WITHOUT_R2,       /* in a joint view the new list is enough */
    VIEW_LOCK_WITHOUT_R2_OLD,   /* the old list is enough */
    VIEW_LOCK_WITHOUT_R2_LEASE, /* the longer lease of both lists */
    VIEW_LOCK_WITHOUT_R2_QUIET, /* the shorter quiet time of both lists */
    VIEW_LOCK_WITHOUT_R2_BASE,  /* the lower base of both lists */
    VIEW_LOCK_WITHOUT_R2_PREV,  /* nodes that were left are not outwaited */
    VIEW_LOCK_WITHOUT_R2A,      /* old echoes count, by the new lists */
    VIEW_LOCK_WITHOUT_R3,       /* what votes show is not looked at */
    VIEW_LOCK_WITHOUT_R4,       /* the view before need not have been leased */
    VIEW_LOCK_WITHOUT_R4_WAIT,  /* and Wfull need not have passed */
    VIEW_LOCK_WITHOUT_R5,       /* a joint view has the longer T */
    VIEW_LOCK_WITHOUT_R5_QUIET, /* it has the new Wfull */
    VIEW_LOCK_WITHOUT_R6,       /* a list of a file with oneself is trusted */
    VIEW_LOCK_WITHOUT_R6_JOINS, /* a node without its record takes part */
    VIEW_LOCK_WITHOUT_R6A, /* a majority is asked, also by one of the list */
    VIEW_LOCK_WITHOUT_R7,  /* changes that cannot end are begun */
};

/* It has leases, so it reads its clock and is stopped at a deadline; and all
 * that has come counts before a deadline is judged. */
#define view_lock_site     fc_member
#define view_lock_problem  mutex
#define view_lock_topology FC_COMPLETE
#define view_lock_timers   1
#define view_lock_traits                                                       \
    (FC_MEASURED | FC_CLOCKED | FC_DURABLE | FC_GUARDED | FC_READS_ALL)

/* The entry of a lock, or NULL. */
FC_API const struct view_lock_one *view_lock_find(const struct view_lock *s,
                                                  uint64_t id);

FC_PROTOCOL(view_lock);

#endif
