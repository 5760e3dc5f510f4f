/*
 * head.h - the head of a trace: what was run, and the words for it.
 *
 * The format is docs/trace.md.  Nodes are lanes, in the order of the ring.
 */
#ifndef TRACE_HEAD_H
#define TRACE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRACE_VERSION = 1,
    TRACE_NODES_MAX = 1 << 20,
    TRACE_KINDS_MAX = 32,
    TRACE_FIELDS_MAX = 4,
    TRACE_WORDS_MAX =
        8, /* roles, facts and commands of a problem's own, each */
    TRACE_PROPERTY_MAX = 64, /* bytes, the closing zero included */
};

#define TRACE_TICK_MAX (UINT64_C(1) << 62)
#define TRACE_NEVER    UINT64_MAX
#define TRACE_NONE     UINT32_MAX

enum trace_role {
    TRACE_ASLEEP,
    TRACE_AWAKE,
    TRACE_CANDIDATE,
    TRACE_LOST,
    TRACE_LEADER,
    TRACE_DONE,
    TRACE_IDLE,
    TRACE_SLEEPING,
    TRACE_ASKING,
    TRACE_WAITING,
    TRACE_INSIDE,
    TRACE_MUTE,
    TRACE_READING,
    TRACE_WRITING,
    TRACE_ROLES,                /* those above are words; these two follow: */
    TRACE_BESIDE = TRACE_ROLES, /* inside, shared */
    TRACE_DOWN,                 /* crashed */
    TRACE_OWN,                  /* the first that the head declares */
    TRACE_ROLES_ALL = TRACE_OWN + TRACE_WORDS_MAX,
};

enum trace_meaning {
    TRACE_ASKS,
    TRACE_CLAIMS,
    TRACE_GRANTS,
    TRACE_REFUSES,
    TRACE_CALLS,
    TRACE_TELLS,
    TRACE_TOKEN,
    TRACE_FRAME,
    TRACE_MEANINGS,
};
extern const char *const trace_meaning_words[TRACE_MEANINGS];

enum trace_topology {
    TRACE_RING,
    TRACE_RING_BOTH,
    TRACE_COMPLETE,
    TRACE_TREE,
    TRACE_TOPOLOGIES,
};
extern const char *const trace_topology_words[TRACE_TOPOLOGIES];

enum trace_what {
    TRACE_WAKE,
    TRACE_WANT,
    TRACE_WANT_SHARED,
    TRACE_LEAVE,
    TRACE_STOPPED, /* by its guard */
    TRACE_READ,
    TRACE_TIMEOUT,
    TRACE_MISSES,
    TRACE_CRASH,
    TRACE_RESTART,
    TRACE_PAUSE,
    TRACE_CUT,
    TRACE_JOINED,
    TRACE_ASKED, /* a command that the head declares */
};

struct trace_kind {
    const char *word, *label;
    enum trace_meaning meaning;
    const char *numbers; /* what they are; or NULL: not told */
};

/* A node takes a step at the ticks phase, phase + length, ... */
struct trace_step {
    uint64_t length, phase;
};

/* In ticks; the upper ones may be TRACE_NEVER. */
struct trace_bounds {
    uint64_t rmin, rmax, dmin, dmax;
};

/* What a node has learned; those that the head declares follow. */
enum trace_fact { TRACE_ANSWERS, TRACE_KNOWS, TRACE_HAS_TOKEN, TRACE_FACTS };

/* A role of the problem's own, drawn like one of the format's. */
struct trace_own_role {
    const char *word;
    enum trace_role like;
};

/* Strings are somebody else's: the text of a file, or a protocol's table. */
struct trace_head {
    const char *protocol, *problem, *time;
    enum trace_role first_role; /* before the first event */
    enum trace_topology topology;
    bool bounded;              /* delays have a bound: time is archimedean */
    bool returns;              /* nodes that crash may come back */
    const char *set, *command; /* "" if absent */
    /* As written in a file; NULL if absent, or if there is no file. */
    const char *nodes_text, *names_text, *bounds_text;
    struct trace_bounds bounds;
    uint64_t seed; /* 1 if absent */
    bool seeded;
    uint64_t winner; /* as the problem demands; 0 if not known */
    uint32_t nodes;
    uint32_t *names;          /* NULL: the nodes have none */
    struct trace_step *steps; /* NULL: steps change */
    struct trace_kind kinds[TRACE_KINDS_MAX];
    uint32_t kinds_count;
    struct trace_own_role own_roles[TRACE_WORDS_MAX];
    const char *own_facts[TRACE_WORDS_MAX], *own_asks[TRACE_WORDS_MAX];
    uint32_t own_roles_count, own_facts_count, own_asks_count;
};

struct net;
struct net_names;

/* Takes the head of a run that begins, except for what nobody knows of it: set
 * and command, which stay as they are, and steps, which get room.  False: no
 * memory; to be freed in either case. */
bool trace_head_of(struct trace_head *h, const struct net *net,
                   const struct net_names *names, uint64_t seed);
void trace_head_free(struct trace_head *h);

/* Whether the steps of nodes stay as they are at the beginning. */
bool trace_steps_stay(const struct net *net);

/* The number by which people call a lane: its name, or its index. */
uint32_t trace_name(const struct trace_head *h, uint32_t lane);

/* The word for one of the format's roles; NULL: it follows from something else,
 * or only a head has it. */
const char *trace_role_word(enum trace_role role);

/* The word for any role of this trace; NULL: it follows from something else. */
const char *trace_role_said(const struct trace_head *h, enum trace_role role);

/* The role with this word; TRACE_ROLES_ALL: there is none. */
enum trace_role trace_role_called(const struct trace_head *h, const char *word,
                                  size_t length);

/* The format's role that this one is drawn like; mostly itself. */
enum trace_role trace_role_like(const struct trace_head *h,
                                enum trace_role role);

/* The word for one of the format's facts, before its number. */
const char *trace_fact_word(enum trace_fact fact);

/* What an application asks with one of the format's words, or TRACE_ASKED. */
enum trace_what trace_asked(const char *word);

/* The word of such an event, the asked-th that the head declares if it is
 * TRACE_ASKED; NULL: it is another event. */
const char *trace_asked_word(const struct trace_head *h, enum trace_what what,
                             uint32_t asked);

#endif
