/*
 * rows.h - the events and messages of a recorded run, looked at one by one.
 */
#ifndef TRACE_ROWS_H
#define TRACE_ROWS_H

#include "trace/columns.h"

struct trace_event {
    uint64_t tick;
    uint32_t row, lane;
    uint32_t message;     /* read or missed; otherwise TRACE_NONE */
    uint32_t sent, sends; /* its first message, and the number of all */
    enum trace_what what;
    enum trace_role role; /* TRACE_BESIDE if it shares */
    uint8_t timer;        /* or which of own_asks, as in the column */
    bool turns;           /* its role was stated: */
    bool rests;
    bool blank; /* a restart without memory */
};

static inline struct trace_event trace_event_at(const struct trace *t,
                                                uint32_t row)
{
    const struct trace_event_columns *e = &t->event;
    unsigned flags = e->flags[row];

    return (struct trace_event){
        .tick = e->tick[row],
        .row = row,
        .lane = e->lane[row],
        .message = e->message[row],
        .sent = e->sent[row],
        .sends = e->sent[row + 1] - e->sent[row],
        .what = (enum trace_what)e->what[row],
        .role = (enum trace_role)e->role[row],
        .timer = e->timer[row],
        .turns = (flags & TRACE_ROW_TURNS) != 0,
        .rests = (flags & TRACE_ROW_RESTS) != 0,
        .blank = (flags & TRACE_ROW_BLANK) != 0,
    };
}

struct trace_message {
    uint64_t sent;
    uint64_t arrives; /* TRACE_NEVER: lost */
    uint64_t read;    /* or missed; TRACE_NEVER: neither by the end */
    const uint64_t *field;
    uint32_t id, from, to; /* lanes */
    uint8_t kind, fields;
    uint8_t flags; /* enum trace_flag */
};

static inline struct trace_message trace_message_at(const struct trace *t,
                                                    uint32_t id)
{
    const struct trace_message_columns *m = &t->message;
    uint32_t by = m->by[id], read = m->read[id];

    return (struct trace_message){
        .sent = t->event.tick[by],
        .arrives = m->arrives[id],
        .read = read == TRACE_NONE ? TRACE_NEVER : t->event.tick[read],
        .field = t->fields + m->field_at[id],
        .id = id,
        .from = t->event.lane[by],
        .to = m->to[id],
        .kind = m->kind[id],
        .fields = m->count[id],
        .flags = m->flags[id],
    };
}

/* Whether two messages say the same. */
bool trace_same_message(const struct trace_message *a,
                        const struct trace_message *b);

/* The meaning of a message, by its kind. */
static inline enum trace_meaning trace_meaning(const struct trace *t,
                                               const struct trace_message *m)
{
    return t->head.kinds[m->kind].meaning;
}

/* The last tick at which a message is in time, by the bound on delays;
 * TRACE_NEVER if it is in time, or there is no bound. */
uint64_t trace_late_from(const struct trace *t, const struct trace_message *m);

/* The name of the property that was violated, and the lane of the event that
 * showed it, or TRACE_NONE. */
const char *trace_violated(const struct trace *t,
                           const struct trace_violation *v);
uint32_t trace_violator(const struct trace *t, const struct trace_violation *v);

/* The fault that begins with this event, or NULL. */
const struct trace_fault *trace_fault_at(const struct trace *t, uint32_t event);

#endif
