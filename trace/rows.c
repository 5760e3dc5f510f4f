/*
 * rows.c - see rows.h.
 */
#include "trace/rows.h"

#include <string.h>

bool trace_same_message(const struct trace_message *a,
                        const struct trace_message *b)
{
    return a->kind == b->kind && a->fields == b->fields &&
           memcmp(a->field, b->field, a->fields * sizeof a->field[0]) == 0;
}

uint64_t trace_late_from(const struct trace *t, const struct trace_message *m)
{
    /* However short the delay, nothing is read in the tick of its sending. */
    uint64_t most = t->head.bounds.dmax > 1 ? t->head.bounds.dmax : 1;

    if (!t->head.bounded || m->arrives == TRACE_NEVER ||
        m->arrives - m->sent <= most)
        return TRACE_NEVER;
    return m->sent + most;
}

const char *trace_violated(const struct trace *t,
                           const struct trace_violation *v)
{
    return t->properties[v->property];
}

uint32_t trace_violator(const struct trace *t, const struct trace_violation *v)
{
    return v->event == TRACE_NONE ? TRACE_NONE : t->event.lane[v->event];
}

const struct trace_fault *trace_fault_at(const struct trace *t, uint32_t event)
{
    uint32_t low = 0, high = t->faults_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (t->faults[middle].begins < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->faults_count && t->faults[low].begins == event
               ? &t->faults[low]
               : NULL;
}
