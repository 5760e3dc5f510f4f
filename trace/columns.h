/*
 * columns.h - a recorded run as columns in memory: the listener whose record a
 * picture is drawn from, by C or by JavaScript, without any parsing.
 *
 * Row i of the events is the i-th line of the trace, row j of the messages is
 * message #j.  Columns hold all that the text of a trace says after its head,
 * except that of several roles which one event states only the last is kept.
 * An event takes 24 bytes, a message 28 and 8 for each of its fields.  Numbers
 * that may be large are doubles, exact up to 2^53; an absent tick is INFINITY,
 * an absent row TRACE_NONE.
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
};

struct trace_event_columns {
    double *tick;
    uint32_t *lane;
    uint32_t *message; /* read or missed */
    uint32_t *sent;    /* its first message; the entry of the next row, also
                        * behind the last row, ends the list */
    uint8_t *what;     /* enum trace_what */
    uint8_t *role;     /* from now on: enum trace_role, TRACE_BESIDE and
                        * TRACE_DOWN included; or TRACE_SAME_ROLE */
    uint8_t *timer;    /* TRACE_TIMEOUT */
    uint8_t *flags;    /* enum trace_row_flag */
};

struct trace_message_columns {
    double *arrives;    /* INFINITY: lost */
    uint32_t *by;       /* the event that sent it */
    uint32_t *read;     /* the event that read or missed it, or TRACE_NONE */
    uint32_t *to;       /* lane */
    uint32_t *field_at; /* of its first field in `fields` */
    uint8_t *kind;      /* as the head of a trace counts them, from 0 */
    uint8_t *flags;     /* enum trace_flag */
    uint8_t *count;     /* of its fields */
};

/* The rest is rare, or small.  All are in the order of events. */

struct trace_violation_row {
    double tick;
    uint32_t event;    /* TRACE_NONE: only the end showed it */
    uint32_t property; /* in `properties` */
};

struct trace_fault_row {
    double from, to; /* to: INFINITY while it lasts */
    double until;    /* a pause: when it would end, if nothing cut it short */
    uint32_t lane;
    uint32_t begins, ends; /* events; ends: TRACE_NONE if none ends it */
    uint8_t kind;          /* enum trace_fault_kind */
    bool blank;            /* the node came back without its memory */
};

struct trace_timer_row {
    double steps; /* INFINITY: never; -1: it is stopped */
    uint32_t event;
    uint8_t timer;
};

struct trace_fact_row {
    double number;
    uint32_t event;
    uint8_t fact; /* enum trace_fact */
};

struct trace_lane_now;

struct trace_columns {
    struct trace_listener listener;
    uint32_t nodes;
    uint8_t first_role; /* of every node before its first event */
    bool ended, quiet;  /* the end was told; nothing was left to do */
    bool full;          /* no memory: the record is incomplete */
    double end_tick;

    struct trace_event_columns event;
    uint32_t events_count;
    struct trace_message_columns message;
    uint32_t messages_count;
    double *fields;
    uint32_t fields_count;
    struct trace_violation_row *violations;
    uint32_t violations_count;
    struct trace_fault_row *faults;
    uint32_t faults_count;
    struct trace_choice *choices;
    uint32_t choices_count;
    struct trace_timer_row *timers;
    uint32_t timers_count;
    struct trace_fact_row *facts;
    uint32_t facts_count;
    /* The names of properties that were violated. */
    char (*properties)[TRACE_PROPERTY_MAX];
    uint32_t properties_count;

    /* While the run is told. */
    struct trace_lane_now *lanes;
    const char *words[TRACE_ROLES]; /* of roles, as met */
    uint32_t events_room, messages_room;
    size_t fields_room, violations_room, faults_room, choices_room, timers_room,
        facts_room, properties_room;
};

/* An empty record, to be given to a run as &c->listener; one that is given to
 * another run starts over.  NULL: no memory. */
struct trace_columns *trace_columns_new(void);

/* The record of a trace that was read.  NULL: no memory. */
struct trace_columns *trace_columns_of(const struct trace *t);

void trace_columns_free(struct trace_columns *c);

/* For callers that have a trace but not its protocol: a run begins; a property
 * is violated at an event, or TRACE_NONE: at the end; and the end. */
void trace_columns_begin(struct trace_columns *c, uint32_t nodes,
                         enum trace_role first_role);
void trace_columns_violate(struct trace_columns *c, const char *property,
                           uint32_t event);
void trace_columns_end(struct trace_columns *c, uint64_t tick, bool quiet);

#endif
