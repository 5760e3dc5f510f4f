/*
 * finding.h - what a run shows, found in its trace and said in words.
 *
 * A picture states its finding in its title; the same words serve the text
 * diagram.
 */
#ifndef DRAW_FINDING_H
#define DRAW_FINDING_H

#include "draw/trace_read.h"

enum {
    FINDING_OFFENDERS_MAX = 8,
    FINDING_FLAG_SIZE = 80,
    FINDING_NODE_SIZE = 32,
    FINDING_TITLE_SIZE = 192,
    FINDING_SUBTITLE_SIZE = 400,
    FINDING_LABEL_SIZE = 128,
};

struct finding {
    uint32_t leader;  /* the lane that was elected last, or TRACE_NONE */
    uint64_t elected; /* when */
    bool has_winner;  /* claims of this name get home: */
    uint64_t winner;
    const struct trace_violation *bad; /* the first, or NULL */
    uint32_t leaders_then;             /* how many led when it happened */
    uint32_t offenders[FINDING_OFFENDERS_MAX]; /* lanes, in ring order */
    uint32_t offenders_count;
};

/* False if memory ran out. */
bool finding_make(struct finding *f, const struct trace *t);

/* A node in a sentence: its name, or "position 3" where it has none. */
void finding_node(const struct trace *t, uint32_t lane,
                  char out[FINDING_NODE_SIZE]);

/* "1 is elected at t = 24, over at t = 32 after 34 messages" */
void finding_title(const struct finding *f, const struct trace *t,
                   char out[FINDING_TITLE_SIZE]);

/* Protocol, parameters, size, time, seed. */
void finding_subtitle(const struct trace *t, char out[FINDING_SUBTITLE_SIZE]);

/* What went wrong, in two or three words and capitals: "TWO LEADERS". */
void finding_flag(const struct finding *f, char out[FINDING_FLAG_SIZE]);

/* A message as pictures call it: M with a small 1, or M(1) in ASCII. */
void finding_label(const struct trace *t, const struct trace_message *m,
                   bool ascii, char out[FINDING_LABEL_SIZE]);

/* Whether this message is a claim of the one who wins. */
bool finding_wins(const struct finding *f, const struct trace *t,
                  const struct trace_message *m);

/* Whether the last lane's messages go to the first: one way, or both. */
bool finding_is_ring(const struct trace *t);

/* The rows of a message's sender and receiver.  A ring has one row more than
 * lanes, the first lane again, so that every hop goes one row on or, where
 * messages go both ways, one row back. */
void finding_rows(const struct trace *t, const struct trace_message *m,
                  uint32_t *from, uint32_t *to);

/* A count with its digits in groups of three, by spaces that do not break. */
void finding_number(uint64_t number, char out[40]);

#endif
