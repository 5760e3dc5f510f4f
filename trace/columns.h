/*
 * columns.h - a recorded run in memory: its head, and its events as columns,
 * from which C and JavaScript draw without any parsing.
 *
 * It is filled by a run, as the listener that hears it, or from the text of a
 * trace (read.h); both come to the same.  Row i of the events is the i-th line
 * of the trace, row j of the messages is message #j.  An event takes 24 bytes,
 * a message 28 and 8 for each of its fields.  An absent tick is TRACE_NEVER, an
 * absent row TRACE_NONE.
 *
 * The arrays move when they grow: take their addresses again after each piece
 * of a run.
 */
#ifndef TRACE_COLUMNS_H
#define TRACE_COLUMNS_H

#include "trace/listen.h"

enum { TRACE_SAME_ROLE = UINT8_MAX }; /* the event says nothing of it */

/* What else an event has. */
enum trace_row_flag {
    TRACE_ROW_TURNS = 1u << 0,    /* it states the role of its node */
    TRACE_ROW_RESTS = 1u << 1,    /* where something rests from now on */
    TRACE_ROW_VIOLATES = 1u << 2, /* a row of `violations` */
    TRACE_ROW_CHOOSES = 1u << 3,  /* rows of `choices` */
    TRACE_ROW_ARMS = 1u << 4,     /* rows of `timers` */
    TRACE_ROW_KNOWS = 1u << 5,    /* rows of `facts` */
    TRACE_ROW_BLANK = 1u << 6,    /* a restart without memory */
    TRACE_ROW_PASSES = 1u << 7,   /* rows of `passed` */
};

enum trace_flag {
    TRACE_DIES = 1u << 0,   /* read and dropped */
    TRACE_SILENT = 1u << 1, /* read and answered by silence */
    TRACE_STRAY = 1u << 2,  /* never arrives */
    TRACE_COPY = 1u << 3,   /* the network duplicated it */
    TRACE_MISSED = 1u << 4, /* came to a node that was down */
};

struct trace_event_columns {
    uint64_t *tick;
    uint32_t *lane;
    uint32_t *message; /* read or missed */
    uint32_t *sent;    /* its first message; the entry of the next row, also
                        * behind the last row, ends the list */
    uint8_t *what;     /* enum trace_what */
    uint8_t *role;     /* from now on: enum trace_role, TRACE_BESIDE and
                        * TRACE_DOWN included; or TRACE_SAME_ROLE */
    uint8_t *timer; /* TRACE_TIMEOUT: which; TRACE_ASKED: which of own_asks */
    uint8_t *flags; /* enum trace_row_flag */
};

struct trace_message_columns {
    uint64_t *arrives;  /* TRACE_NEVER: lost */
    uint32_t *by;       /* the event that sent it */
    uint32_t *read;     /* the event that read or missed it, or TRACE_NONE */
    uint32_t *to;       /* lane */
    uint32_t *field_at; /* of its first field in `fields` */
    uint8_t *kind;      /* as the head counts them, from 0 */
    uint8_t *flags;     /* enum trace_flag */
    uint8_t *count;     /* of its fields */
};

/* The rest is rare, or small.  All are in the order of events. */

struct trace_violation {
    uint64_t tick;
    uint32_t event;    /* TRACE_NONE: only the end showed it */
    uint32_t property; /* in `properties` */
};

enum trace_fault_kind { TRACE_FAULT_DOWN, TRACE_FAULT_PAUSE, TRACE_FAULT_CUT };

/* A node has a fault from tick `from` to tick `to`. */
struct trace_fault {
    uint64_t from, to; /* to: TRACE_NEVER while it lasts */
    uint64_t until;    /* a pause: when it would end, if nothing cut it short */
    uint64_t ticks;    /* a pause: as long as it was said to last */
    uint32_t lane;
    uint32_t begins, ends; /* events; ends: TRACE_NONE if none ends it */
    uint8_t kind;          /* enum trace_fault_kind */
    bool blank;            /* the node came back without its memory */
};

/* A random choice: `value` of 0 to range - 1. */
struct trace_choice {
    uint32_t event, value, range;
};

/* A timer is set to expire in `steps` steps; TRACE_NEVER: it will not. */
struct trace_timer {
    uint64_t steps;
    uint32_t event;
    uint8_t timer;
    bool stops; /* it is stopped instead */
};

struct trace_known {
    uint64_t number;
    uint32_t event;
    uint8_t fact; /* enum trace_fact; from TRACE_FACTS on: of own_facts */
};

/* A role that an event states, and then states another. */
struct trace_passed {
    uint32_t event;
    uint8_t role;
    bool rests;
};

struct trace_lane_now;

struct trace {
    struct trace_listener listener;
    struct trace_head head;
    bool ended, quiet; /* the end was told; nothing was left to do */
    bool full;         /* no memory: the record is incomplete */
    uint64_t end_tick;

    struct trace_event_columns event;
    uint32_t events_count;
    struct trace_message_columns message;
    uint32_t messages_count;
    uint64_t *fields;
    uint32_t fields_count;
    struct trace_violation *violations;
    uint32_t violations_count;
    struct trace_fault *faults;
    uint32_t faults_count;
    struct trace_choice *choices;
    uint32_t choices_count;
    struct trace_timer *timers;
    uint32_t timers_count;
    struct trace_known *facts;
    uint32_t facts_count;
    struct trace_passed *passed;
    uint32_t passed_count;
    /* The names of properties that were violated. */
    char (*properties)[TRACE_PROPERTY_MAX];
    uint32_t properties_count;

    /* While the run is told. */
    struct trace_lane_now *lanes;
    const char *words[TRACE_ROLES_ALL]; /* of roles, as met */
    uint32_t events_room, messages_room;
    size_t fields_room, violations_room, faults_room, choices_room, timers_room,
        facts_room, passed_room, properties_room;

    /* Of a file: the whole of it, its events, and the line of the first. */
    char *text;
    const char *body;
    uint32_t body_line;
};

/* An empty record, to be given to a run as &t->listener; one that is given to
 * another run starts over.  The head keeps both strings: what was set, and the
 * command that shows the run again. */
void trace_open(struct trace *t, const char *set, const char *command);

void trace_free(struct trace *t);

#endif
