/*
 * text_flights.c - finds a way for each message of the text diagram.
 *
 * A message goes down in a column of its own between two lanes: beside its
 * sender, or, if it is one of many, beside its receiver.  The next one to
 * leave takes a column nearer to its sender, so that lines of a
 * first-in-first-out link never cross; others may, and may pass the lanes
 * between theirs.  What shares a row does not touch.
 */

#include "draw/svg/pen.h"
#include "draw/text/text_page.h"

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
            if (other < 0 || p->t->messages[f->message].read == tick ||
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
    const struct trace_message *m = &p->t->messages[f->message];
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

void flights_begin_tick(struct page *p)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < p->flights_count; i++) {
        struct flight f = p->flights[i];

        if (f.comes || (p->t->messages[f.message].flags & TRACE_STRAY) != 0)
            continue;
        f.send_row = -1;
        p->flights[kept++] = f;
    }
    p->flights_count = kept;
}

bool flights_leave(struct page *p, uint32_t id, bool many)
{
    const struct trace_message *m = &p->t->messages[id];
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

bool flights_come(struct page *p, uint32_t id)
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
