/*
 * columns_of.c - reads a trace to the columns, as if its run were told.
 */
#include "trace/columns.h"

/* How far the lists of a trace have been read. */
struct place {
    uint32_t choice, timer, fact, violation;
};

static void tell_event(struct trace_listener *l, const struct trace *t,
                       const struct trace_event *e)
{
    struct trace_happening h = {.tick = e->tick,
                                .node = e->lane,
                                .what = (enum trace_what)e->what,
                                .content.id = e->message,
                                .timer = e->timer,
                                .ticks = e->ticks};

    h.blank = h.what == TRACE_RESTART && t->faults[e->fault].blank;
    l->ears->event(l, &h);
}

static void tell_messages(struct trace_listener *l, const struct trace *t,
                          const struct trace_event *e)
{
    for (uint32_t i = 0; i < e->sends; i++) {
        const struct trace_message *m = &t->messages[e->sent + i];
        struct trace_content content = {e->sent + i, m->kind + 1u, m->field,
                                        m->fields};

        l->ears->send(l, &content, m->to, m->arrives,
                      (m->flags & TRACE_COPY) != 0);
    }
    if (e->what == TRACE_READ) {
        uint8_t flags = t->messages[e->message].flags;

        l->ears->notes(l, (flags & TRACE_DIES ? FC_NOTE_DIES : 0u) |
                              (flags & TRACE_SILENT ? FC_NOTE_SILENT : 0u));
    }
}

static void tell_role(struct trace_listener *l, const struct trace *t,
                      const struct trace_event *e)
{
    bool shared = e->role == TRACE_BESIDE;
    struct fc_shown shown = {
        .role = trace_role_word(
            shared ? TRACE_INSIDE
                   : trace_role_like(t, (enum trace_role)e->role)),
        .rests = e->rests,
        .shared = shared,
    };

    if (e->turns)
        l->ears->turn(l, &shown);
}

/* What the lists of the trace have of this event. */
static void tell_lists(struct trace_columns *c, const struct trace *t,
                       uint32_t event, struct place *at)
{
    struct trace_listener *l = &c->listener;

    for (;
         at->choice < t->choices_count && t->choices[at->choice].event == event;
         at->choice++)
        l->ears->choice(l, t->choices[at->choice].value,
                        t->choices[at->choice].range);
    for (; at->timer < t->timers_count && t->timers[at->timer].event == event;
         at->timer++) {
        const struct trace_timer *timer = &t->timers[at->timer];

        if (timer->stops)
            l->ears->stop(l, timer->timer);
        else
            l->ears->arm(l, timer->timer, timer->steps);
    }
    for (; at->fact < t->facts_count && t->facts[at->fact].event == event;
         at->fact++) {
        const struct trace_known *known = &t->facts[at->fact];
        struct fc_fact fact = {.number = known->number};

        if (known->fact >= TRACE_FACTS)
            continue; /* one of the problem's own */
        fact.word = trace_fact_word((enum trace_fact)known->fact);
        l->ears->fact(l, &fact);
    }
    for (; at->violation < t->violations_count &&
           t->violations[at->violation].event == event;
         at->violation++)
        trace_columns_violate(c, t->violations[at->violation].property, event);
}

struct trace_columns *trace_columns_of(const struct trace *t)
{
    struct trace_columns *c = trace_columns_new();
    struct place at = {0};

    if (!c)
        return NULL;
    trace_columns_begin(c, t->nodes, trace_role_like(t, t->first_role));
    for (uint32_t i = 0; i < t->events_count && !c->full; i++) {
        tell_event(&c->listener, t, &t->events[i]);
        tell_messages(&c->listener, t, &t->events[i]);
        tell_role(&c->listener, t, &t->events[i]);
        tell_lists(c, t, i, &at);
    }
    trace_columns_end(c, t->end_tick, !t->cut);
    tell_lists(c, t, TRACE_NONE, &at);
    if (c->full) {
        trace_columns_free(c);
        return NULL;
    }
    return c;
}
