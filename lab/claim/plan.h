/*
 * plan.h - from a try to experiments, which are command lines; their grids, and
 * how one is changed.
 */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include "lab/claim/claim.h"
#include "lab/formula/expression.h"

/* ---- Words that take several values in turn (grid.c) --------------------- */

/* Every combination is a cell. */

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

/* ---- From a try to experiments ------------------------------------------- */

/* One cell of a try. */
struct lab_planned {
    char *network; /* what differs from cell to cell: "n=8 f=exp:2" */
    char *command; /* "fulcrum sim ..." */
};

struct lab_plan {
    struct lab_planned *cell;
    uint32_t count;
};

/* A planned experiment.  Two words are in no command: protocol=NAME, or several
 * in braces, stands for the protocol that the claim is on, and let.X=NUMBER is
 * a letter of the formula. */
struct lab_planning {
    const struct lab_claim *claim;
    const struct lab_stated *stated;
    const struct lab_try *how;
    const struct lab_variant *variant; /* a reading or a repair, or NULL */
    const struct lab_variant *other;   /* another protocol, or NULL; it has as
                                        * many cells */
    const char *quantity;              /* that is measured */
    uint64_t seed;
    /* Whether a verb has an option of this name. */
    bool (*is_option)(const char *verb, const char *name);
};

/* To be freed in either case.  False: it cannot be tried like this, and `why`
 * says so. */
bool lab_plan_make(struct lab_plan *p, const struct lab_planning *of,
                   struct net_why *why);
void lab_plan_free(struct lab_plan *p);

/* ---- A command line with an option changed (command.c) ------------------- */

/* An option as it is written, such as --runs. */
bool lab_option_takes_no_file(const char *option);

/* Whether a command made of a claim names no file to read or write, in whatever
 * words; if it does, `why` names the mistake.  Claims may come from anywhere,
 * and may do nothing but measure. */
bool lab_command_is_harmless(const char *command, struct net_why *why);

/* The number behind an option, written as --runs or -n; false: it has none. */
bool lab_command_number(const char *command, const char *option, uint64_t *out);

/* A copy in which the option has this value; with NULL it is left out, with its
 * value.  NULL: no memory. */
char *lab_command_with(const char *command, const char *option,
                       const char *value);

/* The same, with a number. */
char *lab_command_with_number(const char *command, const char *option,
                              uint64_t value);

#endif
