/*
 * finding.c - looks through a trace for what the run shows; see finding.h.
 */
#include "draw/finding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Roles, event by event ----------------------------------------------- */

struct walk {
    struct finding *f;
    const struct trace *t;
    uint8_t *roles;
    bool *down, *entered;
    uint32_t alone, beside; /* inside now */
};

/* One that is down is not inside, and keeps its role for the time when it is
 * up again. */
static enum look look_now(const struct walk *w, uint32_t lane)
{
    return w->down[lane] ? LOOK_DOWN
                         : roles_of(w->t, (enum trace_role)w->roles[lane]).look;
}

static void count(struct walk *w, enum look look, uint32_t by)
{
    w->alone += look == LOOK_INSIDE ? by : 0;
    w->beside += look == LOOK_BESIDE ? by : 0;
}

/* A node that comes up again where it went down has not entered once more. */
static void note_entry(struct walk *w, const struct trace_event *e,
                       enum look before, enum look after)
{
    if (!look_is_inside(after) || look_is_inside(before) ||
        (e->what == TRACE_RESTART && !e->turns))
        return;
    w->f->entered += !w->entered[e->lane];
    w->entered[e->lane] = true;
    w->f->alone += after == LOOK_INSIDE;
    w->f->beside += after == LOOK_BESIDE;
}

static void follow(struct walk *w, const struct trace_event *e)
{
    enum look before = look_now(w, e->lane), after;

    if (e->what == TRACE_CRASH)
        w->down[e->lane] = true;
    if (e->what == TRACE_RESTART) {
        w->down[e->lane] = false;
        if (e->blank)
            w->roles[e->lane] = (uint8_t)w->t->head.first_role;
    }
    if (e->turns)
        w->roles[e->lane] = (uint8_t)e->role;
    after = look_now(w, e->lane);
    count(w, before, UINT32_MAX); /* one less */
    count(w, after, 1);
    note_entry(w, e, before, after);
    if (e->turns && e->role == TRACE_LEADER) {
        w->f->leader = e->lane;
        w->f->elected = e->tick;
    }
}

/* ---- What went wrong ----------------------------------------------------- */

static bool is_blamed(const struct walk *w, uint32_t lane)
{
    enum look look = look_now(w, lane);

    switch (w->f->blame) {
    case BLAME_LEADERS:
        return look == LOOK_LEADER;
    case BLAME_INSIDE:
        return look_is_inside(look);
    case BLAME_WAITING:
        return !w->down[lane] &&
               role_waits(w->t, (enum trace_role)w->roles[lane]);
    case BLAME_ONE:
        break;
    }
    return false;
}

/* After the event that broke the property. */
static void find_offenders(struct walk *w)
{
    struct finding *f = w->f;
    uint32_t needed = f->blame == BLAME_WAITING ? 1 : 2;

    f->together = f->readers = f->offenders_count = 0;
    for (uint32_t lane = 0; lane < w->t->head.nodes; lane++) {
        if (!is_blamed(w, lane))
            continue;
        f->together++;
        f->readers += look_now(w, lane) == LOOK_BESIDE;
        if (f->offenders_count < FINDING_OFFENDERS_MAX)
            f->offenders[f->offenders_count++] = lane;
    }
    if (f->together >= needed)
        return;
    f->together = 0;
    f->offenders[0] = trace_violator(w->t, f->bad);
    f->offenders_count = f->offenders[0] != TRACE_NONE;
}

/* A trace says only once that too many were inside; the other times are found
 * by what was allowed until then. */
static void note_overlap(struct walk *w, uint64_t tick)
{
    struct finding *f = w->f;
    struct finding_overlap *last =
        f->overlaps_count > 0 ? &f->overlaps[f->overlaps_count - 1] : NULL;
    bool lasts = last != NULL && last->to == TRACE_NEVER;
    uint32_t most = f->peak > 0 ? f->peak : 1;
    bool bad = w->alone > most || (w->alone > 0 && w->beside > 0);

    if (lasts && !bad)
        last->to = tick;
    else if (bad && !lasts && f->overlaps_count < FINDING_OVERLAPS_MAX)
        f->overlaps[f->overlaps_count++] =
            (struct finding_overlap){tick, TRACE_NEVER};
}

static void walk_events(struct walk *w)
{
    struct finding *f = w->f;
    const struct trace *t = w->t;
    bool overlaps = false;

    for (uint32_t i = 0; i < t->events_count; i++) {
        const struct trace_event e = trace_event_at(t, i);

        follow(w, &e);
        if (f->bad != NULL && f->bad->event == i) {
            find_offenders(w);
            overlaps = f->blame == BLAME_INSIDE && f->together >= 2;
        }
        /* More may come in the same tick. */
        if (f->bad != NULL && f->bad->event < i && f->together >= 2 &&
            e.tick == f->bad->tick && e.turns &&
            look_has_power(look_now(w, e.lane)))
            find_offenders(w);
        if (overlaps) {
            note_overlap(w, e.tick);
            continue;
        }
        f->peak = w->alone > f->peak ? w->alone : f->peak;
        f->mixed = f->mixed || (w->alone > 0 && w->beside > 0);
    }
    if (f->bad != NULL && f->bad->event == TRACE_NONE)
        find_offenders(w);
}

/* ---- Tokens -------------------------------------------------------------- */

struct tokens {
    const struct trace *t;
    uint32_t *held; /* by each node */
    int64_t count;  /* held, or on a link */
};

static bool is_token(const struct trace *t, uint32_t message)
{
    return t->head.kinds[t->message.kind[message]].meaning == TRACE_TOKEN;
}

/* What a node held, and what had arrived and was never read, is gone. */
static void drop_tokens(struct tokens *k, const struct trace_event *e)
{
    const struct trace *t = k->t;
    uint64_t since = 0;

    k->count -= k->held[e->lane];
    k->held[e->lane] = 0;
    for (uint32_t i = 0; t->faults[i].begins < e->row; i++) /* crashes before */
        if (t->faults[i].lane == e->lane &&
            t->faults[i].kind == TRACE_FAULT_DOWN)
            since = t->faults[i].from + 1;
    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message m = trace_message_at(t, i);

        if (m.to == e->lane && m.arrives >= since && m.arrives <= e->tick &&
            m.read == TRACE_NEVER && is_token(t, i))
            k->count--;
    }
}

/* A node that reads a token holds it until it sends one; sent by a node that
 * holds none, it is a new one. */
static void follow_tokens(struct tokens *k, const struct trace_event *e)
{
    const struct trace *t = k->t;

    if (e->what == TRACE_CRASH)
        drop_tokens(k, e);
    if (e->message != TRACE_NONE && is_token(t, e->message)) {
        bool kept = e->what == TRACE_READ &&
                    (t->message.flags[e->message] & TRACE_DIES) == 0;

        k->held[e->lane] += kept;
        k->count -= !kept;
    }
    for (uint32_t i = e->sent; i < e->sent + e->sends; i++) {
        unsigned flags = t->message.flags[i];

        if (!is_token(t, i))
            continue;
        if (k->held[e->lane] > 0 && (flags & TRACE_COPY) == 0) {
            k->held[e->lane]--;
            k->count--;
        }
        k->count += (flags & TRACE_STRAY) == 0;
    }
}

static bool is_violated(const struct trace *t, const char *property)
{
    for (uint32_t i = 0; i < t->violations_count; i++)
        if (strcmp(trace_violated(t, &t->violations[i]), property) == 0)
            return true;
    return false;
}

/* Counts tokens; believes the count only if it ends as the trace says.  (One
 * that is there for a moment at the end is a violation too.) */
static bool find_tokens(struct finding *f, const struct trace *t)
{
    struct tokens k = {.t = t, .held = calloc(t->head.nodes, sizeof *k.held)};

    if (k.held == NULL)
        return false;
    f->one_since = TRACE_NEVER;
    for (uint32_t i = 0; i < t->events_count; i++) {
        const struct trace_event e = trace_event_at(t, i);

        follow_tokens(&k, &e);
        if (k.count != 1)
            f->one_since = TRACE_NEVER;
        else if (f->one_since == TRACE_NEVER)
            f->one_since = e.tick;
    }
    free(k.held);
    f->tokens = k.count;
    f->counts_flying =
        k.count == 1 || (k.count >= 0 && is_violated(t, "one-token"));
    return true;
}

/* ---- Readers that try again ---------------------------------------------- */

/* Steps of an attempt, or 0. */
static uint64_t attempt_steps(const struct trace *t)
{
    const struct problem *p = problem_of(t);
    const char *at =
        p->attempt != NULL ? strstr(t->head.set, p->attempt) : NULL;

    return at != NULL
               ? strtoull(at + strlen(p->attempt), NULL, 10) + p->attempt_more
               : 0;
}

/* A trace tells the steps of a reader, and not what it finds: an attempt that
 * was not the last is followed by another. */
bool finding_attempts(const struct trace *t,
                      void (*each)(void *whom, const struct trace_event *e,
                                   uint32_t attempt),
                      void *whom)
{
    struct reader {
        bool reads;
        uint64_t steps;
    } * readers;
    uint64_t length = attempt_steps(t);

    if (length == 0)
        return true;
    readers = calloc(t->head.nodes, sizeof *readers);
    for (uint32_t i = 0; readers != NULL && i < t->events_count; i++) {
        const struct trace_event one = trace_event_at(t, i), *e = &one;
        struct reader *r = &readers[e->lane];

        if (e->turns)
            *r = (struct reader){e->role == TRACE_READING, 0};
        else if (r->reads && e->what == TRACE_TIMEOUT &&
                 ++r->steps % length == 0)
            each(whom, e, (uint32_t)(r->steps / length) + 1);
    }
    free(readers);
    return readers != NULL;
}

static void note_attempt(void *whom, const struct trace_event *e,
                         uint32_t attempt)
{
    struct finding *f = whom;

    (void)e;
    f->attempts = attempt > f->attempts ? attempt : f->attempts;
}

/* ---- All of it ----------------------------------------------------------- */

bool finding_make(struct finding *f, const struct trace *t)
{
    struct walk w = {
        .f = f,
        .t = t,
        .roles = malloc(t->head.nodes),
        .down = calloc(t->head.nodes, sizeof *w.down),
        .entered = calloc(t->head.nodes, sizeof *w.entered),
    };
    bool done = w.roles != NULL && w.down != NULL && w.entered != NULL;
    const struct property *property;

    *f = (struct finding){.leader = TRACE_NONE};
    for (uint32_t i = t->facts_count; i-- > 0 && !f->has_winner;)
        if (t->facts[i].fact == TRACE_KNOWS) {
            f->has_winner = true;
            f->winner = t->facts[i].number;
        }
    if (t->violations_count > 0) {
        assert(t->violations != NULL);
        f->bad = &t->violations[0];
        f->broken = trace_violated(t, f->bad);
        property = property_of(f->broken);
        f->blame = property != NULL ? property->blame : problem_of(t)->blame;
    }
    if (done) {
        memset(w.roles, (int)t->head.first_role, t->head.nodes);
        walk_events(&w);
    }
    free(w.roles);
    free(w.down);
    free(w.entered);
    if (done && problem_of(t)->finds == FINDS_TOKENS)
        done = find_tokens(f, t);
    if (attempt_steps(t) > 0 && f->beside > 0)
        f->attempts = 1;
    return done && finding_attempts(t, note_attempt, f);
}

bool finding_wins(const struct finding *f, const struct trace *t,
                  const struct trace_message *m)
{
    return f->has_winner && m->fields > 0 && m->field[0] == f->winner &&
           ((m->flags & TRACE_DIES) == 0 || m->to == f->leader) &&
           trace_meaning(t, m) == TRACE_CLAIMS;
}

bool finding_is_ring(const struct trace *t)
{
    return t->head.topology == TRACE_RING ||
           t->head.topology == TRACE_RING_BOTH;
}

void finding_rows(const struct trace *t, const struct trace_message *m,
                  uint32_t *from, uint32_t *to)
{
    uint32_t last = t->head.nodes - 1;

    *from = m->from;
    *to = m->to;
    if (!finding_is_ring(t))
        return;
    if (m->from == last && m->to == 0)
        *to = t->head.nodes;
    else if (m->from == 0 && m->to == last && t->head.nodes > 2)
        *from = t->head.nodes;
}
