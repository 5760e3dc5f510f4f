/*
 * text.c - the space-time diagram in characters; see text.h.
 *
 * Lanes are columns.  A tick has rows where messages come in, then rows where
 * they leave; usually one of each.  Between two lanes a message goes down in
 * a column of its own: the next one to leave takes a column nearer to its
 * sender, so that lines of a first-in-first-out link never cross.  Where no
 * column is left, or where lanes are not neighbours, words at the right say
 * what happens.
 */
#include "draw/text_page.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "draw/pen.h"

/* ---- The page ------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void
remark(struct page *p, const char *format, ...)
{
    size_t used = strlen(p->remark);
    va_list arguments;

    if (used > 0 && used + 2 < sizeof p->remark) {
        memcpy(p->remark + used, "; ", 3);
        used += 2;
    }
    va_start(arguments, format);
    vsnprintf(p->remark + used, sizeof p->remark - used, format, arguments);
    va_end(arguments);
    pen_trim(p->remark);
}

bool page_gap(const struct page *p, const struct trace_message *m,
              unsigned *gap, bool *rightwards)
{
    uint32_t from, to;

    finding_rows(p->t, m, &from, &to);
    *rightwards = to > from;
    *gap = from < to ? from : to;
    return to == from + 1 || from == to + 1;
}

/* ---- A tick comes in ----------------------------------------------------- */

static void leave(struct page *p, uint32_t id)
{
    const struct trace_message *m = &p->t->messages[id];
    char label[FINDING_LABEL_SIZE];
    unsigned gap, track, inner = p->pitch - 1;
    bool rightwards, neighbours = page_gap(p, m, &gap, &rightwards);
    struct gap *g = &p->gaps[neighbours ? gap : 0];

    finding_label(p->t, m, p->ascii, label);
    track = page_characters(label) + 5;
    track = track > inner - 2 ? inner - 2 : track;
    for (unsigned i = 0; neighbours && i < g->count; i++) {
        const struct flight *f = &g->flights[i];

        /* Those read in this tick have gone when this one leaves. */
        if (p->t->messages[f->message].read != m->sent && f->track < track + 2)
            track = f->track < 3 ? 0 : f->track - 2;
    }
    if (!neighbours || track == 0 || g->count == TRACKS) {
        remark(p, "%" PRIu32 " sends %s to %" PRIu32, trace_name(p->t, m->from),
               label, trace_name(p->t, m->to));
        return;
    }
    g->flights[g->count++] = (struct flight){
        .message = id,
        .track = track,
        .send_row = g->sends++,
        .read_row = -1,
    };
}

static void die(struct page *p, const char *label)
{
    size_t used = strlen(p->deaths);

    snprintf(p->deaths + used, sizeof p->deaths - used, "%s%s",
             p->deaths_count > 0 ? ", " : "", label);
    pen_trim(p->deaths);
    p->deaths_count++;
}

static void take_in(struct page *p, uint32_t id)
{
    const struct trace_message *m = &p->t->messages[id];
    char label[FINDING_LABEL_SIZE];
    bool rightwards, drawn = false;
    unsigned gap;

    finding_label(p->t, m, p->ascii, label);
    if (page_gap(p, m, &gap, &rightwards)) {
        struct gap *g = &p->gaps[gap];

        for (unsigned i = 0; i < g->count; i++) {
            if (g->flights[i].message != id)
                continue;
            /* Read in the tick of its sending: one straight line. */
            g->flights[i].read_row =
                m->sent == m->read ? g->flights[i].send_row : g->reads++;
            drawn = true;
        }
    }
    if (!drawn)
        remark(p, "%" PRIu32 " reads %s", trace_name(p->t, m->to), label);
    if ((m->flags & TRACE_DIES) != 0)
        die(p, label);
    if ((m->flags & TRACE_SILENT) != 0)
        remark(p, "%" PRIu32 " is silent", trace_name(p->t, m->to));
}

static void turn(struct page *p, const struct trace_event *e)
{
    p->role[e->lane] = e->role;
    p->rests[e->lane] = e->rests;
    p->turned[e->lane] = (uint8_t)(1 + e->role);
    if (e->role == TRACE_LEADER)
        remark(p, "%" PRIu32 " is elected", trace_name(p->t, e->lane));
}

/* Forgets what was read, and the remarks of the last tick. */
static void begin_tick(struct page *p)
{
    for (unsigned gap = 0; gap + 1 < p->columns; gap++) {
        struct gap *g = &p->gaps[gap];
        unsigned kept = 0;

        for (unsigned i = 0; i < g->count; i++) {
            if (g->flights[i].read_row >= 0)
                continue;
            g->flights[kept] = g->flights[i];
            g->flights[kept++].send_row = -1;
        }
        g->count = kept;
        g->reads = g->sends = 0;
    }
    memset(p->turned, 0, sizeof p->turned);
    p->remark[0] = p->deaths[0] = '\0';
    p->deaths_count = 0;
}

static void violations(struct page *p, uint64_t tick)
{
    char flag[FINDING_FLAG_SIZE];

    for (uint32_t i = 0; i < p->t->violations_count; i++) {
        const struct trace_violation *v = &p->t->violations[i];

        if (v->tick != tick)
            continue;
        p->signs |= 1u << SIGN_BAD;
        finding_flag(&p->found, flag);
        remark(p, "%s %s", p->ascii ? "X" : "\u2717",
               v == p->found.bad ? flag : v->property);
    }
}

static void take_tick(struct page *p, uint64_t tick)
{
    const struct trace *t = p->t;

    begin_tick(p);
    for (; p->next < t->events_count && t->events[p->next].tick == tick;
         p->next++) {
        const struct trace_event *e = &t->events[p->next];

        if (e->what == TRACE_READ)
            take_in(p, e->message);
        for (uint32_t i = 0; i < e->sends; i++)
            leave(p, e->sent + i);
        if (e->turns)
            turn(p, e);
    }
    if (p->deaths_count > 0)
        remark(p, "%s %s", p->deaths, p->deaths_count == 1 ? "dies" : "die");
    violations(p, tick);
}

/* ---- Size ---------------------------------------------------------------- */

/* Wide enough for the labels, narrow enough for the screen if it can be. */
static unsigned choose_pitch(const struct page *p)
{
    unsigned label = 3, gaps = p->columns > 1 ? p->columns - 1 : 1;
    unsigned room = (SCREEN - 20 - p->left) / gaps;
    char text[FINDING_LABEL_SIZE];

    for (uint32_t i = 0; i < p->t->messages_count; i++) {
        unsigned size;

        finding_label(p->t, &p->t->messages[i], p->ascii, text);
        size = page_characters(text);
        label = size > label ? size : label;
    }
    label = label > LABEL_MAX ? LABEL_MAX : label;
    if (room < label + 3)
        return label + (p->t->nodes <= NARROW_LANES ? 3 : 4);
    return room > label + 10 ? label + 10 : room;
}

/* 0, or -1 with a sentence. */
static int check_size(const struct trace *t, uint64_t from, uint64_t to,
                      char *error, size_t error_size)
{
    if (t->nodes > TEXT_LANES_MAX)
        snprintf(error, error_size,
                 "%" PRIu32 " lanes are too many for characters, %d fit; "
                 "leave out --text to get an SVG",
                 t->nodes, TEXT_LANES_MAX);
    else if (from > to)
        snprintf(error, error_size,
                 "there is nothing to draw from tick %" PRIu64 " on, the run "
                 "ends at %" PRIu64 "; choose --from and --to inside it",
                 from, t->end_tick);
    else if (to - from >= TEXT_TICKS_MAX)
        snprintf(error, error_size,
                 "%" PRIu64 " ticks are too many for characters, %d fit; "
                 "choose some with --from and --to, or leave out --text",
                 to - from + 1, TEXT_TICKS_MAX);
    else
        return 0;
    return -1;
}

static void set_up(struct page *p)
{
    const struct trace *t = p->t;
    char widest[24];
    unsigned digits =
        (unsigned)snprintf(widest, sizeof widest, "%" PRIu64, t->end_tick);

    p->again = finding_is_ring(t);
    p->columns = t->nodes + (p->again ? 1 : 0);
    p->left = (digits < 3 ? 3 : digits) + 3;
    p->pitch = choose_pitch(p);
    p->remarks_at = p->left + (p->columns - 1) * p->pitch + 3;
    assert(p->pitch <= PITCH_MAX);
    assert(p->remarks_at + SCREEN < LINE_MAX);
}

int text_draw(FILE *file, const struct trace *t, uint64_t from, uint64_t to,
              bool ascii, char *error, size_t error_size)
{
    uint64_t first = t->events_count > 0 ? t->events[0].tick : 0;
    struct page *p;

    from = from > first ? from : first;
    to = to < t->end_tick ? to : t->end_tick;
    if (check_size(t, from, to, error, error_size) < 0)
        return -1;
    p = calloc(1, sizeof *p);
    if (p == NULL || !finding_make(&p->found, t)) {
        free(p);
        snprintf(error, error_size, "not enough memory to draw");
        return -1;
    }
    p->file = file;
    p->t = t;
    p->ascii = ascii;
    set_up(p);
    while (p->next < t->events_count && t->events[p->next].tick < from)
        take_tick(p, t->events[p->next].tick);
    page_head(p);
    for (uint64_t tick = from; tick <= to; tick++) {
        take_tick(p, tick);
        page_tick(p, tick, tick == to);
    }
    page_key(p);
    free(p);
    return 0;
}
