/*
 * read_body.c - reads the events of a trace and joins what belongs together.
 *
 * One line is one event with its effects.  A message is made when it is sent
 * and completed when it is read, or missed by a node that is down.  An
 * impossible run (a message read twice, read before it arrives, read by another
 * node, anything done by a node that is down) is refused: a picture of it would
 * lie.
 */
#include "trace/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/fc.h"
#include "trace/rows.h"

/* What a line says of a message. */
struct said {
    uint64_t field[TRACE_FIELDS_MAX];
    struct trace_content content;
};

/* Refuses the present line from `at` on. */
static int refuse_odd(struct reader *r, struct scan at, const char *expected)
{
    char quoted[SCAN_QUOTE_SIZE];

    scan_quote(&at, quoted);
    return reader_refuse(r, "unexpected %s, expected %s", quoted, expected);
}

/* A node by the number people call it by; false if there is none. */
static bool lane_of(const struct reader *r, uint64_t name, uint32_t *lane)
{
    uint32_t low = 0, high = r->t->head.nodes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (r->by_name[middle].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == r->t->head.nodes || r->by_name[low].name != name)
        return false;
    *lane = r->by_name[low].lane;
    return true;
}

static bool scan_node(struct reader *r, struct scan *s, uint32_t *lane)
{
    struct scan before = *s;
    uint64_t name;

    if (scan_number(s, UINT32_MAX, &name) && lane_of(r, name, lane))
        return true;
    *s = before;
    return false;
}

/* ---- Messages ------------------------------------------------------------ */

/* "#ID KIND(FIELDS)" */
static int scan_message(struct reader *r, struct scan *s, struct said *m)
{
    const struct trace_head *h = &r->t->head;
    struct trace_content *content = &m->content;
    struct scan word;
    uint32_t kind = 0;
    uint64_t id;

    if (!scan_literal(s, "#") || !scan_number(s, UINT32_MAX - 1, &id) ||
        !scan_literal(s, " "))
        return refuse_odd(r, *s, "a message as #ID KIND(FIELDS)");
    word = *s;
    if (!scan_until(s, " (;", &word))
        return refuse_odd(r, *s, "the kind of the message");
    while (kind < h->kinds_count && !scan_equals(&word, h->kinds[kind].word))
        kind++;
    if (kind == h->kinds_count)
        return refuse_odd(r, word, "a kind of message that the head declares");
    *content = (struct trace_content){(uint32_t)id, kind + 1, m->field, 0};
    if (!scan_literal(s, "("))
        return 0;
    do {
        if (content->count == TRACE_FIELDS_MAX ||
            !scan_number(s, UINT64_MAX, &m->field[content->count]))
            return refuse_odd(r, *s, "one to four numbers as fields");
        content->count++;
    } while (scan_literal(s, ",") && (scan_literal(s, " ") || true));
    return scan_literal(s, ")") ? 0
                                : refuse_odd(r, *s, "\")\" after the fields");
}

static bool same_contents(const struct trace_message *sent,
                          const struct trace_content *content)
{
    return sent->kind == content->kind - 1 && sent->fields == content->count &&
           memcmp(sent->field, content->fields,
                  content->count * sizeof content->fields[0]) == 0;
}

/* A copy comes behind its original, in the same event. */
static int check_copy(struct reader *r, struct scan at,
                      const struct trace_content *content, uint32_t to)
{
    const struct trace *t = r->t;

    for (uint32_t i = t->event.sent[t->events_count - 1]; i < t->messages_count;
         i++) {
        struct trace_message sent = trace_message_at(t, i);

        if ((sent.flags & TRACE_COPY) == 0 && sent.to == to &&
            same_contents(&sent, content))
            return 0;
    }
    return refuse_odd(r, at, "a copy of a message just sent");
}

static int effect_send(struct reader *r, struct scan *s)
{
    struct trace *t = r->t;
    uint32_t row = t->events_count - 1, lane = t->event.lane[row], to;
    uint64_t arrives = TRACE_NEVER;
    struct scan at;
    struct said m = {.content.id = 0};
    bool copy;

    if (scan_message(r, s, &m) < 0)
        return -1;
    if (m.content.id != t->messages_count)
        return reader_refuse(
            r, "message #%" PRIu32 " is sent where #%" PRIu32 " is next",
            m.content.id, t->messages_count);
    if (t->lanes[lane].crash != TRACE_NONE)
        return reader_refuse(r, "%" PRIu32 " sends but is down",
                             trace_name(&t->head, lane));
    if (!scan_literal(s, " to ") || !scan_node(r, s, &to))
        return refuse_odd(r, *s, "\" to\" and a node of the head");
    if (!scan_literal(s, " lost") &&
        (!scan_literal(s, " arrives ") ||
         !scan_number(s, TRACE_TICK_MAX, &arrives) ||
         arrives < t->event.tick[row]))
        return refuse_odd(
            r, *s,
            "\" arrives\" and a tick not before the sending, or \" lost\"");
    at = *s;
    copy = arrives != TRACE_NEVER && scan_literal(s, ", copy");
    if (copy && check_copy(r, at, &m.content, to) < 0)
        return -1;
    trace_tell_send(&t->listener, &m.content, to, arrives, copy);
    return 0;
}

/* Message `id` cannot come in like that; returns -1. */
__attribute__((format(printf, 3, 4))) static int
not_so(struct reader *r, uint32_t id, const char *format, ...)
{
    char why[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return reader_refuse(r, "message #%" PRIu32 " %s", id, why);
}

/* "read" or "misses": the message that came to the node. */
static int event_takes(struct reader *r, struct scan *s,
                       struct trace_happening *h)
{
    const char *verb = h->what == TRACE_READ ? "read" : "missed";
    const struct trace_head *head = &r->t->head;
    struct trace_message m;
    struct said seen = {.content.id = 0};
    uint32_t id;

    if (scan_message(r, s, &seen) < 0)
        return -1;
    id = seen.content.id;
    if (id >= r->t->messages_count)
        return not_so(r, id, "is %s but was never sent", verb);
    m = trace_message_at(r->t, id);
    if (!same_contents(&m, &seen.content))
        return not_so(r, id, "is not the one that was sent under this number");
    if (m.arrives == TRACE_NEVER)
        return not_so(r, id, "is %s but was lost", verb);
    if (m.read != TRACE_NEVER)
        return not_so(r, id, "comes in a second time");
    if (m.to != h->node)
        return not_so(r, id, "is %s by %" PRIu32 " but went to %" PRIu32, verb,
                      trace_name(head, h->node), trace_name(head, m.to));
    if (h->tick < m.arrives)
        return not_so(r, id, "is %s before it arrives at tick %" PRIu64, verb,
                      m.arrives);
    h->content.id = id;
    return 0;
}

/* ---- Effects ------------------------------------------------------------- */

static int effect_note(struct reader *r, struct scan at, uint32_t note)
{
    const struct trace *t = r->t;

    if (t->event.what[t->events_count - 1] != TRACE_READ)
        return refuse_odd(r, at, "it only after a message was read");
    trace_tell_notes(&r->t->listener, note);
    return 0;
}

static int effect_timer(struct reader *r, struct scan *s, bool arms)
{
    uint64_t number, steps = 0;

    if (!scan_number(s, UINT8_MAX, &number))
        return refuse_odd(r, *s, "the number of a timer");
    if (arms && scan_literal(s, " never"))
        steps = TRACE_NEVER;
    else if (arms &&
             (!scan_literal(s, " ") || !scan_number(s, UINT64_MAX, &steps)))
        return refuse_odd(r, *s, "a number of steps, or never");
    if (arms)
        trace_tell_arm(&r->t->listener, (uint32_t)number, steps);
    else
        trace_tell_stop(&r->t->listener, (uint32_t)number);
    return 0;
}

static int effect_knows(struct reader *r, struct scan *s)
{
    uint64_t name;

    if (!scan_number(s, UINT32_MAX, &name))
        return refuse_odd(r, *s, "a name");
    trace_add_fact(r->t, TRACE_KNOWS, name);
    return 0;
}

static int effect_token(struct reader *r, struct scan *s)
{
    uint64_t token;

    if (!scan_number(s, UINT64_MAX, &token) || token == 0)
        return refuse_odd(r, *s, "the number of a token, from 1 on");
    trace_add_fact(r->t, TRACE_HAS_TOKEN, token);
    return 0;
}

static int effect_answers(struct reader *r, struct scan *s)
{
    uint64_t answer;

    if (!scan_number(s, UINT32_MAX, &answer))
        return refuse_odd(r, *s, "a number");
    trace_add_fact(r->t, TRACE_ANSWERS, answer);
    return 0;
}

static int effect_chooses(struct reader *r, struct scan *s)
{
    uint64_t value, range;

    if (!scan_number(s, UINT32_MAX, &value) || !scan_literal(s, " of ") ||
        !scan_number(s, UINT32_MAX, &range) || value >= range)
        return refuse_odd(r, *s, "VALUE of RANGE, the value being less");
    trace_tell_choice(&r->t->listener, (uint32_t)value, (uint32_t)range);
    return 0;
}

static int effect_is(struct reader *r, struct scan *s)
{
    enum trace_role role;
    struct scan word = *s;
    bool rests;

    if (!scan_until(s, ",;", &word))
        return refuse_odd(r, *s, "a role");
    role =
        trace_role_called(&r->t->head, word.at, (size_t)(word.end - word.at));
    if (role == TRACE_ROLES_ALL)
        return refuse_odd(
            r, word,
            "a role: asleep, awake, candidate, lost, leader, done, idle, "
            "sleeps, asks, waits, inside, mute, reads or writes, or one that "
            "the head declares");
    rests = scan_literal(s, ", rests");
    if (scan_literal(s, ", shared") && role == TRACE_INSIDE)
        role = TRACE_BESIDE;
    trace_add_role(r->t, role, rests);
    return 0;
}

/* A fact that the head declares; false: it is none. */
static bool effect_own_fact(struct reader *r, struct scan *s)
{
    struct scan at = *s, word;
    uint64_t number;

    if (!scan_until(&at, " ;", &word) || !scan_literal(&at, " ") ||
        !scan_number(&at, UINT64_MAX, &number))
        return false;
    for (unsigned i = 0; i < r->t->head.own_facts_count; i++)
        if (scan_equals(&word, r->t->head.own_facts[i])) {
            *s = at;
            trace_add_fact(r->t, TRACE_FACTS + i, number);
            return true;
        }
    return false;
}

static int effect(struct reader *r, struct scan *s)
{
    struct scan at = *s, property = *s;

    if (scan_literal(s, "send "))
        return effect_send(r, s);
    if (scan_literal(s, "is "))
        return effect_is(r, s);
    if (scan_literal(s, "arm "))
        return effect_timer(r, s, true);
    if (scan_literal(s, "stop "))
        return effect_timer(r, s, false);
    if (scan_literal(s, "dies"))
        return effect_note(r, at, FC_NOTE_DIES);
    if (scan_literal(s, "silent"))
        return effect_note(r, at, FC_NOTE_SILENT);
    if (scan_literal(s, "knows "))
        return effect_knows(r, s);
    if (scan_literal(s, "answers "))
        return effect_answers(r, s);
    if (scan_literal(s, "token "))
        return effect_token(r, s);
    if (scan_literal(s, "chooses "))
        return effect_chooses(r, s);
    if (scan_literal(s, "violated ") && scan_until(s, ";", &property))
        return reader_violated(r, &property, r->t->events_count - 1);
    *s = at;
    if (effect_own_fact(r, s))
        return 0;
    return refuse_odd(r, *s,
                      "an effect: send, dies, silent, arm, stop, chooses, is, "
                      "answers, knows, token or violated, or a fact that the "
                      "head declares");
}

/* ---- The line ------------------------------------------------------------ */

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
static int scan_asked(const struct trace_head *head, struct scan *s,
                      struct trace_happening *h)
{
    struct scan at = *s, word;

    for (unsigned i = 0;
         scan_until(&at, ";", &word) && i < head->own_asks_count; i++, at = *s)
        if (scan_equals(&word, head->own_asks[i])) {
            *s = at;
            h->timer = i;
            return TRACE_ASKED;
        }
    return -1;
}

/* Whether a node must be up for it, or down. */
static int check_up(struct reader *r, struct scan at,
                    const struct trace_happening *h)
{
    bool down = r->t->lanes[h->node].crash != TRACE_NONE;

    if (h->what == TRACE_MISSES && !down)
        return refuse_odd(r, at, "it only while the node is down");
    if (h->what == TRACE_RESTART && !down)
        return reader_refuse(r, "%" PRIu32 " restarts but was not down",
                             trace_name(&r->t->head, h->node));
    if (down && h->what != TRACE_MISSES && h->what != TRACE_RESTART &&
        h->what != TRACE_CUT && h->what != TRACE_JOINED)
        return refuse_odd(r, at,
                          "restart, misses, cut or joined: the node is down");
    return 0;
}

static int event(struct reader *r, struct scan *s, struct trace_happening *h)
{
    struct scan at = *s;
    int what = scan_asked(&r->t->head, s, h);
    uint64_t timer;

    if (what < 0)
        what = scan_what(s);
    if (what < 0)
        return refuse_odd(
            r, at,
            "an event: wake, want, want-shared, leave, stopped, read, timeout, "
            "misses, crash, restart, pause, cut or joined, or a command that "
            "the head declares");
    h->what = (enum trace_what)what;
    if (check_up(r, at, h) < 0)
        return -1;
    switch (h->what) {
    case TRACE_WAKE:
    case TRACE_WANT:
    case TRACE_WANT_SHARED:
    case TRACE_LEAVE:
    case TRACE_STOPPED:
    case TRACE_ASKED:
    case TRACE_CRASH:
    case TRACE_CUT:
    case TRACE_JOINED:
        return 0;
    case TRACE_TIMEOUT:
        if (!scan_number(s, UINT8_MAX, &timer))
            return refuse_odd(r, *s, "the number of a timer");
        h->timer = (uint32_t)timer;
        return 0;
    case TRACE_READ:
    case TRACE_MISSES:
        return event_takes(r, s, h);
    case TRACE_RESTART:
        h->blank = scan_literal(s, ", blank");
        return 0;
    case TRACE_PAUSE:
        if (!scan_number(s, TRACE_TICK_MAX, &h->ticks) || h->ticks == 0)
            return refuse_odd(r, *s, "how many ticks the pause lasts");
        return 0;
    }
    return 0;
}

int reader_event(struct reader *r)
{
    struct trace_happening h = {.tick = 0};
    struct scan s = r->line;
    int result;

    if (!scan_number(&s, TRACE_TICK_MAX, &h.tick) || !scan_literal(&s, " "))
        return refuse_odd(r, s, "TICK NODE EVENT, or end");
    if (h.tick < r->last_tick)
        return reader_refuse(r, "tick %" PRIu64 " comes after tick %" PRIu64,
                             h.tick, r->last_tick);
    r->last_tick = h.tick;
    if (!scan_node(r, &s, &h.node) || !scan_literal(&s, " "))
        return refuse_odd(r, s, "a node of the head and an event");
    result = event(r, &s, &h);
    if (result == 0)
        trace_add_event(r->t, &h);
    while (result == 0 && !r->t->full && !scan_done(&s))
        result = scan_literal(&s, "; ")
                     ? effect(r, &s)
                     : refuse_odd(r, s, "\"; \" and an effect");
    return result;
}
