/*
 * finding.c - what a run shows, in words; see finding.h.
 */
#include "draw/finding.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/pen.h"

/* Adds to a string of `size` bytes; what does not fit is cut between
 * characters. */
__attribute__((format(printf, 3, 4))) static void add(char *out, size_t size,
                                                      const char *format, ...)
{
    size_t used = strlen(out);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(out + used, size - used, format, arguments);
    va_end(arguments);
    pen_trim(out);
}

/* What an event makes of a node.  One that is down keeps its role for the
 * time when it is up again. */
static void follow(const struct trace *t, const struct trace_event *e,
                   uint8_t *role, bool *down)
{
    if (e->what == TRACE_CRASH)
        *down = true;
    if (e->what == TRACE_RESTART) {
        *down = false;
        *role = t->faults[e->fault].blank ? TRACE_ASLEEP : *role;
    }
    if (e->turns)
        *role = e->role;
}

/* Who led after the event that broke the property. */
static bool find_offenders(struct finding *f, const struct trace *t)
{
    uint8_t *roles = calloc(t->nodes, 1);
    bool *down = calloc(t->nodes, sizeof *down);

    if (roles == NULL || down == NULL) {
        free(roles);
        free(down);
        return false;
    }
    for (uint32_t i = 0; i < t->events_count; i++) {
        const struct trace_event *e = &t->events[i];

        follow(t, e, &roles[e->lane], &down[e->lane]);
        if (i == f->bad->event)
            break;
    }
    for (uint32_t lane = 0; lane < t->nodes; lane++) {
        if (roles[lane] != TRACE_LEADER || down[lane])
            continue;
        f->leaders_then++;
        if (f->offenders_count < FINDING_OFFENDERS_MAX)
            f->offenders[f->offenders_count++] = lane;
    }
    free(roles);
    free(down);
    if (f->leaders_then < 2) {
        f->offenders_count = f->bad->lane != TRACE_NONE;
        f->offenders[0] = f->bad->lane;
    }
    return true;
}

bool finding_make(struct finding *f, const struct trace *t)
{
    *f = (struct finding){.leader = TRACE_NONE};
    for (uint32_t i = 0; i < t->events_count; i++) {
        const struct trace_event *e = &t->events[i];

        if (!e->turns || e->role != TRACE_LEADER)
            continue;
        f->leader = e->lane;
        f->elected = e->tick;
    }
    f->has_winner = t->anyone_knows;
    f->winner = t->known;
    if (t->violations_count == 0)
        return true;
    f->bad = &t->violations[0];
    return find_offenders(f, t);
}

void finding_number(uint64_t number, char out[40])
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t used = 0;

    for (int i = 0; i < count; i++) {
        if (count > 4 && i > 0 && (count - i) % 3 == 0) {
            memcpy(out + used, "\u00a0", 2);
            used += 2;
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

static const char *count_word(uint32_t count)
{
    static const char *const words[] = {
        "No", "One", "Two", "Three", "Four", "Five", "Six",
    };

    return count < sizeof words / sizeof words[0] ? words[count] : "Many";
}

void finding_node(const struct trace *t, uint32_t lane,
                  char out[FINDING_NODE_SIZE])
{
    snprintf(out, FINDING_NODE_SIZE, "%s%" PRIu32,
             t->names != NULL ? "" : "position ", trace_name(t, lane));
}

/* Copies that the network made are not counted: nobody sent them. */
static uint32_t messages_sent(const struct trace *t)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < t->messages_count; i++)
        count += (t->messages[i].flags & TRACE_COPY) == 0;
    return count;
}

static void bad_title(const struct finding *f, const struct trace *t,
                      const char *tick, char out[FINDING_TITLE_SIZE])
{
    if (f->leaders_then >= 2) {
        add(out, FINDING_TITLE_SIZE, "%s leaders at t = %s",
            count_word(f->leaders_then), tick);
        if (f->leaders_then == 2)
            add(out, FINDING_TITLE_SIZE, ": %s%" PRIu32 " and %" PRIu32,
                t->names != NULL ? "" : "positions ",
                trace_name(t, f->offenders[0]), trace_name(t, f->offenders[1]));
        return;
    }
    add(out, FINDING_TITLE_SIZE, "%s is violated %sat t = %s", f->bad->property,
        f->bad->event == TRACE_NONE ? "when the run ends " : "", tick);
    out[0] = (char)toupper((unsigned char)out[0]);
}

void finding_title(const struct finding *f, const struct trace *t,
                   char out[FINDING_TITLE_SIZE])
{
    char tick[40], end[40], count[40], leader[FINDING_NODE_SIZE] = "";
    uint32_t sent = messages_sent(t);
    const char *s = sent == 1 ? "" : "s";

    out[0] = '\0';
    if (f->leader != TRACE_NONE)
        finding_node(t, f->leader, leader);
    finding_number(f->bad != NULL ? f->bad->tick : f->elected, tick);
    finding_number(t->end_tick, end);
    finding_number(sent, count);
    if (f->bad != NULL)
        bad_title(f, t, tick, out);
    else if (f->leader != TRACE_NONE && !t->cut)
        add(out, FINDING_TITLE_SIZE,
            "%s is elected at t = %s; all "
            "is over at t = %s after %s message%s",
            leader, tick, end, count, s);
    else if (f->leader != TRACE_NONE)
        add(out, FINDING_TITLE_SIZE,
            "%s is elected at t = %s; cut "
            "at t = %s after %s message%s",
            leader, tick, end, count, s);
    else if (strcmp(t->problem, "election") == 0)
        add(out, FINDING_TITLE_SIZE,
            "Nobody is elected by t = %s, after %s "
            "message%s",
            end, count, s);
    else
        add(out, FINDING_TITLE_SIZE, "%s message%s by t = %s", count, s, end);
}

static const char *time_words(const char *time)
{
    return strcmp(time, "sync") == 0          ? "synchronous"
           : strcmp(time, "async") == 0       ? "asynchronous"
           : strcmp(time, "archimedean") == 0 ? "Archimedean time"
                                              : time;
}

void finding_subtitle(const struct trace *t, char out[FINDING_SUBTITLE_SIZE])
{
    static const char *const shapes[TRACE_TOPOLOGIES] = {
        "ring",
        "ring, both ways",
        "complete graph",
        "tree",
    };
    char count[40];

    out[0] = '\0';
    finding_number(t->nodes, count);
    add(out, FINDING_SUBTITLE_SIZE, "%.60s, ", t->protocol);
    if (t->set[0] != '\0')
        add(out, FINDING_SUBTITLE_SIZE, "%.160s, ", t->set);
    add(out, FINDING_SUBTITLE_SIZE, "%s node%s, %s, %.40s", count,
        t->nodes == 1 ? "" : "s", shapes[t->topology], time_words(t->time));
    if (t->seeded)
        add(out, FINDING_SUBTITLE_SIZE, ", seed %" PRIu64, t->seed);
}

void finding_flag(const struct finding *f, char out[FINDING_FLAG_SIZE])
{
    out[0] = '\0';
    if (f->bad == NULL)
        return;
    if (f->leaders_then >= 2)
        add(out, FINDING_FLAG_SIZE, "%s leaders", count_word(f->leaders_then));
    else
        add(out, FINDING_FLAG_SIZE, "%.40s broken", f->bad->property);
    for (char *c = out; *c != '\0'; c++) {
        if (*c == '-')
            *c = ' ';
        else if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    }
}

static void add_subscript(char *out, uint64_t number)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRIu64, number);
    for (const char *d = digits; *d != '\0'; d++)
        add(out, FINDING_LABEL_SIZE, "\xe2\x82%c", 0x80 + (*d - '0'));
}

void finding_label(const struct trace *t, const struct trace_message *m,
                   bool ascii, char out[FINDING_LABEL_SIZE])
{
    const char *label = t->kinds[m->kind].label;

    out[0] = '\0';
    add(out, FINDING_LABEL_SIZE, "%.40s", label);
    if (m->fields == 1 && strlen(label) <= 3 && !ascii) {
        add_subscript(out, m->field[0]);
        return;
    }
    for (uint8_t i = 0; i < m->fields; i++)
        add(out, FINDING_LABEL_SIZE, "%c%" PRIu64, i == 0 ? '(' : ',',
            m->field[i]);
    if (m->fields > 0)
        add(out, FINDING_LABEL_SIZE, ")");
}

bool finding_wins(const struct finding *f, const struct trace *t,
                  const struct trace_message *m)
{
    return f->has_winner && m->fields > 0 && m->field[0] == f->winner &&
           trace_meaning(t, m) == TRACE_CLAIMS;
}

bool finding_is_ring(const struct trace *t)
{
    return t->topology == TRACE_RING || t->topology == TRACE_RING_BOTH;
}

void finding_rows(const struct trace *t, const struct trace_message *m,
                  uint32_t *from, uint32_t *to)
{
    uint32_t last = t->nodes - 1;

    *from = m->from;
    *to = m->to;
    if (!finding_is_ring(t))
        return;
    if (m->from == last && m->to == 0)
        *to = t->nodes;
    else if (m->from == 0 && m->to == last && t->nodes > 2)
        *from = t->nodes;
}
