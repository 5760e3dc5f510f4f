/*
 * columns_cut.c - takes the last events of a run back out of its columns: they
 * are as if the run had not got there yet.
 */
#include <assert.h>

#include "net/sane.h"
#include "trace/columns_parts.h"

void trace_columns_wake(struct trace *t)
{
    for (uint32_t i = 0; i < t->head.nodes; i++)
        t->lanes[i] = (struct trace_lane_now){
            .crash = TRACE_NONE,
            .cut = TRACE_NONE,
            .pause = TRACE_NONE,
            .role = (uint8_t)t->head.first_role,
        };
}

/* What the events from `events` on did to messages sent before them. */
static void take_back_reads(struct trace *t, uint32_t events)
{
    for (uint32_t row = events; row < t->events_count; row++) {
        uint32_t id = t->event.message[row];

        if (id == TRACE_NONE || id >= t->event.sent[events])
            continue;
        t->message.read[id] = TRACE_NONE;
        t->message.flags[id] &= TRACE_STRAY | TRACE_COPY;
    }
}

static void take_back_faults(struct trace *t, uint32_t events)
{
    while (t->faults_count && t->faults[t->faults_count - 1].begins >= events)
        t->faults_count--;
    for (uint32_t i = 0; i < t->faults_count; i++) {
        struct trace_fault *f = &t->faults[i];
        struct trace_lane_now *now = &t->lanes[f->lane];

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

void trace_columns_cut(struct trace *t, uint32_t events)
{
    assert(events <= t->events_count);
    if (t->full)
        return; /* it was incomplete, and remains so */
    take_back_reads(t, events);
    t->messages_count = t->event.sent[events];
    if (t->messages_count < t->event.sent[t->events_count])
        t->fields_count = t->message.field_at[t->messages_count];
    trace_columns_wake(t);
    for (uint32_t row = 0; row < events; row++) {
        struct trace_lane_now *now = &t->lanes[t->event.lane[row]];
        uint8_t role = t->event.role[row];

        if (role == TRACE_DOWN || role == TRACE_SAME_ROLE)
            continue; /* it comes back in the one before, or has the same */
        now->role = role;
        now->rests = t->event.flags[row] & TRACE_ROW_RESTS;
    }
    take_back_faults(t, events);
    while (t->violations_count &&
           t->violations[t->violations_count - 1].event >= events)
        t->violations_count--;
    while (t->choices_count && t->choices[t->choices_count - 1].event >= events)
        t->choices_count--;
    while (t->timers_count && t->timers[t->timers_count - 1].event >= events)
        t->timers_count--;
    while (t->passed_count && t->passed[t->passed_count - 1].event >= events)
        t->passed_count--;
    while (t->facts_count && t->facts[t->facts_count - 1].event >= events)
        t->facts_count--;
    t->events_count = events;
    t->ended = t->quiet = false;
    t->end_tick = 0;
    NET_ASSERT_SANE("a record that was cut", trace_columns_sane(t));
}
