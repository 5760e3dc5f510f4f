/*
 * fc.h - what the author of a protocol reads; core/driver.h is for the author
 * of a driver.
 *
 * A protocol is a pure state machine: one event in, a fixed outbox out.  It
 * calls nothing back, allocates nothing, reads no clock and draws no random
 * number.  So the same code is simulated, checked exhaustively and run live.
 *
 * A protocol called P is a pair of files P.h and P.c.  P.h gives
 *
 *     struct P               the state of one node: flat, no pointers, no
 *                            padding; ALL ZERO BYTES is a node before its
 *                            first event
 *     struct P_msg           a message: flat, too; all zero bytes is "no
 *                            message", so kinds count from 1.  P_msg_wire is
 *                            an enumerator: the most bytes that one takes when
 *                            it is packed; P_wire is the same
 *     struct P_params        what all nodes share, set before the run
 *
 * and macros that say what it is.  None of these five can be left out or
 * misspelt:
 *
 *     P_problem              the problem it solves, one of problems/
 *     P_site                 what a node may know of its place (below)
 *     P_topology             of enum fc_topology
 *     P_timers               the number of its timers, up to FC_TIMERS
 *     P_traits               what else drivers must know (below), or
 *                            FC_NO_TRAITS
 *
 * and two only where these structs are not its own:
 *
 *     P_msg, P_params        the struct of its messages, of its parameters
 *
 * From these FC_PROTOCOL(P) makes the types of its events and effects and the
 * prototypes of its functions, which P.c defines:
 *
 *     P_step()               the rules; core/turn.inc lets them be written as
 *                            papers write them
 *     P_view()               what the problem's properties see of a state
 *     P_sane()               NULL, or the invariant that a state breaks, as a
 *                            sentence: judged in every state that is reached
 *                            by the checker, by a live node, or by a simulator
 *                            built with sanitizers
 *     P_state_fields         the fields of a state by name, for people: a table
 *                            (core/field.h)
 *     P_kind(), P_fields(), P_paper_bits(), P_wire_bytes(),
 *     P_pack(), P_unpack()   on messages; word.h and stamp.h give them to most
 *     P_protocol             its entry in the table of all protocols
 *                            (core/entry.h), with what holds of all nodes and
 *                            messages together (core/network.h)
 *
 * Drivers that must be fast include the .c file and then themselves, so that
 * the compiler sees the types: the calls vanish and messages are copied once or
 * twice.
 */
#ifndef FC_H
#define FC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/quantity.h"
#include "core/ticks.h"

/* Headers are also read by C++; their declarations are C. */
#ifdef __cplusplus
#define FC_EXTERN extern "C"
#define _Static_assert static_assert
#else
#define FC_EXTERN extern
#endif

/* Pastes names, so that a macro can speak of P_step for any P. */
#define FC_PASTE_(a, b) a##b
#define FC_PASTE(a, b)  FC_PASTE_(a, b)
#define FC_QUOTE_(a)    #a
#define FC_QUOTE(a)     FC_QUOTE_(a)
#define FC_COUNT(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))

/* A name is a positive number; 0 is nobody.  30 bits leave room for the kind
 * of a message beside it in one 32-bit word. */
typedef uint32_t fc_name;
enum { FC_NOBODY = 0, FC_NAME_BITS = 30 };
#define FC_NAME_MAX ((UINT32_C(1) << FC_NAME_BITS) - 1)

#ifndef FC_TIMERS
#define FC_TIMERS 2
#endif

/* Nodes of a complete network that a state can speak of one by one (core/set.h
 * and the like); code that includes a protocol may set it lower.  Rings and
 * trees have no such limit. */
#ifndef FC_NODES_MAX
#define FC_NODES_MAX 256
#endif

enum {
    FC_SENDS = 4,      /* messages a step can send */
    FC_KINDS_MAX = 8,  /* kinds of messages of a protocol, kind 0 included */
    FC_FIELDS_MAX = 4, /* numbers a message shows to people */
    /* Bytes of a packed message, whatever the protocol: for drivers that run
     * any of them.  One alone needs no more than P_wire. */
    FC_WIRE_MAX = 64 + 8 * FC_NODES_MAX,
};

/* A set of nodes of a complete network by their index, or of a node's links;
 * core/set.h has the operations on it. */
enum { FC_SET_WORDS = (FC_NODES_MAX + 63) / 64 };
struct fc_set {
    uint64_t word[FC_SET_WORDS];
};

/* ---- What happens to a node ---------------------------------------------- */

enum fc_event_kind {
    FC_BOOT,    /* the node is back after a crash; if its memory was lost, its
                 * state is zero */
    FC_MESSAGE, /* the message in P_in was read */
    FC_TIMEOUT, /* timer `timer` expired */
    FC_CHOICE,  /* the answer to effect `choose`: `value` in 0..choose-1 */
    FC_COMMAND, /* the application asks: `command` is a verb of the problem */
    FC_LOADED,  /* the answer to effect `access`: `value` was in the cell */
    FC_GO_ON,   /* the answer to effect `go_on` */
};

struct fc_event {
    uint8_t kind;
    uint8_t timer;   /* FC_TIMEOUT */
    uint16_t port;   /* FC_MESSAGE: the link it came by, as the node counts */
    uint8_t command; /* FC_COMMAND */
    uint8_t unused[3];
    uint32_t value; /* FC_CHOICE, FC_LOADED */
    uint64_t now;   /* the node's own clock, in its own steps from 1; it runs on
                     * during pauses, and never wraps (core/counter.h); a start
                     * may begin it anew.  Only for protocols that are
                     * FC_CLOCKED */
};

/* Links of a ring in both directions, as each node counts them. */
enum fc_port { FC_NEXT, FC_PREVIOUS };

/* In place of a port. */
enum {
    FC_EVERYONE = UINT16_MAX, /* one message to each of the others... */
    FC_SET = FC_EVERYONE - 1, /* ...to each in `set` */
};

/* ---- What a node wants done ---------------------------------------------- */

/* News of a step, a bit each. */
enum fc_note {
    FC_NOTE_VIEW = 1u << 0,    /* what P_view() shows may have changed */
    FC_NOTE_DIES = 1u << 1,    /* the message read was dropped */
    FC_NOTE_SILENT = 1u << 2,  /* the message read was answered by silence */
    FC_NOTE_STARTED = 1u << 3, /* the command was obeyed, not ignored */
    /* From here on, FC_NOTES_OWN bits that mean what the protocol's quantities
     * say (below). */
    FC_NOTE_OWN = 1u << 4,
};
enum { FC_NOTES_OWN = 4 };

/* What a node does with memory that all share, where a problem has it: cells
 * that are read and written one at a time, and are 0 at first. */
enum fc_access {
    FC_LOAD = 1, /* my next event, in this same step, is FC_LOADED */
    FC_STORE,
};

/*
 * Effects of a step, besides messages.  They are carried out in this order: the
 * state is saved; the messages leave, send[0] first, and those to several links
 * in the order of the links; a shared cell is stored; the timers are stopped or
 * started, timer 0 first.  Then the step goes on, if it wants to: by a load,
 * else by a choice, else on its own.  core/obey.inc is that sentence in C.
 */
struct fc_effects {
    uint16_t sends; /* messages filled in send[], in order */
    uint8_t go_on;  /* 1: my next event, in this same step, is FC_GO_ON: for a
                     * step with more to send than FC_SENDS */
    uint8_t unused;
    uint32_t notes;  /* bits of enum fc_note */
    uint32_t choose; /* not 0: my next event, in this same step, is FC_CHOICE in
                      * 0..choose-1, all equally likely */
    uint8_t arm;     /* timers to (re)start, a bit each */
    uint8_t disarm;  /* timers to stop, a bit each; `arm` wins */
    uint8_t save;    /* make my state durable BEFORE anything is sent */
    uint8_t access;  /* of enum fc_access, or 0: none */
    /* What follows is read only where the above says so, and not zeroed. */
    uint64_t steps[FC_TIMERS]; /* of the timers in `arm`: OWN STEPS, or never */
    uint16_t to[FC_SENDS];     /* the link by which send[i] leaves, or one of
                                * the two above; a ring of one direction has no
                                * choice and leaves it */
    uint32_t cell, stored;     /* of `access`: which, and what FC_STORE puts
                                * there */
    struct fc_set set;         /* the links of a message to FC_SET */
};

/* ---- What a node may know of its place ----------------------------------- */

/* A ring with names: a node knows its own name and nothing else, not even the
 * number of nodes. */
struct fc_named {
    fc_name name;
};

/* A ring without names: a node knows the number of nodes, and nothing that
 * tells them apart. */
struct fc_anonymous {
    uint32_t nodes;
};

/* A complete network: link j leads to node j; there is no link with its own
 * index. */
struct fc_member {
    uint32_t index, nodes;
};

/* A tree with names: its links are 0..ports-1. */
struct fc_joint {
    fc_name name;
    uint32_t ports;
};

/* A rooted tree: its links are 0..ports-1, and except at the root link 0 leads
 * to its parent. */
struct fc_rooted {
    uint32_t root; /* 1: it is */
    uint32_t ports;
};

/* A network without names where one node is marked: a node knows whether it is
 * that one, and its links 0..ports-1. */
struct fc_marked {
    uint32_t marked; /* 1: it is */
    uint32_t ports;
};

/* ---- What it is ---------------------------------------------------------- */

enum fc_topology {
    FC_RING,      /* messages go to the next node clockwise */
    FC_RING_BOTH, /* to both neighbours: FC_NEXT, FC_PREVIOUS */
    FC_COMPLETE,  /* to everybody: link j leads to node j */
    FC_TREE,      /* along the edges of a tree */
};

/* Traits, a bit each.  They are macros because engines leave out of their
 * structures what a protocol does not need; FC_PROTOCOL() uses them as numbers,
 * so that a misspelt one does not compile. */
#define FC_NO_TRAITS 0
/* Events tell the node's clock, and FC_BOOT its start. */
#define FC_CLOCKED 1
/* The state begins with struct P_record, which a restart brings back as last
 * saved. */
#define FC_DURABLE 2
/* A node inside is stopped when its own clock shows the time that its view
 * names. */
#define FC_GUARDED 4
/* No rule compares indices or computes with them, except index 0; see
 * FC_RELABELS(). */
#define FC_SYMMETRIC 8
/* A step reads all that has arrived, not one message. */
#define FC_READS_ALL 16
/* Only the first step, from the zero state, uses the node's name. */
#define FC_NAME_ONCE 32
/* Part of the state decides nothing and is only counted: see FC_FORGETS(). */
#define FC_COUNTS 64
/* It has quantities of its own: FC_QUANTITIES(P). */
#define FC_MEASURED 256

/* The types of P's events and effects, and the prototypes of its functions. */
#define FC_PROTOCOL(P)                                                         \
    struct P##_in {                                                            \
        struct fc_event event;                                                 \
        struct P##_msg msg;                                                    \
    };                                                                         \
    struct P##_out {                                                           \
        struct fc_effects fx;                                                  \
        struct P##_msg send[FC_SENDS];                                         \
    };                                                                         \
    FC_FUNCTIONS(P)

/* The prototypes alone, for a protocol that shares its types with another. */
#define FC_FUNCTIONS(P)                                                        \
    enum {                                                                     \
        P##_is = (P##_traits) + 0 * (P##_timers) * (int)(P##_topology),        \
        P##_wire = FC_PASTE(P##_msg, _wire),                                   \
    };                                                                         \
    FC_API void P##_step(struct P *s, const struct P##_params *p,              \
                         const struct P##_site *me, const struct P##_in *in,   \
                         struct P##_out *out);                                 \
    FC_API void P##_view(const struct P *s, const struct P##_site *me,         \
                         struct FC_PASTE(P##_problem, _view) * view);          \
    FC_API const char *P##_sane(const struct P *s, const struct P##_params *p, \
                                const struct P##_site *me);                    \
    FC_API uint32_t P##_kind(const struct P##_msg *m);                         \
    FC_API uint32_t P##_fields(const struct P##_msg *m,                        \
                               uint64_t out[FC_FIELDS_MAX]);                   \
    FC_API uint32_t P##_paper_bits(const struct P##_msg *m);                   \
    FC_API uint32_t P##_wire_bytes(const struct P##_msg *m);                   \
    FC_API size_t P##_pack(const struct P##_msg *m, uint8_t wire[P##_wire]);   \
    FC_API int P##_unpack(struct P##_msg *m, const uint8_t *wire,              \
                          size_t size);                                        \
    extern const struct fc_protocol P##_protocol

/* FC_SYMMETRIC: what a state and a message become if each node i is called
 * to[i]; to[0] is 0. */
#define FC_RELABELS(P)                                                         \
    FC_API void P##_relabel(struct P *s, const uint16_t *to, uint32_t nodes);  \
    FC_API void P##_relabel_msg(struct P##_msg *m, const uint16_t *to,         \
                                uint32_t nodes)

/* FC_COUNTS: takes out of a state what no rule and no property depends on, so
 * that states which differ in nothing else are one to the checker. */
#define FC_FORGETS(P) FC_API void P##_forget(struct P *s)

/* The heads of two functions that every P.c defines.  P_view(): `*view` is what
 * others see of a node in state `s` at `me`.  P_sane(): NULL, or the
 * invariant that `s` breaks, as a sentence. */
#define FC_VIEW(P)                                                             \
    FC_API void P##_view(const struct P *s FC_UNUSED,                          \
                         const struct P##_site *me FC_UNUSED,                  \
                         struct FC_PASTE(P##_problem, _view) * view)
#define FC_INVARIANT(P)                                                        \
    FC_API const char *P##_sane(const struct P *s FC_UNUSED,                   \
                                const struct P##_params *p FC_UNUSED,          \
                                const struct P##_site *me FC_UNUSED)
#define FC_UNUSED __attribute__((unused))

/* P_kind() of a protocol whose messages have a member `kind`. */
#define FC_KIND(P)                                                             \
    FC_API uint32_t P##_kind(const struct P##_msg *m)                          \
    {                                                                          \
        return m->kind;                                                        \
    }

/* ---- The world it runs in ------------------------------------------------ */

/* Bounds in ticks: a step lasts rmin..rmax, a message is in flight for
 * dmin..dmax. */
struct fc_bounds {
    uint64_t rmin, rmax, dmin, dmax;
};

/* One run's setting, for parameters that depend on it and for the bounds that
 * the papers state. */
struct fc_world {
    uint32_t nodes;
    uint32_t initiators;
    fc_name least, greatest;
    struct fc_bounds bounds;
    bool bounded; /* false: the bounds are the simulator's, not a promise */
    bool returns; /* nodes that crash may come back */
};

/* u of the papers: a message is read within this many ticks of being sent. */
static inline uint64_t fc_hop(const struct fc_world *w)
{
    return fc_add(w->bounds.rmax, w->bounds.dmax);
}

struct fc_protocol; /* core/entry.h */

/*
 * Functions of a protocol are FC_API: external when the protocol is compiled on
 * its own, static when an engine includes it (and defines FC_TYPED).
 */
#ifdef FC_TYPED
#define FC_API static inline
#elif defined __cplusplus
#define FC_API FC_EXTERN
#else
#define FC_API
#endif

#endif
