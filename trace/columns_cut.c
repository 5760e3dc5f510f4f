/*
 * columns_cut.c - takes the last events of a run back out of its columns: they
 * are as if the run had not got there yet.
 */
#include <assert.h>

#include "net/sane.h"
#include "trace/columns_parts.h"

void trace_columns_wake(struct trace_columns *c)
{
    for (uint32_t i = 0; i < c->nodes; i++)
        c->lanes[i] = (struct trace_lane_now){
            .crash = TRACE_NONE,
            .cut = TRACE_NONE,
            .pause = TRACE_NONE,
            .role = c->first_role,
        };
}

/* What the events from `events` on did to messages sent before them. */
static void take_back_reads(struct trace_columns *c, uint32_t events)
{
    for (uint32_t row = events; row < c->events_count; row++) {
        uint32_t id = c->event.message[row];

        if (id == TRACE_NONE || id >= c->event.sent[events])
            continue;
        c->message.read[id] = TRACE_NONE;
        c->message.flags[id] &= TRACE_STRAY | TRACE_COPY;
    }
}

static void take_back_faults(struct trace_columns *c, uint32_t events)
{
    while (c->faults_count && c->faults[c->faults_count - 1].begins >= events)
        c->faults_count--;
    for (uint32_t i = 0; i < c->faults_count; i++) {
        struct trace_fault_row *f = &c->faults[i];
        struct trace_lane_now *now = &c->lanes[f->lane];

        if (f->ends != TRACE_NONE && f->ends < events)
            continue;
        f->ends = TRACE_NONE;
        f->to = f->until;
        f->blank = false;
        *(f->kind == TRACE_FAULT_DOWN    ? &now->crash
          : f->kind == TRACE_FAULT_PAUSE ? &now->pause
                                         : &now->cut) = i;
    }
}

void trace_columns_cut(struct trace_columns *c, uint32_t events)
{
    assert(events <= c->events_count);
    if (c->full)
        return; /* it was incomplete, and remains so */
    take_back_reads(c, events);
    c->messages_count = c->event.sent[events];
    if (c->messages_count < c->event.sent[c->events_count])
        c->fields_count = c->message.field_at[c->messages_count];
    trace_columns_wake(c);
    for (uint32_t row = 0; row < events; row++) {
        struct trace_lane_now *now = &c->lanes[c->event.lane[row]];

        if (c->event.role[row] >= TRACE_DOWN)
            continue; /* it comes back in the one before, or has the same */
        now->role = c->event.role[row];
        now->rests = c->event.flags[row] & TRACE_ROW_RESTS;
    }
    take_back_faults(c, events);
    while (c->violations_count &&
           c->violations[c->violations_count - 1].event >= events)
        c->violations_count--;
    while (c->choices_count && c->choices[c->choices_count - 1].event >= events)
        c->choices_count--;
    while (c->timers_count && c->timers[c->timers_count - 1].event >= events)
        c->timers_count--;
    while (c->facts_count && c->facts[c->facts_count - 1].event >= events)
        c->facts_count--;
    c->events_count = events;
    c->ended = c->quiet = false;
    c->end_tick = 0;
    NET_ASSERT_SANE("a record that was cut", trace_columns_sane(c));
}
