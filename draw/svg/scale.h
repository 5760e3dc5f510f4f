/*
 * scale.h - how large things are: pixels a tick, height of a lane, and with
 * them how much of each message can be shown.
 */
#ifndef DRAW_SCALE_H
#define DRAW_SCALE_H

#include "trace/rows.h"
#include "trace/spans.h"

/* The zoom decides how messages are drawn; the limits are pixels per usual
 * delay. */
enum scale_regime {
    SCALE_ARROWS,  /* from 12 px: every message with its head */
    SCALE_LINES,   /* from 4 px: hairlines */
    SCALE_DENSITY, /* below: the number of messages in a cell */
    SCALE_SHARES,  /* lanes below 6 px: the number of nodes in each state */
};

struct scale {
    enum scale_regime regime;
    uint64_t from, to; /* the ticks shown, from < to */
    double px;         /* a tick */
    double delay_px;   /* the usual message */
    uint64_t delay;    /* the same in ticks */
    uint32_t rows;     /* lanes, and the first one again on a ring */
    bool again;
    bool frames; /* messages that only say "I am alive" are shown */
    double lane; /* pixels from lane to lane */
    double bar;  /* 1: bars in full height */
    double left, top, width, axis; /* of the plot; axis is its lower end */
};

/* Chooses for a part of a run.  The caller sets left and top afterwards, by
 * scale_place(). */
void scale_choose(struct scale *s, const struct trace *t,
                  const struct trace_spans *spans, uint64_t from, uint64_t to,
                  bool frames);
void scale_place(struct scale *s, double left, double top);

double scale_x(const struct scale *s, uint64_t tick);
double scale_y(const struct scale *s, uint32_t row);

/* A tick in the plot; those outside are at its edge. */
double scale_inside(const struct scale *s, uint64_t tick);

/* The part of an interval that is seen, three pixels at least if `wide`; false
 * if none is. */
bool scale_extent(const struct scale *s, uint64_t from, uint64_t to, bool wide,
                  double *x0, double *x1);

/* Ticks from label to label: 1, 2, 4 or 5 times a power of ten. */
uint64_t scale_step(const struct scale *s, double least_px);

/* When a message ends: it is read, or arrives, or, if it is lost, would
 * arrive after the usual delay. */
uint64_t scale_message_end(const struct scale *s,
                           const struct trace_message *m);

/* Whether a message is left out: a frame that nobody asked for. */
bool scale_hides(const struct scale *s, const struct trace *t,
                 const struct trace_message *m);

/* Whether anything of an interval is shown. */
bool scale_shows(const struct scale *s, uint64_t from, uint64_t to);

#endif
