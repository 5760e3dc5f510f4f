/*
 * part.c - see part.h.
 */
#include "trace/part.h"

struct trace_content trace_content_of(const struct net_type *type,
                                      const void *msg, uint32_t id,
                                      uint64_t fields[FC_FIELDS_MAX])
{
    return (struct trace_content){id, type->kind(msg), fields,
                                  type->fields(msg, fields)};
}

void trace_tell_part(struct trace_listener *trace, const struct net_type *type,
                     const struct trace_part *p,
                     const struct trace_letter *letters)
{
    struct fc_shown before, after;

    if (p->range)
        trace_tell_choice(trace, p->value, p->range);
    for (uint32_t i = 0; i < p->letters_count; i++) {
        const struct trace_letter *l = &letters[p->letters + i];
        uint64_t fields[FC_FIELDS_MAX];
        struct trace_content content =
            trace_content_of(type, l->msg, l->id, fields);

        trace_tell_send(trace, &content, l->to, l->arrives, l->copy);
    }
    for (uint32_t t = 0; t < type->timers; t++) {
        if (p->fx.arm & 1u << t)
            trace_tell_arm(trace, t, p->fx.steps[t]);
        else if (p->stopped & 1u << t)
            trace_tell_stop(trace, t);
    }
    if (p->fx.notes)
        trace_tell_notes(trace, p->fx.notes);
    if (!(p->fx.notes & FC_NOTE_VIEW))
        return;
    type->show(p->before, &before);
    type->show(p->after, &after);
    trace_tell_view(trace, &before, &after);
}
