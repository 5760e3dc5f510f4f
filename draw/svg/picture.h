/*
 * picture.h - what the parts of a diagram share while it is drawn.
 */
#ifndef DRAW_PICTURE_H
#define DRAW_PICTURE_H

#include <stdio.h>

#include "draw/finding.h"
#include "draw/roles.h"
#include "draw/svg/scale.h"
#include "draw/svg/svg.h"
#include "trace/spans.h"

enum picture_mark {
    MARK_DIES = 1u << 0,
    MARK_SILENT = 1u << 1,
    MARK_UNREAD = 1u << 2,
    MARK_WINS = 1u << 3,
    MARK_WAITS = 1u << 4, /* stays in a queue after its arrival */
    MARK_STEPS = 1u << 5, /* the lanes show their own steps */
    MARK_WANT = 1u << 6,  /* an application asks */
    MARK_STRAY = 1u << 8,
    MARK_COPY = 1u << 9,
    MARK_MISSED = 1u << 10,
    MARK_LATE = 1u << 11,
    MARK_CRASH = 1u << 12,
    MARK_RESTART = 1u << 13,
    MARK_PAUSE = 1u << 14,
    MARK_CUT = 1u << 15,
    MARK_AGAIN = 1u << 16, /* a reader tries once more */
};

enum { PICTURE_LEVELS = 5 }; /* steps of ink for density */

struct picture {
    FILE *file;
    const struct trace *t;
    struct trace_spans spans;
    struct finding found;
    const struct svg_options *options;
    struct scale s;
    double width, margin; /* of the whole picture */
    double inset;         /* width of the tree beside the lanes, or 0 */
    /* What occurs in the ticks shown, and must stand in the key. */
    unsigned looks; /* bits of 1 << enum look */
    unsigned roles; /* bits of 1 << enum trace_role */
    uint32_t kinds; /* bits of 1 << kind; without winning claims */
    unsigned marks; /* enum picture_mark */
    bool bad_shown; /* the first violation */
    uint64_t levels[PICTURE_LEVELS]; /* messages a cell, at least */
};

enum look picture_look(const struct picture *p, const struct trace_span *span);

/* The name of a look in the style sheet. */
const char *picture_look_class(enum look look);

/* The words of a look in the key: of the roles that occur, or the first of
 * them. */
enum { PICTURE_WORDS_SIZE = 96 };
void picture_look_words(const struct picture *p, enum look look, bool all,
                        char out[PICTURE_WORDS_SIZE]);

/* Height of a bar in pixels: in full, and as the lanes allow. */
double picture_look_height(enum look look);
double picture_bar_height(const struct picture *p, enum look look);
void picture_bar(const struct picture *p, enum look look, double x0, double x1,
                 double y, double height);

/* How a message is drawn: the class of its meaning in the style sheet, and
 * which of the kinds with that meaning it is.  No two kinds of a protocol have
 * the same sign. */
struct picture_sign {
    const char *class; /* claim, win, tell, ... */
    unsigned variant;
};
const char *picture_variant_class(struct picture_sign sign);
struct picture_sign picture_kind_sign(const struct trace *t, uint32_t kind);
struct picture_sign picture_sign(const struct picture *p,
                                 const struct trace_message *m);

/* A message as points in the picture. */
struct picture_path {
    double x[4], y[4];
    unsigned points;
    bool queued;     /* points 1 to 2 are the time in the queue */
    bool ends_shown; /* its end is inside the ticks shown */
    bool unread;
    bool far;              /* passes other lanes */
    bool late;             /* later than dmax, from this point on: */
    double late_x, late_y; /* on the first line */
};
bool picture_path(const struct picture *p, const struct trace_message *m,
                  struct picture_path *path);

/* Parts of the picture, in the order of drawing. */
void lanes_draw(const struct picture *p); /* svg_lanes.c */
void faults_survey(struct picture *p);    /* svg_faults.c: sets marks */
void faults_draw(const struct picture *p);
void faults_key(const struct picture *p, enum picture_mark mark, double x,
                double y);
void messages_draw(const struct picture *p); /* svg_messages.c */
int labels_draw(const struct picture *p);    /* svg_labels.c */
int dense_measure(struct picture *p);        /* svg_dense.c: sets levels */
int dense_draw(const struct picture *p);
void violation_ground(const struct picture *p); /* svg_violation.c */
void violation_marks(const struct picture *p);

/* Where a violation has its double arrow, and where it says "at once"; false if
 * it does not. */
struct picture_box {
    double x0, y0, x1, y1;
};
bool violation_arrow(const struct picture *p, struct picture_box *box);
bool violation_words(const struct picture *p, struct picture_box *box);
void frame_grid(const struct picture *p); /* svg_frame.c */
void frame_axis(const struct picture *p);
void frame_names(const struct picture *p);
void frame_scale_note(const struct picture *p, double y);

/* svg_tree.c: beside the lanes of a tree; 0 if it is not one that fits. */
double tree_width(const struct picture *p);
void tree_draw(const struct picture *p);

/* svg_legend.c: the key, in as many rows as it needs; returns its height.
 * `draw` false only measures. */
double legend_draw(const struct picture *p, double y, bool draw);

/* A short specimen or a real message: line, halo, end. */
void messages_arrow(FILE *file, struct picture_sign sign,
                    const struct picture_path *path, unsigned flags,
                    double size);

#endif
