/*
 * columns.c - see columns.h.
 *
 * One listener fills the columns, whether it hears a run or is read a trace to:
 * so both come to the same.  columns_cut.c takes events back.
 */
#include "trace/columns.h"
#include "trace/wording.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "net/sane.h"
#include "trace/columns_parts.h"

static const struct trace_ears ears;

static struct trace_columns *columns(struct trace_listener *l)
{
    assert(l->ears == &ears);
    return (struct trace_columns *)(void *)l;
}

struct trace_columns *trace_columns_new(void)
{
    struct trace_columns *c = calloc(1, sizeof *c);

    if (c)
        c->listener.ears = &ears;
    return c;
}

void trace_columns_free(struct trace_columns *c)
{
    if (!c)
        return;
    free(c->event.tick);
    free(c->event.lane);
    free(c->event.message);
    free(c->event.sent);
    free(c->event.what);
    free(c->event.role);
    free(c->event.timer);
    free(c->event.flags);
    free(c->message.arrives);
    free(c->message.by);
    free(c->message.read);
    free(c->message.to);
    free(c->message.field_at);
    free(c->message.kind);
    free(c->message.flags);
    free(c->message.count);
    free(c->fields);
    free(c->violations);
    free(c->faults);
    free(c->choices);
    free(c->timers);
    free(c->facts);
    free(c->properties);
    free(c->lanes);
    free(c);
}

static double tick_of(uint64_t tick)
{
    return tick == FC_NEVER ? (double)INFINITY : (double)tick;
}

/* ---- Room ---------------------------------------------------------------- */

static void *larger(struct trace_columns *c, void *array, size_t count,
                    size_t size)
{
    void *grown = realloc(array, count * size);

    if (!grown) {
        c->full = true;
        return array;
    }
    return grown;
}

/* A side table with room for one more row. */
static void *more(struct trace_columns *c, void *rows, size_t *room,
                  uint32_t used, size_t size)
{
    if (used < *room)
        return rows;
    rows = larger(c, rows, *room ? 2 * *room : 64, size);
    if (!c->full)
        *room = *room ? 2 * *room : 64;
    return rows;
}

/* How many rows there should be room for; 0: too many. */
static uint32_t wider(uint32_t room)
{
    return room < 1024 ? 1024 : room <= TRACE_NONE / 2 ? 2 * room : 0;
}

static bool more_events(struct trace_columns *c)
{
    struct trace_event_columns *e = &c->event;
    uint32_t room = wider(c->events_room);

    if (room == 0 || c->full) {
        c->full = true;
        return false;
    }
    e->tick = larger(c, e->tick, room, sizeof *e->tick);
    e->lane = larger(c, e->lane, room, sizeof *e->lane);
    e->message = larger(c, e->message, room, sizeof *e->message);
    e->sent = larger(c, e->sent, (size_t)room + 1, sizeof *e->sent);
    e->what = larger(c, e->what, room, sizeof *e->what);
    e->role = larger(c, e->role, room, sizeof *e->role);
    e->timer = larger(c, e->timer, room, sizeof *e->timer);
    e->flags = larger(c, e->flags, room, sizeof *e->flags);
    if (!c->full)
        c->events_room = room;
    return !c->full;
}

static bool more_messages(struct trace_columns *c)
{
    struct trace_message_columns *m = &c->message;
    uint32_t room = wider(c->messages_room);

    if (room == 0 || c->full) {
        c->full = true;
        return false;
    }
    m->arrives = larger(c, m->arrives, room, sizeof *m->arrives);
    m->by = larger(c, m->by, room, sizeof *m->by);
    m->read = larger(c, m->read, room, sizeof *m->read);
    m->to = larger(c, m->to, room, sizeof *m->to);
    m->field_at = larger(c, m->field_at, room, sizeof *m->field_at);
    m->kind = larger(c, m->kind, room, sizeof *m->kind);
    m->flags = larger(c, m->flags, room, sizeof *m->flags);
    m->count = larger(c, m->count, room, sizeof *m->count);
    if (!c->full)
        c->messages_room = room;
    return !c->full;
}

/* ---- The head ------------------------------------------------------------ */

void trace_columns_begin(struct trace_columns *c, uint32_t nodes,
                         enum trace_role first_role)
{
    c->full = c->ended = c->quiet = false;
    c->end_tick = 0;
    c->events_count = c->messages_count = c->fields_count = 0;
    c->violations_count = c->faults_count = c->choices_count = 0;
    c->timers_count = c->facts_count = c->properties_count = 0;
    c->nodes = nodes;
    c->first_role = (uint8_t)first_role;
    c->lanes = larger(c, c->lanes, nodes, sizeof *c->lanes);
    if ((c->events_room == 0 && !more_events(c)) || c->full)
        return;
    c->event.sent[0] = 0;
    trace_columns_wake(c);
}

static void begin(struct trace_listener *l, const struct net *net,
                  const struct net_names *names, uint64_t seed)
{
    (void)names;
    (void)seed;
    trace_columns_begin(columns(l), net->world.nodes,
                        trace_first_in(net->protocol->problem));
}

/* What the head says is known to whoever makes the run. */
static void step(struct trace_listener *l, uint32_t node, uint64_t ticks,
                 uint64_t phase)
{
    (void)l;
    (void)node;
    (void)ticks;
    (void)phase;
}

static void body(struct trace_listener *l)
{
    (void)l;
}

/* ---- Faults -------------------------------------------------------------- */

/* A fault begins with the last event; returns its row, or TRACE_NONE. */
static uint32_t begin_fault(struct trace_columns *c, uint32_t lane,
                            enum trace_fault_kind kind, double to)
{
    uint32_t event = c->events_count - 1;

    c->faults =
        more(c, c->faults, &c->faults_room, c->faults_count, sizeof *c->faults);
    if (c->full)
        return TRACE_NONE;
    c->faults[c->faults_count] = (struct trace_fault_row){
        .from = c->event.tick[event],
        .to = to,
        .until = to,
        .lane = lane,
        .begins = event,
        .ends = TRACE_NONE,
        .kind = (uint8_t)kind,
    };
    return c->faults_count++;
}

/* The fault *which ends with the last event, if there is one that lasts.
 * Returns the tick at which it would have ended. */
static double end_fault(struct trace_columns *c, uint32_t *which)
{
    uint32_t event = c->events_count - 1;
    struct trace_fault_row *f;

    if (*which == TRACE_NONE)
        return 0;
    f = &c->faults[*which];
    f->ends = event;
    if (f->to > c->event.tick[event])
        f->to = c->event.tick[event];
    *which = TRACE_NONE;
    return f->until;
}

static void pause(struct trace_columns *c, uint32_t lane, uint64_t ticks)
{
    struct trace_lane_now *now = &c->lanes[lane];
    double until = c->event.tick[c->events_count - 1] + (double)ticks;
    double before = end_fault(c, &now->pause);

    now->pause = begin_fault(c, lane, TRACE_FAULT_PAUSE,
                             before > until ? before : until);
}

static void turn_to(struct trace_columns *c, uint8_t role, bool rests)
{
    uint32_t row = c->events_count - 1;

    c->event.role[row] = role;
    c->event.flags[row] &= (uint8_t)~TRACE_ROW_RESTS;
    c->event.flags[row] |= rests ? TRACE_ROW_RESTS : 0;
}

static void restart(struct trace_columns *c, uint32_t lane, bool blank)
{
    struct trace_lane_now *now = &c->lanes[lane];

    if (blank) {
        now->role = c->first_role;
        now->rests = false;
        c->event.flags[c->events_count - 1] |= TRACE_ROW_BLANK;
    }
    turn_to(c, now->role, now->rests);
    if (now->crash != TRACE_NONE)
        c->faults[now->crash].blank = blank;
    (void)end_fault(c, &now->crash);
}

static void on_fault(struct trace_columns *c, const struct trace_happening *h)
{
    struct trace_lane_now *now = &c->lanes[h->node];

    if (h->what == TRACE_CRASH) {
        (void)end_fault(c, &now->pause);
        now->crash =
            begin_fault(c, h->node, TRACE_FAULT_DOWN, (double)INFINITY);
        turn_to(c, TRACE_DOWN, false);
    } else if (h->what == TRACE_RESTART) {
        restart(c, h->node, h->blank);
    } else if (h->what == TRACE_PAUSE) {
        pause(c, h->node, h->ticks);
    } else if (h->what == TRACE_JOINED) {
        (void)end_fault(c, &now->cut);
    } else if (h->what == TRACE_CUT && now->cut == TRACE_NONE) {
        now->cut = begin_fault(c, h->node, TRACE_FAULT_CUT, (double)INFINITY);
    }
}

/* ---- Events -------------------------------------------------------------- */

static void event(struct trace_listener *l, const struct trace_happening *h)
{
    struct trace_columns *c = columns(l);
    uint32_t row = c->events_count;
    bool takes = h->what == TRACE_READ || h->what == TRACE_MISSES;

    if (c->full || (row == c->events_room && !more_events(c)))
        return;
    c->events_count++;
    c->event.tick[row] = (double)h->tick;
    c->event.lane[row] = h->node;
    c->event.message[row] = takes ? h->content.id : TRACE_NONE;
    c->event.sent[row + 1] = c->messages_count;
    /* The page knows the format's words alone. */
    c->event.what[row] =
        (uint8_t)(h->what == TRACE_ASKED ? TRACE_WAKE : h->what);
    c->event.role[row] = TRACE_SAME_ROLE;
    c->event.timer[row] = (uint8_t)h->timer;
    c->event.flags[row] = 0;
    if (takes) {
        assert(h->content.id < c->messages_count);
        c->message.read[h->content.id] = row;
        if (h->what == TRACE_MISSES)
            c->message.flags[h->content.id] |= TRACE_MISSED;
    } else if (h->what >= TRACE_CRASH && h->what != TRACE_ASKED) {
        on_fault(c, h);
    }
}

/* ---- Effects ------------------------------------------------------------- */

static void send(struct trace_listener *l, const struct trace_content *content,
                 uint32_t to, uint64_t arrives, bool copy)
{
    struct trace_columns *c = columns(l);
    struct trace_message_columns *m = &c->message;
    uint32_t row = c->messages_count;

    if (c->full || (row == c->messages_room && !more_messages(c)))
        return;
    assert(content->id == row);
    m->arrives[row] = tick_of(arrives);
    m->by[row] = c->events_count - 1;
    m->read[row] = TRACE_NONE;
    m->to[row] = to;
    m->field_at[row] = c->fields_count;
    m->kind[row] = (uint8_t)(content->kind - 1);
    m->flags[row] = (uint8_t)((arrives == FC_NEVER ? TRACE_STRAY : 0) |
                              (copy ? TRACE_COPY : 0));
    m->count[row] = (uint8_t)content->count;
    for (uint32_t i = 0; i < content->count; i++) {
        c->fields = more(c, c->fields, &c->fields_room, c->fields_count,
                         sizeof *c->fields);
        if (c->full)
            return;
        c->fields[c->fields_count++] = (double)content->fields[i];
    }
    c->event.sent[c->events_count] = ++c->messages_count;
}

/* Notes in the last row that a side table has more of it.  False: there is no
 * memory for any of it. */
static bool mark(struct trace_columns *c, enum trace_row_flag flag)
{
    if (!c->full)
        c->event.flags[c->events_count - 1] |= (uint8_t)flag;
    return !c->full;
}

static void choice(struct trace_listener *l, uint32_t value, uint32_t range)
{
    struct trace_columns *c = columns(l);

    c->choices = more(c, c->choices, &c->choices_room, c->choices_count,
                      sizeof *c->choices);
    if (mark(c, TRACE_ROW_CHOOSES))
        c->choices[c->choices_count++] = (struct trace_choice){
            .event = c->events_count - 1, .value = value, .range = range};
}

static void set_timer(struct trace_columns *c, uint32_t timer, double steps)
{
    c->timers =
        more(c, c->timers, &c->timers_room, c->timers_count, sizeof *c->timers);
    if (mark(c, TRACE_ROW_ARMS))
        c->timers[c->timers_count++] =
            (struct trace_timer_row){.event = c->events_count - 1,
                                     .timer = (uint8_t)timer,
                                     .steps = steps};
}

static void arm(struct trace_listener *l, uint32_t timer, uint64_t steps)
{
    set_timer(columns(l), timer, tick_of(steps));
}

static void stop(struct trace_listener *l, uint32_t timer)
{
    set_timer(columns(l), timer, -1);
}

static void notes(struct trace_listener *l, uint32_t bits)
{
    struct trace_columns *c = columns(l);
    uint32_t row = c->events_count - 1;

    if (c->full || c->event.what[row] != TRACE_READ)
        return;
    c->message.flags[c->event.message[row]] |=
        (uint8_t)((bits & FC_NOTE_DIES ? TRACE_DIES : 0) |
                  (bits & FC_NOTE_SILENT ? TRACE_SILENT : 0));
}

/* A role by its word, which is mostly the one at an address met before. */
static enum trace_role role_of(struct trace_columns *c, const char *word)
{
    unsigned role = 0;

    while (role < TRACE_ROLES && c->words[role] != word)
        role++;
    if (role < TRACE_ROLES)
        return (enum trace_role)role;
    role = c->listener.protocol
               ? trace_role_in(c->listener.protocol->problem, word)
               : trace_role_of(word);
    assert(role < TRACE_ROLES);
    c->words[role] = word;
    return (enum trace_role)role;
}

static void turn(struct trace_listener *l, const struct fc_shown *after)
{
    struct trace_columns *c = columns(l);
    struct trace_lane_now *now;
    enum trace_role role = role_of(c, after->role);

    if (!mark(c, TRACE_ROW_TURNS))
        return;
    now = &c->lanes[c->event.lane[c->events_count - 1]];
    if (after->shared && role == TRACE_INSIDE)
        role = TRACE_BESIDE;
    now->role = (uint8_t)role;
    now->rests = after->rests;
    turn_to(c, now->role, now->rests);
}

static void know(struct trace_columns *c, uint32_t fact, uint64_t number)
{
    c->facts =
        more(c, c->facts, &c->facts_room, c->facts_count, sizeof *c->facts);
    if (mark(c, TRACE_ROW_KNOWS))
        c->facts[c->facts_count++] =
            (struct trace_fact_row){.event = c->events_count - 1,
                                    .fact = (uint8_t)fact,
                                    .number = (double)number};
}

static void fact(struct trace_listener *l, const struct fc_fact *known)
{
    for (unsigned i = 0; i < TRACE_FACTS; i++)
        if (strcmp(trace_fact_word((enum trace_fact)i), known->word) == 0)
            know(columns(l), i, known->number);
}

/* The row of a property's name. */
static uint32_t property_of(struct trace_columns *c, const char *name)
{
    uint32_t i = 0;

    while (i < c->properties_count && strcmp(c->properties[i], name) != 0)
        i++;
    if (i < c->properties_count)
        return i;
    c->properties = more(c, c->properties, &c->properties_room,
                         c->properties_count, sizeof *c->properties);
    if (c->full)
        return TRACE_NONE;
    memset(c->properties[i], 0, sizeof c->properties[i]);
    for (size_t k = 0; k + 1 < TRACE_PROPERTY_MAX && name[k]; k++)
        c->properties[i][k] = name[k];
    c->properties_count++;
    return i;
}

void trace_columns_violate(struct trace_columns *c, const char *name,
                           uint32_t row)
{
    uint32_t property = property_of(c, name);

    c->violations = more(c, c->violations, &c->violations_room,
                         c->violations_count, sizeof *c->violations);
    if (c->full)
        return;
    c->violations[c->violations_count++] = (struct trace_violation_row){
        .tick = row == TRACE_NONE ? c->end_tick : c->event.tick[row],
        .event = row,
        .property = property,
    };
    if (row != TRACE_NONE)
        (void)mark(c, TRACE_ROW_VIOLATES);
}

static void violate_all(struct trace_columns *c, uint32_t properties,
                        uint32_t row)
{
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (properties >> i & 1)
            trace_columns_violate(c, fc_property(c->listener.protocol, i), row);
}

static void broken(struct trace_listener *l, uint32_t properties)
{
    violate_all(columns(l), properties, columns(l)->events_count - 1);
}

/* ---- The end, and back --------------------------------------------------- */

void trace_columns_end(struct trace_columns *c, uint64_t tick, bool quiet)
{
    if (!c->full)
        NET_ASSERT_SANE("a record", trace_columns_sane(c));
    c->ended = true;
    c->quiet = quiet;
    c->end_tick = (double)tick;
}

static uint64_t end(struct trace_listener *l, uint64_t tick, bool quiet,
                    uint32_t properties)
{
    trace_columns_end(columns(l), tick, quiet);
    violate_all(columns(l), properties, TRACE_NONE);
    return 0;
}

static void cut(struct trace_listener *l, uint32_t events)
{
    trace_columns_cut(columns(l), events);
}

static const struct trace_ears ears = {
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
