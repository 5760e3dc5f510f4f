/*
 * text_page.h - what the parts of the text diagram share: text.c takes in the
 * events of a tick and finds a way for each message, text_rows.c draws them.
 */
#ifndef DRAW_TEXT_PAGE_H
#define DRAW_TEXT_PAGE_H

#include <stdio.h>

#include "draw/finding.h"
#include "draw/text/text.h"

enum {
    SCREEN = 80,
    SCREEN_MAX = 240,
    COLUMNS_MAX = TEXT_LANES_MAX + 1, /* the first lane comes again */
    FLIGHTS = 90,                     /* messages under way */
    LABEL_MAX = 12,
    LAST_TURNS = 7, /* room for words beside the last lane */
    PITCH_MAX = 22,
    LINE_MAX = 512,
    REMARK_SIZE = 800,
    REMARKS_WIDTH = 25, /* beside the lanes */
    REMARKS_LEAST = 11, /* beside few */
    NARROW_LANES = 5,   /* that go into 80 columns, if labels are short */
    PITCH_MIN = 7,
};

/* ---- Signs --------------------------------------------------------------- */

enum sign {
    SIGN_ASLEEP,
    SIGN_LOST,
    SIGN_CANDIDATE,
    SIGN_RESTS,
    SIGN_LEADER, /* or inside */
    SIGN_BESIDE,
    SIGN_LINE,
    SIGN_DASH,
    SIGN_DOWN,
    SIGN_LEAVES_RIGHT,
    SIGN_LEAVES_LEFT,
    SIGN_COMES_RIGHT,
    SIGN_COMES_LEFT,
    SIGN_HEAD_RIGHT,
    SIGN_HEAD_LEFT,
    SIGN_DIES,
    SIGN_SILENT,
    SIGN_BAD,
    SIGN_CROSSING,
    SIGN_STRAY,
    SIGN_CRASH,
    SIGN_PAUSE,
    SIGN_COPY,
    SIGN_DIES_LEFT,
    SIGN_NONE,
    SIGNS,
};

/* ---- The page ------------------------------------------------------------ */

/* A message under way.  It leaves its lane along a row, goes down in a column
 * of its own, and comes to its lane along another row. */
struct flight {
    uint32_t message;
    unsigned from, to;      /* characters: of its lanes */
    unsigned down;          /* of its column */
    int send_row, read_row; /* of this tick's rows, -1: none */
    bool comes;             /* in this tick */
};

/* Characters of a row, both ends included. */
struct part {
    unsigned low, high;
};

/* What became of a lane in this tick; roles first. */
enum turn {
    TURN_LEAVE = TRACE_ROLES_ALL,
    TURN_CRASH,
    TURN_RESTART,
    TURN_PAUSE,
    TURN_CUT,
    TURN_JOINED,
    TURNS,
};

struct page {
    FILE *file;
    const struct trace *t;
    struct finding found;
    bool ascii, frames, again, last_turns;
    bool below; /* remarks have lines of their own */
    unsigned screen, columns, left, pitch, remarks_at;
    uint8_t role[TEXT_LANES_MAX];
    bool rests[TEXT_LANES_MAX];
    uint8_t turned[TEXT_LANES_MAX]; /* 1 + enum turn, or a role; 0: did not */
    bool down[TEXT_LANES_MAX];
    bool crashed[TEXT_LANES_MAX];    /* in this tick */
    uint64_t paused[TEXT_LANES_MAX]; /* up to this tick */
    struct flight flights[FLIGHTS];
    unsigned flights_count;
    char remark[REMARK_SIZE];
    char deaths[REMARK_SIZE];  /* messages that die */
    char readers[REMARK_SIZE]; /* nodes that want to read */
    unsigned deaths_count, readers_count;
    unsigned signs; /* that occurred, for the key */
    unsigned roles; /* that occurred: bits of 1 << enum trace_role */
    bool rested;    /* something did */
    uint32_t next;  /* event */
    uint32_t next_choice, next_fact;
    uint64_t token; /* of the present event, or 0 */
};

/* Whether a message goes to the right. */
static inline bool flight_rightwards(const struct flight *f)
{
    return f->to > f->from;
}

/* The message is a line along one row. */
static inline bool flight_straight(const struct flight *f)
{
    return f->send_row >= 0 && f->comes;
}

/* The characters of a flight's rows between its lanes: from its lane to where
 * it goes down, and from there on. */
struct part flight_leaves(const struct flight *f);
struct part flight_comes(const struct flight *f);

/* A message as the page calls it; a copy has a stroke behind it. */
void page_label(const struct page *p, const struct trace_message *m,
                char out[FINDING_LABEL_SIZE]);

/* The character of a lane. */
static inline unsigned page_lane(const struct page *p, unsigned column)
{
    return p->left + column * p->pitch;
}

/* text_rows.c: characters a text has, not bytes. */
unsigned page_characters(const char *text);

/* text_rows.c: title and names of the lanes; the rows of a tick, the last
 * without the row in which messages leave; the key and the command. */
void page_head(const struct page *p);
void page_tick(struct page *p, uint64_t tick, bool last);
void page_key(const struct page *p);

#endif
