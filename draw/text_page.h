/*
 * text_page.h - what the parts of the text diagram share: text.c takes in the
 * events of a tick, text_rows.c draws its rows.
 */
#ifndef DRAW_TEXT_PAGE_H
#define DRAW_TEXT_PAGE_H

#include <stdio.h>

#include "draw/finding.h"
#include "draw/text.h"

enum {
    SCREEN = 80,
    COLUMNS_MAX = TEXT_LANES_MAX + 1, /* the first lane comes again */
    TRACKS = 10,                      /* messages between two lanes */
    LABEL_MAX = 12,
    PITCH_MAX = 22,
    LINE_MAX = 512,
    REMARK_SIZE = 400,
    NARROW_LANES = 5, /* so many go into 80 columns, if labels are short */
};

/* ---- Signs --------------------------------------------------------------- */

enum sign {
    SIGN_ASLEEP,
    SIGN_LOST,
    SIGN_CANDIDATE,
    SIGN_RESTS,
    SIGN_LEADER,
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
    SIGNS,
};

/* ---- The page ------------------------------------------------------------ */

/* A message under way between two lanes. */
struct flight {
    uint32_t message;
    unsigned track;         /* characters from the sender's lane */
    int send_row, read_row; /* of this tick's rows, -1: none */
};

struct gap {
    struct flight flights[TRACKS];
    unsigned count;
    int reads, sends; /* of this tick */
};

struct page {
    FILE *file;
    const struct trace *t;
    struct finding found;
    bool ascii, again;
    unsigned columns, left, pitch, remarks_at;
    uint8_t role[TEXT_LANES_MAX];
    bool rests[TEXT_LANES_MAX];
    uint8_t turned[TEXT_LANES_MAX]; /* 1 + the role taken in this tick */
    struct gap gaps[COLUMNS_MAX];
    char remark[REMARK_SIZE];
    char deaths[REMARK_SIZE];
    unsigned deaths_count;
    unsigned signs; /* that occurred, for the key */
    uint32_t next;  /* event */
};

/* The gap a message goes through, and whether to the right; false if its
 * lanes are not neighbours. */
bool page_gap(const struct page *p, const struct trace_message *m,
              unsigned *gap, bool *rightwards);

/* text_rows.c: characters a text has, not bytes. */
unsigned page_characters(const char *text);

/* text_rows.c: title and names of the lanes; the rows of a tick, the last
 * without the row in which messages leave; the key and the command. */
void page_head(const struct page *p);
void page_tick(struct page *p, uint64_t tick, bool last);
void page_key(const struct page *p);

#endif
