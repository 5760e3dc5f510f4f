/*
 * trace_body.c - reads the events of a trace and joins what belongs together.
 *
 * One line is one event with its effects.  A message is made when it is sent
 * and completed when it is read; a role is an interval that begins at `is`
 * and ends at the next one.  What cannot be (a message read twice, read
 * before it arrives, read by another node) is refused: a picture of it would
 * lie.
 */
#include "draw/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const role_words[TRACE_ROLES] = {
    "asleep", "awake", "candidate", "lost", "leader", "done",
};

const char *trace_role_word(enum trace_role role)
{
    return role_words[role];
}

/* Refuses the present line from `at` on. */
static int odd(struct reader *r, struct scan at, const char *expected)
{
    char quoted[SCAN_QUOTE_SIZE];

    scan_quote(&at, quoted);
    return reader_refuse(r, "%s is not what can stand here, expected %s; %s",
                         quoted, expected, reader_advice);
}

bool reader_lane_of(const struct reader *r, uint64_t name, uint32_t *lane)
{
    uint32_t low = 0, high = r->t->nodes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (r->by_name[middle].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == r->t->nodes || r->by_name[low].name != name)
        return false;
    *lane = r->by_name[low].lane;
    return true;
}

static bool scan_node(struct reader *r, struct scan *s, uint32_t *lane)
{
    struct scan before = *s;
    uint64_t name;

    if (scan_number(s, UINT32_MAX, &name) && reader_lane_of(r, name, lane))
        return true;
    *s = before;
    return false;
}

/* ---- Messages ------------------------------------------------------------ */

/* "#ID KIND(FIELDS)" */
static int scan_message(struct reader *r, struct scan *s, uint64_t *id,
                        struct trace_message *m)
{
    struct scan word;
    uint32_t kind = 0;

    if (!scan_literal(s, "#") || !scan_number(s, UINT32_MAX - 1, id) ||
        !scan_literal(s, " "))
        return odd(r, *s, "a message as #ID KIND(FIELDS)");
    word = *s;
    if (!scan_until(s, " (;", &word))
        return odd(r, *s, "the kind of the message");
    while (kind < r->t->kinds_count &&
           !scan_equals(&word, r->t->kinds[kind].word))
        kind++;
    if (kind == r->t->kinds_count)
        return odd(r, word, "a kind of message that the head declares");
    m->kind = (uint8_t)kind;
    m->fields = 0;
    if (!scan_literal(s, "("))
        return 0;
    do {
        if (m->fields == TRACE_FIELDS_MAX ||
            !scan_number(s, UINT64_MAX, &m->field[m->fields]))
            return odd(r, *s, "one to four numbers as fields");
        m->fields++;
    } while (scan_literal(s, ",") && (scan_literal(s, " ") || true));
    return scan_literal(s, ")") ? 0 : odd(r, *s, "\")\" after the fields");
}

static int effect_send(struct reader *r, struct scan *s, struct trace_event *e)
{
    struct trace *t = r->t;
    struct trace_message m = {
        .sent = e->tick,
        .read = TRACE_NEVER,
        .from = e->lane,
    };
    uint64_t id = 0;
    void *grown;
    int result = scan_message(r, s, &id, &m);

    if (result < 0)
        return result;
    if (id != t->messages_count)
        return reader_refuse(
            r, "message #%" PRIu64 " is sent where #%" PRIu32 " is next; %s",
            id, t->messages_count, reader_advice);
    if (!scan_literal(s, " to ") || !scan_node(r, s, &m.to))
        return odd(r, *s, "\" to\" and a node of the head");
    if (!scan_literal(s, " arrives ") ||
        !scan_number(s, TRACE_TICK_MAX, &m.arrives) || m.arrives < m.sent)
        return odd(r, *s, "\" arrives\" and a tick not before the sending");
    grown = reader_grow(t->messages, &r->messages_room, t->messages_count,
                        sizeof *t->messages);
    if (grown == NULL)
        return reader_no_memory(r);
    t->messages = grown;
    if (e->sends++ == 0)
        e->sent = t->messages_count;
    t->messages[t->messages_count++] = m;
    return 0;
}

static bool same_contents(const struct trace_message *a,
                          const struct trace_message *b)
{
    return a->kind == b->kind && a->fields == b->fields &&
           memcmp(a->field, b->field, a->fields * sizeof a->field[0]) == 0;
}

static int event_read(struct reader *r, struct scan *s, struct trace_event *e)
{
    struct trace_message seen = {0}, *m;
    uint64_t id = 0;
    int result = scan_message(r, s, &id, &seen);

    if (result < 0)
        return result;
    if (id >= r->t->messages_count)
        return reader_refuse(r,
                             "message #%" PRIu64 " is read but was never "
                             "sent; %s",
                             id, reader_advice);
    m = &r->t->messages[id];
    if (!same_contents(m, &seen))
        return reader_refuse(r,
                             "message #%" PRIu64 " is not the one that was "
                             "sent under this number; %s",
                             id, reader_advice);
    if (m->read != TRACE_NEVER)
        return reader_refuse(r,
                             "message #%" PRIu64 " is read a second time; "
                             "%s",
                             id, reader_advice);
    if (m->to != e->lane)
        return reader_refuse(r,
                             "message #%" PRIu64 " is read by %" PRIu32
                             " but went to %" PRIu32 "; %s",
                             id, trace_name(r->t, e->lane),
                             trace_name(r->t, m->to), reader_advice);
    if (e->tick < m->arrives)
        return reader_refuse(r,
                             "message #%" PRIu64 " is read before it "
                             "arrives at tick %" PRIu64 "; %s",
                             id, m->arrives, reader_advice);
    m->read = e->tick;
    e->message = (uint32_t)id;
    return 0;
}

/* ---- Roles --------------------------------------------------------------- */

/* A span without length is seen only if it shows power. */
static int close_span(struct reader *r, uint32_t lane, uint64_t to)
{
    const struct reader_lane *l = &r->lanes[lane];
    void *grown;

    if (to == l->since && l->role != TRACE_LEADER)
        return 0;
    grown =
        reader_grow(r->spans, &r->spans_room, r->spans_count, sizeof *r->spans);
    if (grown == NULL)
        return reader_no_memory(r);
    r->spans = grown;
    r->spans[r->spans_count++] = (struct trace_span){
        .from = l->since,
        .to = to,
        .lane = lane,
        .message = l->message,
        .role = l->role,
        .rests = l->rests,
    };
    return 0;
}

static int effect_is(struct reader *r, struct scan *s, struct trace_event *e)
{
    struct reader_lane *l = &r->lanes[e->lane];
    struct scan word = *s;
    unsigned role = 0;
    int result = 0;

    if (!scan_until(s, ",;", &word))
        return odd(r, *s, "a role");
    while (role < TRACE_ROLES && !scan_equals(&word, role_words[role]))
        role++;
    if (role == TRACE_ROLES)
        return odd(r, word,
                   "a role: asleep, awake, candidate, lost, leader "
                   "or done");
    e->role = (uint8_t)role;
    e->rests = scan_literal(s, ", rests");
    e->turns = true;
    /* The same role again changes nothing, but a rest begins anew. */
    if (l->role == role && !l->rests && !e->rests)
        return 0;
    result = close_span(r, e->lane, e->tick);
    *l = (struct reader_lane){
        .since = e->tick,
        .role = e->role,
        .rests = e->rests,
        .message = e->message,
    };
    return result;
}

static void fill_lane_index(struct reader *r)
{
    struct trace *t = r->t;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < r->spans_count; i++)
        t->first_span[r->spans[i].lane]++;
    for (uint32_t lane = 0; lane <= t->nodes; lane++) {
        uint32_t count = t->first_span[lane];

        t->first_span[lane] = sum;
        sum += count;
    }
}

int reader_finish_spans(struct reader *r)
{
    struct trace *t = r->t;
    uint32_t *place;

    for (uint32_t lane = 0; lane < t->nodes; lane++)
        if (close_span(r, lane, TRACE_NEVER) < 0)
            return TRACE_SYSTEM;
    t->first_span = calloc((size_t)t->nodes + 1, sizeof *t->first_span);
    t->spans = malloc(r->spans_count * sizeof *t->spans);
    place = malloc(((size_t)t->nodes + 1) * sizeof *place);
    if (t->first_span == NULL || t->spans == NULL || place == NULL) {
        free(place);
        return reader_no_memory(r);
    }
    fill_lane_index(r);
    memcpy(place, t->first_span, ((size_t)t->nodes + 1) * sizeof *place);
    for (uint32_t i = 0; i < r->spans_count; i++)
        t->spans[place[r->spans[i].lane]++] = r->spans[i];
    free(place);
    return 0;
}

/* ---- The line ------------------------------------------------------------ */

static int effect_read_flag(struct reader *r, struct scan at,
                            const struct trace_event *e, enum trace_flag flag)
{
    if (e->what != TRACE_READ)
        return odd(r, at, "it only after a message was read");
    r->t->messages[e->message].flags |= (uint8_t)flag;
    return 0;
}

static int effect_timer(struct reader *r, struct scan *s, bool arms)
{
    uint64_t number;

    if (!scan_number(s, UINT8_MAX, &number))
        return odd(r, *s, "the number of a timer");
    if (arms &&
        (!scan_literal(s, " ") ||
         (!scan_literal(s, "never") && !scan_number(s, UINT64_MAX, &number))))
        return odd(r, *s, "a number of steps, or never");
    return 0;
}

static int effect_knows(struct reader *r, struct scan *s)
{
    if (!scan_number(s, UINT32_MAX, &r->t->known))
        return odd(r, *s, "a name");
    r->t->anyone_knows = true;
    return 0;
}

static int effect(struct reader *r, struct scan *s, struct trace_event *e)
{
    struct scan at = *s, property = *s;

    if (scan_literal(s, "send "))
        return effect_send(r, s, e);
    if (scan_literal(s, "is "))
        return effect_is(r, s, e);
    if (scan_literal(s, "arm "))
        return effect_timer(r, s, true);
    if (scan_literal(s, "stop "))
        return effect_timer(r, s, false);
    if (scan_literal(s, "dies"))
        return effect_read_flag(r, at, e, TRACE_DIES);
    if (scan_literal(s, "silent"))
        return effect_read_flag(r, at, e, TRACE_SILENT);
    if (scan_literal(s, "knows "))
        return effect_knows(r, s);
    if (scan_literal(s, "violated ") && scan_until(s, ";", &property))
        return reader_violated(r, &property, r->t->events_count, e->lane,
                               e->tick);
    return odd(r, *s,
               "an effect: send, dies, silent, arm, stop, is, knows "
               "or violated");
}

static int event(struct reader *r, struct scan *s, struct trace_event *e)
{
    uint64_t timer;

    if (scan_literal(s, "wake")) {
        e->what = TRACE_WAKE;
        return 0;
    }
    if (scan_literal(s, "read ")) {
        e->what = TRACE_READ;
        return event_read(r, s, e);
    }
    if (scan_literal(s, "timeout ") && scan_number(s, UINT8_MAX, &timer)) {
        e->what = TRACE_TIMEOUT;
        return 0;
    }
    return odd(r, *s, "an event: wake, read or timeout");
}

int reader_event(struct reader *r)
{
    struct trace *t = r->t;
    struct trace_event e = {.message = TRACE_NONE};
    struct scan s = r->line;
    void *grown;
    int result;

    if (!scan_number(&s, TRACE_TICK_MAX, &e.tick) || !scan_literal(&s, " "))
        return odd(r, s, "TICK NODE EVENT, or end");
    if (e.tick < r->last_tick)
        return reader_refuse(
            r, "tick %" PRIu64 " comes after tick %" PRIu64 "; %s", e.tick,
            r->last_tick, reader_advice);
    r->last_tick = e.tick;
    if (!scan_node(r, &s, &e.lane) || !scan_literal(&s, " "))
        return odd(r, s, "a node of the head and an event");
    result = event(r, &s, &e);
    while (result == 0 && !scan_done(&s))
        result = scan_literal(&s, "; ") ? effect(r, &s, &e)
                                        : odd(r, s, "\"; \" and an effect");
    if (result < 0)
        return result;
    grown = reader_grow(t->events, &r->events_room, t->events_count,
                        sizeof *t->events);
    if (grown == NULL)
        return reader_no_memory(r);
    t->events = grown;
    t->events[t->events_count++] = e;
    return 0;
}
