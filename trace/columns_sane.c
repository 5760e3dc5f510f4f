/*
 * columns_sane.c - the rules that the columns of a run keep whenever it pauses,
 * and after events were taken back.
 */
#include "trace/columns_parts.h"

#include <stddef.h>
#include <string.h>

/* Of the rows of one event. */
static const char *sane_event(const struct trace *t, uint32_t row)
{
    const struct trace_event_columns *e = &t->event;
    uint32_t id = e->message[row];

    if (e->lane[row] >= t->head.nodes)
        return "an event happens at a node that there is";
    if (row > 0 && e->tick[row] < e->tick[row - 1])
        return "events are in the order of time";
    if (e->sent[row] > e->sent[row + 1])
        return "messages are in the order of the events that send them";
    if (id == TRACE_NONE)
        return NULL;
    if (id >= t->messages_count || t->message.read[id] != row)
        return "a message is read by the event that reads it";
    if (t->message.by[id] >= row || t->message.to[id] != e->lane[row])
        return "a message is read after it is sent, where it is sent to";
    return NULL;
}

static const char *sane_message(const struct trace *t, uint32_t id)
{
    const struct trace_message_columns *m = &t->message;
    uint32_t by = m->by[id], read = m->read[id];
    uint32_t fields =
        id + 1 < t->messages_count ? m->field_at[id + 1] : t->fields_count;

    if (by >= t->events_count || id < t->event.sent[by] ||
        id >= t->event.sent[by + 1])
        return "a message is sent by the event that sends it";
    if (read != TRACE_NONE &&
        (read >= t->events_count || t->event.message[read] != id))
        return "the event that reads a message reads it";
    if (m->field_at[id] + m->count[id] != fields)
        return "the fields of a message stand behind those of the one before";
    return NULL;
}

/* A side table, whose rows are structs that have their event in one place. */
struct side {
    const void *rows;
    size_t size, place; /* of a row; of the event in it */
    uint32_t count;
    uint8_t flag;
};
#define SIDE(table, flag)                                                      \
    {                                                                          \
        t->table, sizeof *t->table, offsetof(__typeof__(*t->table), event),    \
            t->table##_count, flag                                             \
    }

static uint32_t event_of(const struct side *s, uint32_t i)
{
    uint32_t event;

    memcpy(&event, (const char *)s->rows + i * s->size + s->place,
           sizeof event);
    return event;
}

/* Drawing an event looks into a side table if the flag says so, and finds its
 * rows one after the other. */
static const char *sane_side(const struct trace *t, const struct side *side)
{
    uint32_t i = 0;

    for (uint32_t row = 0; row < t->events_count; row++) {
        uint32_t first = i;

        while (i < side->count && event_of(side, i) == row)
            i++;
        if ((i > first) != ((t->event.flags[row] & side->flag) != 0))
            return "an event has rows in a side table if its flag says so";
    }
    while (i < side->count && event_of(side, i) == TRACE_NONE)
        i++; /* what only the end showed */
    return i == side->count ? NULL
                            : "the rows of a side table are in their order";
}

/* A fault that lasts is known to its node. */
static const char *sane_faults(const struct trace *t)
{
    for (uint32_t i = 0; i < t->faults_count; i++) {
        const struct trace_fault *f = &t->faults[i];
        const struct trace_lane_now *now = &t->lanes[f->lane];
        uint32_t lasts = f->kind == TRACE_FAULT_DOWN    ? now->crash
                         : f->kind == TRACE_FAULT_PAUSE ? now->pause
                                                        : now->cut;

        if (f->begins >= t->events_count ||
            (f->ends != TRACE_NONE &&
             (f->ends < f->begins || f->ends >= t->events_count)))
            return "a fault begins with an event, and ends with a later one";
        if ((f->ends == TRACE_NONE) != (lasts == i))
            return "the fault that a node is in is the one that lasts";
    }
    return NULL;
}

const char *trace_columns_sane(const struct trace *t)
{
    const struct side sides[] = {
        SIDE(choices, TRACE_ROW_CHOOSES),     SIDE(timers, TRACE_ROW_ARMS),
        SIDE(facts, TRACE_ROW_KNOWS),         SIDE(passed, TRACE_ROW_PASSES),
        SIDE(violations, TRACE_ROW_VIOLATES),
    };
    const char *broken = NULL;

    if (t->event.sent[0] != 0 ||
        t->event.sent[t->events_count] != t->messages_count)
        return "every message is sent by an event";
    for (uint32_t i = 0; i < t->events_count && !broken; i++)
        broken = sane_event(t, i);
    for (uint32_t i = 0; i < t->messages_count && !broken; i++)
        broken = sane_message(t, i);
    for (uint32_t i = 0; i < sizeof sides / sizeof *sides && !broken; i++)
        broken = sane_side(t, &sides[i]);
    return broken ? broken : sane_faults(t);
}
