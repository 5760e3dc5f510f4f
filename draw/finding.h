/*
 * finding.h - what a run shows, found in its trace and said in words.
 *
 * A picture states its finding in its title; the same words serve the text
 * diagram.  finding.c looks through the trace, finding_words.c speaks.
 */
#ifndef DRAW_FINDING_H
#define DRAW_FINDING_H

#include "draw/roles.h"
#include "net/why.h"
#include "trace/rows.h"

enum {
    FINDING_OFFENDERS_MAX = 8,
    FINDING_OVERLAPS_MAX = 256,
    FINDING_FLAG_SIZE = 80,
    FINDING_NODE_SIZE = 32,
    FINDING_WHEN_SIZE = 48,
    FINDING_TITLE_SIZE = 256,
    FINDING_SUBTITLE_SIZE = 400,
    FINDING_LABEL_SIZE = 128,
};

/* More are inside than may be, from tick `from` up to tick `to`. */
struct finding_overlap {
    uint64_t from, to; /* to: TRACE_NEVER if the run ended first */
};

struct finding {
    uint32_t leader;  /* the lane that was elected last, or TRACE_NONE */
    uint64_t elected; /* when */
    bool has_winner;  /* claims of this name get home: */
    uint64_t winner;

    uint64_t alone, beside; /* how often somebody got inside: to be alone, or
                             * beside others */
    uint32_t entered;       /* lanes that did */
    uint32_t attempts;      /* most that a read took; 0: nobody tries */
    uint32_t peak;          /* most that were inside to be alone together */
    bool mixed;             /* somebody alone was beside others */

    bool counts_flying; /* the problem is about tokens, and they add up: */
    int64_t tokens;     /* at the end, on the links and at the nodes */
    uint64_t one_since; /* from here on there was one; TRACE_NEVER: not one */

    const struct trace_violation *bad; /* the first, or NULL */
    const char *broken;                /* the property */
    enum blame blame;
    uint32_t together; /* number that led, were inside or waited then */
    uint32_t readers;  /* of those that were inside */
    uint32_t offenders[FINDING_OFFENDERS_MAX]; /* lanes, in ring order */
    uint32_t offenders_count;
    struct finding_overlap overlaps[FINDING_OVERLAPS_MAX];
    uint32_t overlaps_count;
};

/* False if memory ran out. */
bool finding_make(struct finding *f, const struct trace *t);

/* Calls `each` wherever a reader begins to try again, with the number of the
 * attempt; false if memory ran out. */
bool finding_attempts(const struct trace *t,
                      void (*each)(void *whom, const struct trace_event *e,
                                   uint32_t attempt),
                      void *whom);

/* A node in a sentence: its name, or "position 3" where it has none. */
void finding_node(const struct trace *t, uint32_t lane,
                  char out[FINDING_NODE_SIZE]);

/* "1 is elected at t = 24, over at t = 32 after 34 messages" */
void finding_title(const struct finding *f, const struct trace *t,
                   char out[FINDING_TITLE_SIZE]);

/* Complains that a run has nothing from a tick on; returns false. */
bool finding_nothing(const struct trace *t, uint64_t from, struct net_why *why);

/* Whether ticks only count events, in their order: so in what the checker
 * finds without time. */
bool finding_untimed(const struct trace *t);

/* A tick in a sentence: "t = 5", or "step 5" where there is no time. */
void finding_when(const struct trace *t, uint64_t tick,
                  char out[FINDING_WHEN_SIZE]);

/* Protocol, parameters, size, time, seed, faults. */
void finding_subtitle(const struct trace *t, const char *set,
                      char out[FINDING_SUBTITLE_SIZE]);

/* What went wrong, in two or three words and capitals: "TWO LEADERS". */
void finding_flag(const struct finding *f, char out[FINDING_FLAG_SIZE]);

/* A message as pictures call it: M with a small 1, or M(1) in ASCII. */
void finding_label(const struct trace *t, const struct trace_message *m,
                   bool ascii, char out[FINDING_LABEL_SIZE]);

/* Whether this message is a claim of the winner, and goes on or gets home. */
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
