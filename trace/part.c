/*
 * part.c - see part.h.
 */
#include "trace/part.h"

void trace_write_part(struct trace_writer *trace, const struct net_type *type,
                      const struct trace_part *p,
                      const struct trace_letter *letters)
{
    struct fc_shown before, after;

    if (p->range)
        trace_write_choice(trace, p->value, p->range);
    for (uint32_t i = 0; i < p->letters_count; i++) {
        const struct trace_letter *l = &letters[p->letters + i];
        uint64_t fields[FC_FIELDS_MAX];
        uint32_t count = type->fields(l->msg, fields);

        trace_write_send(trace, l->id, type->kind(l->msg), fields, count, l->to,
                         l->arrives, l->copy);
    }
    for (uint32_t t = 0; t < type->timers; t++) {
        if (p->fx.arm & 1u << t)
            trace_write_arm(trace, t, p->fx.steps[t]);
        else if (p->stopped & 1u << t)
            trace_write_stop(trace, t);
    }
    if (p->fx.notes)
        trace_write_notes(trace, p->fx.notes);
    if (!(p->fx.notes & FC_NOTE_VIEW))
        return;
    type->show(p->before, &before);
    type->show(p->after, &after);
    trace_write_view(trace, &before, &after);
}
