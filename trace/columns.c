/*
 * columns.c - see columns.h.
 *
 * The same functions fill the columns, whether a run is heard or a trace is
 * read: so both come to the same.  columns_cut.c takes events back.
 */
#include "trace/columns.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "net/asked.h"
#include "net/sane.h"
#include "problems/problem.h"
#include "trace/columns_parts.h"

static const struct trace_callbacks callbacks;

static struct trace *columns(struct trace_listener *l)
{
    assert(l->callbacks == &callbacks);
    return (struct trace *)(void *)l;
}

void trace_open(struct trace *t, const char *set, const char *command)
{
    *t = (struct trace){
        .listener = {.callbacks = &callbacks},
        .head = {.set = set, .command = command, .seed = 1},
    };
}

void trace_free(struct trace *t)
{
    trace_head_free(&t->head);
    free(t->event.tick);
    free(t->event.lane);
    free(t->event.message);
    free(t->event.sent);
    free(t->event.what);
    free(t->event.role);
    free(t->event.timer);
    free(t->event.flags);
    free(t->message.arrives);
    free(t->message.by);
    free(t->message.read);
    free(t->message.to);
    free(t->message.field_at);
    free(t->message.kind);
    free(t->message.flags);
    free(t->message.count);
    free(t->fields);
    free(t->violations);
    free(t->faults);
    free(t->choices);
    free(t->timers);
    free(t->facts);
    free(t->passed);
    free(t->properties);
    free(t->lanes);
    free(t->text);
    *t = (struct trace){0};
}

/* ---- Room ---------------------------------------------------------------- */

static void *larger(struct trace *t, void *array, size_t count, size_t size)
{
    void *grown = realloc(array, count * size);

    if (!grown) {
        t->full = true;
        return array;
    }
    return grown;
}

/* A side table with room for one more row. */
static void *more(struct trace *t, void *rows, size_t *room, uint32_t used,
                  size_t size)
{
    if (used < *room)
        return rows;
    rows = larger(t, rows, *room ? 2 * *room : 64, size);
    if (!t->full)
        *room = *room ? 2 * *room : 64;
    return rows;
}

/* The rows to make room for; 0: too many. */
static uint32_t wider(uint32_t room)
{
    return room < 1024 ? 1024 : room <= TRACE_NONE / 2 ? 2 * room : 0;
}

static bool more_events(struct trace *t)
{
    struct trace_event_columns *e = &t->event;
    uint32_t room = wider(t->events_room);

    if (room == 0 || t->full) {
        t->full = true;
        return false;
    }
    e->tick = larger(t, e->tick, room, sizeof *e->tick);
    e->lane = larger(t, e->lane, room, sizeof *e->lane);
    e->message = larger(t, e->message, room, sizeof *e->message);
    e->sent = larger(t, e->sent, (size_t)room + 1, sizeof *e->sent);
    e->what = larger(t, e->what, room, sizeof *e->what);
    e->role = larger(t, e->role, room, sizeof *e->role);
    e->timer = larger(t, e->timer, room, sizeof *e->timer);
    e->flags = larger(t, e->flags, room, sizeof *e->flags);
    if (!t->full)
        t->events_room = room;
    return !t->full;
}

static bool more_messages(struct trace *t)
{
    struct trace_message_columns *m = &t->message;
    uint32_t room = wider(t->messages_room);

    if (room == 0 || t->full) {
        t->full = true;
        return false;
    }
    m->arrives = larger(t, m->arrives, room, sizeof *m->arrives);
    m->by = larger(t, m->by, room, sizeof *m->by);
    m->read = larger(t, m->read, room, sizeof *m->read);
    m->to = larger(t, m->to, room, sizeof *m->to);
    m->field_at = larger(t, m->field_at, room, sizeof *m->field_at);
    m->kind = larger(t, m->kind, room, sizeof *m->kind);
    m->flags = larger(t, m->flags, room, sizeof *m->flags);
    m->count = larger(t, m->count, room, sizeof *m->count);
    if (!t->full)
        t->messages_room = room;
    return !t->full;
}

/* ---- The head ------------------------------------------------------------ */

void trace_begin(struct trace *t)
{
    t->full = t->ended = t->quiet = false;
    t->end_tick = 0;
    t->events_count = t->messages_count = t->fields_count = 0;
    t->violations_count = t->faults_count = t->choices_count = 0;
    t->timers_count = t->facts_count = t->passed_count = 0;
    t->properties_count = 0;
    t->lanes = larger(t, t->lanes, t->head.nodes, sizeof *t->lanes);
    t->fields = more(t, t->fields, &t->fields_room, 0, sizeof *t->fields);
    if ((t->events_room == 0 && !more_events(t)) || t->full)
        return;
    t->event.sent[0] = 0;
    trace_columns_wake(t);
}

static void begin(struct trace_listener *l, const struct net *net,
                  const struct net_names *names, uint64_t seed)
{
    struct trace *t = columns(l);

    memset(t->words, 0, sizeof t->words);
    if (trace_head_of(&t->head, net, names, seed))
        trace_begin(t);
    else
        t->full = true;
}

static void step(struct trace_listener *l, uint32_t node, uint64_t ticks,
                 uint64_t phase)
{
    if (columns(l)->head.steps)
        columns(l)->head.steps[node] = (struct trace_step){ticks, phase};
}

static void body(struct trace_listener *l)
{
    (void)l;
}

/* ---- Faults -------------------------------------------------------------- */

/* A fault begins with the last event; returns its row, or TRACE_NONE. */
static uint32_t begin_fault(struct trace *t, uint32_t lane,
                            enum trace_fault_kind kind, uint64_t to)
{
    uint32_t event = t->events_count - 1;

    t->faults =
        more(t, t->faults, &t->faults_room, t->faults_count, sizeof *t->faults);
    if (t->full)
        return TRACE_NONE;
    t->faults[t->faults_count] = (struct trace_fault){
        .from = t->event.tick[event],
        .to = to,
        .until = to,
        .lane = lane,
        .begins = event,
        .ends = TRACE_NONE,
        .kind = (uint8_t)kind,
    };
    return t->faults_count++;
}

/* The fault *which ends with the last event, if there is one that lasts.
 * Returns the tick at which it would have ended. */
static uint64_t end_fault(struct trace *t, uint32_t *which)
{
    uint32_t event = t->events_count - 1;
    struct trace_fault *f;

    if (*which == TRACE_NONE)
        return 0;
    f = &t->faults[*which];
    f->ends = event;
    if (f->to > t->event.tick[event])
        f->to = t->event.tick[event];
    *which = TRACE_NONE;
    return f->until;
}

static void pause(struct trace *t, uint32_t lane, uint64_t ticks)
{
    struct trace_lane_now *now = &t->lanes[lane];
    uint64_t until = t->event.tick[t->events_count - 1] + ticks;
    uint64_t before = end_fault(t, &now->pause);

    now->pause = begin_fault(t, lane, TRACE_FAULT_PAUSE,
                             before > until ? before : until);
    if (!t->full)
        t->faults[now->pause].ticks = ticks;
}

static void turn_to(struct trace *t, uint8_t role, bool rests)
{
    uint32_t row = t->events_count - 1;

    t->event.role[row] = role;
    t->event.flags[row] &= (uint8_t)~TRACE_ROW_RESTS;
    t->event.flags[row] |= rests ? TRACE_ROW_RESTS : 0;
}

static void restart(struct trace *t, uint32_t lane, bool blank)
{
    struct trace_lane_now *now = &t->lanes[lane];

    if (blank) {
        now->role = (uint8_t)t->head.first_role;
        now->rests = false;
        t->event.flags[t->events_count - 1] |= TRACE_ROW_BLANK;
    }
    turn_to(t, now->role, now->rests);
    if (now->crash != TRACE_NONE)
        t->faults[now->crash].blank = blank;
    (void)end_fault(t, &now->crash);
}

static void on_fault(struct trace *t, const struct trace_happening *h)
{
    struct trace_lane_now *now = &t->lanes[h->node];

    if (h->what == TRACE_CRASH) {
        (void)end_fault(t, &now->pause);
        now->crash = begin_fault(t, h->node, TRACE_FAULT_DOWN, TRACE_NEVER);
        turn_to(t, TRACE_DOWN, false);
    } else if (h->what == TRACE_RESTART) {
        restart(t, h->node, h->blank);
    } else if (h->what == TRACE_PAUSE) {
        pause(t, h->node, h->ticks);
    } else if (h->what == TRACE_JOINED) {
        (void)end_fault(t, &now->cut);
    } else if (h->what == TRACE_CUT && now->cut == TRACE_NONE) {
        now->cut = begin_fault(t, h->node, TRACE_FAULT_CUT, TRACE_NEVER);
    }
}

/* ---- Events -------------------------------------------------------------- */

void trace_add_event(struct trace *t, const struct trace_happening *h)
{
    uint32_t row = t->events_count;
    bool takes = h->what == TRACE_READ || h->what == TRACE_MISSES;

    if (t->full || (row == t->events_room && !more_events(t)))
        return;
    t->events_count++;
    t->event.tick[row] = h->tick;
    t->event.lane[row] = h->node;
    t->event.message[row] = takes ? h->content.id : TRACE_NONE;
    t->event.sent[row + 1] = t->messages_count;
    t->event.what[row] = (uint8_t)h->what;
    t->event.role[row] = TRACE_SAME_ROLE;
    t->event.timer[row] = (uint8_t)h->timer;
    t->event.flags[row] = 0;
    if (takes) {
        assert(h->content.id < t->messages_count);
        t->message.read[h->content.id] = row;
        if (h->what == TRACE_MISSES)
            t->message.flags[h->content.id] |= TRACE_MISSED;
    } else if (h->what >= TRACE_CRASH && h->what != TRACE_ASKED) {
        on_fault(t, h);
    }
}

static void event(struct trace_listener *l, const struct trace_happening *h)
{
    struct trace *t = columns(l);
    struct trace_happening asked = *h;

    if (h->what == TRACE_ASKED)
        while (strcmp(t->head.own_asks[asked.timer], h->word) != 0)
            asked.timer++;
    trace_add_event(t, &asked);
}

/* ---- Effects ------------------------------------------------------------- */

static void send(struct trace_listener *l, const struct trace_content *content,
                 uint32_t to, uint64_t arrives, bool copy)
{
    struct trace *t = columns(l);
    struct trace_message_columns *m = &t->message;
    uint32_t row = t->messages_count;

    if (t->full || (row == t->messages_room && !more_messages(t)))
        return;
    assert(content->id == row);
    m->arrives[row] = arrives;
    m->by[row] = t->events_count - 1;
    m->read[row] = TRACE_NONE;
    m->to[row] = to;
    m->field_at[row] = t->fields_count;
    m->kind[row] = (uint8_t)(content->kind - 1);
    m->flags[row] = (uint8_t)((arrives == TRACE_NEVER ? TRACE_STRAY : 0) |
                              (copy ? TRACE_COPY : 0));
    m->count[row] = (uint8_t)content->count;
    for (uint32_t i = 0; i < content->count; i++) {
        t->fields = more(t, t->fields, &t->fields_room, t->fields_count,
                         sizeof *t->fields);
        if (t->full)
            return;
        t->fields[t->fields_count++] = content->fields[i];
    }
    t->event.sent[t->events_count] = ++t->messages_count;
}

/* Notes in the last row that a side table has more of it.  False: there is no
 * memory for any of it. */
static bool mark(struct trace *t, enum trace_row_flag flag)
{
    if (!t->full)
        t->event.flags[t->events_count - 1] |= (uint8_t)flag;
    return !t->full;
}

static void choice(struct trace_listener *l, uint32_t value, uint32_t range)
{
    struct trace *t = columns(l);

    t->choices = more(t, t->choices, &t->choices_room, t->choices_count,
                      sizeof *t->choices);
    if (mark(t, TRACE_ROW_CHOOSES))
        t->choices[t->choices_count++] = (struct trace_choice){
            .event = t->events_count - 1, .value = value, .range = range};
}

static void set_timer(struct trace *t, uint32_t timer, uint64_t steps,
                      bool stops)
{
    t->timers =
        more(t, t->timers, &t->timers_room, t->timers_count, sizeof *t->timers);
    if (mark(t, TRACE_ROW_ARMS))
        t->timers[t->timers_count++] =
            (struct trace_timer){.event = t->events_count - 1,
                                 .timer = (uint8_t)timer,
                                 .steps = steps,
                                 .stops = stops};
}

static void arm(struct trace_listener *l, uint32_t timer, uint64_t steps)
{
    set_timer(columns(l), timer, steps, false);
}

static void stop(struct trace_listener *l, uint32_t timer)
{
    set_timer(columns(l), timer, 0, true);
}

static void notes(struct trace_listener *l, uint32_t bits)
{
    struct trace *t = columns(l);
    uint32_t row = t->events_count - 1;

    if (!t->full && t->event.what[row] == TRACE_READ)
        t->message.flags[t->event.message[row]] |=
            (uint8_t)((bits & FC_NOTE_DIES ? TRACE_DIES : 0) |
                      (bits & FC_NOTE_SILENT ? TRACE_SILENT : 0));
}

/* An event may state several roles: those before the last are kept aside. */
void trace_add_role(struct trace *t, enum trace_role role, bool rests)
{
    uint32_t row = t->events_count - 1;
    struct trace_lane_now *now;

    if (t->full)
        return;
    now = &t->lanes[t->event.lane[row]];
    if (t->event.flags[row] & TRACE_ROW_TURNS) {
        t->passed = more(t, t->passed, &t->passed_room, t->passed_count,
                         sizeof *t->passed);
        if (!mark(t, TRACE_ROW_PASSES))
            return;
        t->passed[t->passed_count++] =
            (struct trace_passed){row, now->role, now->rests};
    }
    (void)mark(t, TRACE_ROW_TURNS);
    now->role = (uint8_t)role;
    now->rests = rests;
    turn_to(t, now->role, rests);
}

static void turn(struct trace_listener *l, const struct fc_shown *after)
{
    struct trace *t = columns(l);
    unsigned role = 0;

    /* Mostly the word is the one at an address met before. */
    while (role < TRACE_ROLES_ALL && t->words[role] != after->role)
        role++;
    if (role == TRACE_ROLES_ALL) {
        role = trace_role_called(&t->head, after->role, strlen(after->role));
        assert(role < TRACE_ROLES_ALL);
        t->words[role] = after->role;
    }
    if (after->shared && role == TRACE_INSIDE)
        role = TRACE_BESIDE;
    trace_add_role(t, (enum trace_role)role, after->rests);
}

void trace_add_fact(struct trace *t, uint32_t fact, uint64_t number)
{
    t->facts =
        more(t, t->facts, &t->facts_room, t->facts_count, sizeof *t->facts);
    if (mark(t, TRACE_ROW_KNOWS))
        t->facts[t->facts_count++] =
            (struct trace_known){.event = t->events_count - 1,
                                 .fact = (uint8_t)fact,
                                 .number = number};
}

static void fact(struct trace_listener *l, const struct fc_fact *known)
{
    struct trace *t = columns(l);
    uint32_t i = 0;

    while (i < TRACE_FACTS &&
           strcmp(trace_fact_word((enum trace_fact)i), known->word) != 0)
        i++;
    for (; i >= TRACE_FACTS; i++) {
        assert(i < TRACE_FACTS + t->head.own_facts_count);
        if (strcmp(t->head.own_facts[i - TRACE_FACTS], known->word) == 0)
            break;
    }
    trace_add_fact(t, i, known->number);
}

/* The row of a property's name. */
static uint32_t property_of(struct trace *t, const char *name)
{
    uint32_t i = 0;

    while (i < t->properties_count && strcmp(t->properties[i], name) != 0)
        i++;
    if (i < t->properties_count)
        return i;
    t->properties = more(t, t->properties, &t->properties_room,
                         t->properties_count, sizeof *t->properties);
    if (t->full)
        return TRACE_NONE;
    memset(t->properties[i], 0, sizeof t->properties[i]);
    for (size_t k = 0; k + 1 < TRACE_PROPERTY_MAX && name[k]; k++)
        t->properties[i][k] = name[k];
    t->properties_count++;
    return i;
}

void trace_add_violation(struct trace *t, const char *name, uint32_t row)
{
    uint32_t property = property_of(t, name);

    t->violations = more(t, t->violations, &t->violations_room,
                         t->violations_count, sizeof *t->violations);
    if (t->full)
        return;
    t->violations[t->violations_count++] = (struct trace_violation){
        .tick = row == TRACE_NONE ? t->end_tick : t->event.tick[row],
        .event = row,
        .property = property,
    };
    if (row != TRACE_NONE)
        (void)mark(t, TRACE_ROW_VIOLATES);
}

static void violate_all(struct trace *t, uint32_t properties, uint32_t row)
{
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (properties >> i & 1)
            trace_add_violation(
                t,
                net_property_name(t->listener.protocol, t->listener.asked, i),
                row);
}

static void broken(struct trace_listener *l, uint32_t properties)
{
    violate_all(columns(l), properties, columns(l)->events_count - 1);
}

/* ---- The end, and back --------------------------------------------------- */

void trace_end(struct trace *t, uint64_t tick, bool quiet)
{
    if (!t->full)
        NET_ASSERT_SANE("a record", trace_columns_sane(t));
    t->ended = true;
    t->quiet = quiet;
    t->end_tick = tick;
}

static uint64_t end(struct trace_listener *l, uint64_t tick, bool quiet,
                    uint32_t properties)
{
    trace_end(columns(l), tick, quiet);
    violate_all(columns(l), properties, TRACE_NONE);
    return 0;
}

static void cut(struct trace_listener *l, uint32_t events)
{
    trace_columns_cut(columns(l), events);
}

static const struct trace_callbacks callbacks = {
    .begin = begin,
    .step = step,
    .body = body,
    .event = event,
    .send = send,
    .choice = choice,
    .arm = arm,
    .stop = stop,
    .notes = notes,
    .turn = turn,
    .fact = fact,
    .broken = broken,
    .end = end,
    .cut = cut,
};
