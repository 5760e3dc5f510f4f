/*
 * read.h - a recorded run in memory, read from the text of a trace.
 *
 * The format is docs/trace.md.  A trace is foreign input: whatever its bytes,
 * reading ends with a complete struct or with one sentence that names the
 * file, the line, what is wrong there and what to do.
 *
 * Messages are joined: sending, arrival and reading stand in one struct.
 * Roles are intervals of a lane, one lane per node in the order of the ring.
 */
#ifndef TRACE_READ_H
#define TRACE_READ_H

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
    TRACE_PROPERTY_MAX = 64,     /* bytes, the closing zero included */
    TRACE_VIOLATIONS_MAX = 1000, /* kept; all are counted */
    TRACE_HEAD_MAX = 1000,  /* lines; a key that is not known has one, too */
    TRACE_ERROR_SIZE = 512, /* enough for any sentence */
};

#define TRACE_BYTES_MAX ((size_t)1 << 30)
#define TRACE_TICK_MAX  (UINT64_C(1) << 62)
#define TRACE_NEVER     UINT64_MAX
#define TRACE_NONE      UINT32_MAX

/* What trace_read() returns below 0. */
enum {
    TRACE_BAD = -1,    /* the contents are wrong */
    TRACE_SYSTEM = -2, /* the system refused: open, read, memory */
};

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

enum trace_flag {
    TRACE_DIES = 1u << 0,   /* read and dropped */
    TRACE_SILENT = 1u << 1, /* read and answered by silence */
    TRACE_STRAY = 1u << 2,  /* never arrives */
    TRACE_COPY = 1u << 3,   /* the network duplicated it */
    TRACE_MISSED = 1u << 4, /* came to a node that was down */
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

struct trace_message {
    uint64_t sent;
    uint64_t arrives; /* TRACE_NEVER: lost */
    uint64_t read;    /* or missed; TRACE_NEVER: neither by the end */
    uint64_t field[TRACE_FIELDS_MAX];
    uint32_t from, to; /* lanes */
    uint8_t kind, fields;
    uint8_t flags; /* enum trace_flag */
};

struct trace_event {
    uint64_t tick;
    uint32_t lane;
    uint32_t message; /* read or missed; otherwise TRACE_NONE */
    uint32_t sends;   /* messages it sent; their numbers follow each other */
    uint32_t sent;    /* the number of the first of them */
    uint32_t fault;   /* that begins or ends here, or TRACE_NONE */
    uint64_t token;   /* under which it enters, or 0 */
    uint64_t ticks;   /* TRACE_PAUSE: so many */
    uint8_t what;     /* enum trace_what */
    uint8_t timer;    /* TRACE_TIMEOUT: which */
    uint8_t asked;    /* TRACE_ASKED: which of own_asks */
    bool turns;       /* its role was stated: */
    bool rests;
    uint8_t role; /* TRACE_BESIDE if it shares */
};

/* A lane has this role from tick `from` up to, not including, tick `to`. */
struct trace_span {
    uint64_t from, to; /* to: TRACE_NEVER if the run ended first */
    uint32_t lane;
    uint32_t message; /* the one read when the span began, or TRACE_NONE */
    uint8_t role;     /* or TRACE_BESIDE, TRACE_DOWN */
    bool rests;
};

enum trace_fault_kind { TRACE_FAULT_DOWN, TRACE_FAULT_PAUSE, TRACE_FAULT_CUT };

/* A node has a fault from tick `from` to tick `to`. */
struct trace_fault {
    uint64_t from, to; /* to: TRACE_NEVER if the run ended first */
    uint32_t lane;
    uint8_t kind; /* enum trace_fault_kind */
    bool blank;   /* it came back without its memory */
};

/* A random choice: `value` of 0 to range - 1. */
struct trace_choice {
    uint32_t event, value, range;
};

/* Timer `timer` is set to so many steps; TRACE_NEVER: it will not expire. */
struct trace_timer {
    uint64_t steps;
    uint32_t event;
    uint8_t timer;
    bool stops; /* it is stopped instead */
};

/* What a node has learned; those that the head declares follow. */
enum trace_fact { TRACE_ANSWERS, TRACE_KNOWS, TRACE_HAS_TOKEN, TRACE_FACTS };
struct trace_known {
    uint64_t number;
    uint32_t event;
    uint8_t fact; /* enum trace_fact */
};

/* A role of the problem's own, drawn like one of the format's. */
struct trace_own_role {
    const char *word;
    enum trace_role like;
};

struct trace_violation {
    uint64_t tick;
    uint32_t event; /* TRACE_NONE: only the end showed it */
    uint32_t lane;  /* likewise */
    char property[TRACE_PROPERTY_MAX];
};

struct trace {
    const char *protocol, *problem, *time;
    enum trace_role first_role; /* before the first event */
    enum trace_topology topology;
    bool bounded;              /* delays have a bound: time is archimedean */
    bool returns;              /* nodes that crash may come back */
    const char *set, *command; /* "" if absent */
    /* As written there; NULL if absent. */
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

    struct trace_event *events;
    uint32_t events_count;
    struct trace_message *messages;
    uint32_t messages_count;
    struct trace_span *spans;   /* by lane, then by time */
    uint32_t *first_span;       /* of each lane; [nodes] is the number of all */
    struct trace_fault *faults; /* in the order in which they begin */
    uint32_t faults_count;
    struct trace_choice *choices; /* in the order of events */
    uint32_t choices_count;
    struct trace_timer *timers; /* likewise */
    uint32_t timers_count;
    struct trace_known *facts; /* likewise */
    uint32_t facts_count;
    struct trace_violation *violations;
    uint32_t violations_count; /* kept */
    uint64_t violations_all;

    uint64_t known; /* the last name that a node took for the leader */
    bool anyone_knows;
    uint64_t end_tick;
    bool cut; /* ended at its last tick, not because all was quiet */

    char *text;         /* the file; head strings point into it */
    const char *body;   /* its events, a line each */
    uint32_t body_line; /* of the first of them */
};

/* Reads a file.  On failure returns TRACE_BAD or TRACE_SYSTEM with a sentence
 * in `error`, and leaves nothing to free. */
int trace_read(struct trace *t, const char *path, char *error,
               size_t error_size);

/* The same from memory; `path` is the name used in sentences. */
int trace_parse(struct trace *t, const char *path, const char *bytes,
                size_t size, char *error, size_t error_size);

void trace_free(struct trace *t);

/* The number by which people call a lane: its name, or its index. */
uint32_t trace_name(const struct trace *t, uint32_t lane);

/* The last tick at which a message is in time, by the bound on delays;
 * TRACE_NEVER if it is in time, or there is no bound. */
uint64_t trace_late_from(const struct trace *t, const struct trace_message *m);

/* The meaning of a message, by its kind. */
enum trace_meaning trace_meaning(const struct trace *t,
                                 const struct trace_message *m);

/* The word for one of the format's roles; NULL: it follows from something else,
 * or only a head has it. */
const char *trace_role_word(enum trace_role role);

/* The word for any role of this trace; NULL: it follows from something else. */
const char *trace_role_said(const struct trace *t, enum trace_role role);

/* The format's role that this one is drawn like; mostly itself. */
enum trace_role trace_role_like(const struct trace *t, enum trace_role role);

/* The word for one of the format's facts, before its number. */
const char *trace_fact_word(enum trace_fact fact);

#endif
