/*
 * grid.h - words that take several values in turn: every combination is a cell.
 */
#ifndef LAB_GRID_H
#define LAB_GRID_H

#include "lab/claim/words.h"
#include "lab/formula/expression.h"

enum { LAB_CHOICES_MAX = 256, LAB_CELLS_MAX = 4096 };

/* A word, and its values. */
struct lab_axis {
    const char *key;
    char *text; /* that the values point into; NULL: they are elsewhere */
    const char *value[LAB_CHOICES_MAX]; /* NULL: a flag */
    uint32_t count;
};

struct lab_grid {
    struct lab_axis axis[LAB_WORDS_MAX];
    uint32_t count;
};

/* 2..5,8 becomes 2,3,4,5,8: a copy; NULL: no memory. */
char *lab_unrolled(const char *list);

/* Cuts `text` at the separator; the axis takes it over.  False: too many, and
 * `why` says so. */
bool lab_axis_cut(struct lab_axis *a, char *text, char separator,
                  struct net_why *why);

/* The number of cells; 0: more than LAB_CELLS_MAX. */
uint32_t lab_grid_cells(const struct lab_grid *g);

/* The value of an axis in a cell; the last axis changes first. */
const char *lab_grid_value(const struct lab_grid *g, uint32_t cell,
                           uint32_t axis);

void lab_grid_free(struct lab_grid *g);

/* Appends " --key value", or " --set key=value" if it is a parameter. */
void lab_say_option(struct lab_text *t, const char *key, const char *value,
                    bool parameter);

#endif
