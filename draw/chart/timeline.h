/*
 * timeline.h - states over time: lanes with intervals on a true time axis, as
 * SVG or as text.
 *
 * It knows nothing of messages or traces.  Where intervals of a lane overlap,
 * the one with more power is seen.
 */
#ifndef DRAW_TIMELINE_H
#define DRAW_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* From little power to much. */
enum timeline_state {
    TIMELINE_UP,     /* runs, and wants nothing */
    TIMELINE_DOWN,   /* died at `from`, not back before `to` */
    TIMELINE_FROZEN, /* stopped, and does not know it */
    TIMELINE_WAITS,
    TIMELINE_LEADS,
    TIMELINE_INSIDE,
    TIMELINE_STATES
};

struct timeline_interval {
    uint32_t lane;
    enum timeline_state state;
    uint64_t from, to; /* from <= to; an instant is drawn as well */
};

struct timeline {
    const char *title, *subtitle, *command; /* for the SVG */
    const char *const *lanes;               /* their names */
    uint32_t lanes_count;
    const struct timeline_interval *intervals; /* in any order */
    size_t intervals_count;
    uint64_t from, to; /* the part that is shown; from < to */
    uint64_t unit;     /* ticks of the time in which the axis is labelled */
    const char *unit_name;
};

/* Writes the picture; errors of the file are the caller's. */
void timeline_svg(FILE *file, const struct timeline *t);

/* A line for the axis and one for each lane, `columns` wide, and a key.  Signs
 * are ASCII unless `utf8`. */
void timeline_text(FILE *file, const struct timeline *t, unsigned columns,
                   bool utf8);

/* From label to label of an axis of `width` with labels at least `least` apart:
 * 1, 2 or 5 times a power of ten, and at least one tick. */
uint64_t timeline_step(const struct timeline *t, double width, double least);

/* A time as a label, without more decimals than `step` has. */
void timeline_label(const struct timeline *t, uint64_t time, uint64_t step,
                    char text[32]);

/* What the key calls a state. */
const char *timeline_word(enum timeline_state state);

/* Whether a state occurs in the part that is shown. */
bool timeline_has(const struct timeline *t, enum timeline_state state);

#endif
