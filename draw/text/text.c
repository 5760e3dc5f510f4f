/*
 * text.c - the space-time diagram in characters; see text.h.
 *
 * A message goes down in a column of its own between two lanes: beside its
 * sender, or, if it is one of many, beside its receiver.  The next one to leave
 * takes a column nearer to its sender, so that lines of a first-in-first-out
 * link never cross; others may, and may pass the lanes between theirs.  What
 * shares a row does not touch.
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

void page_label(const struct page *p, const struct trace_message *m,
                char out[FINDING_LABEL_SIZE])
{
    finding_label(p->t, m, p->ascii, out);
    if ((m->flags & TRACE_COPY) != 0)
        pen_add(out, FINDING_LABEL_SIZE, "%s", p->ascii ? "\'" : "\u2032");
}

/* ---- Rows ---------------------------------------------------------------- */

struct part flight_leaves(const struct flight *f)
{
    bool straight = flight_straight(f);

    if (flight_rightwards(f))
        return (struct part){f->from + 1, straight ? f->to - 1 : f->down};
    return (struct part){straight ? f->to + 1 : f->down, f->from - 1};
}

struct part flight_comes(const struct flight *f)
{
    if (flight_rightwards(f))
        return (struct part){f->down, f->to - 1};
    return (struct part){f->to + 1, f->down};
}

/* Whether another message lies there in this row. */
static bool row_taken(const struct page *p, const struct flight *own, int row,
                      bool sends)
{
    struct part own_part = sends ? flight_leaves(own) : flight_comes(own);

    for (unsigned i = 0; i < p->flights_count; i++) {
        const struct flight *f = &p->flights[i];
        struct part part;

        if (f == own || (sends ? f->send_row : f->read_row) != row ||
            (!sends && flight_straight(f)))
            continue;
        part = sends ? flight_leaves(f) : flight_comes(f);
        if (own_part.low <= part.high && part.low <= own_part.high)
            return true;
    }
    return false;
}

/* ---- Columns ------------------------------------------------------------- */

/* A place between two lanes: characters from the lane that is nearer to the
 * sender. */
struct strip {
    unsigned near;
    bool rightwards;
};

static unsigned place(struct strip s, unsigned track)
{
    return s.rightwards ? s.near + 1 + track : s.near - 1 - track;
}

/* Where a flight goes down in the strip; -1 if it does not. */
static int track_of(const struct page *p, struct strip s,
                    const struct flight *f)
{
    int track = s.rightwards ? (int)f->down - (int)s.near - 1
                             : (int)s.near - 1 - (int)f->down;

    return track < (int)p->pitch - 1 ? track : -1;
}

/* The track for a message that wishes one; 0 if none is free. */
static unsigned free_track(const struct page *p, struct strip s,
                           unsigned wished, uint64_t tick)
{
    int track = (int)wished;
    bool again = true;

    while (again) {
        again = false;
        for (unsigned i = 0; i < p->flights_count; i++) {
            const struct flight *f = &p->flights[i];
            int other = track_of(p, s, f);
            bool same = flight_rightwards(f) == s.rightwards;

            /* Those that come in this tick have gone when this one leaves. */
            if (other < 0 || trace_message_at(p->t, f->message).read == tick ||
                other >= track + 2 || (!same && other <= track - 2))
                continue;
            track = same ? other - 2 : track - 1;
            again = track > 0;
        }
    }
    return track > 0 ? (unsigned)track : 0;
}

/* Chooses where the message goes down: beside its sender or, if `late`, its
 * receiver; beside the other if there is no room. */
static bool choose_column(const struct page *p, struct flight *f, bool late)
{
    const struct trace_message one = trace_message_at(p->t, f->message),
                               *m = &one;
    char label[FINDING_LABEL_SIZE];
    unsigned wished, most = p->pitch - 3;
    bool rightwards = flight_rightwards(f);
    struct strip s[2] = {
        {f->from, rightwards},
        {rightwards ? f->to - p->pitch : f->to + p->pitch, rightwards},
    };

    page_label(p, m, label);
    wished = page_characters(label) + 5;
    wished = wished > most ? most : wished;
    for (unsigned i = 0; i < 2; i++) {
        struct strip chosen = s[late ? 1 - i : i];
        unsigned track = free_track(p, chosen, wished, m->sent);

        f->down = place(chosen, track);
        if (track > 0)
            return true;
    }
    return false;
}

/* ---- Messages ------------------------------------------------------------ */

/* Forgets what has come. */
static void flights_begin_tick(struct page *p)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < p->flights_count; i++) {
        struct flight f = p->flights[i];

        if (f.comes || (p->t->message.flags[f.message] & TRACE_STRAY) != 0)
            continue;
        f.send_row = -1;
        p->flights[kept++] = f;
    }
    p->flights_count = kept;
}

/* A message is sent, one of many perhaps; false if there is no way for it. */
static bool flights_leave(struct page *p, uint32_t id, bool many)
{
    const struct trace_message one = trace_message_at(p->t, id), *m = &one;
    struct flight *f = &p->flights[p->flights_count];
    bool stray = (m->flags & TRACE_STRAY) != 0;
    uint32_t from, to;

    finding_rows(p->t, m, &from, &to);
    if (from == to || p->flights_count == FLIGHTS)
        return false;
    *f = (struct flight){
        .message = id,
        .from = page_lane(p, from),
        .to = page_lane(p, to),
        .send_row = 0,
        .read_row = -1,
        /* In the tick of its sending: one straight line. */
        .comes = m->read == m->sent,
    };
    if (!choose_column(p, f, many && !stray) && !f->comes)
        return false;
    while (row_taken(p, f, f->send_row, true))
        f->send_row++;
    p->flights_count++;
    return true;
}

/* It comes to its lane; false: it is not drawn. */
static bool flights_come(struct page *p, uint32_t id)
{
    for (unsigned i = 0; i < p->flights_count; i++) {
        struct flight *f = &p->flights[i];

        if (f->message != id)
            continue;
        f->comes = true;
        if (flight_straight(f))
            return true;
        f->read_row = 0;
        while (row_taken(p, f, f->read_row, false))
            f->read_row++;
        return true;
    }
    return false;
}

/* ---- A tick comes in ----------------------------------------------------- */

static bool is_hidden(const struct page *p, const struct trace_message *m)
{
    return !p->frames && trace_meaning(p->t, m) == TRACE_FRAME;
}

static void leave(struct page *p, const struct trace_event *e, uint32_t id)
{
    const struct trace_message one = trace_message_at(p->t, id), *m = &one;
    char label[FINDING_LABEL_SIZE];

    if (is_hidden(p, m))
        return;
    page_label(p, m, label);
    if ((m->flags & TRACE_COPY) != 0)
        p->signs |= 1u << SIGN_COPY;
    if (!flights_leave(p, id, e->sends > 1))
        remark(p, "%" PRIu32 " sends %s to %" PRIu32 "%s",
               trace_name(&p->t->head, m->from), label,
               trace_name(&p->t->head, m->to),
               (m->flags & TRACE_STRAY) != 0 ? ", lost" : "");
}

static void want_shared(struct page *p, uint32_t lane)
{
    add_to(p->readers, ", ");
    pen_add(p->readers, REMARK_SIZE, "%" PRIu32, trace_name(&p->t->head, lane));
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
    const struct trace_message one = trace_message_at(p->t, id), *m = &one;
    uint64_t due = trace_late_from(p->t, m);
    char label[FINDING_LABEL_SIZE];

    if (is_hidden(p, m))
        return;
    page_label(p, m, label);
    if (!flights_come(p, id))
        remark(p, "%" PRIu32 " %s %s", trace_name(&p->t->head, m->to),
               (m->flags & TRACE_MISSED) != 0 ? "misses" : "reads", label);
    if (due != TRACE_NEVER)
        remark(p, "%s is late by %" PRIu64, label, m->arrives - due);
    if ((m->flags & TRACE_DIES) != 0)
        die(p, label);
    if ((m->flags & TRACE_SILENT) != 0)
        remark(p, "%" PRIu32 " is silent", trace_name(&p->t->head, m->to));
}

/* Power has a remark too: beside the lane there may be no room for it. */
static void gains_power(struct page *p, const struct trace_event *e,
                        enum look look)
{
    const char *turn = roles_of(p->t, e->role).turn;
    char name[FINDING_NODE_SIZE];

    finding_node(p->t, e->lane, name);
    if (look == LOOK_LEADER)
        remark(p, "%s is elected", name);
    else if (look_is_inside(look) && p->token != 0)
        remark(p, "%s %s, token %" PRIu64, name, turn, p->token);
    else if (look_is_inside(look))
        remark(p, "%s %s", name, turn);
}

static void turn(struct page *p, const struct trace_event *e)
{
    enum look before = roles_of(p->t, (enum trace_role)p->role[e->lane]).look;
    enum look after = roles_of(p->t, e->role).look;
    bool leaves = look_is_inside(before) && !look_is_inside(after);

    p->role[e->lane] = (uint8_t)e->role;
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
    remark(p, "%" PRIu32 " %s", trace_name(&p->t->head, lane), words);
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
        p->role[lane] = (uint8_t)p->t->head.first_role;
        p->rests[lane] = false;
    }
    fall(p, lane, TURN_RESTART, blank ? "restarts, blank" : "restarts");
}

static void happen(struct page *p, const struct trace_event *e)
{
    switch (e->what) {
    case TRACE_READ:
    case TRACE_MISSES:
        take_in(p, e->message);
        break;
    case TRACE_CRASH:
        crash(p, e->lane);
        break;
    case TRACE_RESTART:
        restart(p, e->lane, e->blank);
        break;
    case TRACE_PAUSE:
        p->paused[e->lane] = trace_fault_at(p->t, e->row)->to;
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
    case TRACE_ASKED:
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
               trace_name(&t->head, lane), t->choices[p->next_choice].value,
               t->choices[p->next_choice].range);
}

/* The token under which the node enters, if it says so. */
static void tokens(struct page *p)
{
    const struct trace *t = p->t;

    for (p->token = 0; p->next_fact < t->facts_count &&
                       t->facts[p->next_fact].event == p->next;
         p->next_fact++)
        if (t->facts[p->next_fact].fact == TRACE_HAS_TOKEN)
            p->token = t->facts[p->next_fact].number;
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
               v == p->found.bad ? flag : trace_violated(p->t, v));
    }
}

static void take_tick(struct page *p, uint64_t tick)
{
    const struct trace *t = p->t;

    begin_tick(p);
    for (; p->next < t->events_count && t->event.tick[p->next] == tick;
         p->next++) {
        const struct trace_event one = trace_event_at(t, p->next), *e = &one;

        happen(p, e);
        for (uint32_t i = 0; i < e->sends; i++)
            leave(p, e, e->sent + i);
        choices(p, e->lane);
        tokens(p);
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

/* Characters of the longest label, but no more than LABEL_MAX. */
static unsigned longest_label(const struct page *p)
{
    unsigned longest = 3;
    char text[FINDING_LABEL_SIZE];

    for (uint32_t i = 0; i < p->t->messages_count; i++) {
        const struct trace_message m = trace_message_at(p->t, i);
        unsigned size;

        if (is_hidden(p, &m))
            continue;
        page_label(p, &m, text);
        size = page_characters(text);
        longest = size > longest ? size : longest;
    }
    return longest > LABEL_MAX ? LABEL_MAX : longest;
}

/* Wide enough for the labels and narrow enough for the screen, with remarks
 * beside the lanes.  If that cannot be, remarks go below, and labels that do
 * not fit are left out. */
static void choose_pitch(struct page *p)
{
    bool few = p->t->head.nodes <= NARROW_LANES;
    unsigned gaps = p->columns > 1 ? p->columns - 1 : 1;
    unsigned label = longest_label(p), tight = label + (few ? 3 : 4);
    unsigned lanes = p->screen - p->left - (p->last_turns ? LAST_TURNS : 1);
    unsigned remarks = few ? 20 : REMARKS_WIDTH;
    unsigned room = (lanes + !p->last_turns - remarks) / gaps;

    if (room >= label + 3) {
        p->pitch = room > label + 10 ? label + 10 : room;
        return;
    }
    p->below = lanes < gaps * tight + (few ? REMARKS_LEAST : REMARKS_WIDTH);
    p->pitch = tight;
    if (p->below && tight > lanes / gaps)
        p->pitch = lanes / gaps < PITCH_MIN ? PITCH_MIN : lanes / gaps;
}

static bool fits(const struct trace *t, uint64_t from, uint64_t to,
                 struct net_why *why)
{
    if (t->head.nodes > TEXT_LANES_MAX)
        return net_refuse(why,
                          "%" PRIu32 " lanes are too many for characters, %d "
                          "fit; leave out --text to get an SVG",
                          t->head.nodes, TEXT_LANES_MAX);
    if (from > to)
        return finding_nothing(t, from, why);
    if (to - from >= TEXT_TICKS_MAX)
        return net_refuse(why,
                          "%" PRIu64 " ticks are too many for characters, %d "
                          "fit; choose some with --from and --to, or leave "
                          "out --text",
                          to - from + 1, TEXT_TICKS_MAX);
    return true;
}

static void set_up(struct page *p)
{
    const struct trace *t = p->t;
    char widest[24];
    unsigned digits =
        (unsigned)snprintf(widest, sizeof widest, "%" PRIu64, t->end_tick);

    p->again = finding_is_ring(t);
    p->columns = t->head.nodes + (p->again ? 1 : 0);
    p->left = (digits < 3 ? 3 : digits) + 3;
    /* A lane that is the last and no repetition has words of its own. */
    p->last_turns = !p->again && problem_of(t)->finds != FINDS_LEADER;
    choose_pitch(p);
    p->remarks_at = p->left + (p->columns - 1) * p->pitch + 3;
    p->remarks_at += p->last_turns ? LAST_TURNS : 0;
    assert(p->pitch <= PITCH_MAX);
    assert(p->remarks_at + p->screen < LINE_MAX);
}

bool text_draw(FILE *file, const struct trace *t,
               const struct text_options *options, struct net_why *why)
{
    uint64_t first = t->events_count > 0 ? t->event.tick[0] : 0;
    uint64_t from = options->from > first ? options->from : first;
    uint64_t to = options->to < t->end_tick ? options->to : t->end_tick;
    struct page *p;

    if (!fits(t, from, to, why))
        return false;
    p = calloc(1, sizeof *p);
    if (p == NULL || !finding_make(&p->found, t)) {
        free(p);
        return net_no_memory(why, "the diagram");
    }
    p->file = file;
    p->t = t;
    p->ascii = options->ascii;
    p->frames = options->frames;
    p->screen = options->columns < SCREEN       ? SCREEN
                : options->columns > SCREEN_MAX ? SCREEN_MAX
                                                : options->columns;
    set_up(p);
    memset(p->role, (int)t->head.first_role, sizeof p->role);
    while (p->next < t->events_count && t->event.tick[p->next] < from)
        take_tick(p, t->event.tick[p->next]);
    page_head(p);
    for (uint64_t tick = from; tick <= to; tick++) {
        take_tick(p, tick);
        page_tick(p, tick, tick == to);
    }
    page_key(p);
    free(p);
    return true;
}
