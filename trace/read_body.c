/*
 * read_body.c - reads the events of a trace and joins what belongs together.
 *
 * One line is one event with its effects.  A message is made when it is sent
 * and completed when it is read, or missed by a node that is down.  What is
 * impossible (a message read twice, read before it arrives, read by another
 * node, anything done by a node that is down) is refused: a picture of it would
 * lie.
 */
#include "trace/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int reader_odd(struct reader *r, struct scan at, const char *expected)
{
    char quoted[SCAN_QUOTE_SIZE];

    scan_quote(&at, quoted);
    return reader_refuse(r, "unexpected %s, expected %s", quoted, expected);
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
        return reader_odd(r, *s, "a message as #ID KIND(FIELDS)");
    word = *s;
    if (!scan_until(s, " (;", &word))
        return reader_odd(r, *s, "the kind of the message");
    while (kind < r->t->kinds_count &&
           !scan_equals(&word, r->t->kinds[kind].word))
        kind++;
    if (kind == r->t->kinds_count)
        return reader_odd(r, word, "a kind of message that the head declares");
    m->kind = (uint8_t)kind;
    m->fields = 0;
    if (!scan_literal(s, "("))
        return 0;
    do {
        if (m->fields == TRACE_FIELDS_MAX ||
            !scan_number(s, UINT64_MAX, &m->field[m->fields]))
            return reader_odd(r, *s, "one to four numbers as fields");
        m->fields++;
    } while (scan_literal(s, ",") && (scan_literal(s, " ") || true));
    return scan_literal(s, ")") ? 0
                                : reader_odd(r, *s, "\")\" after the fields");
}

static bool same_contents(const struct trace_message *a,
                          const struct trace_message *b)
{
    return a->kind == b->kind && a->fields == b->fields &&
           memcmp(a->field, b->field, a->fields * sizeof a->field[0]) == 0;
}

/* A copy comes behind its original, in the same event. */
static int check_copy(struct reader *r, struct scan at,
                      const struct trace_event *e,
                      const struct trace_message *m)
{
    for (uint32_t i = 0; i < e->sends; i++) {
        const struct trace_message *sent = &r->t->messages[e->sent + i];

        if ((sent->flags & TRACE_COPY) == 0 && sent->to == m->to &&
            same_contents(sent, m))
            return 0;
    }
    return reader_odd(r, at, "a copy of a message just sent");
}

/* "arrives TICK", "arrives TICK, copy" or "lost" */
static int scan_fate(struct reader *r, struct scan *s,
                     const struct trace_event *e, struct trace_message *m)
{
    struct scan at;

    if (scan_literal(s, " lost")) {
        m->arrives = TRACE_NEVER;
        m->flags |= TRACE_STRAY;
        return 0;
    }
    if (!scan_literal(s, " arrives ") ||
        !scan_number(s, TRACE_TICK_MAX, &m->arrives) || m->arrives < m->sent)
        return reader_odd(
            r, *s,
            "\" arrives\" and a tick not before the sending, or \" lost\"");
    at = *s;
    if (!scan_literal(s, ", copy"))
        return 0;
    m->flags |= TRACE_COPY;
    return check_copy(r, at, e, m);
}

static int keep_message(struct reader *r, struct trace_event *e,
                        const struct trace_message *m)
{
    struct trace *t = r->t;

    t->messages = reader_grow(&r->full, t->messages, &r->messages_room,
                              t->messages_count, sizeof *t->messages);
    if (r->full)
        return reader_no_memory(r);
    if (e->sends++ == 0)
        e->sent = t->messages_count;
    t->messages[t->messages_count++] = *m;
    return 0;
}

static int effect_send(struct reader *r, struct scan *s, struct trace_event *e)
{
    struct trace_message m = {
        .sent = e->tick,
        .read = TRACE_NEVER,
        .from = e->lane,
    };
    uint64_t id = 0;
    int result = scan_message(r, s, &id, &m);

    if (result < 0)
        return result;
    if (id != r->t->messages_count)
        return reader_refuse(
            r, "message #%" PRIu64 " is sent where #%" PRIu32 " is next", id,
            r->t->messages_count);
    if (r->lanes[e->lane].crash != TRACE_NONE)
        return reader_refuse(r, "%" PRIu32 " sends but is down",
                             trace_name(r->t, e->lane));
    if (!scan_literal(s, " to ") || !scan_node(r, s, &m.to))
        return reader_odd(r, *s, "\" to\" and a node of the head");
    result = scan_fate(r, s, e, &m);
    return result < 0 ? result : keep_message(r, e, &m);
}

/* Message `id` cannot come in like that; returns TRACE_BAD. */
__attribute__((format(printf, 3, 4))) static int
not_so(struct reader *r, uint64_t id, const char *format, ...)
{
    char why[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return reader_refuse(r, "message #%" PRIu64 " %s", id, why);
}

/* "read" or "misses": the message that came to the node. */
static int event_takes(struct reader *r, struct scan *s, struct trace_event *e)
{
    const char *verb = e->what == TRACE_READ ? "read" : "missed";
    struct trace_message seen = {0}, *m;
    uint64_t id = 0;
    int result = scan_message(r, s, &id, &seen);

    if (result < 0)
        return result;
    if (id >= r->t->messages_count)
        return not_so(r, id, "is %s but was never sent", verb);
    m = &r->t->messages[id];
    if (!same_contents(m, &seen))
        return not_so(r, id, "is not the one that was sent under this number");
    if (m->arrives == TRACE_NEVER)
        return not_so(r, id, "is %s but was lost", verb);
    if (m->read != TRACE_NEVER)
        return not_so(r, id, "comes in a second time");
    if (m->to != e->lane)
        return not_so(r, id, "is %s by %" PRIu32 " but went to %" PRIu32, verb,
                      trace_name(r->t, e->lane), trace_name(r->t, m->to));
    if (e->tick < m->arrives)
        return not_so(r, id, "is %s before it arrives at tick %" PRIu64, verb,
                      m->arrives);
    m->read = e->tick;
    m->flags |= e->what == TRACE_MISSES ? TRACE_MISSED : 0;
    e->message = (uint32_t)id;
    return 0;
}

/* ---- The line ------------------------------------------------------------ */

static int effect_read_flag(struct reader *r, struct scan at,
                            const struct trace_event *e, enum trace_flag flag)
{
    if (e->what != TRACE_READ)
        return reader_odd(r, at, "it only after a message was read");
    r->t->messages[e->message].flags |= (uint8_t)flag;
    return 0;
}

static int effect_timer(struct reader *r, struct scan *s, bool arms)
{
    struct trace *t = r->t;
    struct trace_timer timer = {.event = t->events_count, .stops = !arms};
    uint64_t number;

    if (!scan_number(s, UINT8_MAX, &number))
        return reader_odd(r, *s, "the number of a timer");
    timer.timer = (uint8_t)number;
    if (arms && scan_literal(s, " never"))
        timer.steps = TRACE_NEVER;
    else if (arms && (!scan_literal(s, " ") ||
                      !scan_number(s, UINT64_MAX, &timer.steps)))
        return reader_odd(r, *s, "a number of steps, or never");
    t->timers = reader_grow(&r->full, t->timers, &r->timers_room,
                            t->timers_count, sizeof *t->timers);
    if (r->full || t->timers_count == TRACE_NONE)
        return reader_no_memory(r);
    t->timers[t->timers_count++] = timer;
    return 0;
}

static int keep_fact(struct reader *r, unsigned fact, uint64_t number)
{
    struct trace *t = r->t;

    t->facts = reader_grow(&r->full, t->facts, &r->facts_room, t->facts_count,
                           sizeof *t->facts);
    if (r->full || t->facts_count == TRACE_NONE)
        return reader_no_memory(r);
    t->facts[t->facts_count++] = (struct trace_known){
        .number = number,
        .event = t->events_count,
        .fact = (uint8_t)fact,
    };
    return 0;
}

static int effect_knows(struct reader *r, struct scan *s)
{
    if (!scan_number(s, UINT32_MAX, &r->t->known))
        return reader_odd(r, *s, "a name");
    r->t->anyone_knows = true;
    return keep_fact(r, TRACE_KNOWS, r->t->known);
}

static int effect_token(struct reader *r, struct scan *s, struct trace_event *e)
{
    if (!scan_number(s, UINT64_MAX, &e->token) || e->token == 0)
        return reader_odd(r, *s, "the number of a token, from 1 on");
    return keep_fact(r, TRACE_HAS_TOKEN, e->token);
}

static int effect_answers(struct reader *r, struct scan *s)
{
    uint64_t answer;

    if (!scan_number(s, UINT32_MAX, &answer))
        return reader_odd(r, *s, "a number");
    return keep_fact(r, TRACE_ANSWERS, answer);
}

static int effect_chooses(struct reader *r, struct scan *s)
{
    struct trace *t = r->t;
    uint64_t value, range;

    if (!scan_number(s, UINT32_MAX, &value) || !scan_literal(s, " of ") ||
        !scan_number(s, UINT32_MAX, &range) || value >= range)
        return reader_odd(r, *s, "VALUE of RANGE, the value being less");
    t->choices = reader_grow(&r->full, t->choices, &r->choices_room,
                             t->choices_count, sizeof *t->choices);
    if (r->full || t->choices_count == TRACE_NONE)
        return reader_no_memory(r);
    t->choices[t->choices_count++] = (struct trace_choice){
        .event = t->events_count,
        .value = (uint32_t)value,
        .range = (uint32_t)range,
    };
    return 0;
}

/* 1: it is a fact that the head declares; 0: it is not. */
static int effect_own_fact(struct reader *r, struct scan *s)
{
    struct scan at = *s, word;
    uint64_t number;
    int result;

    if (!scan_until(&at, " ;", &word) || !scan_literal(&at, " ") ||
        !scan_number(&at, UINT64_MAX, &number))
        return 0;
    for (unsigned i = 0; i < r->t->own_facts_count; i++)
        if (scan_equals(&word, r->t->own_facts[i])) {
            *s = at;
            result = keep_fact(r, TRACE_FACTS + i, number);
            return result < 0 ? result : 1;
        }
    return 0;
}

static int effect(struct reader *r, struct scan *s, struct trace_event *e)
{
    struct scan at = *s, property = *s;
    int own;

    if (scan_literal(s, "send "))
        return effect_send(r, s, e);
    if (scan_literal(s, "is "))
        return reader_is(r, s, e);
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
    if (scan_literal(s, "answers "))
        return effect_answers(r, s);
    if (scan_literal(s, "token "))
        return effect_token(r, s, e);
    if (scan_literal(s, "chooses "))
        return effect_chooses(r, s);
    if (scan_literal(s, "violated ") && scan_until(s, ";", &property))
        return reader_violated(r, &property, r->t->events_count, e->lane,
                               e->tick);
    *s = at;
    own = effect_own_fact(r, s);
    if (own != 0)
        return own < 0 ? own : 0;
    return reader_odd(r, *s,
                      "an effect: send, dies, silent, arm, stop, chooses, is, "
                      "answers, knows, token or violated, or a fact that the "
                      "head declares");
}

struct event_word {
    const char *word;
    enum trace_what what;
};

/* By its first word; -1 if there is no such event. */
static int scan_what(struct scan *s)
{
    static const struct event_word words[] = {
        {"wake", TRACE_WAKE},
        {"want-shared", TRACE_WANT_SHARED}, /* longer words first */
        {"want", TRACE_WANT},
        {"leave", TRACE_LEAVE},
        {"stopped", TRACE_STOPPED},
        {"read ", TRACE_READ},
        {"timeout ", TRACE_TIMEOUT},
        {"misses ", TRACE_MISSES},
        {"crash", TRACE_CRASH},
        {"restart", TRACE_RESTART},
        {"pause ", TRACE_PAUSE},
        {"cut", TRACE_CUT},
        {"joined", TRACE_JOINED},
    };

    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (scan_literal(s, words[i].word))
            return (int)words[i].what;
    return -1;
}

/* A command that the head declares. */
static int scan_asked(const struct trace *t, struct scan *s,
                      struct trace_event *e)
{
    struct scan at = *s, word;

    for (unsigned i = 0; scan_until(&at, ";", &word) && i < t->own_asks_count;
         i++, at = *s)
        if (scan_equals(&word, t->own_asks[i])) {
            *s = at;
            e->asked = (uint8_t)i;
            return TRACE_ASKED;
        }
    return -1;
}

/* Whether a node must be up for it, or down. */
static int check_up(struct reader *r, struct scan at, enum trace_what what,
                    uint32_t lane)
{
    bool down = r->lanes[lane].crash != TRACE_NONE;

    if (what == TRACE_MISSES && !down)
        return reader_odd(r, at, "it only while the node is down");
    if (down && what != TRACE_MISSES && what != TRACE_RESTART &&
        what != TRACE_CUT && what != TRACE_JOINED)
        return reader_odd(r, at,
                          "restart, misses, cut or joined: the node is down");
    return 0;
}

static int event(struct reader *r, struct scan *s, struct trace_event *e)
{
    struct scan at = *s;
    int what = scan_asked(r->t, s, e);
    uint64_t timer;

    if (what < 0)
        what = scan_what(s);
    if (what < 0)
        return reader_odd(
            r, at,
            "an event: wake, want, want-shared, leave, stopped, read, timeout, "
            "misses, crash, restart, pause, cut or joined, or a command that "
            "the head declares");
    e->what = (uint8_t)what;
    if (check_up(r, at, (enum trace_what)what, e->lane) < 0)
        return TRACE_BAD;
    switch ((enum trace_what)what) {
    case TRACE_WAKE:
    case TRACE_WANT:
    case TRACE_WANT_SHARED:
    case TRACE_LEAVE:
    case TRACE_STOPPED:
    case TRACE_ASKED:
        return 0;
    case TRACE_TIMEOUT:
        if (!scan_number(s, UINT8_MAX, &timer))
            return reader_odd(r, *s, "the number of a timer");
        e->timer = (uint8_t)timer;
        return 0;
    case TRACE_READ:
    case TRACE_MISSES:
        return event_takes(r, s, e);
    case TRACE_CRASH:
        return reader_crash(r, e);
    case TRACE_RESTART:
        return reader_restart(r, s, e);
    case TRACE_PAUSE:
        return reader_pause(r, s, e);
    case TRACE_CUT:
        return reader_cut(r, e);
    case TRACE_JOINED:
        return reader_joined(r, e);
    }
    return 0;
}

int reader_event(struct reader *r)
{
    struct trace *t = r->t;
    struct trace_event e = {.message = TRACE_NONE, .fault = TRACE_NONE};
    struct scan s = r->line;
    int result;

    if (!scan_number(&s, TRACE_TICK_MAX, &e.tick) || !scan_literal(&s, " "))
        return reader_odd(r, s, "TICK NODE EVENT, or end");
    if (e.tick < r->last_tick)
        return reader_refuse(r, "tick %" PRIu64 " comes after tick %" PRIu64,
                             e.tick, r->last_tick);
    r->last_tick = e.tick;
    if (!scan_node(r, &s, &e.lane) || !scan_literal(&s, " "))
        return reader_odd(r, s, "a node of the head and an event");
    result = event(r, &s, &e);
    while (result == 0 && !scan_done(&s))
        result = scan_literal(&s, "; ")
                     ? effect(r, &s, &e)
                     : reader_odd(r, s, "\"; \" and an effect");
    if (result < 0)
        return result;
    t->events = reader_grow(&r->full, t->events, &r->events_room,
                            t->events_count, sizeof *t->events);
    if (r->full)
        return reader_no_memory(r);
    t->events[t->events_count++] = e;
    return 0;
}
