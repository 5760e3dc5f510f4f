/*
 * spans.c - see spans.h.
 *
 * The events are walked twice: once to count the spans of each lane, and once
 * to write each to its place.
 */
#include "trace/spans.h"

#include <stdlib.h>

#include "trace/rows.h"

struct lane {
    struct trace_span now; /* the one that has begun */
    uint8_t role;          /* while it is down: the one it will come back in */
    bool rests;
};

struct walk {
    const struct trace *t;
    struct trace_spans *out;
    struct lane *lanes;
    uint32_t *used; /* spans of each lane, so far */
    uint32_t passed;
};

static bool has_power(const struct trace *t, enum trace_role role)
{
    role = trace_role_like(&t->head, role);
    return role == TRACE_LEADER || role == TRACE_INSIDE ||
           role == TRACE_BESIDE || role == TRACE_READING ||
           role == TRACE_WRITING;
}

/* The span of a lane ends, and another begins.  One without length is seen only
 * if it shows power. */
static void next_span(struct walk *w, uint32_t lane, uint64_t tick,
                      uint32_t message, uint8_t role, bool rests)
{
    struct trace_span *now = &w->lanes[lane].now;

    if (tick != now->from || has_power(w->t, (enum trace_role)now->role)) {
        if (w->out->list) {
            now->to = tick;
            w->out->list[w->out->first[lane] + w->used[lane]] = *now;
        }
        w->used[lane]++;
    }
    *now = (struct trace_span){.from = tick,
                               .lane = lane,
                               .message = message,
                               .role = role,
                               .rests = rests};
}

/* The same role again changes nothing, except that a rest begins again. */
static void turn(struct walk *w, const struct trace_event *e, uint8_t role,
                 bool rests)
{
    struct lane *l = &w->lanes[e->lane];
    bool same = l->role == role && !l->rests && !rests;

    l->role = role;
    l->rests = rests;
    if (!same && l->now.role != TRACE_DOWN)
        next_span(w, e->lane, e->tick, e->message, role, rests);
}

static void follow(struct walk *w, const struct trace_event *e)
{
    const struct trace *t = w->t;
    struct lane *l = &w->lanes[e->lane];

    if (e->what == TRACE_CRASH)
        next_span(w, e->lane, e->tick, TRACE_NONE, TRACE_DOWN, false);
    if (e->what == TRACE_RESTART) {
        if (e->blank) {
            l->role = (uint8_t)t->head.first_role;
            l->rests = false;
        }
        next_span(w, e->lane, e->tick, TRACE_NONE, l->role, l->rests);
    }
    for (; w->passed < t->passed_count && t->passed[w->passed].event == e->row;
         w->passed++)
        turn(w, e, t->passed[w->passed].role, t->passed[w->passed].rests);
    if (e->turns)
        turn(w, e, (uint8_t)e->role, e->rests);
}

static void walk(struct walk *w)
{
    const struct trace *t = w->t;
    uint8_t first = (uint8_t)t->head.first_role;

    w->passed = 0;
    for (uint32_t i = 0; i < t->head.nodes; i++) {
        w->used[i] = 0;
        w->lanes[i] = (struct lane){
            .now = {.lane = i, .message = TRACE_NONE, .role = first},
            .role = first};
    }
    for (uint32_t i = 0; i < t->events_count; i++) {
        unsigned flags = t->event.flags[i];
        struct trace_event e;

        if (!(flags & TRACE_ROW_TURNS) && t->event.what[i] != TRACE_CRASH &&
            t->event.what[i] != TRACE_RESTART)
            continue;
        e = trace_event_at(t, i);
        follow(w, &e);
    }
    for (uint32_t i = 0; i < t->head.nodes; i++)
        next_span(w, i, TRACE_NEVER, TRACE_NONE, first, false);
}

bool trace_spans_of(struct trace_spans *s, const struct trace *t)
{
    uint32_t nodes = t->head.nodes;
    struct walk w = {.t = t,
                     .out = s,
                     .lanes = malloc(nodes * sizeof *w.lanes),
                     .used = malloc(nodes * sizeof *w.used)};

    s->list = NULL;
    s->first = calloc((size_t)nodes + 1, sizeof *s->first);
    if (w.lanes && w.used && s->first) {
        walk(&w);
        for (uint32_t i = 0; i < nodes; i++)
            s->first[i + 1] = s->first[i] + w.used[i];
        s->list = malloc(s->first[nodes] * sizeof *s->list);
    }
    if (s->list)
        walk(&w);
    free(w.lanes);
    free(w.used);
    return s->list != NULL;
}

void trace_spans_free(struct trace_spans *s)
{
    free(s->list);
    free(s->first);
    *s = (struct trace_spans){NULL, NULL};
}
