/*
 * text.c - the space-time diagram in characters; see text.h.
 *
 * Lanes are columns.  A tick has rows where messages come in, then rows where
 * they leave; usually one of each.  Where there is no way for a message, words
 * at the right say what happens.
 */
#include "draw/text/text_page.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/svg/pen.h"

/* ---- The page ------------------------------------------------------------ */

#define remark(p, ...)                                                         \
    (add_to((p)->remark, "; "), pen_add((p)->remark, REMARK_SIZE, __VA_ARGS__))

/* What stands between a remark and the next. */
static void add_to(char text[REMARK_SIZE], const char *separator)
{
    if (text[0] != '\0')
        pen_add(text, REMARK_SIZE, "%s", separator);
}

/* ---- A tick comes in ----------------------------------------------------- */

static bool is_hidden(const struct page *p, const struct trace_message *m)
{
    return !p->frames && trace_meaning(p->t, m) == TRACE_FRAME;
}

static void leave(struct page *p, const struct trace_event *e, uint32_t id)
{
    const struct trace_message *m = &p->t->messages[id];
    char label[FINDING_LABEL_SIZE];

    if (is_hidden(p, m))
        return;
    page_label(p, m, label);
    if ((m->flags & TRACE_COPY) != 0)
        p->signs |= 1u << SIGN_COPY;
    if (!flights_leave(p, id, e->sends > 1))
        remark(p, "%" PRIu32 " sends %s to %" PRIu32 "%s",
               trace_name(p->t, m->from), label, trace_name(p->t, m->to),
               (m->flags & TRACE_STRAY) != 0 ? ", lost" : "");
}

static void want_shared(struct page *p, uint32_t lane)
{
    add_to(p->readers, ", ");
    pen_add(p->readers, REMARK_SIZE, "%" PRIu32, trace_name(p->t, lane));
    p->readers_count++;
}

static void die(struct page *p, const char *label)
{
    add_to(p->deaths, ", ");
    pen_add(p->deaths, REMARK_SIZE, "%s", label);
    p->deaths_count++;
}

/* A message is read, or missed by a node that is down. */
static void take_in(struct page *p, uint32_t id)
{
    const struct trace_message *m = &p->t->messages[id];
    uint64_t due = trace_late_from(p->t, m);
    char label[FINDING_LABEL_SIZE];

    if (is_hidden(p, m))
        return;
    page_label(p, m, label);
    if (!flights_come(p, id))
        remark(p, "%" PRIu32 " %s %s", trace_name(p->t, m->to),
               (m->flags & TRACE_MISSED) != 0 ? "misses" : "reads", label);
    if (due != TRACE_NEVER)
        remark(p, "%s is late by %" PRIu64, label, m->arrives - due);
    if ((m->flags & TRACE_DIES) != 0)
        die(p, label);
    if ((m->flags & TRACE_SILENT) != 0)
        remark(p, "%" PRIu32 " is silent", trace_name(p->t, m->to));
}

/* Power has a remark too: beside the lane there may be no room for it. */
static void gains_power(struct page *p, const struct trace_event *e,
                        enum look look)
{
    const char *turn = roles_of((enum trace_role)e->role)->turn;
    char name[FINDING_NODE_SIZE];

    finding_node(p->t, e->lane, name);
    if (look == LOOK_LEADER)
        remark(p, "%s is elected", name);
    else if (look_is_inside(look) && e->token != 0)
        remark(p, "%s %s, token %" PRIu64, name, turn, e->token);
    else if (look_is_inside(look))
        remark(p, "%s %s", name, turn);
}

static void turn(struct page *p, const struct trace_event *e)
{
    enum look before = roles_of((enum trace_role)p->role[e->lane])->look;
    enum look after = roles_of((enum trace_role)e->role)->look;
    bool leaves = look_is_inside(before) && !look_is_inside(after);

    p->role[e->lane] = e->role;
    p->rests[e->lane] = e->rests;
    if (p->down[e->lane])
        return;
    p->turned[e->lane] =
        (uint8_t)(1 + (leaves ? (unsigned)TURN_LEAVE : e->role));
    gains_power(p, e, after);
}

/* Forgets what has come, and the remarks of the last tick. */
static void begin_tick(struct page *p)
{
    flights_begin_tick(p);
    memset(p->turned, 0, sizeof p->turned);
    memset(p->crashed, 0, sizeof p->crashed);
    p->remark[0] = p->deaths[0] = p->readers[0] = '\0';
    p->deaths_count = p->readers_count = 0;
}

/* ---- What goes wrong ----------------------------------------------------- */

static void fall(struct page *p, uint32_t lane, enum turn how,
                 const char *words)
{
    p->turned[lane] = (uint8_t)(1 + how);
    remark(p, "%" PRIu32 " %s", trace_name(p->t, lane), words);
}

static void crash(struct page *p, uint32_t lane)
{
    p->down[lane] = p->crashed[lane] = true;
    p->paused[lane] = 0;
    fall(p, lane, TURN_CRASH, "crashes");
}

static void restart(struct page *p, uint32_t lane, bool blank)
{
    p->down[lane] = false;
    if (blank) {
        p->role[lane] = (uint8_t)p->t->first_role;
        p->rests[lane] = false;
    }
    fall(p, lane, TURN_RESTART, blank ? "restarts, blank" : "restarts");
}

static void happen(struct page *p, const struct trace_event *e)
{
    switch ((enum trace_what)e->what) {
    case TRACE_READ:
    case TRACE_MISSES:
        take_in(p, e->message);
        break;
    case TRACE_CRASH:
        crash(p, e->lane);
        break;
    case TRACE_RESTART:
        restart(p, e->lane, p->t->faults[e->fault].blank);
        break;
    case TRACE_PAUSE:
        p->paused[e->lane] = p->t->faults[e->fault].to;
        fall(p, e->lane, TURN_PAUSE, "pauses");
        break;
    case TRACE_CUT:
        fall(p, e->lane, TURN_CUT, "is cut off");
        break;
    case TRACE_JOINED:
        fall(p, e->lane, TURN_JOINED, "is joined again");
        break;
    case TRACE_WANT_SHARED:
        want_shared(p, e->lane);
        break;
    case TRACE_WAKE:
    case TRACE_WANT:
    case TRACE_LEAVE:
    case TRACE_STOPPED:
    case TRACE_TIMEOUT:
        break;
    }
}

static void choices(struct page *p, uint32_t lane)
{
    const struct trace *t = p->t;

    for (; p->next_choice < t->choices_count &&
           t->choices[p->next_choice].event == p->next;
         p->next_choice++)
        remark(p, "%" PRIu32 " chooses %" PRIu32 " of %" PRIu32,
               trace_name(t, lane), t->choices[p->next_choice].value,
               t->choices[p->next_choice].range);
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

        happen(p, e);
        for (uint32_t i = 0; i < e->sends; i++)
            leave(p, e, e->sent + i);
        choices(p, e->lane);
        if (e->turns)
            turn(p, e);
    }
    if (p->readers_count > 0)
        remark(p, "%s want%s to read", p->readers,
               p->readers_count == 1 ? "s" : "");
    if (p->deaths_count > 0)
        remark(p, "%s %s", p->deaths, p->deaths_count == 1 ? "dies" : "die");
    violations(p, tick);
}

/* ---- Size ---------------------------------------------------------------- */

/* Wide enough for the labels, narrow enough for the screen if it can be. */
static unsigned choose_pitch(const struct page *p)
{
    unsigned label = 3, gaps = p->columns > 1 ? p->columns - 1 : 1;
    unsigned room =
        (SCREEN - 20 - p->left - (p->last_turns ? LAST_TURNS : 0)) / gaps;
    char text[FINDING_LABEL_SIZE];

    for (uint32_t i = 0; i < p->t->messages_count; i++) {
        unsigned size;

        if (is_hidden(p, &p->t->messages[i]))
            continue;
        page_label(p, &p->t->messages[i], text);
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
    /* A lane that is the last and no repetition has words of its own. */
    p->last_turns = !p->again && problem_of(t)->finds != FINDS_LEADER;
    p->pitch = choose_pitch(p);
    p->remarks_at = p->left + (p->columns - 1) * p->pitch + 3;
    p->remarks_at += p->last_turns ? LAST_TURNS : 0;
    assert(p->pitch <= PITCH_MAX);
    assert(p->remarks_at + SCREEN < LINE_MAX);
}

int text_draw(FILE *file, const struct trace *t,
              const struct text_options *options, char *error,
              size_t error_size)
{
    uint64_t first = t->events_count > 0 ? t->events[0].tick : 0;
    uint64_t from = options->from > first ? options->from : first;
    uint64_t to = options->to < t->end_tick ? options->to : t->end_tick;
    struct page *p;

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
    p->ascii = options->ascii;
    p->frames = options->frames;
    set_up(p);
    memset(p->role, (int)t->first_role, sizeof p->role);
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
